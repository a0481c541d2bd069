import pytest

from repaircore.adapters.shipped.book import book
from repaircore.book.model import Problem
from repaircore.quotes.text_match import surely_meant

PROBLEMS = book().problems


def meant(text: str) -> str | None:
    found = surely_meant(text, PROBLEMS)
    return None if found is None else found.slug


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: str(problem.slug))
def test_a_repairs_own_name_means_it(problem: Problem) -> None:
    assert meant(problem.name) == problem.slug
    assert meant(f"Replace {problem.name.upper()} (labor)") == problem.slug


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
def test_the_words_of_a_shop_mean_a_repair(text: str, slug: str) -> None:
    assert meant(text) == slug


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
def test_what_means_nothing_or_two_things_is_not_guessed(text: str) -> None:
    assert meant(text) is None


def test_the_order_of_candidates_does_not_matter() -> None:
    assert surely_meant("front brake pads", PROBLEMS[::-1]) == surely_meant("front brake pads", PROBLEMS)


def test_without_candidates_nothing_is_meant() -> None:
    assert surely_meant("front brake pads", []) is None
