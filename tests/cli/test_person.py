import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.conftest import Cli

ADA = "ada@example.com"


@pytest.fixture(autouse=True)
def _ada(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse\n"))
    cli("users", "create", ADA, "--name", "Ada", "--password-stdin")
    cli("keys", "create", "shop", "--email", ADA)


def test_export_writes_the_output_or_a_private_file(cli: Cli, tmp_path: Path) -> None:
    exported = cli("person", "export", "Ada@Example.com").json
    assert [user["name"] for user in exported["kept"]["users"]] == ["Ada"]
    outcome = cli("person", "export", ADA, str(tmp_path / "ada.json"))

    assert (outcome.out, outcome.err) == ("", f"Exported 2 rows to {tmp_path / 'ada.json'}.\n")
    assert json.loads((tmp_path / "ada.json").read_text())["kept"] == exported["kept"]
    assert (tmp_path / "ada.json").stat().st_mode & 0o777 == 0o600


def test_export_replaces_a_public_file_by_a_private_one(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "ada.json"
    file.touch(mode=0o644)

    assert cli("person", "export", ADA, str(file)).status == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert [*tmp_path.glob(".ada*")] == []


def test_erase_requires_a_confirmation(cli: Cli) -> None:
    counted = cli("person", "erase", ADA, "--dry-run")
    assert counted.out == f"Data of {ADA}: 1 api_keys, 1 users. Nothing was erased.\n"
    unconfirmed = cli("person", "erase", ADA)
    assert unconfirmed.status == 2
    assert "use --yes" in unconfirmed.err
    assert len(cli("users", "list", "--json").json) == 1
    erased = cli("person", "erase", ADA, "--yes", "--json").json
    assert erased == {
        "removed": {"users": 1, "api_keys": 1},
        "changed": {},
        "vins": 0,
        "traces": [],
        "dry_run": False,
    }
    assert cli("users", "list", "--json").json == []
    again = cli("person", "erase", ADA, "--yes")

    assert (again.status, again.err) == (1, f"Error: No data was found for {ADA}.\n")
    assert ADA not in cli("audit", "--json").out


def test_erase_reports_traces_with_status_1(cli: Cli, sqlite_url: str) -> None:
    path = sqlite_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        cli("person", "export", ADA)  # so that there is a journal
        reader.execute("INSERT INTO settings VALUES ('note', 'ask ada@example.com')")
        # Every redacted text comes back at once.
        reader.execute(
            "CREATE TRIGGER stubborn AFTER UPDATE ON settings WHEN new.value <> 'ask ada@example.com'"
            " BEGIN UPDATE settings SET value = 'ask ada@example.com' WHERE name = 'note'; END"
        )
    outcome = cli("person", "erase", ADA, "--yes")

    assert outcome.status == 1
    assert outcome.err == "Error: traces remain in settings.value: 1. Run the command again.\n"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("export", "ada"), "Error: email: The email field must be a valid email address."),
        (("erase", ADA, "--phone", "1", "--yes"), "Error: phone: The phone field must have 7 to 15 digits."),
        (
            ("erase", ADA, "--vin", "1HG", "--yes"),
            "Error: vin: The vin field must be a 17-character VIN.",
        ),
        (("export", "eve@example.com"), "Error: No data was found for eve@example.com."),
    ],
)
def test_person_reports_unknown_persons_in_one_line(cli: Cli, call: tuple[str, ...], message: str) -> None:
    outcome = cli("person", *call)

    assert (outcome.status, outcome.err) == (1, f"{message}\n")
