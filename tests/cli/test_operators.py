"""Operator commands: lock and invite users, request jobs, search the audit log."""

from pathlib import Path

import pytest
from tests.cli.conftest import Cli

from repaircore import Settings, build
from repaircore.kernel.callers import LOCAL
from repaircore_cli.tasks import StartedKind


@pytest.fixture
def ada(cli: Cli) -> str:
    invited = cli("users", "invite", "Ada@example.com", "--name", "Ada", "--json")
    assert invited.status == 0, invited.err
    assert (invited.json["user_id"], invited.json["email"]) == (1, "ada@example.com")
    assert "/console/reset/prl_" in invited.json["url"]
    return "ada@example.com"


def test_link_is_printed_once_for_each_request(cli: Cli, ada: str) -> None:
    first, second = cli("users", "link", ada), cli("users", "link", ada)

    assert first.out.startswith("http://127.0.0.1:8000/console/reset/prl_")
    assert "ada@example.com can choose a password once, until" in first.err
    assert first.out != second.out
    mailed = cli("users", "link", ada, "--mail")
    assert mailed.status == 1
    assert "cannot create or send password links" in mailed.err
    assert cli("users", "link", "nobody@example.com").status == 1


def test_account_is_locked_and_unlocked(cli: Cli, ada: str) -> None:
    assert cli("users", "lock", ada).out == "ada@example.com is locked.\n"
    (listed,) = cli("users", "list", "--json").json
    assert listed["locked_at"] is not None
    locked = cli("users", "link", ada)
    assert (locked.status, locked.err) == (
        1,
        "Error: The account is locked; no link was created. Unlock it first.\n",
    )
    assert cli("users", "unlock", ada, "--json").json["locked_at"] is None
    assert cli("users", "unlock", ada).out == "ada@example.com is unlocked.\n"


def test_job_is_requested_and_run(cli: Cli) -> None:
    assert cli("jobs", "request", "estimates.refit").status == 0
    refit = next(job for job in cli("jobs", "list", "--json").json if job["name"] == "estimates.refit")
    assert refit["requested_at"] is not None
    assert "requested" in cli("jobs", "list").out
    ran = cli("jobs", "run", "--once", "--json").json["jobs"]
    assert "estimates.refit" in [run["name"] for run in ran]
    refit = next(job for job in cli("jobs", "list", "--json").json if job["name"] == "estimates.refit")
    assert (refit["requested_at"], refit["counts"]) == (None, {"test": 0, "live": 0})
    assert cli("jobs", "request", "fly").err == (
        "Error: There is no job fly. `repaircore jobs list` lists them.\n"
    )


def test_audit_log_formats_values_for_people(cli: Cli) -> None:
    place = ("--latitude", "39.96", "--longitude", "-83", "--time-zone", "America/New_York")
    added = cli("drivers", "add", "Sam", "(614) 555-0160", "--services", "tire_change towing", *place)
    assert added.status == 0, added.err

    (line,) = cli("audit").out.splitlines()

    assert "services tire_change towing" in line
    assert "active yes" in line
    assert "None" not in line


def test_audit_log_is_searched(cli: Cli, ada: str, tmp_path: Path) -> None:
    cli("users", "lock", ada)
    assert cli("backup", str(tmp_path / "backup.zip")).status == 0

    def actions(*options: str) -> list[str]:
        return [entry["action"] for entry in cli("audit", "--json", *options).json]

    assert actions() == ["backup.make", "user.lock", "user.invite"]
    assert actions("--by", "installation", "--action", "user.lock") == ["user.lock"]
    assert actions("--by", ada) == []
    assert actions("--from", "2999-01-01") == []
    assert actions("--to", "2000-01-01") == []
    undated = cli("audit", "--from", "yesterday")
    assert undated.status == 2
    assert "Error: Invalid value for --from: must be a date such as 2026-12-01\n" in undated.err
    wrong = cli("audit", "--by", "nobody@example.com")
    assert wrong.status == 1
    assert "There is no user with the e-mail nobody@example.com." in wrong.err


def test_every_listed_task_kind_can_be_started(cli: Cli) -> None:
    for kind in set(StartedKind) - {StartedKind.UNDO_IMPORT}:
        assert cli("tasks", "start", kind, "--json").json["kind"] == kind

    assert "Name the import to undo" in cli("tasks", "start", "undo_import").err
    refused = cli("tasks", "start", "import_transactions")
    assert refused.status == 1
    assert refused.err == f"Error: kind: The kind must be one of: {', '.join(StartedKind)}.\n"


@pytest.mark.parametrize(
    ("action", "author"), [("driver.stop", "the provider"), ("driver.change", "the installation")]
)
def test_audit_log_names_who_made_a_change(cli: Cli, sqlite_url: str, action: str, author: str) -> None:
    core = build(Settings(database_url=sqlite_url))
    with core.storage.transaction() as work:
        work.audit.add(LOCAL, action, "drivers/drv_1", before=None, after=None, at=core.clock())
    core.close()

    assert cli("audit").out.split("\t")[2] == author
