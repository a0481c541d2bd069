"""Exports of shop systems at the command line: imported, decided and undone."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bench.shop_exports.made_up import exports
from tests.cli.conftest import Cli

HEAD = "RO #,Closed,VIN,Odometer,Concern,Labor Hrs,Labor $,Parts $\n"
ROW = "{},01/31/2025,1HGCM82633A004352,98000,{},{},{},{}\n"
ALTERNATOR = ROW.format(1, "R&R alternator", 2.1, 300, 400)
PADS = ROW.format(2, "frt brk pads", 1.1, 150, 90)
LOF = ROW.format(3, "LOF", 0.2, 15, 20)
LOF_AGAIN = ROW.format(4, "lof.", 0.2, 16, 21)
BOTH = ROW.format(5, "alternator & starter", 4, 600, 700)
ODD = ROW.format(6, "custom gizmo", 4, 600, 700)
LEARNED = ("transactions", "cells", "transaction_sums", "invoice_lines", "calibrations")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "counter.csv"
    path.write_text(HEAD + ALTERNATOR + PADS + LOF + LOF_AGAIN + BOTH + ODD)
    return path


def stored_rows(url: str) -> dict[str, list[Any]]:
    """Return the stored rows of invoices, without empty tallies."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
        found = {name: sorted(map(repr, database.execute(f"SELECT * FROM {name}"))) for name in LEARNED}  # noqa: S608
        counts = [row for row in database.execute("SELECT problem_id, counts FROM tallies") if any(row[1])]
    return {**found, "tallies": counts}


def test_dry_run_shows_columns_counts_and_first_jobs_and_saves_nothing(
    cli: Cli, file: Path, sqlite_url: str
) -> None:
    cli("import", "list")
    before = stored_rows(sqlite_url)
    outcome = cli("import", "transactions", str(file), "--dry-run", "--source", "counter")

    assert outcome.status == 0
    assert "  description  Concern  (100% sure)\n" in outcome.out
    assert "line 2: 2025-01-31, 1HGCM82633A004352, R&R alternator, $700.00: alternator\n" in outcome.out
    assert "6 jobs (2 sure, 2 unsure, 1 with several repairs, 1 unmatched)" in outcome.out
    assert outcome.out.endswith("Nothing was saved.\n")
    assert stored_rows(sqlite_url) == before


def test_certain_jobs_are_imported_and_the_others_wait(cli: Cli, file: Path) -> None:
    outcome = cli("import", "transactions", str(file), "--json").json
    waiting = cli("import", "review", "--json").json

    assert outcome["result"] == {"read": 6, "added": 2, "known": 0, "refused": 0, "kept": True}
    assert outcome["newly_waiting"] == 4
    assert waiting["lines"] == 4
    assert [(one["text"], one["lines"], one["outcome"]) for one in waiting["texts"]] == [
        ("LOF", 2, "unsure"),
        ("alternator & starter", 1, "several"),
        ("custom gizmo", 1, "unmatched"),
    ]
    assert all(len(one["suggestions"]) <= 3 for one in waiting["texts"])
    assert {one["slug"] for one in waiting["texts"][1]["suggestions"]} >= {"alternator", "starter-motor"}


