"""``repaircore import invoice`` and ``repaircore drafts``."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Cli
from tests.paper_invoices import INVOICES, PaperInvoice, as_pdf

PAPER = INVOICES[5]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Return the database that the commands open."""
    return sqlite_url


def _file(folder: Path, paper: PaperInvoice = PAPER) -> str:
    path = folder / "invoice.pdf"
    path.write_bytes(as_pdf(paper))
    return str(path)


def test_invoice_is_read_corrected_and_recorded_once(cli: Cli, tmp_path: Path) -> None:
    imported = cli("import", "invoice", _file(tmp_path), "--json")
    assert imported.status == 0, imported.err
    number = imported.json["number"]
    corrected = tmp_path / "draft.json"
    corrected.write_text(json.dumps({**imported.json, "odometer": 70_000}))

    updated = cli("drafts", "update", number, str(corrected))
    recorded = cli("drafts", "record", number)
    again = cli("drafts", "record", number)

    assert "70,000 miles" in updated.out
    assert recorded.out.startswith("3 transactions recorded: ")
    assert (again.status, "already recorded" in again.err) == (1, True)
    assert cli("transactions", "list", "--json").out.count('"labor_total"') == 3


def test_draft_is_printed_with_its_lines_and_mismatches(cli: Cli, tmp_path: Path) -> None:
    paper = INVOICES[7]
    imported = cli("import", "invoice", _file(tmp_path, paper))

    assert imported.status == 0, imported.err
    assert f"! The lines add up to ${paper.total / 100:,.2f}" in imported.out
    number = imported.out.split()[0]
    assert cli("drafts", "record", number).status == 1
    assert cli("drafts", "record", number, "--accept-difference").status == 0


def test_drafts_are_listed_and_deleted(cli: Cli, tmp_path: Path) -> None:
    number = cli("import", "invoice", _file(tmp_path), "--json").json["number"]

    assert cli("drafts", "list", "--status", "draft", "--sort", "-total").out.startswith(
        f"{number}\tdraft\t1\t"
    )
    assert cli("drafts", "list", "--search", "nowhere").out == ""
    assert "sort" in cli("drafts", "list", "--sort", "color").err
    assert cli("drafts", "delete", number, "--yes").out == f"Draft {number} is deleted.\n"
    assert cli("drafts", "show", number).status == 1


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff"])
def test_invalid_correction_is_refused(cli: Cli, tmp_path: Path, content: bytes) -> None:
    number = cli("import", "invoice", _file(tmp_path), "--json").json["number"]
    path = tmp_path / "draft.json"
    path.write_bytes(content)

    result = cli("drafts", "update", number, str(path))

    assert result.status == 1
    assert "Traceback" not in result.err
