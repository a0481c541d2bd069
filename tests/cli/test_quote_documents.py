"""Checking a photo or PDF of a quote at the command line."""

from pathlib import Path

import pytest
from tests import papers
from tests.cli.conftest import Cli

PLACE = ("--vin", papers.VIN, "--zip", "90210")


def _file(folder: Path, content: bytes, name: str) -> str:
    path = folder / name
    path.write_bytes(content)
    return str(path)


def test_pdf_is_checked_like_its_text(cli: Cli, tmp_path: Path) -> None:
    text = _file(tmp_path, "\n".join(papers.LINES).encode(), "quote.txt")
    pdf = _file(tmp_path, papers.quote_pdf(), "quote.PDF")

    checked = cli("quote-check", pdf, *PLACE, "--json")

    assert checked.status == 0, checked.err
    assert checked.json == cli("quote-check", text, *PLACE, "--json").json


@pytest.mark.parametrize("name", ["quote.pdf", "quote.jpg"])
def test_unreadable_document_gives_a_readable_error(cli: Cli, tmp_path: Path, name: str) -> None:
    result = cli("quote-check", _file(tmp_path, b"{}", name), *PLACE)

    assert result.status != 0
    assert "JPEG, PNG or WebP" in result.err


def test_missing_document_gives_a_readable_error(cli: Cli, tmp_path: Path) -> None:
    result = cli("quote-check", str(tmp_path / "quote.pdf"), *PLACE)

    assert result.status != 0
    assert "Traceback" not in result.err
