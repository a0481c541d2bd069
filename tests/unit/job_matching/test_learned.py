"""The learned model: it decides what the rules leave open, but never work that was not done."""

import pytest

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import job_names, written_job_names
from repaircore.job_matching.model import Outcome
from repaircore.job_matching.repair_match import NOT_DONE, NOT_IN_BOOK, RepairMatcher

RULES = RepairMatcher(book().problems, written_job_names())
BOTH = RepairMatcher(book().problems, job_names())


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("suspension air pump replaced, leveling system", "air-suspension-compressor"),
        ("rim corroded, broke down and sealed bead", "tire-bead-reseal"),
        ("pedal sinking to floor, R/R master cyl", "brake-master-cylinder"),
    ],
)
def test_model_decides_what_the_rules_leave_open(text: str, slug: str) -> None:
    by_rules, by_both = RULES.match(text), BOTH.match(text)

    assert by_rules.outcome is not Outcome.SURE
    assert (by_both.outcome, by_both.slug) == (Outcome.SURE, slug)
    assert by_both.confidence >= 0.9


@pytest.mark.parametrize(
    "text", ["Customer declined front struts", "recommend temp door actuator", "front struts under warranty"]
)
def test_model_is_never_sure_of_work_that_was_not_done_or_paid(text: str) -> None:
    assert BOTH.match(text).outcome is not Outcome.SURE


def test_work_that_may_not_be_done_keeps_that_reason() -> None:
    assert BOTH.match("front struts under warranty").reason == NOT_DONE


@pytest.mark.parametrize("text", ["water pump gasket", "horn button"])
def test_model_is_never_sure_of_a_component(text: str) -> None:
    assert BOTH.match(text).outcome is not Outcome.SURE


@pytest.mark.parametrize(
    "text",
    [
        "Express Oil Change $39.99",
        "O2 snsr bnk 1",
        "R&R - Wheel Bearing",
        "6.0 FICM rebuild",
        "heater core bypassed per cust request",
        "MAF sensor dirty, cleaned",
    ],
)
def test_model_is_never_sure_of_ambiguous_or_other_work(text: str) -> None:
    assert BOTH.match(text).outcome is not Outcome.SURE


@pytest.mark.parametrize(
    "text",
    ["KING PINS BOTH SIDES", "Window tint 35% all around", "Nitrogen fill x4", "engine flush additive"],
)
def test_work_missing_from_the_book_is_left_out(text: str) -> None:
    found = BOTH.match(text)

    assert not found.is_repair
    assert (found.outcome, found.reason) == (Outcome.UNMATCHED, NOT_IN_BOOK)


@pytest.mark.parametrize(
    "text", ["brake job", "2 tires rear mounted and balanced", "REAR BRAKES", "O2 sensor"]
)
def test_ambiguous_work_is_left_to_a_person(text: str) -> None:
    assert BOTH.match(text).is_repair


def test_work_is_left_out_only_if_vocabulary_and_model_agree() -> None:
    by_vocabulary, by_model = RULES.match("KING PINS BOTH SIDES"), BOTH.match("install bull bar")

    assert by_vocabulary.is_repair
    assert by_model.is_repair


def test_other_work_next_to_a_repair_is_left_to_a_person() -> None:
    found = BOTH.match("water pump and block heater")

    assert found.is_repair
    assert found.suggestions[0] == "water-pump"


def test_suggestions_are_at_most_three_repairs() -> None:
    slugs = {problem.slug for problem in book().problems}
    for text in ("STEERING SHAKE", "replaced sensor", "courtesy lamp bulb", "brake fluid in drum RR"):
        found = BOTH.match(text)
        if found.outcome is not Outcome.SEVERAL:
            assert len(found.suggestions) <= 3
        assert set(found.suggestions) <= slugs
