"""Errors for problems."""

from repaircore.kernel.errors import NotFound


class CategoryNotFound(NotFound):
    """No main category has this id."""

    def __init__(self) -> None:
        super().__init__("Category not found.")


class ProblemNotFound(NotFound):
    """No repair has this id or slug."""

    def __init__(self) -> None:
        super().__init__("Problem not found.")
