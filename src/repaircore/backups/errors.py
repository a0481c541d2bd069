"""What can go wrong with a backup."""

from repaircore.kernel.errors import Conflict, Invalid


class BadBackup(Invalid):
    """The file is no backup, not a whole one, or not one that this version can read."""

    def __init__(self, text: str) -> None:
        super().__init__({"file": [text]})


class HoldsData(Conflict):
    """The database holds data that a restore would replace."""

    def __init__(self) -> None:
        super().__init__(
            "The database holds data already; nothing was changed. --replace puts the backup in its place."
        )


class DatabaseInUse(Conflict):
    """Others are at work with the database."""

    def __init__(self) -> None:
        super().__init__("Others use the database; nothing was changed. Stop the servers first.")
