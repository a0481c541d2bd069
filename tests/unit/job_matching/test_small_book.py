"""Jobs that the rules find in a line, of a book with a few repairs."""

from typing import Final

import pytest

from repaircore.book.model import Category, PartNeed, Problem
from repaircore.job_matching.corrections import CorrectionReader
from repaircore.job_matching.likely import LEAST, LikelyReader, features
from repaircore.job_matching.model import JobNames
from repaircore.job_matching.phrase_book import PhraseBook
from repaircore.job_matching.several_jobs import JobSplitter
from repaircore.job_matching.strict_reading import OTHER_WORDS, SEVERAL, Reading, StrictReader
from repaircore.job_matching.what_was_done import Correction, tells_condition, what_was_done
from repaircore.testing.builders import a_problem

ENGINE: Final = Category(id=2, slug="engine", name="Engine", description="What drives the vehicle.")


def repair(slug: str, name: str, *parts: str) -> Problem:
    needs = tuple(PartNeed(name=part, quantity=1, price=10_00) for part in parts)
    return a_problem(slug=slug, name=name, parent=ENGINE, parts=needs)


PROBLEMS: Final = (
    repair("alternator", "Alternator"),
    repair("starter-motor", "Starter motor"),
    repair("battery-replacement", "Battery replacement"),
    repair("water-pump", "Water pump", "Water pump", "Coolant, gallon"),
    repair("thermostat", "Thermostat"),
    repair("brake-pads-front", "Front brake pads"),
    repair("brake-pads-rear", "Rear brake pads"),
    repair("tie-rod-inner", "Inner tie rod"),
    repair("tie-rod-outer", "Outer tie rod"),
    repair("seat-belt", "Seat belt"),
    repair("oil-change", "Oil change"),
    repair("valve-cover-gasket", "Valve cover gasket"),
)
NAMES: Final = JobNames(
    names={
        "alternator": ("alternator",),
        "starter-motor": ("starter",),
        "battery-replacement": ("battery",),
        "thermostat": ("thermostat",),
        "oil-change": ("conventional oil",),
    },
    included={"water-pump": "tensioner"},
    other=(),
)
BOOK: Final = PhraseBook(PROBLEMS, NAMES)
STRICT: Final = StrictReader(BOOK)
LIKELY: Final = LikelyReader(BOOK, STRICT)
SPLITTER: Final = JobSplitter(STRICT, LIKELY)
CORRECTIONS: Final = CorrectionReader(BOOK, STRICT)


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("alternator", ("alternator",)),
        ("alternator, starter", ("alternator", "starter-motor")),
        ("starter + alternator", ("starter-motor", "alternator")),
        ("alternator, starter, alternator", ("alternator", "starter-motor")),
        ("alternator, window", ()),
        ("alternator, new", ("alternator",)),
        ("new", ()),
        ("", ()),
        ("water pump, tensioner", ("water-pump",)),
        ("front & rear brake pads", ("brake-pads-front", "brake-pads-rear")),
        ("rear and front brake pads", ("brake-pads-front", "brake-pads-rear")),
        ("brake pads all around", ("brake-pads-front", "brake-pads-rear")),
        ("inner/outer tie rod", ("tie-rod-inner", "tie-rod-outer")),
        ("front & rear alternator", ()),
        ("inner, outer tie rod", ("tie-rod-inner", "tie-rod-outer")),
        ("tie rod inner, outer", ("tie-rod-inner", "tie-rod-outer")),
        ("inner tie rod, outer", ()),
        ("front, rear brake pads", ("brake-pads-front", "brake-pads-rear")),
        ("inspected battery, alternator", ("alternator",)),
        ("found battery, alternator", ("battery-replacement", "alternator")),
        ("oil change, alternator", ("oil-change", "alternator")),
        ("alternator, " * 7 + "starter", ("alternator", "starter-motor")),
        ("alternator, " * 8 + "starter", ()),
    ],
)
def test_line_is_split_into_jobs_that_each_name_a_repair(text: str, slugs: tuple[str, ...]) -> None:
    assert SPLITTER.jobs(text) == slugs


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("alternator", Reading(slug="alternator", named=("alternator",))),
        ("alternatr", Reading(slug="alternator", named=("alternator",), is_respelled=True)),
        (
            "alternator starter",
            Reading(named=("alternator", "starter-motor"), reason=SEVERAL, are_several=True),
        ),
        ("alternator window", Reading(named=("alternator",), reason=OTHER_WORDS.format(words="window"))),
        (
            "alternator window door",
            Reading(named=("alternator",), reason=OTHER_WORDS.format(words="door, window")),
        ),
        (
            "front brake pads rear brake pads",
            Reading(named=("brake-pads-front",), reason=OTHER_WORDS.format(words="rear")),
        ),
        (
            "alternator bracket",
            Reading(named=("alternator",), reason=OTHER_WORDS.format(words="bracket")),
        ),
        (
            "water pump tensioner",
            Reading(named=("water-pump",), reason=OTHER_WORDS.format(words="tensioner"), is_other_thing=True),
        ),
        ("water pump and tensioner", Reading(slug="water-pump", named=("water-pump",))),
        ("window", Reading()),
        ("", Reading()),
    ],
)
def test_text_names_one_repair_if_every_word_is_explained(text: str, reading: Reading) -> None:
    assert STRICT.read(text) == reading


