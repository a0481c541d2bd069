import gc
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tests.mutation.forks import Candidate, loaded_functions, put_in
from tests.mutation.mutants import mutants_of

SOURCE = """
from functools import cache

class Fare:
    def __init__(self, miles):
        self.miles = miles

    @property
    def is_long(self):
        return self.miles > 10

@cache
def tax(cents):
    return cents * 2

def total(cents):
    return sum(each + 1 for each in cents)
"""


@pytest.fixture
def fares(tmp_path: Path) -> ModuleType:
    path = tmp_path / "fares_that_are_mutated.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("within", "after", "result", "expected"),
    [
        ("Fare.is_long", ">=", lambda fares: fares.Fare(10).is_long, True),
        ("tax", "3", lambda fares: fares.tax(4), 12),
        ("total", "-", lambda fares: fares.total([3, 4]), 5),
    ],
)
def test_mutant_is_put_into_the_loaded_function(
    fares: ModuleType, within: str, after: str, result: Callable[[ModuleType], object], expected: object
) -> None:
    assert fares.__file__ is not None
    [mutant] = [one for one in mutants_of(SOURCE) if (one.within, one.after) == (within, after)]
    candidate = Candidate(module=Path(fares.__file__), mutant=mutant)
    try:
        assert put_in(candidate, loaded_functions())
    finally:
        gc.freeze()
    assert result(fares) == expected


def test_function_that_is_not_loaded_cannot_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "never_imported.py"
    path.write_text(SOURCE)
    assert not put_in(Candidate(module=path, mutant=mutants_of(SOURCE)[0]), {})
