import csv
import string
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.vocabulary import vocabulary
from repaircore.book.model import Problem
from repaircore.book.vocabulary import NO_VOCABULARY
from repaircore.problems.search import ProblemIndex
from repaircore.problems.words import words
from repaircore.testing.builders import a_problem

REPAIRS = book().problems
INDEX = ProblemIndex(REPAIRS, vocabulary())
LISTS = Path(__file__).parents[2] / "data"


def slugs(text: str, *, limit: int = 10, index: ProblemIndex = INDEX) -> list[str]:
    return [found.problem.slug for found in index.search(text, limit=limit)]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("front brake pads", "brake-pads-front"),
        ("brake pad front", "brake-pads-front"),
        ("BRAKE-PADS-FRONT", "brake-pads-front"),
        ("spark plugs", "spark-plugs"),
        ("water pump", "water-pump"),
        ("alternator", "alternator"),
        ("catalytic converter", "catalytic-converter"),
        ("wheel alignment", "wheel-alignment"),
        ("cracked windshield", "windshield-replacement"),
        ("timing belt", "timing-belt"),
        ("headgasket", "head-gasket"),
        ("sun roof motor", "sunroof-motor"),
        ("A/C recharge", "ac-recharge"),
        ("pneumatico tyre rotation", "tire-rotation"),
    ],
)
def test_search_finds_a_repair_by_its_names(text: str, slug: str) -> None:
    assert slugs(text)[0] == slug


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("car won't start", "battery-replacement"),
        ("squeaky brakes", "brake-pads-front"),
        ("AC blows warm", "ac-recharge"),
    ],
)
def test_search_finds_a_repair_by_its_symptoms(text: str, slug: str) -> None:
    assert slug in slugs(text, limit=3)


@pytest.mark.parametrize("text", ["", "the car is", "%", "zzyzx", "\x00", "ölöl", "?" * 1000])
def test_search_finds_nothing_for_unknown_words(text: str) -> None:
    assert slugs(text) == []
    assert INDEX.suggestion(text) is None


@pytest.mark.parametrize(
    ("mistyped", "slug"),
    [("front-brake-pad", "brake-pads-front"), ("spark-plug", "spark-plugs"), ("oilchange", "oil-change")],
)
def test_mistyped_slug_suggests_the_repair(mistyped: str, slug: str) -> None:
    found = INDEX.suggestion(mistyped)

    assert found is not None
    assert found.slug == slug


# How well the search does on real queries. docs/explanation/search.md states the rates.


