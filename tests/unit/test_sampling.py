"""A short run skips some variants of the long tests, but no test with all its variants."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from tests.sampling import SHARE, is_drawn, left_out


def item(name: str, *marks: str) -> Any:
    """Return a stub of a test item with marks."""
    return SimpleNamespace(nodeid=name, get_closest_marker=lambda mark: mark in marks or None)


def variants(name: str, *marks: str, number: int = 48) -> list[Any]:
    return [item(f"tests/test_a.py::{name}[{chosen}]", *marks) for chosen in range(number)]


def running(items: list[Any]) -> list[str]:
    fewer = {one.nodeid for one in left_out(items)}
    return [one.nodeid for one in items if one.nodeid not in fewer]


def test_the_same_variants_run_each_time() -> None:
    chosen = running(variants("test_kills", "long"))

    assert chosen == running(variants("test_kills", "long"))
    assert chosen == [one.nodeid for one in variants("test_kills", "long") if is_drawn(one.nodeid)]
    assert 48 // SHARE // 2 < len(chosen) < 48 // SHARE * 2


@pytest.mark.parametrize("number", [1, 2, 3])
def test_each_test_runs_at_least_once_on_each_database(number: int) -> None:
    items = [
        one
        for function in range(40)
        for one in (
            *variants(f"test_{function}", "long", number=number),
            *(
                item(f"tests/test_a.py::test_{function}[pg{chosen}]", "long", "postgres")
                for chosen in range(number)
            ),
        )
    ]

    left = Counter((name.partition("[")[0], "pg" in name) for name in running(items))

    assert len(left) == 80
    assert number == 1 or len(running(items)) < len(items)


def test_all_variants_of_short_and_marked_tests_run() -> None:
    items = [*variants("test_short"), *variants("test_all", "long", "every_variant")]

    assert running(items) == [one.nodeid for one in items]


def test_thorough_tests_run_only_in_a_full_run() -> None:
    assert running([item("tests/test_a.py::test_image", "long", "thorough")]) == []
