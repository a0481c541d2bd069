import pytest

from repaircore.adapters.shipped.book import book
from repaircore.book.model import Problem
from repaircore.quotes.text_match import find_match

PROBLEMS = book().problems


def matched_slug(text: str) -> str | None:
    problem = find_match(text, PROBLEMS)
    return None if problem is None else problem.slug


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: str(problem.slug))
def test_find_match_returns_a_repair_by_its_own_name(problem: Problem) -> None:
    assert matched_slug(problem.name) == problem.slug
    assert matched_slug(f"Replace {problem.name.upper()} (labor)") == problem.slug


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Replace front brake pads", "brake-pads-front"),
        ("R&R alternator", "alternator"),
        ("A/C compressor", "ac-compressor"),
        ("Spark plugs (4)", "spark-plugs"),
        ("Serpentine belt - new", "serpentine-belt"),
        ("Cabin air filter", "cabin-air-filter"),
    ],
)
def test_find_match_understands_the_words_of_a_shop(text: str, slug: str) -> None:
    assert matched_slug(text) == slug


@pytest.mark.parametrize(
    "text",
    [
        "brake pads",  # front or rear?
        "oil change",  # which oil?
        "shop supplies",
        "muffler bearing",
        "blinker fluid",
        "environmental fee",
        "",
        "!!",
        "x" * 200,
        "replace",
    ],
)
def test_find_match_returns_none_for_unknown_and_ambiguous_words(text: str) -> None:
    assert matched_slug(text) is None


def test_find_match_does_not_depend_on_the_order_of_candidates() -> None:
    assert find_match("front brake pads", PROBLEMS[::-1]) == find_match("front brake pads", PROBLEMS)


def test_find_match_returns_none_without_candidates() -> None:
    assert find_match("front brake pads", []) is None
