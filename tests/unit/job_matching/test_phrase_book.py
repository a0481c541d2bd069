"""Phrases that name repairs, of a book with a few repairs."""

from typing import Final

import pytest

from repaircore.book.model import Category, PartNeed, Problem
from repaircore.job_matching.job_words import job_words
from repaircore.job_matching.model import JobNames
from repaircore.job_matching.phrase_book import PhraseBook
from repaircore.testing.builders import a_problem

BRAKES: Final = Category(id=1, slug="brakes", name="Brakes", description="What stops the vehicle.")
ENGINE: Final = Category(id=2, slug="engine", name="Engine", description="What drives the vehicle.")


def repair(slug: str, name: str, *parts: str, parent: Category = ENGINE) -> Problem:
    needs = tuple(PartNeed(name=part, quantity=1, price=10_00) for part in parts)
    return a_problem(slug=slug, name=name, parent=parent, parts=needs)


PROBLEMS: Final = (
    repair("alternator", "Alternator"),
    repair("water-pump", "Water pump", "Water pump", "Coolant, gallon", "Gasket for water pump"),
    repair("timing-belt", "Timing belt", "Timing belt"),
    repair("brake-pads-front", "Front brake pads", "Front brake pad set", parent=BRAKES),
    repair("brake-pads-rear", "Rear brake pads", "Rear brake pad set", parent=BRAKES),
    repair("brake-hose", "Brake hose", "Brake hose", parent=BRAKES),
    repair("pads-and-rotors", "Front brake pads and rotors", "Front brake rotor", parent=BRAKES),
    repair("axle-seal", "Axle seal", "Axle seal"),
    repair("axle", "Rear axle"),
    repair("rear-door", "Rear door"),
    repair("front-door-lock", "Front door lock"),
)
NAMES: Final = JobNames(
    names={
        "alternator": ("alternator", "dynamo"),
        "water-pump": ("coolant pump", "pump"),
        "unknown": ("flux capacitor",),
        "axle-seal": ("axle seal",),
        "timing-belt": ("dynamo",),
        "brake-hose": ("rear",),
    },
    included={"alternator": "belt tensioner", "engine": "bolt"},
    other=("battery tray", "dynamo"),
)
BOOK: Final = PhraseBook(PROBLEMS, NAMES)


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def phrases(slug: str) -> set[frozenset[str]]:
    return {phrase.words for phrase in BOOK.of[slug]}


def test_phrases_are_shops_names_and_names_of_several_words() -> None:
    assert phrases("alternator") == {words("alternator"), words("dynamo")}
    assert phrases("water-pump") == {words("water pump"), words("coolant pump"), words("pump")}
    assert phrases("timing-belt") == {words("timing belt")}
    assert phrases("brake-pads-rear") == {words("rear brake pad")}
    assert "unknown" not in BOOK.of
    assert "other" not in BOOK.of


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("alternator", ["alternator"]),
        ("water pump", ["water-pump"]),
        ("timing belt water pump", ["timing-belt", "water-pump"]),
        ("front brake pad", ["brake-pads-front"]),
        ("front brake pad rotor", ["pads-and-rotors"]),
        ("rear brake pad", ["brake-pads-rear"]),
        ("rear axle seal", ["axle-seal"]),
        ("rear axle", ["axle"]),
        ("rear door front lock", ["front-door-lock", "rear-door"]),
        ("rear axle pump", ["axle", "water-pump"]),
        ("rear", ["brake-hose"]),
        ("timing", []),
        ("battery tray", []),
        ("battery tray alternator", ["alternator"]),
        ("", []),
    ],
)
def test_longest_phrases_name_the_repairs(text: str, slugs: list[str]) -> None:
    assert [phrase.slug for phrase in BOOK.named(words(text))] == slugs


def test_other_work_is_named_by_its_whole_phrase() -> None:
    assert BOOK.names_other(words("battery tray"))
    assert BOOK.names_other(words("battery tray alternator"))
    assert not BOOK.names_other(words("battery"))
    assert not BOOK.names_other(words("dynamo"))


