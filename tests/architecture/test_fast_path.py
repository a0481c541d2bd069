"""The overview of the HTTP modules that exist only for speed."""

import ast
import re
from pathlib import Path

import pytest

from repaircore_http import fast_path

FOLDER = Path(fast_path.__file__).parent
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
OPTIONAL_MODULES = sorted(set(MODULES) - {"worker", "connection", "arrival", "refusals"})
"""Modules that can be left out one by one; the others are the worker."""


def test_overview_lists_each_module() -> None:
    overview = fast_path.__doc__ or ""
    first_cells = re.findall(r"^\| (``.*?) \|", overview, re.MULTILINE)

    assert sorted(re.findall(r"``(\w+)``", " ".join(first_cells))) == MODULES


@pytest.mark.parametrize("module", OPTIONAL_MODULES)
def test_module_states_its_savings_and_the_plain_alternative(module: str) -> None:
    summary = ast.get_docstring(ast.parse((FOLDER / f"{module}.py").read_text())) or ""

    assert re.search(r"^Saves ", summary, re.MULTILINE)
    assert re.search(r"^Plain alternative: ", summary, re.MULTILINE)
