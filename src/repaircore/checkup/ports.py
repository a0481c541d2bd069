"""Ports for the checkup, readiness and gauges."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from pathlib import Path
from typing import Protocol

from repaircore.checkup.model import (
    DeadMessages,
    DurabilitySetting,
    QueueLength,
    Queues,
    RunningJobs,
    ServerConnections,
)
from repaircore.kernel.imports import ImportRecord
from repaircore.messages.model import Channel
from repaircore.webhooks.model import Backlog


class DatabaseHealth(Protocol):
    """The health of the database. Every method may raise Unavailable if the database is not responding."""

    @property
    def head(self) -> str:
        """The newest revision of the schema."""

    @property
    def file(self) -> Path | None:
        """The file of the database, or None for a server."""

    def revision(self) -> str | None:
        """Return the revision of the schema, or None if there is none yet."""

    def upgrade_blocker(self) -> str | None:
        """Return why the schema cannot be upgraded to ``head``, or None if it can."""

    def book_edition(self) -> str | None:
        """Return the edition of the repair book in the database, or None if there is none."""

    def questionnaire_edition(self) -> str | None:
        """Return the edition of the questionnaire in the database, or None if there is none."""

    def durability(self, *, deep: bool) -> Sequence[DurabilitySetting]:
        """Return the settings that determine what a crash may lose, and the results of integrity checks.

        With ``deep``, these checks are thorough, which takes longer.
        """

    def clock(self) -> datetime | None:
        """Return the time of the database's clock, or None if it has none of its own."""

    def newest_write(self) -> datetime | None:
        """Return the time of the newest write that a row records, or None if there is none."""

    def unfinished_imports(self) -> Sequence[ImportRecord]:
        """List the imports that are not finished, oldest first."""

    def missing_tables(self) -> Sequence[str]:
        """Return the names of the newest revision's tables that are missing from the database."""

    def discrepancies(self, *, deep: bool) -> Sequence[str]:
        """Compare stored sums with their rows, in one snapshot, and return a sentence for each difference.

        Unless ``deep``, only sums that a few queries can compute are compared.
        """

    def server_connections(self) -> ServerConnections | None:
        """Return the connections to the database server, or None if there is no server."""

    def running_jobs(self, *, now: datetime) -> RunningJobs:
        """Return how many processes are running jobs, and when those that ended unexpectedly went missing."""

    def backlog(self, *, now: datetime) -> Backlog:
        """Return the backlog of webhook deliveries."""

    def stale_rides(self, *, since: datetime) -> QueueLength:
        """Return how many live rides and tows in progress have not changed since a time.

        Also return when the oldest of them last changed, or None if there are none.
        """

    def asked_providers(self, channels: AbstractSet[Channel]) -> tuple[int, int]:
        """Return how many active live providers make offers only on request.

        Also return how many of them have no contact for any of the ``channels``.
        """

    def dead_messages(self, *, since: datetime) -> Mapping[Channel, DeadMessages]:
        """Return how many messages were given up on since a time, and why, by channel; omit channels without any."""

    def stuck_payments(self, *, since: datetime) -> QueueLength:
        """Return how many payments have a step pending since a time, and when the oldest such step began, if any."""

    def failed_jobs(self) -> Mapping[str, str]:
        """Return why the last run of each failed job failed, by job name."""

    def leftover_files(self) -> Sequence[Path]:
        """List files that a killed command left next to the database."""


class Machine(Protocol):
    """The machine that this process runs on."""

    def nearest_existing(self, folder: Path) -> Path:
        """Return a folder, or its nearest ancestor that exists: folders are created on demand."""

    def free_bytes(self, folder: Path) -> int:
        """Return the number of free bytes on a folder's disk."""

    def is_folder(self, path: Path) -> bool:
        """Return whether a path is a folder."""

    def may_write(self, path: Path) -> bool:
        """Return whether this user may write to a path."""

    def is_open_to_others(self, file: Path) -> bool:
        """Return whether a file exists and may be read or written by users other than its owner and group."""

    def has_package(self, module: str) -> bool:
        """Return whether a Python package is installed."""


class QueueReader(Protocol):
    """The queues in the database."""

    def queues(self, *, now: datetime) -> Queues:
        """Return the state of every queue; messages, webhooks and payments that are done are not read.

        Raises:
            Unavailable: the database is not responding.
        """
