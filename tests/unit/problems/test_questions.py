"""What the words of a search may mean: known words, misspellings, words written together or apart, and sayings."""

from collections.abc import Mapping
from typing import Any

import pytest
from attrs import evolve

from repaircore.book.vocabulary import NO_VOCABULARY
from repaircore.problems.language import Language
from repaircore.problems.questions import Question, Questions, Reading
from repaircore.problems.terms import Terms

WORTH = {
    "brak": 1.0, "bracket": 4.0, "brass": 2.0, "front": 1.0, "head": 2.0, "gasket": 3.0, "sunroof": 4.0,
    "clutch": 3.0, "water": 2.0, "pump": 2.0,
}  # fmt: skip
LANGUAGE = Language(evolve(NO_VOCABULARY, ignored=frozenset({"the", "in"})))


def questions(
    worth: Mapping[str, float] = WORTH, meanings: Mapping[str, tuple[str, ...]] | None = None
) -> Questions:
    return Questions(LANGUAGE, Terms({word: {0: 1.0} for word in worth}, worth), meanings or {})


def parse(text: str, unfinished: str | None = None, **more: tuple[str, ...]) -> tuple[list[Question], bool]:
    meanings = {saying.replace("_", " "): texts for saying, texts in more.items()}
    return questions(meanings=meanings).parse(LANGUAGE.typed(text), unfinished)


def about(value: float) -> Any:
    return pytest.approx(value)


def asked(*readings: tuple[str, float], weight: float = 1.0) -> Question:
    return Question(
        tuple(Reading(tuple(words.split()), about(one)) for words, one in readings),
        about(weight),
    )


def test_known_words_are_questions_in_alphabetical_order() -> None:
    assert parse("the water pump") == ([asked(("pump", 1)), asked(("water", 1))], True)
    assert parse("the") == ([], True)


def test_known_word_means_itself_however_many_are_spelled_alike() -> None:
    found = questions({"alternator": 1.0, "alternatox": 1.0}, {"alternatoy": ("alternator",)})

    assert found.parse(frozenset({"alternator"}))[0] == [asked(("alternator", 1))]
    assert found.parse(frozenset({"alternatoy"}))[0] == [asked(("alternator", 0.9))]


def test_misspelled_word_is_weighted_by_the_cube_of_its_similarity() -> None:
    assert parse("gaskit") == ([asked(("gasket", (5 / 6) ** 3))], True)


@pytest.mark.parametrize(("text", "understood"), [("zyxwvut", False), ("water zyxwvut", False), ("", True)])
def test_unknown_word_is_not_understood(text: str, *, understood: bool) -> None:
    found, all_read = parse(text)

    assert all_read is understood
    assert found == ([asked(("water", 1))] if "water" in text else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("headgasket", [asked(("head gasket", 0.9))]),
        ("waterpump", [asked(("water pump", 0.9))]),
        # Three letters are enough for a piece, on either side.
        ("oilpump", [asked(("oil pump", 0.9))]),
        ("pumpoil", [asked(("pump oil", 0.9))]),
        ("acpump", []),
        ("pumpac", []),
    ],
)
def test_words_written_together_are_read_apart(text: str, found: list[Question]) -> None:
    worth = {**WORTH, "oil": 1.0, "ac": 1.0}

    assert questions(worth).parse(LANGUAGE.typed(text))[0] == found


def test_word_much_like_a_known_one_is_not_read_apart() -> None:
    worth = {"headgaskets": 1.0, "head": 1.0, "gasket": 1.0}

    assert questions(worth).parse(LANGUAGE.typed("headgasket"))[0] == [asked(("headgaskets", (10 / 11) ** 3))]


def test_word_written_apart_is_an_additional_question() -> None:
    worth = {**WORTH, "sun": 1.0, "roof": 1.0}

    for text in ("sun roof", "roof sun"):
        assert questions(worth).parse(LANGUAGE.typed(text))[0] == [
            asked(("roof", 1)),
            asked(("sun", 1)),
            asked(("sunroof", 1)),
        ]


def test_saying_adds_its_meanings_and_its_own_words_count_less() -> None:
    assert parse("wet pump", wet_pump=("water pump",)) == (
        [asked(("pump", 1), weight=0.6), asked(("pump water", 0.9))],
        True,
    )


def test_saying_of_unknown_words_is_understood() -> None:
    assert parse("tranny", tranny=("clutch", "gasket")) == (
        [asked(("clutch", 0.9), ("gasket", 0.9))],
        True,
    )


def test_meanings_that_no_repair_has_are_left_out() -> None:
    assert parse("tranny", tranny=("flux capacitor", "clutch", "the")) == (
        [asked(("clutch", 0.9))],
        True,
    )
    assert parse("tranny", tranny=("flux",)) == ([], False)


def test_misspelled_saying_is_understood() -> None:
    assert parse("zingar", zinger=("clutch",))[0] == [asked(("clutch", 0.9))]


def test_only_the_likeliest_reading_of_a_word_makes_a_saying() -> None:
    assert parse("zasket", casket=("clutch",)) == ([asked(("gasket", (5 / 6) ** 3))], True)
    assert parse("zasket", gasket=("clutch",))[0] == [
        asked(("gasket", (5 / 6) ** 3), weight=0.6),
        asked(("clutch", 0.9)),
    ]


def test_longer_saying_replaces_those_within_it() -> None:
    found, _ = parse("wet leak", wet=("gasket",), wet_leak=("water",), leak=("pump",))

    assert found == [asked(("water", 0.9))]


def test_unfinished_word_may_be_any_that_begins_with_it_the_commonest_first() -> None:
    worth = {"brak": 2.0, "brass": 4.0, "bracket": 8.0, "front": 1.0}
    (question,), understood = questions(worth).parse(LANGUAGE.typed("bra"), "bra")

    assert understood
    assert question == asked(("brak", 0.9), ("brass", 0.9 / 2 * 0.75), ("bracket", 0.9 / 4 * 0.625))


def test_unfinished_word_has_at_most_twelve_completions() -> None:
    worth = {f"bra{letter}": 1.0 for letter in "bcdfghjklmnpq"}
    (question,), _ = questions(worth).parse(LANGUAGE.typed("bra"), "bra")

    assert [reading.stems for reading in question.readings] == [(f"bra{each}",) for each in "cdfghjklmnpq"]


@pytest.mark.parametrize("word", ["pump", "4x", "zz"])
def test_unfinished_word_that_is_known_or_that_nothing_begins_with_is_read_as_it_is(word: str) -> None:
    worth = {**WORTH, "pumper": 1.0, "4x4": 1.0}
    found = questions(worth)

    assert found.parse(LANGUAGE.typed(word), word) == found.parse(LANGUAGE.typed(word))


def test_unfinished_word_that_is_ignored_counts_less_beside_other_words() -> None:
    worth = {"injector": 1.0, "fuel": 1.0}
    found = questions(worth)

    assert found.parse(LANGUAGE.typed("fuel in"), "in")[0] == [
        asked(("fuel", 1)),
        asked(("injector", 0.9), weight=0.45),
    ]
    assert found.parse(LANGUAGE.typed("in"), "in") == ([], True)
