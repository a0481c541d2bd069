import ast
from pathlib import Path

import pytest
from tests.mutation.mutants import mutants_of
from tests.mutation.selection import modules, slice_tests

ROOT = Path(__file__).parents[3]


def changed(body: str) -> set[str]:
    source = f"def rule(a, b, c):\n    {body}\n"
    return {one.apply(source).splitlines()[1].strip() for one in mutants_of(source)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a < b", {"return a <= b"}),
        ("return a is None", {"return a is not None"}),
        ("return a not in b", {"return a in b"}),
        ("return a < b <= c", {"return a <= b <= c", "return a < b < c"}),
        ("return a + b", {"return a - b"}),
        ("return a and b", {"return a or b"}),
        ("return not a", {"return a"}),
        ("return min(a, b)", {"return max(a, b)"}),
        ("return a.desc()", {"return a.asc()"}),
        ("return 7", {"return 8"}),
        ("return zip(a, b, strict=True)", set[str]()),
        ("return sort(a, reverse=True)", {"return sort(a, reverse=False)"}),
        ("return True", {"return False"}),
        ("a.store(b)", {"pass"}),
        ("return a if b else c", set[str]()),
        ('return "a" + "b"', set[str]()),
        ('return "é" if a == b else c', {'return "é" if a != b else c'}),
    ],
)
def test_mutant_changes_a_rule_in_one_place(body: str, expected: set[str]) -> None:
    assert changed(body) == expected


def test_mutants_invert_conditions() -> None:
    assert "if not (a):" in changed("if a:\n        return b")


def test_mutants_leave_tables_and_texts_alone() -> None:
    assert (
        mutants_of('LIMIT = 3\n\nclass Row:\n    size = 4\n\ndef told(a):\n    return f"{a + 1} rows"\n')
        == []
    )


def test_every_mutant_can_be_compiled_and_differs() -> None:
    source = (ROOT / "src/repaircore/rides/fares.py").read_text()
    found = mutants_of(source)
    assert len(found) > 10
    for one in found:
        assert ast.dump(ast.parse(one.apply(source))) != ast.dump(ast.parse(source))


def test_module_is_tested_by_the_tests_of_its_slice() -> None:
    chosen = slice_tests(ROOT, Path("src/repaircore/rides/fares.py"))
    assert chosen[0].startswith("tests/unit/rides/")
    assert "tests/contracts/test_rides.py" in chosen
    sql = slice_tests(ROOT, Path("src/repaircore/adapters/sql/holds.py"))
    assert "tests/contracts/test_holds.py" in sql


def test_protocols_and_wordings_are_not_rules() -> None:
    assert not {"ports", "errors", "views"} & {path.stem for path in modules(ROOT)}