def test_phrases_of_a_word_are_the_longest_first() -> None:
    assert [phrase.slug for phrase in BOOK.with_word("brake")] == [
        "pads-and-rotors",
        "brake-pads-front",
        "brake-pads-rear",
        "brake-hose",
    ]
    assert BOOK.with_word("window") == []


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("alternator", ("alternator",)),
        ("alternator window", ("alternator",)),
        ("alternator window door", ("alternator",)),
        ("alternator window door glass", ()),
        ("timing", ("timing-belt",)),
        ("brake", ("brake-hose", "brake-pads-front", "brake-pads-rear")),
        ("brake pad", ("brake-pads-front", "brake-pads-rear", "pads-and-rotors")),
        ("front brake pad", ("brake-pads-front", "pads-and-rotors", "brake-pads-rear")),
        ("alternator pump rear", ("alternator", "brake-hose", "water-pump")),
        ("battery tray", ()),
        ("", ()),
    ],
)
def test_suggestions_share_at_least_half_of_the_words(text: str, slugs: tuple[str, ...]) -> None:
    assert BOOK.suggestions(words(text)) == slugs


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("alternatr", "alternator"),
        ("altrnatr", "altrnatr"),
        ("alternattr", "alternator"),
        ("altenattor", "alternator"),
        ("xlternator", "xlternator"),
        ("alxxxnator", "alxxxnator"),
        ("altrenatr", "alternator"),
        ("pumb", "pumb"),
        ("blac", "blac"),
        ("pumppad", "pump pad"),
        ("padpump", "pad pump"),
        ("timng", "timing"),
        ("tmiing", "timing"),
        ("timings", "timing"),
        ("pmup", "pump"),
        ("pmp", "pump"),
        ("pmps", "pump"),
        ("pum", "pum"),
        ("bump", "bump"),
        ("pu", "pu"),
        ("brk1", "brk1"),
        ("timingbelt", "timing belt"),
        ("timingbolt", "timingbolt"),
        ("pump", "pump"),
        ("tmng", "timing"),
        ("tt", "tt"),
    ],
)
def test_misspelled_word_is_the_one_known_word_that_is_near(word: str, meant: str) -> None:
    found, is_changed = BOOK.respelled(frozenset({word}))

    assert found == words(meant)
    assert is_changed is (word != meant)


def test_only_misspelled_words_change() -> None:
    assert BOOK.respelled(words("wter pump window")) == (words("water pump window"), True)


def test_word_without_vowels_is_unread_unless_it_is_known() -> None:
    assert BOOK.is_unread("xyzt")
    assert not BOOK.is_unread("pump")
    assert not BOOK.is_unread("12v")
    assert not BOOK.is_unread("tt1")


def test_words_of_the_repair_its_parts_and_its_usual_work_are_explained() -> None:
    (pump,) = BOOK.named(words("water pump"))
    text = words("water pump gasket coolant engine bolt window") | {"and"}

    assert BOOK.unexplained(pump, text, frozenset()) - {"and"} == {"window"}
    assert BOOK.unexplained(pump, text, frozenset({"window"})) - {"and"} == set()
    assert BOOK.usual["alternator"] == words("belt tensioner bolt")
    assert BOOK.usual["brake-hose"] == set()
    assert words("brake pad front") <= BOOK.company["brake-pads-front"]
    assert BOOK.in_parts["water-pump"] == words("water pump coolant gallon gasket") - {"gallon"}


def test_positions_are_explained_where_they_do_not_matter() -> None:
    positions = words("front rear")

    assert BOOK.explained["brake-hose"] >= positions
    assert BOOK.explained["axle-seal"] >= positions
    assert BOOK.explained["brake-pads-front"] & positions == {"front"}
    assert BOOK.explained["brake-pads-rear"] & positions == {"rear"}
    assert BOOK.explained["alternator"] & positions == set()


@pytest.mark.parametrize(
    ("slug", "text", "is_included"),
    [
        ("water-pump", "gasket", True),
        ("water-pump", "coolant", True),
        ("water-pump", "gasket coolant", False),
        ("water-pump", "water", False),
        ("water-pump", "pump", False),
        ("water-pump", "timing belt", False),
        ("water-pump", "gasket water", False),
        ("timing-belt", "gasket", False),
        ("timing-belt", "timing belt", False),
        ("timing-belt", "belt", False),
        ("pads-and-rotors", "rotor", True),
        ("pads-and-rotors", "front", False),
        ("alternator", "belt", False),
    ],
)
def test_repair_includes_its_parts_other_than_the_one_that_names_it(
    slug: str, text: str, *, is_included: bool
) -> None:
    assert BOOK.includes(slug, words(text)) is is_included


def test_repair_extends_one_with_a_shorter_name() -> None:
    assert BOOK.extends("pads-and-rotors", "brake-pads-front")
    assert not BOOK.extends("brake-pads-front", "pads-and-rotors")
    assert not BOOK.extends("brake-pads-front", "brake-pads-front")


def test_names_are_read_as_jobs_are() -> None:
    assert all(word in BOOK.names for word in job_words("coolant pump"))
    assert "flux" not in BOOK.names
