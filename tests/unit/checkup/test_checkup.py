"""What a checkup finds wrong, and where it draws the line."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from tests.unit.checkup.fakes import GIGABYTE, NOW, FakeDatabase, FakeMachine

from repaircore.checkup.model import (
    CheckResult,
    DeadMessages,
    DurabilitySetting,
    QueueLength,
    RunningJobs,
    ServerConnections,
    WindowStore,
)
from repaircore.checkup.service import Checkup
from repaircore.external_settings import MailSettings, SmsSettings, VisionSettings
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid, Unavailable
from repaircore.kernel.imports import ImportRecord, ImportResult
from repaircore.messages.model import Channel
from repaircore.settings import Settings

FILE = Path("/srv/repairs.db")
LIBRARIES = frozenset({"psycopg", "PIL", "zxingcpp", "rapidocr", "redis"})


def fail(error: Exception) -> Any:
    raise error


def checkup(
    database: FakeDatabase | None = None, machine: FakeMachine | None = None, **changes: Any
) -> Checkup:
    usual = Checkup(
        settings=Settings(database_url=f"sqlite:///{FILE}", state_folder=Path("/var/lib/repaircore")),
        environ={},
        database=database or FakeDatabase(),
        machine=machine or FakeMachine(),
        book_edition=lambda: "3",
        questionnaire_edition=lambda: "3",
        vin_data=lambda: ("2026-01", "2026-01"),
        prepare=lambda: None,
        windows=lambda: [WindowStore("rate windows", "Redis at redis://cache.internal:6379", lambda: None)],
        unreadable_secrets=lambda: (0, 3),
        clock=lambda: NOW,
    )
    return evolve(usual, **changes)


def findings(checks: Checkup, *, deep: bool = False) -> Mapping[str, CheckResult]:
    return {finding.name: finding for finding in checks.examine(deep=deep).findings}


def wrong(database: FakeDatabase | None = None, machine: FakeMachine | None = None, **changes: Any) -> Any:
    return {finding.name for finding in checkup(database, machine, **changes).examine().wrong}


def queue(number: int) -> QueueLength:
    return QueueLength(number=number, oldest=NOW - timedelta(days=2))


def an_import(kind: str = "transactions") -> ImportRecord:
    return ImportRecord(
        id=1,
        kind=kind,
        environment=Environment.LIVE,
        digest="0",
        file="invoices.csv",
        result=ImportResult(read=1),
        started_at=NOW,
        finished_at=None,
    )


@pytest.mark.parametrize(
    ("database", "names"),
    [
        (FakeDatabase(oldest=NOW - timedelta(minutes=10)), set()),
        (FakeDatabase(oldest=NOW - timedelta(minutes=10, seconds=1)), {"webhooks"}),
        (FakeDatabase(time=NOW + timedelta(minutes=1)), set()),
        (FakeDatabase(time=NOW + timedelta(minutes=1, seconds=1)), {"clock"}),
        (FakeDatabase(time=NOW - timedelta(minutes=1, seconds=1)), {"clock"}),
        (FakeDatabase(newest=NOW + timedelta(minutes=5)), set()),
        (FakeDatabase(newest=NOW + timedelta(minutes=5, seconds=1)), {"clock"}),
        (FakeDatabase(connections=ServerConnections(used=87, most=100, reserved=3)), set()),
        (FakeDatabase(connections=ServerConnections(used=88, most=100, reserved=3)), {"server connections"}),
        (FakeDatabase(connections=ServerConnections(used=90, most=103, reserved=3)), {"server connections"}),
        (FakeDatabase(jobs=RunningJobs(processes=0)), set()),
        (FakeDatabase(jobs=RunningJobs(processes=1, missing=[NOW])), set()),
        (FakeDatabase(jobs=RunningJobs(processes=0, missing=[NOW])), {"background jobs"}),
        (FakeDatabase(failures={"sweep": "It rained."}), {"job sweep"}),
        (FakeDatabase(settings=[DurabilitySetting("fsync", "on", ("on",))]), set()),
        (FakeDatabase(settings=[DurabilitySetting("fsync", "off", ("on",))]), {"fsync"}),
        (FakeDatabase(settings=[DurabilitySetting("wal_level", "replica")]), set()),
        (FakeDatabase(edition=None), {"repair book edition", "questionnaire edition"}),
        (FakeDatabase(missing=["rides"]), {"tables"}),
        (FakeDatabase(at_revision="8", missing=["rides"]), {"database revision"}),
        (FakeDatabase(differing=["One differs."]), {"sums"}),
        (FakeDatabase(imports=[an_import()]), {"import of invoices.csv"}),
        (FakeDatabase(rides=queue(2)), {"rides"}),
        (FakeDatabase(payments=queue(2)), {"payments"}),
        (FakeDatabase(providers=(2, 0)), set()),
        (FakeDatabase(providers=(2, 1)), {"providers"}),
        (
            FakeDatabase(dead={Channel.SMS: DeadMessages(number=1, reason="No such number.")}),
            {"messages by SMS"},
        ),
        (FakeDatabase(leftovers=[FILE]), set()),
        (FakeDatabase(path=FILE, leftovers=[Path("/srv/part")]), {"/srv/part"}),
    ],
)
def test_checkup_finds_only_what_is_wrong(database: FakeDatabase, names: set[str]) -> None:
    assert wrong(database) == names


@pytest.mark.parametrize(
    ("database", "value"),
    [
        (FakeDatabase(oldest=NOW), "4 pending, 3 of them due since 2026-01-31T12:00:00Z"),
        (FakeDatabase(), "4 pending, 3 of them due"),
        (FakeDatabase(jobs=RunningJobs(processes=0)), "no process running"),
        (FakeDatabase(jobs=RunningJobs(processes=2)), "2 processes running"),
        (
            FakeDatabase(rides=queue(2)),
            "2 unchanged for more than a day, the oldest since 2026-01-29T12:00:00Z",
        ),
        (FakeDatabase(providers=(1, 0)), "1 makes offers only on request"),
        (FakeDatabase(providers=(2, 0)), "2 make offers only on request"),
        (FakeDatabase(imports=[an_import()]), "1 row of transactions since 2026-01-31 12:00"),
        (FakeDatabase(differing=[f"{number}." for number in range(5)]), "5 differ"),
    ],
)
def test_finding_counts_what_it_is_about(database: FakeDatabase, value: str) -> None:
    assert value in {finding.value for finding in checkup(database).examine().findings}


def test_process_that_ended_last_is_the_missing_one() -> None:
    jobs = RunningJobs(processes=0, missing=[NOW - timedelta(hours=1), NOW])

    assert "2026-01-31T12:00:00Z" in (
        findings(checkup(FakeDatabase(jobs=jobs)))["background jobs"].wrong or ""
    )


def test_only_some_discrepancies_are_named() -> None:
    def text(count: int) -> str:
        database = FakeDatabase(differing=[f"Sum {number} differs." for number in range(count)])
        return findings(checkup(database))["sums"].wrong or ""

    assert text(5).endswith(": Sum 0 differs. Sum 1 differs. Sum 2 differs. Sum 3 differs. Sum 4 differs.")
    assert text(6).endswith(
        ": Sum 0 differs. Sum 1 differs. Sum 2 differs. Sum 3 differs. Sum 4 differs. (and 1 more)"
    )


def test_deep_checkup_compares_every_row() -> None:
    shallow, deep = FakeDatabase(), FakeDatabase()

    assert findings(checkup(shallow))["sums"].value == "agree with the rows that were counted"
    assert findings(checkup(deep), deep=True)["sums"].value == "agree with every row"
    assert (shallow.asked["deep"], deep.asked["deep"]) == (False, True)


def test_checkup_looks_back_a_day_an_hour_and_a_week() -> None:
    database = FakeDatabase()
    findings(checkup(database))

    assert (database.asked["rides"], database.asked["payments"], database.asked["messages"]) == (
        timedelta(days=1),
        timedelta(hours=1),
        timedelta(days=7),
    )


def test_integrity_that_is_lost_needs_a_backup() -> None:
    lost = FakeDatabase(settings=[DurabilitySetting("integrity", "row 5 missing", ("ok",))])
    other = FakeDatabase(settings=[DurabilitySetting("fsync", "off", ("on", "true"))])

    assert (findings(checkup(lost))["integrity"].wrong or "").startswith(
        "should be ok: restore the latest backup"
    )
    assert findings(checkup(other))["fsync"].wrong == "should be on or true"


def test_new_installation_has_no_database_to_check() -> None:
    new = FakeDatabase(at_revision=None)
    embedded = findings(checkup(new))
    server = findings(checkup(new, settings=Settings(database_url="postgresql+psycopg://db/shop")))

    assert "database" in embedded
    assert "database revision" not in embedded
    assert server["database revision"].wrong == "run `repaircore db upgrade`"


def test_database_that_does_not_answer_leaves_the_other_checks() -> None:
    found = findings(checkup(FakeDatabase(is_down=True)))

    assert found["database"].wrong == "The database is not responding."
    assert found["clock"].wrong is None
    assert "models" in found


@pytest.mark.parametrize(
    ("on", "settings"),
    [
        ({Channel.WEBHOOK}, {}),
        ({Channel.WEBHOOK}, {"mail": MailSettings(sender="shop@example.com")}),
        (
            {Channel.WEBHOOK, Channel.EMAIL},
            {"mail": MailSettings(url="smtp://mail.example.com", sender="shop@example.com")},
        ),
        ({Channel.WEBHOOK, Channel.SMS}, {"sms": SmsSettings(url="https://sms.example.com")}),
    ],
)
def test_providers_are_reached_by_the_channels_that_are_on(
    on: set[Channel], settings: dict[str, Any]
) -> None:
    database = FakeDatabase()
    findings(checkup(database, settings=Settings(database_url=f"sqlite:///{FILE}", **settings)))

    assert database.asked["channels"] == on


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"unreadable_secrets": lambda: (1, 3)}, {"secret key"}),
        ({"unreadable_secrets": lambda: fail(Invalid({"key": ["is too short"]}))}, {"secret key"}),
        ({"unreadable_secrets": lambda: (0, 0)}, set()),
        ({"book_edition": lambda: "2"}, {"repair book edition"}),
        ({"vin_data": lambda: ("2026-02", "2026-01")}, {"VIN data"}),
        ({"vin_data": lambda: ("2026-01", "2026-02")}, set()),
        ({"prepare": lambda: fail(Invalid({"url": ["is required"]}))}, {"models"}),
        ({"prepare": lambda: fail(Unavailable("The model is away."))}, {"models"}),
        ({"windows": lambda: fail(Invalid({"url": ["is required"]}))}, {"rate windows"}),
        (
            {"windows": lambda: [WindowStore("rate windows", "Redis", lambda: fail(Unavailable("No.")))]},
            {"rate windows"},
        ),
        ({"clock": lambda: datetime(2024, 12, 31, tzinfo=NOW.tzinfo)}, {"clock"}),
        ({"clock": lambda: datetime(2025, 1, 1, tzinfo=NOW.tzinfo)}, set()),
        ({"environ": {"REPAIRCORE_REQUESTS_PER_MINIT": "60"}}, {"REPAIRCORE_REQUESTS_PER_MINIT"}),
        ({"environ": {"REPAIRCORE_REQUESTS_PER_MINUTE": "60", "REPAIRCORE_TEST_X": "1", "PATH": "/"}}, set()),
    ],
)
def test_checkup_finds_wrong_settings_and_parts(changes: dict[str, Any], names: set[str]) -> None:
    assert wrong(**changes) == names


@pytest.mark.parametrize(
    ("machine", "names"),
    [
        (FakeMachine(200 * 1024**2), set()),
        (FakeMachine(200 * 1024**2 - 1), {"free disk at /srv", "free disk at /var/lib/repaircore"}),
        (FakeMachine(has_folders=False), {"can write to /srv", "can write to /var/lib/repaircore"}),
        (FakeMachine(is_writable=False), {"can write to /srv", "can write to /var/lib/repaircore"}),
        (FakeMachine(is_open=True), {"/srv/repairs.db", "/srv/repairs.db.key"}),
        (
            FakeMachine(is_open=True, has_folders=False),
            {"can write to /srv", "can write to /var/lib/repaircore"},
        ),
    ],
)
def test_checkup_finds_disks_that_cannot_be_written(machine: FakeMachine, names: set[str]) -> None:
    assert wrong(FakeDatabase(path=FILE), machine) == names


def test_free_disk_is_in_gigabytes() -> None:
    assert (
        findings(checkup(machine=FakeMachine(5 * GIGABYTE // 2)))["free disk at /var/lib/repaircore"].value
        == "2.5 GB"
    )


def test_parts_are_named_with_their_sources() -> None:
    local = findings(checkup())
    remote = findings(
        checkup(
            settings=Settings(vin_decoder_url="https://vpic.example", plates_url="https://plates.example")
        )
    )

    assert (local["VIN decoder"].value, local["plate provider"].value) == ("shipped data", "none")
    assert (remote["VIN decoder"].value, remote["plate provider"].value) == (
        "shipped data, then https://vpic.example",
        "https://plates.example",
    )


def test_address_of_a_model_that_is_off_is_not_used() -> None:
    off = VisionSettings(kind="off", url="https://models.example")
    on = VisionSettings(kind="openai", url="https://models.example", api_key="k", name="eye")

    assert wrong(settings=Settings(vision=off)) == {"REPAIRCORE_VISION_URL"}
    assert wrong(settings=Settings(vision=on)) == set()


def test_failed_check_is_logged_and_leaves_the_others(caplog: pytest.LogCaptureFixture) -> None:
    found = findings(checkup(vin_data=lambda: fail(RuntimeError("only for the log"))))

    assert (found["components"].value, found["VIN decoder"].value) == ("not checked", "shipped data")
    assert "The checkup of the components failed" in caplog.text


def test_only_admins_list_the_settings() -> None:
    user = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SESSION)

    with pytest.raises(Forbidden):
        checkup().list_settings(user)


def test_extra_is_installed_with_all_its_libraries() -> None:
    found = findings(checkup(machine=FakeMachine(packages=LIBRARIES)))

    assert found["extras"].value == "postgres, redis"
    assert findings(checkup(machine=FakeMachine(packages=frozenset())))["extras"].value == "none"
