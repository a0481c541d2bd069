"""Obstacles to serving, and warnings."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from attrs import evolve
from tests.unit.checkup.fakes import NOW, FakeDatabase, FakeMachine

from repaircore.checkup.model import DurabilitySetting, RunningJobs, ServerConnections, WindowStore
from repaircore.checkup.readiness import CACHE_SECONDS, Readiness
from repaircore.kernel.errors import Invalid, Unavailable


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
    raise Unavailable("Redis is not responding.")


def test_readiness_has_no_obstacles_or_warnings_when_all_is_well() -> None:
    assert (readiness().obstacles(), readiness().warnings()) == ([], [])


def test_readiness_reports_a_full_disk_of_the_database() -> None:
    full = FakeMachine(1024)
    same_disk = readiness(FakeDatabase(path=Path("/srv/repairs.db")), full)
    assert same_disk.obstacles() == ["The database's disk is full."]
    nearly_full = readiness(FakeDatabase(path=Path("/srv/repairs.db")), FakeMachine(16 * 1024**2))
    assert nearly_full.obstacles() == []
    other_disk = readiness(FakeDatabase(), full)

    assert other_disk.obstacles() == []
    assert other_disk.warnings() == ["Less than 200 MB is free on a disk."]
    assert readiness(FakeDatabase(), FakeMachine(200 * 1024**2)).warnings() == []


def test_readiness_warns_of_a_lost_secret_key() -> None:
    assert readiness(unreadable=2).warnings() == [
        "The secret key was replaced or lost: the secrets of 2 webhooks cannot be decrypted."
    ]


def test_readiness_warns_of_a_lost_redis_without_its_address() -> None:
    checks = readiness(ping=fail)

    assert checks.obstacles() == []
    assert checks.warnings() == ["The rate limit store is not responding: Redis."]


def test_readiness_warns_of_misconfigured_rate_windows() -> None:
    def misconfigured() -> list[WindowStore]:
        raise Invalid({"REPAIRCORE_REDIS_URL": ["is required"]})

    checks = evolve(readiness(), windows=misconfigured)

    assert checks.warnings() == ["The rate limit store is misconfigured."]


def test_one_warning_covers_all_disks() -> None:
    checks = evolve(readiness(disk=FakeMachine(1024)), folders=[Path("/srv"), Path("/var/lib/repaircore")])

    assert len(checks.warnings()) == 1


def test_settings_of_a_file_are_no_warnings() -> None:
    """A file is opened with the right settings each time."""
    database = FakeDatabase(
        path=Path("/srv/repairs.db"), settings=[DurabilitySetting("fsync", "off", ("on",))]
    )

    assert readiness(database).warnings() == []


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
            "No process is running background jobs: the last one ended unexpectedly.",
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
        FakeDatabase(time=NOW + timedelta(seconds=60)),
        FakeDatabase(oldest=NOW - timedelta(minutes=10)),
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
    obstacles = ["The database is not responding."]
    checks = evolve(readiness(), database_obstacles=lambda: obstacles)
    assert checks.obstacles() == obstacles
    obstacles = []

    assert checks.obstacles() == []
