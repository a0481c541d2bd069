"""Errors for personal data."""

from repaircore.kernel.errors import NotFound


class PersonUnknown(NotFound):
    """Nothing is stored about the person with this e-mail address."""

    def __init__(self, email: str) -> None:
        super().__init__(f"No data was found for {email}.")
