"""What can go wrong with past repairs."""

from repaircore.kernel.errors import NotFound


class TransactionNotFound(NotFound):
    """There is no such invoice, or none in the caller's environment."""

    def __init__(self) -> None:
        super().__init__("Transaction not found.")
