"""What can go wrong with the questionnaire."""

from repaircore.kernel.errors import NotFound


class CategoryNotFound(NotFound):
    """There is no such category of questions, or none that is active."""

    def __init__(self) -> None:
        super().__init__("Category not found.")


class SubmissionNotFound(NotFound):
    """There is no filled-in questionnaire with this reference."""

    def __init__(self) -> None:
        super().__init__("There is no submission with this reference.")
