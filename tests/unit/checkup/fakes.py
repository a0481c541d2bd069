"""A database and a machine in a chosen condition."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from pathlib import Path

from attrs import define, field
from typing_extensions import override

from repaircore.checkup.model import (
    DeadMessages,
    DurabilitySetting,
    QueueLength,
    RunningJobs,
    ServerConnections,
)
from repaircore.checkup.ports import DatabaseHealth, Machine
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.imports import ImportRecord
from repaircore.messages.model import Channel
from repaircore.webhooks.model import Backlog

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
GIGABYTE = 1024**3
NO_QUEUE = QueueLength(number=0, oldest=None)


@define(kw_only=True)
class FakeDatabase(DatabaseHealth):
    """A database in a chosen condition."""

    path: Path | None = None
    at_revision: str | None = "9"
    edition: str | None = "3"
    settings: Sequence[DurabilitySetting] = ()
    time: datetime | None = None
    oldest: datetime | None = None
    connections: ServerConnections | None = None
    newest: datetime | None = None
    imports: Sequence[ImportRecord] = ()
    missing: Sequence[str] = ()
    differing: Sequence[str] = ()
    rides: QueueLength = NO_QUEUE
    payments: QueueLength = NO_QUEUE
    providers: tuple[int, int] = (0, 0)
    dead: Mapping[Channel, DeadMessages] = field(factory=dict)
    leftovers: Sequence[Path] = ()
    asked: dict[str, object] = field(factory=dict)
    jobs: RunningJobs = field(factory=lambda: RunningJobs(processes=1))
    failures: Mapping[str, str] = field(factory=dict)
    is_down: bool = False
    calls: int = 0

    @property
    @override
    def head(self) -> str:
        return "9"

    @property
    @override
    def file(self) -> Path | None:
        return self.path

    @override
    def revision(self) -> str | None:
        self.calls += 1
        if self.is_down:
            raise Unavailable("The database is not responding.")
        return self.at_revision

    @override
    def upgrade_blocker(self) -> str | None:
        return None

    @override
    def book_edition(self) -> str | None:
        return self.edition

    @override
    def questionnaire_edition(self) -> str | None:
        return self.edition

    @override
    def durability(self, *, deep: bool) -> Sequence[DurabilitySetting]:
        return self.settings

    @override
    def clock(self) -> datetime | None:
        return self.time

    @override
    def newest_write(self) -> datetime | None:
        return self.newest

    @override
    def unfinished_imports(self) -> Sequence[ImportRecord]:
        return self.imports

    @override
    def missing_tables(self) -> Sequence[str]:
        return self.missing

    @override
    def discrepancies(self, *, deep: bool) -> Sequence[str]:
        self.asked["deep"] = deep
        return self.differing

    @override
    def server_connections(self) -> ServerConnections | None:
        return self.connections

    @override
    def running_jobs(self, *, now: datetime) -> RunningJobs:
        return self.jobs

    @override
    def backlog(self, *, now: datetime) -> Backlog:
        return Backlog(pending=4, due=3, oldest=self.oldest)

    @override
    def stale_rides(self, *, since: datetime) -> QueueLength:
        self.asked["rides"] = NOW - since
        return self.rides

    @override
    def asked_providers(self, channels: AbstractSet[Channel]) -> tuple[int, int]:
        self.asked["channels"] = channels
        return self.providers

    @override
    def dead_messages(self, *, since: datetime) -> Mapping[Channel, DeadMessages]:
        self.asked["messages"] = NOW - since
        return self.dead

    @override
    def stuck_payments(self, *, since: datetime) -> QueueLength:
        self.asked["payments"] = NOW - since
        return self.payments

    @override
    def failed_jobs(self) -> Mapping[str, str]:
        return self.failures

    @override
    def leftover_files(self) -> Sequence[Path]:
        return self.leftovers


@define
class FakeMachine(Machine):
    """A machine with a given number of free bytes."""

    left: int = GIGABYTE
    has_folders: bool = True
    is_writable: bool = True
    is_open: bool = False
    packages: AbstractSet[str] | None = None

    @override
    def nearest_existing(self, folder: Path) -> Path:
        return folder

    @override
    def free_bytes(self, folder: Path) -> int:
        return self.left

    @override
    def is_folder(self, path: Path) -> bool:
        return self.has_folders

    @override
    def may_write(self, path: Path) -> bool:
        return self.is_writable

    @override
    def is_open_to_others(self, file: Path) -> bool:
        return self.is_open

    @override
    def has_package(self, module: str) -> bool:
        return self.packages is None or module in self.packages
