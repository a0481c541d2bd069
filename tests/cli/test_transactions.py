"""Transactions and refits at the command line."""

from datetime import date

import pytest
from tests.cli.conftest import Cli

from repaircore.core import build
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.settings import Settings
from repaircore.transactions.model import TransactionPart


@pytest.fixture(autouse=True)
def _three_invoices(sqlite_url: str) -> None:
    core = build(Settings(database_url=sqlite_url))
    for vin, problem, day in (
        ("1HGCM82633A", 101, date(2025, 11, 3)),
        ("1HGCM82633A", 102, date(2025, 11, 30)),
        ("4T1BF1FK5GU", 101, date(2025, 12, 1)),
    ):
        core.transactions.record(
            CreateTransaction(
                vehicle_id=core.vehicles.resolve(vin).id,
                problem_id=problem,
                performed_on=day,
                labor_hours=1.0,
                labor_rate=150_00,
                parts=(TransactionPart(name="Pads", unit_price=50_25, quantity=2),),
            )
        )
    core.close()


def test_list_is_newest_first_and_filtered(cli: Cli) -> None:
    result = cli("transactions", "list", "--json").json

    assert [one["performed_on"] for one in result["data"]] == ["2025-12-01", "2025-11-30", "2025-11-03"]
    assert result["meta"] == {"current_page": 1, "per_page": 15, "total": 3, "last_page": 1}
    narrowed = (
        "--problem",
        "brake-pads-front",
        "--make",
        "HONDA",
        "--from",
        "2025-11-01",
        "--to",
        "2025-11-30",
    )
    (one,) = cli("transactions", "list", *narrowed, "--json").json["data"]

    assert (one["problem_id"], one["total"]) == (101, 250.5)
    assert cli("transactions", "list", "--vehicle", one["vehicle_id"], "--json").json["meta"]["total"] == 2
    assert cli("transactions", "list", "--test", "--json").json["data"] == []
    page = cli("transactions", "list", "--limit", "2", "--page", "2")

    assert page.out.split("\t")[1] == "2025-11-03"
    assert page.err == ""
    assert cli("transactions", "list", "--limit", "2").err == "1 more: use --page or --limit.\n"


def test_show_prints_a_transaction_with_its_lesson(cli: Cli) -> None:
    number = cli("transactions", "list", "--json").json["data"][0]["id"]
    result = cli("transactions", "show", str(number), "--json").json

    assert (result["id"], result["vehicle"]["make"], result["lesson"]["learned"]) == (number, "Toyota", True)
    plain = cli("transactions", "show", str(number)).out

    assert "2 × Pads, $50.25 each" in plain
    assert result["lesson"]["text"][0] in plain


def test_stats_are_by_month_and_in_total(cli: Cli) -> None:
    result = cli("transactions", "stats", "--json").json

    assert (result["count"], result["total"]) == (3, 751.5)
    rows = [line.split("\t") for line in cli("transactions", "stats").out.splitlines()]

    assert [row[:2] for row in rows] == [["2025-11", "2"], ["2025-12", "1"], ["all", "3"]]
    assert cli("transactions", "stats", "--make", "yugo").out == "all\t0\t0.00\t0.00\t0.00\t\n"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (("list", "--problem", "nothing"), "Error: There is no repair 'nothing'."),
        (("stats", "--from", "2025-02-01", "--to", "2025-01-01"), "Error: "),
        (("show", "99"), "Error: Transaction not found."),
        (("show", "1", "--test"), "Error: Transaction not found."),
    ],
)
def test_unknown_transaction_gives_a_one_line_error(cli: Cli, call: tuple[str, ...], expected: str) -> None:
    outcome = cli("transactions", *call)

    assert outcome.status == 1
    assert expected in outcome.err
    assert outcome.out == ""


def test_refit_prints_the_fit_before_and_after(cli: Cli) -> None:
    result = cli("estimates", "refit", "--json").json

    assert (result["environment"], result["invoices"], len(result["problems"])) == ("live", 3, 2)
    first = result["problems"][0]

    assert (first["id"], first["invoices"], first["before"]["off_book_percent"]) == (101, 2, 0)
    again = cli("estimates", "refit")

    assert again.err == "2 repairs were fitted to 3 invoices.\n"
    row = again.out.splitlines()[0].split("\t")

    assert row[2] == row[3]
    assert cli("estimates", "refit", "--test", "--json").json["problems"] == []
    assert [entry["action"] for entry in cli("audit", "--limit", "1", "--json").json] == ["estimates.refit"]