def test_work_without_a_repair_in_the_book_is_left_out(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "hitch.csv"
    path.write_text(HEAD + ALTERNATOR + ROW.format(3, "install trailer hitch", 1, 145, 200))
    outcome = cli("import", "transactions", str(path))

    assert "0 unmatched), 1 left out, 0 rejected." in outcome.out
    assert cli("import", "review", "--json").json["lines"] == 0


def test_oil_change_without_a_type_is_the_vehicles_if_the_price_matches(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "oil.csv"
    path.write_text(HEAD + ROW.format(3, "LOF", 0.3, 30, 40) + LOF_AGAIN)
    outcome = cli("import", "transactions", str(path), "--json").json

    assert outcome["result"]["added"] == 1
    assert outcome["newly_waiting"] == 1
    assert (
        "line 2: 2025-01-31, 1HGCM82633A004352, LOF, $70.00: oil-change\n"
        in cli("import", "transactions", str(path), "--dry-run").out
    )


def test_lines_other_than_repairs_are_left_out_and_do_not_wait(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "charges.csv"
    fees = [
        ROW.format(7, "Shop supplies", 0, 0, 18.5),
        ROW.format(8, "Tow in", 0, 95, 0),
        ROW.format(9, "Front struts declined", 0, 500, 0),
    ]
    path.write_text(HEAD + ALTERNATOR + ODD + "".join(fees))
    outcome = cli("import", "transactions", str(path), "--json").json

    assert (outcome["left_out"], outcome["result"]["added"], outcome["newly_waiting"]) == (3, 1, 1)


def test_file_that_was_imported_before_changes_nothing(cli: Cli, file: Path) -> None:
    cli("import", "transactions", str(file))
    again = cli("import", "transactions", str(file), "--json").json

    assert (again["result"]["added"], again["result"]["known"], again["newly_waiting"]) == (0, 2, 0)


def test_decision_applies_to_equal_texts_and_later_files_of_the_source(
    cli: Cli, file: Path, tmp_path: Path
) -> None:
    cli("import", "transactions", str(file), "--source", "counter")
    (decided,) = cli("import", "review", "--accept", "LOF=oil-change", "--json").json
    skipped = cli("import", "review", "--skip", "Custom gizmo")
    later = tmp_path / "later.csv"
    later.write_text(HEAD + ROW.format(9, "Lof", 0.3, 30, 40) + ROW.format(10, "custom gizmo", 1, 20, 30))
    outcome = cli("import", "transactions", str(later), "--source", "counter", "--json").json

    assert (decided["repair"], decided["added"]) == ("oil-change", 2)
    assert skipped.out == "Custom gizmo: 1 line left out.\n"
    assert (outcome["result"]["added"], outcome["left_out"], outcome["newly_waiting"]) == (1, 1, 0)


def test_invalid_decision_is_refused_with_advice(cli: Cli, file: Path) -> None:
    cli("import", "transactions", str(file))

    assert "No waiting line has this text" in cli("import", "review", "--accept", "nothing=alternator").err
    assert "Problem not found" in cli("import", "review", "--accept", "LOF=no-such-repair").err
    assert 'Use --accept "TEXT=SLUG"' in cli("import", "review", "--accept", "LOF").err


def test_undone_import_restores_the_previous_rows(
    cli: Cli, file: Path, tmp_path: Path, sqlite_url: str
) -> None:
    first = tmp_path / "first.csv"
    first.write_text(
        HEAD + ROW.format(20, "R&R alternator", 2.2, 320, 410) + ROW.format(21, "rear pads", 1, 140, 80)
    )
    cli("import", "transactions", str(first))
    before = stored_rows(sqlite_url)
    number = cli("import", "transactions", str(file), "--json").json["import_id"]
    cli("import", "review", "--accept", "LOF=oil-change")

    assert stored_rows(sqlite_url) != before
    undone = cli("import", "undo", str(number), "--yes", "--json").json
    assert (undone["transactions"], undone["lines"]) == (4, 2)
    assert stored_rows(sqlite_url) == before
    assert [one["file"] for one in cli("import", "list", "--json").json] == ["first.csv"]
    assert "no such import" in cli("import", "undo", str(number), "--yes").err
    again = cli("import", "transactions", str(file), "--json").json
    assert again["result"]["added"] == 4  # LOF is decided


def test_columns_of_a_source_are_stated_once(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text((HEAD + ALTERNATOR + PADS).replace("Concern", "Q7").replace("Closed", "Q1"))
    options = ("--column", "description=Q7", "--column", "mileage=", "--source", "odd")
    first = cli("import", "transactions", str(path), *options, "--json").json
    path.write_text((HEAD + ALTERNATOR + PADS + BOTH).replace("Concern", "Q7").replace("Closed", "Q1"))
    second = cli("import", "transactions", str(path), "--source", "odd", "--json").json

    assert first["result"]["added"] == 2
    columns = {one["field"]: one for one in second["columns"]}
    assert columns["description"] == {
        "field": "description",
        "column": "Q7",
        "confidence": 1.0,
        "stated": True,
        "read_as": None,
    }
    assert "mileage" not in columns
    assert "Use --column FIELD=NAME" in cli("import", "transactions", str(path), "--column", "what=Q7").err


def test_rejected_row_rejects_the_file_unless_good_rows_are_kept(
    cli: Cli, file: Path, tmp_path: Path, sqlite_url: str
) -> None:
    file.write_text(
        file.read_text() + ROW.format(7, "starter", 2, 200, 210).replace("1HGCM82633A004352", "1FORKLIFT")
    )
    errors = tmp_path / "rejected.csv"
    refused = cli("import", "transactions", str(file), "--errors", str(errors))

    assert refused.status == 1
    assert errors.read_text().splitlines()[1].startswith("8,")
    assert stored_rows(sqlite_url)["transactions"] == stored_rows(sqlite_url)["invoice_lines"] == []
    assert cli("import", "transactions", str(file), "--keep-good", "--json").json["result"]["added"] == 2


@pytest.mark.long
@pytest.mark.parametrize("export", exports(), ids=lambda export: str(export.name))
def test_made_up_export_is_imported_as_it_is(cli: Cli, tmp_path: Path, export: Any) -> None:
    path = tmp_path / export.name
    path.write_bytes(export.content)
    outcome = cli("import", "transactions", str(path), "--json").json

    assert outcome["result"]["refused"] == 0
    assert sum(outcome["jobs"].values()) >= 0.9 * len(export.truth)
    assert outcome["jobs"]["sure"] >= 0.3 * len(export.truth)
