"""Backup errors."""

from repaircore.kernel.errors import Conflict, Invalid, NotFound


class BadBackup(Invalid):
    """The file is not a backup, is incomplete, or cannot be read by this version."""

    def __init__(self, text: str) -> None:
        super().__init__({"file": [text]})


class BackupRunning(Conflict):
    """Another backup is already being made for an admin."""

    def __init__(self) -> None:
        super().__init__("A backup is already being made. Wait until it has been downloaded.", retry_after=30)


class BackupNotHere(NotFound):
    """The backup that a task made is on another machine or was deleted."""

    def __init__(self) -> None:
        super().__init__("This backup was deleted or is on another machine. Its task shows the file name.")


class HoldsData(Conflict):
    """The database holds data that a restore would replace."""

    def __init__(self) -> None:
        super().__init__(
            "The database already holds data; nothing was changed. Use --replace to replace it with the backup."
        )


class DatabaseInUse(Conflict):
    """Other processes are using the database."""

    def __init__(self) -> None:
        super().__init__("The database is in use; nothing was changed. Stop the servers first.")
