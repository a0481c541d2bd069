"""Customer errors."""

from repaircore.kernel.errors import NotFound


class CustomerNotFound(NotFound):
    """The partner has no such customer in this environment, or the customer was erased."""

    def __init__(self) -> None:
        super().__init__("Not Found.")