def test_piece_goes_with_a_repair_if_it_only_names_its_usual_work() -> None:
    assert STRICT.goes_with("new tensioner", "water-pump")
    assert not STRICT.goes_with("new tensioner", "alternator")
    assert not STRICT.goes_with("tensioner window", "water-pump")
    assert "tensioner" in STRICT.included("water-pump")
    assert STRICT.included(None) == frozenset()


@pytest.mark.parametrize(
    ("text", "name", "left", "expected"),
    [
        ("alternator", {"alternator"}, set(), (1.0, 1.0, 1.0, 0.0, 0.0)),
        ("replaced alternator", {"alternator"}, set(), (1.0, 1.0, 1.0, 1.0, 0.0)),
        ("alternator window", {"alternator"}, {"window"}, (1.0, 1.0, 0.0, 0.0, 0.0)),
        ("alternator, window", {"alternator"}, {"window"}, (1.0, 1.0, 1.0, 0.0, 0.0)),
        ("water pump", {"water", "pump"}, set(), (1.0, 0.0, 1.0, 0.0, 0.0)),
        ("alternator window door", {"alternator"}, {"window", "door"}, (1.0, 1.0, 0.0, 0.0, 0.0)),
        (
            "alternator window door glass",
            {"alternator"},
            {"window", "door", "glass"},
            (1.0, 1.0, 0.0, 0.0, 1.0),
        ),
    ],
)
def test_evidence_for_a_name_is_how_it_stands_in_the_text(
    text: str, name: set[str], left: set[str], expected: tuple[float, ...]
) -> None:
    assert features(text, frozenset(name | left), frozenset(name), frozenset(left)) == expected


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("alternator", "alternator"),
        ("replaced water pump window", "water-pump"),
        ("water pump, window", "water-pump"),
        ("window alternator", None),
        ("replaced alternator, window", "alternator"),
        ("alternator starter", None),
        ("painted alternator", None),
        ("alternator and window", None),
        ("replaced water pump rear window", None),
        ("replaced water pump tie rod", None),
        ("replaced alternator & window", None),
        ("window", None),
    ],
)
def test_name_with_unexplained_words_is_a_repair_if_that_is_likely(text: str, slug: str | None) -> None:
    found = LIKELY.read(text)

    assert (None if found is None else found.slug) == slug
    assert found is None or LEAST <= found.likelihood < 1


@pytest.mark.parametrize(
    ("text", "correction"),
    [
        ("replaced alternator", None),
        ("", None),
        (
            "Complaint: no start. Correction: replaced battery",
            Correction("replaced battery", "complaint: no start. correction: "),
        ),
        ("battery dead. replaced battery", Correction("replaced battery", "battery dead")),
        ("replaced battery. customer waited", Correction("replaced battery", "customer waited")),
        ("replaced both tie rods, boots torn", Correction("replaced both tie rods", "boots torn")),
        ("replaced radiator due to crack", Correction("replaced radiator", "")),
        ("no start, replaced battery", Correction("replaced battery", "")),
        ("replaced pump including coolant", Correction("replaced pump", "")),
        ("battery leaking - replaced", None),
    ],
)
def test_work_is_separated_from_complaints_and_causes(text: str, correction: Correction | None) -> None:
    assert what_was_done(text) == correction


@pytest.mark.parametrize(
    ("done", "context", "slug"),
    [
        ("replaced belt", "seat belt locked", "seat-belt"),
        ("replaced belt", "seat belt", None),
        ("replaced battery", "alternator dead", "battery-replacement"),
        ("replaced gasket", "valve cover leaking", "valve-cover-gasket"),
        ("replaced gasket", "valve cover", None),
        ("replaced gasket, cleaned", "valve cover leaking", None),
        ("replaced", "alternator dead", None),
        ("replaced window", "alternator dead", None),
    ],
)
def test_work_and_fault_name_a_repair_together(done: str, context: str, slug: str | None) -> None:
    assert CORRECTIONS.read(Correction(done, context)) == slug


@pytest.mark.parametrize(
    ("done", "context", "is_other"),
    [
        ("replaced battery", "alternator", True),
        ("replaced battery", "alternator dead", False),
        ("replaced battery", "alternator tested dead", True),
        ("replaced battery", "battery dead", False),
        ("replaced battery", "window", False),
        ("replaced battery", "alternator dead; starter", True),
        ("replaced, battery", "alternator dead", True),
        ("replaced window", "alternator", False),
    ],
)
def test_context_of_another_repair_is_no_fault(done: str, context: str, *, is_other: bool) -> None:
    assert CORRECTIONS.is_of_other_work(Correction(done, context)) is is_other


@pytest.mark.parametrize(
    ("done", "context", "is_part"),
    [
        ("replaced gasket", "water pump leaking", True),
        ("replaced", "water pump leaking", False),
        ("replaced pump", "water pump leaking", False),
        ("replaced gasket and pump", "water pump leaking", False),
        ("mount", "water pump leaking", False),
    ],
)
def test_component_of_the_faulty_part_is_only_part_of_the_repair(
    done: str, context: str, *, is_part: bool
) -> None:
    assert CORRECTIONS.is_of_part(Correction(done, context), "water-pump") is is_part


def test_condition_is_a_word_for_a_fault() -> None:
    assert tells_condition("pump leaking")
    assert not tells_condition("pump")
