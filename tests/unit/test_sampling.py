"""Sampling of the long tests: a short run drops variants, but never every variant of a test."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from tests.sampling import SHARE, is_drawn, left_out


def item(name: str, *marks: str) -> Any:
    """Return a stand-in for a test with marks."""
    return SimpleNamespace(nodeid=name, get_closest_marker=lambda mark: mark in marks or None)


def variants(name: str, *marks: str, number: int = 48) -> list[Any]:
    return [item(f"tests/test_a.py::{name}[{variant}]", *marks) for variant in range(number)]


def selected(items: list[Any]) -> list[str]:
    dropped = {one.nodeid for one in left_out(items)}
    return [one.nodeid for one in items if one.nodeid not in dropped]


def test_selection_of_variants_is_the_same_each_time() -> None:
    selection = selected(variants("test_kills", "long"))

    assert selection == selected(variants("test_kills", "long"))
    assert selection == [one.nodeid for one in variants("test_kills", "long") if is_drawn(one.nodeid)]
    assert 48 // SHARE // 2 < len(selection) < 48 // SHARE * 2


@pytest.mark.parametrize("number", [1, 2, 3])
def test_each_test_runs_at_least_once_on_each_database(number: int) -> None:
    items = [
        one
        for function in range(40)
        for one in (
            *variants(f"test_{function}", "long", number=number),
            *(
                item(f"tests/test_a.py::test_{function}[pg{variant}]", "long", "postgres")
                for variant in range(number)
            ),
        )
    ]

    runs = Counter((name.partition("[")[0], "pg" in name) for name in selected(items))

    assert len(runs) == 80
    assert number == 1 or len(selected(items)) < len(items)


def test_each_test_of_whole_servers_runs_on_one_database_that_is_drawn() -> None:
    items = [
        item(f"tests/e2e/test_a.py::test_{function}[{name}]", "long", *marks)
        for function in range(40)
        for name, marks in (("sqlite", ()), ("postgres", ("postgres",)))
    ]
    runs = Counter(name.partition("[")[0] for name in selected(items))
    databases = Counter(name.partition("[")[2] for name in selected(items))

    assert len(runs) == 40
    assert len(selected(items)) < 60
    assert min(databases.values()) > 10


def test_short_tests_and_those_with_every_variant_all_run() -> None:
    items = [*variants("test_short"), *variants("test_all", "long", "every_variant")]

    assert selected(items) == [one.nodeid for one in items]


def test_thorough_tests_run_only_in_a_complete_run() -> None:
    assert selected([item("tests/test_a.py::test_image", "long", "thorough")]) == []
