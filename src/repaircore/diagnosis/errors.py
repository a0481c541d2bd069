"""Errors of diagnoses."""

from repaircore.kernel.errors import NotFound


class CaseNotFound(NotFound):
    """There is no diagnosis, chat or questionnaire with this reference."""

    def __init__(self) -> None:
        super().__init__("There is no diagnosis with this reference.")
