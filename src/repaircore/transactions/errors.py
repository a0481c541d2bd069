"""Errors for transactions."""

from repaircore.kernel.errors import NotFound


class TransactionNotFound(NotFound):
    """The transaction does not exist in the caller's environment."""

    def __init__(self) -> None:
        super().__init__("Transaction not found.")
