import pytest
from attrs import evolve
from tests.unit.quotes.test_comparison import UNTAUGHT

from repaircore.adapters.shipped.book import book
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.comparison import assess
from repaircore.quotes.resurfacing import is_resurfaced, with_resurfacing, with_resurfacing_note
from repaircore.quotes.text_match import match_line

BOOK = book().problems
BY_SLUG = {problem.slug: problem for problem in BOOK}


@pytest.mark.parametrize(
    "words",
    [
        "Front brake pads & resurface rotors",
        "front pads, turn rotors",
        "front pads and turned rotors",
        "front brake pads and rotors resurfaced",
        "front brake pads, rotors turned",
        "front brake pads w/ machined rotors",
        "front brake pads and rotor machining",
    ],
)
def test_pads_with_resurfaced_rotors_are_pads(words: str) -> None:
    found = match_line(words, (), BOOK)

    assert found is not None
    assert found.slug == "brake-pads-front"
    assert is_resurfaced([words], found)


def test_parts_may_state_that_the_rotors_are_resurfaced() -> None:
    parts = ("Front pad set", "Rotors resurfaced")
    found = match_line("Front brake service", parts, BOOK)

    assert found is not None
    assert found.slug == "brake-pads-front"
    assert is_resurfaced(["Front brake service", *parts], found)


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("front pads and new rotors", "brake-rotors-front"),
        ("front pads & rotors", "brake-rotors-front"),
        ("rear brake pads", "brake-pads-rear"),
        ("turn front rotors", None),  # the book has no such repair
        ("rotor resurfacing front", None),
    ],
)
def test_new_rotors_and_pads_alone_are_not_resurfacing(words: str, slug: str | None) -> None:
    found = match_line(words, (), BOOK)

    assert (found and found.slug) == slug
    assert found is None or not is_resurfaced([words], found)


def test_resurfacing_adds_six_tenths_of_an_hour_at_the_local_rate() -> None:
    pads = evolve(
        UNTAUGHT,
        low=100_00,
        average=200_00,
        high=400_00,
        hours=1.0,
        rate=120_00,
        parts=80_00,
        center=190_00.0,
    )
    more = with_resurfacing(pads)

    assert (more.low, more.average, more.high, more.parts) == (136_00, 272_00, 544_00, 80_00)
    assert more.hours == pytest.approx(1.6)
    assert more.center == pytest.approx(258_40)


@pytest.mark.parametrize(
    "words",
    [
        "front brake pads (do not turn rotors)",
        "front brake pads, rotors machined if needed",
        "front brake pads, resurface rotors extra",
        "front brake pads without machining rotors",
        "front pads & rotors - true stop",
    ],
)
def test_conditional_resurfacing_is_not_priced(words: str) -> None:
    assert not is_resurfaced([words], BY_SLUG["brake-pads-front"])


def test_assessment_states_that_the_rotors_are_not_replaced() -> None:
    text = with_resurfacing_note(assess(QuoteLine(total=UNTAUGHT.average), UNTAUGHT)).reason.text

    assert text.startswith("With the rotors resurfaced, not replaced: ")


def test_resurfacing_applies_only_to_pads() -> None:
    assert not is_resurfaced(["front pads, turn rotors"], BY_SLUG["brake-rotors-front"])
