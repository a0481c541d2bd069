"""Each promise in the reliability table names existing tests."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
_PAGE: Final = ROOT / "docs/explanation/reliability.md"
_NAMED: Final = re.compile(r"`(tests/[\w/.]+)`")


def _rows() -> list[list[str]]:
    lines = _PAGE.read_text(encoding="utf-8").partition("\n## ")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return rows[2:]


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row[0])
def test_promise_names_existing_tests(row: list[str]) -> None:
    named = [name for cell in row for name in _NAMED.findall(cell)]

    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
