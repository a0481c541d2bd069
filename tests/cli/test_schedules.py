import io
import json
from typing import Any

import pytest
from tests.cli.conftest import Cli

ACCORD, OTHER = "1HGCM82633A004352", "1HGCM82633A000001"


def add(cli: Cli, *more: str, title: str = "Oil change", vehicle: str = ACCORD) -> Any:
    outcome = cli("schedules", "add", vehicle, title, *more, "--json")
    assert outcome.status == 0, outcome.err
    return outcome.json


def test_schedules_add_show_and_list(cli: Cli) -> None:
    schedule = add(cli, "--on", "2099-12-01", "--at", "60000", "--months", "6", "--notes", "0W-20")
    assert (schedule["due_on"], schedule["due_mileage"], schedule["status"]) == (
        "2099-12-01",
        60_000,
        "upcoming",
    )
    assert cli("schedules", "show", schedule["id"], "--json").json == schedule
    assert cli("schedules", "list", "--json").json == [schedule]
    row = cli("schedules", "list", "--vehicle", ACCORD.lower()).out
    assert row == (
        f"{schedule['id']}\tupcoming\t2099-12-01\t60,000\t\t{schedule['vehicle']['display_name']}\t{ACCORD}\tOil change\n"
    )
    output = cli("schedules", "show", schedule["id"]).out

    assert "allowed actions     change, complete, cancel" in output
    assert "completed on" not in output


def test_schedules_add_with_a_repair_needs_no_title(cli: Cli) -> None:
    result = cli("schedules", "add", ACCORD, "--problem", "brake-pads-front", "--at", "5", "--json").json

    assert result["title"] == result["problem_name"]


def test_schedules_due_lists_a_whole_fleet(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse\n"))
    assert cli("users", "create", "ada@example.com", "--name", "Ada", "--password-stdin").status == 0
    late = add(cli, "--on", "2020-01-01")
    hers = add(cli, "--on", "2021-01-01", "--email", "ada@example.com", vehicle=OTHER, title="Tires")
    add(cli, "--on", "2099-01-01", title="Later")
    assert [one["id"] for one in cli("schedules", "due", "--json").json] == [late["id"], hers["id"]]
    assert [one["title"] for one in cli("schedules", "due", "--within", "0", "--json").json] == [
        "Oil change",
        "Tires",
    ]
    only = cli("schedules", "due", "--email", "ada@example.com", "--json").json
    assert [one["id"] for one in only] == [hers["id"]]
    assert cli("schedules", "list", "--status", "upcoming").out.count("\n") == 1
    short = cli("schedules", "due", "--limit", "1")

    assert (short.out.count("\n"), short.err) == (1, "1 more: use --page or --limit.\n")
    assert cli("schedules", "due", "--test").err == "Nothing is due.\n"
    assert json.loads(cli("schedules", "due", "--test", "--json").out) == []


def test_schedules_complete_plans_the_next(cli: Cli) -> None:
    schedule = add(cli, "--on", "2020-01-01", "--months", "6", "--miles", "5000")
    output_line = cli("schedules", "complete", schedule["id"], "--on", "2020-01-31", "--at", "60000").out
    assert output_line.startswith(
        f"Oil change for {ACCORD} is completed.\nIt is due again on 2020-07-31 or at 65,000"
    )
    again = cli("schedules", "complete", schedule["id"])
    assert (again.status, again.out) == (1, "")
    assert "Cannot complete a completed schedule" in again.err
    (following,) = cli("schedules", "due", "--json").json
    result = cli("schedules", "complete", following["id"], "--json").json

    assert result["status"] == "completed"


def test_schedules_cancel_requires_confirmation(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = add(cli, "--at", "5", "--months", "6")
    monkeypatch.setattr("sys.stdin", io.StringIO())

    assert cli("schedules", "cancel", schedule["id"]).status == 2
    assert cli("schedules", "cancel", schedule["id"], "--yes", "--json").json["status"] == "cancelled"
    assert cli("schedules", "list", "--status", "cancelled").out.count("\n") == 1
    assert cli("schedules", "list").out.count("\n") == 1


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (("add", "nonsense", "Oil", "--at", "5"), "Error: vehicle: "),
        (("add", ACCORD, "Oil"), "Error: due_on: "),
        (("add", ACCORD, "--at", "5"), "Error: title: "),
        (("add", ACCORD, "Oil", "--at", "-5"), "Error: due_mileage: "),
        (("add", ACCORD, "Oil", "--at", "5", "--months", "0"), "Error: interval_months: "),
        (("add", ACCORD, "Oil", "--at", "5", "--problem", "x"), "Error: There is no repair 'x'."),
        (("add", ACCORD, "\udcff", "--at", "5"), "Error: "),
        (("add", ACCORD, "Oil", "--at", "5", "--email", "nobody@example.com"), "Error: "),
        (("show", "4711"), "Error: Service schedule not found."),
        (("complete", "4711"), "Error: Service schedule not found."),
        (("cancel", "4711", "--yes"), "Error: Service schedule not found."),
        (("list", "--status", "done"), "Error: status: "),
        (("list", "--vehicle", "x"), "Error: vehicle: "),
        (("due", "--within", "-1"), "Error: within: "),
        (("due", "--within", "99999999999"), "Error: within: "),
    ],
)
def test_schedules_failure_is_one_line(cli: Cli, call: tuple[str, ...], result: str) -> None:
    outcome = cli("schedules", *call)

    assert (outcome.status, outcome.out) == (1, "")
    assert result in outcome.err
    assert "Traceback" not in outcome.err
    assert "something unexpected" not in outcome.err


def test_invalid_day_is_refused_alike_by_every_command(cli: Cli) -> None:
    for words, option in (
        (("schedules", "add", "1HGCM82633A004352", "Oil change"), "--on"),
        (("transactions", "list"), "--from"),
        (("garage", "odometer", "1HGCM82633A004352", "81000"), "--on"),
    ):
        refused = cli(*words, option, "soon")

        assert refused.status == 2
        assert f"Invalid value for {option}: must be a date such as 2026-12-01" in refused.err
