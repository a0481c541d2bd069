"""Errors for the questionnaire."""

from repaircore.kernel.errors import NotFound


class CategoryNotFound(NotFound):
    """There is no such active category of questions."""

    def __init__(self) -> None:
        super().__init__("Category not found.")


class SubmissionNotFound(NotFound):
    """There is no submission with this reference."""

    def __init__(self) -> None:
        super().__init__("There is no submission with this reference.")
