import pytest
from bench.shop_exports.made_up import SEEN, TUNED, texts

from repaircore.adapters.shipped.book import book
from repaircore.job_matching.model import Outcome
from repaircore.job_matching.repair_match import RepairMatcher
from repaircore.job_matching.repair_phrases import ALSO, PHRASES

MATCHER = RepairMatcher(book().problems)
SLUGS = {problem.slug for problem in book().problems}
CATEGORIES = {problem.parent.slug for problem in book().problems}


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("R&R frt brk pads/rotors", "brake-rotors-front"),
        ("frt brk pads, turned rotors", "brake-pads-front"),
        ("LOF full syn 0W20", "oil-change-synthetic"),
        ("Replaced front brake pads, rotors ok", "brake-pads-front"),
        ("Customer states battery dead. Tested and replaced battery", "battery-replacement"),
        ("RT CV axle", "cv-axle"),
        ("Timing belt kit w/ water pump", "timing-belt"),
        ("altenator r/r", "alternator"),
        ("replaced alternater", "alternator"),
        ("4 wheel alignment", "wheel-alignment"),
        ("MOUNT & BALANCE 4 TIRES", "tire-replacement-set"),
    ],
)
def test_clear_text_is_matched_for_sure(text: str, slug: str) -> None:
    found = MATCHER.match(text)

    assert (found.outcome, found.slug) == (Outcome.SURE, slug)
    assert found.confidence >= 0.9


@pytest.mark.parametrize(
    "text",
    [
        "replaced alt & belt",
        "LOF + rotate",
        "air filter + cabin filter",
        "REPLACED AIR AND CABIN FILTERS",
        "purge valve and canister",
        "Thermostat & coolant flush",
        "LOF 5W30",
        "brake job",
        "2 tires",
        "O2 sensor",
        "water pump gasket",
        "Battery terminal replaced",
        "Heater core flush",
        "muffler clamp",
        "Front & rear brake pads",
        "recommend front struts",
        "front struts declined",
        "Check brakes",
        "custom fabricate bracket",
        "",
    ],
)
def test_text_that_may_be_more_or_less_or_nothing_is_never_sure(text: str) -> None:
    assert MATCHER.match(text).outcome is not Outcome.SURE


def test_several_repairs_are_told_with_their_names() -> None:
    found = MATCHER.match("replaced alt & serp belt")

    assert found.outcome is Outcome.SEVERAL
    assert set(found.suggestions) >= {"alternator", "serpentine-belt"}


def test_unsure_text_has_at_most_three_suggestions_with_the_likely_one() -> None:
    found = MATCHER.match("LOF")

    assert found.outcome is Outcome.UNSURE
    assert "oil-change" in found.suggestions
    assert len(found.suggestions) <= 3


def test_part_of_another_repair_raises_a_doubt() -> None:
    assert MATCHER.match("R&R alternator", ["ALTERNATOR REMAN"]).outcome is Outcome.SURE
    assert MATCHER.match("R&R alternator", ["ALTERNATOR REMAN", "SERPENTINE BELT"]).outcome is Outcome.UNSURE
    assert MATCHER.match("Front brake pads", ["PAD SET", "FRONT BRAKE ROTOR"]).outcome is Outcome.UNSURE


def test_every_phrase_is_of_a_repair_of_the_book() -> None:
    assert PHRASES.keys() <= SLUGS
    assert ALSO.keys() <= SLUGS | CATEGORIES


@pytest.mark.parametrize("name", [*TUNED, *SEEN])
def test_made_up_exports_are_hardly_ever_matched_wrongly(name: str) -> None:
    # The counts of parts and the prices, which catch more, are not looked at here.
    matched = [(MATCHER.match(text), truth) for text, truth in texts(name)]
    sure = [(match.slug, truth) for match, truth in matched if match.outcome is Outcome.SURE]

    assert sum(slug != truth for slug, truth in sure) <= 3
    assert len(sure) >= 0.35 * len(matched), "a third is sure even in the file that is made of traps"
