"""What can go wrong with diagnostics."""

from repaircore.kernel.errors import NotFound

__all__ = ["CaseNotFound", "CategoryNotFound", "ChatNotFound", "SubmissionNotFound"]


class ChatNotFound(NotFound):
    """There is no such conversation, or none that the caller may see: nobody can tell which."""

    def __init__(self) -> None:
        super().__init__("Chat session not found.")


class CategoryNotFound(NotFound):
    """There is no such category of questions, or none that is active."""

    def __init__(self) -> None:
        super().__init__("Category not found.")


class SubmissionNotFound(NotFound):
    """There is no filled-in questionnaire with this reference."""

    def __init__(self) -> None:
        super().__init__("There is no submission with this reference.")


class CaseNotFound(NotFound):
    """There is no diagnosis, chat or questionnaire with this reference."""

    def __init__(self) -> None:
        super().__init__("There is no diagnosis with this reference.")
