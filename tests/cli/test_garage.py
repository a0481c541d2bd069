"""The garage at the command line."""

import io
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli

ACCORD, TESLA = "1HGCM82633A004352", "5YJ3E1EA7JF053140"


def add(cli: Cli, *more: str, vin: str = ACCORD) -> Any:
    outcome = cli("garage", "add", vin, "--zip", "60601", "--odometer", "81000", *more, "--json")
    assert outcome.status == 0, outcome.err
    return outcome.json


def test_garage_add_list_show_and_remove(cli: Cli) -> None:
    vehicle = add(cli, "--unit", "12", "--department", "Sales")

    (listed,) = cli("garage", "list", "--department", "sales", "--json").json
    assert (listed["id"], listed["unit_number"], listed["odometer"]) == (vehicle["id"], "12", 81_000)
    assert ACCORD in cli("garage", "list").out
    assert cli("garage", "show", ACCORD, "--json").json["id"] == vehicle["id"]
    assert "tire-rotation" in cli("garage", "show", ACCORD).out
    assert cli("garage", "remove", ACCORD, "--yes").out == "The vehicle is no longer in the garage.\n"
    assert cli("garage", "list", "--json").json == []


def test_garage_import_reports_failing_lines(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "vehicles.csv"
    file.write_text(f"vin,unit,odometer\n{ACCORD},1,81000\nBAD,2,\n{TESLA},3,many\n")

    outcome = cli("garage", "import", str(file))

    assert outcome.status == 0
    assert "3\tA VIN has 17 characters; this one has 3.\n" in outcome.out
    assert "Added 1 of 3 vehicles." in outcome.err
    assert cli("garage", "import", str(file), "--json").json["added"] == 0


def test_garage_odometer_that_runs_backwards_fails(cli: Cli) -> None:
    add(cli)

    backwards = cli("garage", "odometer", ACCORD, "100")

    assert (backwards.status, backwards.err) == (1, "The odometer would run backward: nothing was stored.\n")
    assert cli("garage", "odometer", ACCORD, "81100").out == "The reading is recorded.\n"


def test_garage_done_edit_due_and_sums(cli: Cli) -> None:
    add(cli)

    assert cli("garage", "done", ACCORD, "tire-rotation", "--miles", "81000").status == 0
    assert cli("garage", "edit", ACCORD, "--nickname", "Blue", "--json").json["nickname"] == "Blue"
    assert cli("garage", "edit", ACCORD, "--nickname", "", "--json").json["nickname"] is None
    sums = cli("garage", "sums", "--json").json
    assert (sums["vehicles"], sums["priced"]) == (1, 1)
    assert "The next twelve months:" in cli("garage", "sums").out
    due = cli("garage", "due", "--by", "2099-01-01", "--csv").out
    assert due.startswith("service,title,status,due_on")
    assert cli("garage", "list", "--csv").out.count("\n") == 2


def test_garage_settings_change_only_given_options(cli: Cli) -> None:
    assert cli("garage", "settings", "--mail", "--json").json == {"zip_code": None, "mail_reminders": True}
    assert cli("garage", "settings", "--zip", "60601", "--json").json == {
        "zip_code": "60601",
        "mail_reminders": True,
    }


def test_garages_are_separate_per_owner(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse\n"))
    assert cli("users", "create", "ada@example.com", "--name", "Ada", "--password-stdin").status == 0
    add(cli, "--email", "ada@example.com")

    assert cli("garage", "list", "--json").json == []
    assert len(cli("garage", "list", "--email", "ada@example.com", "--json").json) == 1


@pytest.mark.parametrize(
    "command",
    [
        ("add", "1HG"),
        ("show", ACCORD),
        ("odometer", ACCORD, "1"),
        ("remove", ACCORD, "--yes"),
        ("due", "--by", "soon"),
        ("list", "--sort", "color"),
        ("list", "--due", "never"),
    ],
)
def test_garage_failures_are_readable(cli: Cli, command: tuple[str, ...]) -> None:
    outcome = cli("garage", *command)

    assert outcome.status in {1, 2}
    assert "Traceback" not in outcome.err


def test_garage_bill_is_recorded_listed_and_deleted(cli: Cli) -> None:
    add(cli)
    paid = cli("garage", "bill", ACCORD, "58.20", "--repair", "tire-rotation", "--shop", "Elm Street")
    assert paid.out == "The bill is recorded: Tire Rotation, $58.20.\n"
    assert "Elm Street" in cli("garage", "bills", ACCORD).out
    (bill,) = cli("garage", "bills", ACCORD, "--json").json
    assert cli("garage", "remove-bill", ACCORD, bill["id"], "--yes", "--json").json == bill
    assert cli("garage", "bill", ACCORD, "0").status == 1
