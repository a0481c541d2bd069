"""The overview of what HTTP has for speed alone."""

import ast
import re
from pathlib import Path

import pytest

from repaircore_http import fast_path

FOLDER = Path(fast_path.__file__).parent
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
OF_ITS_OWN = sorted(set(MODULES) - {"worker", "connection", "arrival", "refusals"})
"""Modules that could be left out one by one; the others are the worker."""


def test_overview_has_each_module() -> None:
    overview = fast_path.__doc__ or ""
    first_cells = re.findall(r"^\| (``.*?) \|", overview, re.MULTILINE)

    assert sorted(re.findall(r"``(\w+)``", " ".join(first_cells))) == MODULES


@pytest.mark.parametrize("module", OF_ITS_OWN)
def test_module_says_what_it_saves_and_the_plain_alternative(module: str) -> None:
    summary = ast.get_docstring(ast.parse((FOLDER / f"{module}.py").read_text())) or ""

    assert re.search(r"^Saves ", summary, re.MULTILINE)
    assert re.search(r"^Plain alternative: ", summary, re.MULTILINE)
