"""``repaircore visits``."""

from typing import Any

import pytest
from tests.cli.conftest import Cli

from repaircore.core import Core
from repaircore.visits.requests import CreateVisit

VISIT = {
    "vin": "1HGCM82633A004352",
    "zip_code": "90210",
    "sales_tax": False,
    "valid_until": "2199-12-31",
    "customer": {"name": "Grace Hopper"},
    "lines": [
        {"problem_identifier": "brake-pads-front"},
        {"problem_identifier": "wheel-bearing-front"},
        {"description": "Road test", "price": 25},
    ],
}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Return the database that the commands open."""
    return sqlite_url


@pytest.fixture
def number(core: Core) -> str:
    return core.visits.create(core.visits.parse(VISIT, CreateVisit)).number


def test_visit_goes_from_a_draft_to_an_invoice(cli: Cli, number: str) -> None:
    send = cli("visits", "send", number)
    answered = cli(
        "visits", "answer", number, "--name", "Grace", "--approve", "1, 3", "--ask", "2=Is it loud?"
    )
    begin = cli("visits", "begin", number)
    invoiced = cli("visits", "invoice", number, "--hours", "1=1.75", "--rate", "1=$120", "--parts", "1=84.20")

    assert "/v/" in send.out
    assert answered.out == f"Visit {number} is partly approved.\n"
    assert begin.out == f"Visit {number} is in progress.\n"
    assert invoiced.out == f"Visit {number} is invoiced: $319.20.\n"
    assert cli("visits", "list", "--status", "invoiced").out.startswith(
        f"{number}\tinvoiced\t5\tGrace Hopper\t"
    )
    assert "eight out of ten" not in cli("visits", "show", number).out


def test_show_prints_answers_and_allowed_actions(cli: Cli, number: str) -> None:
    cli("visits", "answer", number, "--name", "Grace", "--approve", "1", "--ask", "2=Is it loud?")

    output = cli("visits", "show", number).out

    assert f"{number} · partly approved · version 2 · Grace Hopper" in output
    assert "Line 1 was approved by Grace\n" in output
    assert "Line 2 was asked by Grace: Is it loud?\n" in output
    assert "Possible now: update, send" in output
    assert cli("visits", "show", number, "--json").json["number"] == number


def test_all_lines_are_declined_cancelled_and_reopened(cli: Cli, number: str) -> None:
    assert cli("visits", "answer", number, "--name", "G", "--decline", "all").out.endswith("is declined.\n")
    assert cli("visits", "cancel", number).out.endswith("is cancelled.\n")
    assert cli("visits", "reopen", number, "--json").json["status"] == "draft"


def test_older_version_is_refused(cli: Cli, number: str) -> None:
    cli("visits", "send", number)

    refused = cli("visits", "cancel", number, "--version", "1")

    assert refused.status == 1
    assert "it is now at version 2" in refused.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("answer", "--name", "G", "--approve", "4"),
        ("answer", "--name", "G", "--ask", "x=Why?"),
        ("invoice", "--hours", "1"),
        ("invoice", "--parts", "0=3"),
    ],
)
def test_missing_line_is_reported(cli: Cli, number: str, arguments: tuple[Any, ...]) -> None:
    command, *options = arguments

    refused = cli("visits", command, number, *options)

    assert refused.status == 2
    assert options[-2] in refused.err


def test_bad_amounts_are_reported(cli: Cli, number: str) -> None:
    cli("visits", "answer", number, "--name", "G", "--approve", "all")

    refused = cli("visits", "invoice", number, "--hours", "1=-2", "--parts", "3=1")

    assert refused.status == 1
    assert "labor hours" in refused.err
