"""What can go wrong with a person's data."""

from repaircore.kernel.errors import NotFound


class PersonUnknown(NotFound):
    """Nothing is kept about this e-mail."""

    def __init__(self, email: str) -> None:
        super().__init__(f"Nothing is kept about {email}.")