def _found_among(first: int, name: str) -> float:
    with (LISTS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return sum(row["slug"] in slugs(row["phrase"], limit=first) for row in rows) / len(rows)


@pytest.mark.parametrize(
    ("name", "first", "floor"),
    [
        ("everyday_phrases", 3, 0.97),
        ("everyday_phrases", 1, 0.90),
        ("everyday_phrases_held_out", 3, 0.92),
        ("everyday_sentences", 3, 0.80),
        ("everyday_sentences_held_out", 3, 0.60),
    ],
)
def test_everyday_words_mostly_find_the_right_repair(name: str, first: int, floor: float) -> None:
    assert _found_among(first, name) >= floor


def test_search_samples_cover_every_category_without_duplicates() -> None:
    parents = {repair.slug: repair.parent.id for repair in REPAIRS}
    texts: list[str] = []
    for path in sorted(LISTS.glob("everyday_*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        texts += [row["phrase"] for row in rows]
        assert {row["slug"] for row in rows} <= parents.keys()
        if path.stem.startswith("everyday_phrases"):
            assert {parents[row["slug"]] for row in rows} == set(parents.values())

    assert len(texts) == len(set(texts))


# Properties


def test_search_ranks_a_repair_first_for_its_name_and_slug() -> None:
    for repair in REPAIRS:
        for text in (repair.name, repair.slug):
            first = INDEX.search(text, limit=1)[0]
            assert (first.problem.slug, first.score) == (repair.slug, 1.0)


_phrase = st.sampled_from([word for repair in REPAIRS for word in words(repair.name)] + ["won't", "tranny"])


@given(st.lists(_phrase, min_size=1, max_size=8), st.randoms())
def test_search_ignores_the_order_of_words(typed: list[str], dice: Random) -> None:
    shuffled = list(typed)
    dice.shuffle(shuffled)

    assert INDEX.search(" ".join(typed), limit=10) == INDEX.search(" ".join(shuffled), limit=10)


@pytest.mark.long
@given(st.lists(_phrase, min_size=1, max_size=8))
def test_search_is_the_same_in_a_rebuilt_index(typed: list[str]) -> None:
    some = REPAIRS[::12]
    text = " ".join(typed)
    one, other = ProblemIndex(some, vocabulary()), ProblemIndex(tuple(reversed(some)), vocabulary())

    assert one.search(text, limit=10) == other.search(text, limit=10)


@given(st.lists(_phrase, min_size=1, max_size=8), st.integers(1, 50))
def test_search_scores_fall_from_1_to_0(typed: list[str], limit: int) -> None:
    scores = [found.score for found in INDEX.search(" ".join(typed), limit=limit)]

    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert len(scores) <= limit


def _with_an_error(word: str, at: int, letter: str, kind: int) -> str:
    return (
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
    )[kind]


_LONG_WORDS = [
    (repair, number)
    for repair in REPAIRS
    for number, word in enumerate(repair.name.lower().split())
    if len(word) >= 5 and word.isalpha()
]


def test_search_survives_a_typing_error_in_99_of_100_long_words() -> None:
    dice = Random(7)  # noqa: S311 - a sample; "engine moust" is as near to "moist" as to "mount"
    missing = []
    for _ in range(1000):
        repair, number = dice.choice(_LONG_WORDS)
        typed = repair.name.lower().split()
        at = dice.randrange(1, len(typed[number]))
        typed[number] = _with_an_error(
            typed[number], at, dice.choice(string.ascii_lowercase), dice.randrange(4)
        )
        if repair.slug not in slugs(" ".join(typed), limit=10):
            missing.append(" ".join(typed))

    assert len(missing) <= 10, missing


@given(st.text(max_size=60), st.integers(0, 12))
def test_search_accepts_any_text_and_respects_the_limit(text: str, limit: int) -> None:
    assert len(INDEX.search(text, limit=limit)) <= limit
    INDEX.suggestion(text)


def _ranked_slowly(problems: Sequence[Problem], text: str) -> list[tuple[str, float]]:
    """Score every repair, without the shortcut of skipping any."""
    index = ProblemIndex(problems, vocabulary())
    return [(found.problem.slug, found.score) for found in index.search(text, limit=len(problems))]


@settings(max_examples=25)
@given(st.lists(_phrase, min_size=1, max_size=8))
def test_search_skips_only_repairs_that_cannot_be_among_the_best(typed: list[str]) -> None:
    text = " ".join(typed)
    quick = [(found.problem.slug, found.score) for found in INDEX.search(text, limit=20)]
    slow = _ranked_slowly(REPAIRS, text)

    assert all(found in slow for found in quick)


def test_search_without_a_vocabulary_finds_the_books_own_words() -> None:
    index = ProblemIndex(REPAIRS, NO_VOCABULARY)

    assert slugs("spark plugs", index=index)[0] == "spark-plugs"
    assert slugs("zinger", index=index) == []


def test_search_finds_sayings_of_owners_by_their_meaning() -> None:
    result = evolve(NO_VOCABULARY, meanings={"zinger": ("spark plugs",)}, same={"plock": "plug"})
    index = ProblemIndex(REPAIRS, result)

    assert slugs("zingers", index=index)[0] == "spark-plugs"
    assert slugs("spark plock", index=index)[0] == "spark-plugs"


def test_meaning_of_a_longer_saying_replaces_that_of_its_parts() -> None:
    result = evolve(NO_VOCABULARY, meanings={"zinger": ("spark plugs",), "wet zinger": ("water pump",)})
    index = ProblemIndex(REPAIRS, result)

    assert slugs("zinger wet", index=index)[0] == "water-pump"
    assert "spark-plugs" not in slugs("zinger wet", index=index)


def test_empty_book_finds_nothing() -> None:
    index = ProblemIndex((), vocabulary())

    assert index.search("brakes", limit=10) == []
    assert index.suggestion("brakes") is None


def test_equal_scores_are_ordered_by_id() -> None:
    one = a_problem(id=7, slug="seven")
    other = evolve(one, id=3, slug="three")
    index = ProblemIndex((one, other), NO_VOCABULARY)

    assert slugs("squeaky brakes", index=index) == ["three", "seven"]


def test_word_in_the_name_counts_more_than_one_in_the_description() -> None:
    named = a_problem(id=9, slug="one", name="Gizmo", keywords=(), description="Nothing.")
    described = a_problem(id=1, slug="two", name="Widget", keywords=(), description="Not a gizmo.")

    assert slugs("gizmo", index=ProblemIndex((described, named), NO_VOCABULARY)) == ["one", "two"]
