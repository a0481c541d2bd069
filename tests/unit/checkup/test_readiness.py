"""Obstacles to serving, and warnings."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attrs import define, evolve, field
from typing_extensions import override

from repaircore.checkup.model import (
    DeadMessages,
    DurabilitySetting,
    QueueLength,
    RunningJobs,
    ServerConnections,
    WindowStore,
)
from repaircore.checkup.ports import DatabaseHealth, Machine
from repaircore.checkup.readiness import CACHE_SECONDS, Readiness
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.imports import ImportRecord
from repaircore.messages.model import Channel
from repaircore.webhooks.model import Backlog

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
GIGABYTE = 1024**3


@define(kw_only=True)
class FakeDatabase(DatabaseHealth):
    """A database in a chosen condition."""

    path: Path | None = None
    at_revision: str = "9"
    settings: Sequence[DurabilitySetting] = ()
    time: datetime | None = None
    oldest: datetime | None = None
    connections: ServerConnections | None = None
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
            raise Unavailable("The database does not answer.")
        return self.at_revision

    @override
    def upgrade_blocker(self) -> str | None:
        return None

    @override
    def book_edition(self) -> str | None:
        return None

    @override
    def questionnaire_edition(self) -> str | None:
        return None

    @override
    def durability(self, *, deep: bool) -> Sequence[DurabilitySetting]:
        return self.settings

    @override
    def clock(self) -> datetime | None:
        return self.time

    @override
    def newest_write(self) -> datetime | None:
        return None

    @override
    def unfinished_imports(self) -> Sequence[ImportRecord]:
        return []

    @override
    def missing_tables(self) -> Sequence[str]:
        return []

    @override
    def discrepancies(self, *, deep: bool) -> Sequence[str]:
        return []

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
        return QueueLength(number=0, oldest=None)

    @override
    def asked_providers(self, channels: AbstractSet[Channel]) -> tuple[int, int]:
        return 0, 0

    @override
    def dead_messages(self, *, since: datetime) -> Mapping[Channel, DeadMessages]:
        return {}

    @override
    def stuck_payments(self, *, since: datetime) -> QueueLength:
        return QueueLength(number=0, oldest=None)

    @override
    def failed_jobs(self) -> Mapping[str, str]:
        return self.failures

    @override
    def leftover_files(self) -> Sequence[Path]:
        return []


@define
class FakeMachine(Machine):
    """A machine with a given number of free bytes."""

    left: int = GIGABYTE

    @override
    def nearest_existing(self, folder: Path) -> Path:
        return folder

    @override
    def free_bytes(self, folder: Path) -> int:
        return self.left

    @override
    def is_folder(self, path: Path) -> bool:
        return True

    @override
    def may_write(self, path: Path) -> bool:
        return True

    @override
    def is_open_to_others(self, file: Path) -> bool:
        return False

    @override
    def has_package(self, module: str) -> bool:
        return True


def readiness(
    database: FakeDatabase | None = None,
    disk: FakeMachine | None = None,
    *,
    ping: Callable[[], object] = lambda: None,
    timer: Callable[[], float] = lambda: 0.0,
    unreadable: int = 0,
) -> Readiness:
    return Readiness(
        database_obstacles=list,
        database=database or FakeDatabase(),
        machine=disk or FakeMachine(),
        folders=[Path("/var/lib/repaircore")],
        windows=lambda: [WindowStore("rate windows", "Redis at redis://cache.internal:6379", ping)],
        unreadable_secrets=lambda: (unreadable, 3),
        clock=lambda: NOW,
        timer=timer,
    )


def fail() -> None:
    raise Unavailable("Redis does not answer.")


def test_readiness_has_no_obstacles_or_warnings_when_all_is_well() -> None:
    assert (readiness().obstacles(), readiness().warnings()) == ([], [])


def test_readiness_reports_a_full_disk_of_the_database() -> None:
    full = FakeMachine(1024)
    same_disk = readiness(FakeDatabase(path=Path("/srv/repairs.db")), full)
    assert same_disk.obstacles() == ["The disk of the database is full."]
    other_disk = readiness(FakeDatabase(), full)

    assert other_disk.obstacles() == []
    assert other_disk.warnings() == ["Less than 200 MB are free on a disk."]


def test_readiness_warns_of_a_lost_secret_key() -> None:
    assert readiness(unreadable=2).warnings() == [
        "The secret key was replaced or lost: the secrets of 2 webhooks cannot be decrypted."
    ]


def test_readiness_warns_of_a_lost_redis_without_its_address() -> None:
    checks = readiness(ping=fail)

    assert checks.obstacles() == []
    assert checks.warnings() == ["The store of the rate limits does not answer: Redis."]


@pytest.mark.parametrize(
    ("database", "words"),
    [
        (
            FakeDatabase(settings=[DurabilitySetting("fsync", "off", ("on",))]),
            "PostgreSQL's fsync is off, not on.",
        ),
        (
            FakeDatabase(time=NOW + timedelta(seconds=90)),
            "The clock differs from the database's by 90 seconds.",
        ),
        (
            FakeDatabase(time=NOW - timedelta(seconds=61)),
            "The clock differs from the database's by 61 seconds.",
        ),
        (
            FakeDatabase(oldest=NOW - timedelta(minutes=11)),
            "3 webhooks are due, some for more than ten minutes. Check that `repaircore jobs run` is running.",
        ),
        (
            FakeDatabase(connections=ServerConnections(used=98, most=100, reserved=3)),
            "The database server's connections are nearly used up (98 of 100).",
        ),
        (
            FakeDatabase(jobs=RunningJobs(processes=0, missing=[NOW])),
            "No process runs background jobs: the one that did ended unexpectedly.",
        ),
        (
            FakeDatabase(failures={"estimates.refit": "hush"}),
            "The last run of the job estimates.refit failed.",
        ),
    ],
)
def test_readiness_warns_in_a_sentence(database: FakeDatabase, words: str) -> None:
    assert readiness(database).warnings() == [words]


@pytest.mark.parametrize(
    "database",
    [
        FakeDatabase(time=NOW + timedelta(seconds=59)),
        FakeDatabase(oldest=NOW - timedelta(minutes=9)),
        FakeDatabase(connections=ServerConnections(used=87, most=100, reserved=3)),
        FakeDatabase(jobs=RunningJobs(processes=1, missing=[NOW])),
        FakeDatabase(jobs=RunningJobs(processes=0)),
        FakeDatabase(is_down=True),
        FakeDatabase(at_revision="8", failures={"estimates.refit": "hush"}),
    ],
)
def test_warnings_leave_out_small_deviations_and_obstacles(database: FakeDatabase) -> None:
    assert readiness(database).warnings() == []


def test_readiness_caches_warnings() -> None:
    seconds = [100.0]
    database = FakeDatabase()
    checks = readiness(database, timer=lambda: seconds[0])
    for _ in range(3):
        checks.warnings()
    assert database.calls == 1
    seconds[0] += CACHE_SECONDS
    checks.warnings()

    assert database.calls == 2


def test_readiness_reads_obstacles_each_time() -> None:
    obstacles = ["The database does not answer."]
    checks = evolve(readiness(), database_obstacles=lambda: obstacles)
    assert checks.obstacles() == obstacles
    obstacles = []

    assert checks.obstacles() == []
