"""Pages of docs/decisions: each has a date and a status, and is in the index once."""

import re
from pathlib import Path
from typing import Final

import pytest

FOLDER: Final = Path(__file__).parents[2] / "docs/decisions"
PAGES: Final = sorted(page for page in FOLDER.glob("*.md") if page.name != "README.md")


def test_index_lists_each_page_once() -> None:
    listed = re.findall(r"^\| \[[^]]+\]\(([\w-]+\.md)\)", (FOLDER / "README.md").read_text(), re.MULTILINE)

    assert sorted(listed) == [page.name for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_has_date_and_status(page: Path) -> None:
    title, _, status, *_ = page.read_text().splitlines()

    assert title.startswith("# ")
    assert re.fullmatch(r"20\d\d-\d\d-\d\d · (accepted|superseded by \[[^]]+\]\([\w-]+\.md\))", status)
