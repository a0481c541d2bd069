"""The second witness: it decides what the rules leave open, and nothing that was not done."""

import pytest

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import job_names, written_job_names
from repaircore.job_matching.model import Outcome
from repaircore.job_matching.repair_match import NOT_DONE, RepairMatcher

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
def test_what_the_rules_leave_open_is_decided_by_what_lines_taught(text: str, slug: str) -> None:
    by_rules, by_both = RULES.match(text), BOTH.match(text)

    assert by_rules.outcome is not Outcome.SURE
    assert (by_both.outcome, by_both.slug) == (Outcome.SURE, slug)
    assert by_both.confidence >= 0.9


@pytest.mark.parametrize(
    "text", ["Customer declined front struts", "recommend temp door actuator", "front struts under warranty"]
)
def test_work_that_was_not_done_or_paid_is_never_made_sure(text: str) -> None:
    assert BOTH.match(text).outcome is not Outcome.SURE


def test_doubt_that_work_was_done_stays_the_reason() -> None:
    assert BOTH.match("front struts under warranty").reason == NOT_DONE


@pytest.mark.parametrize("text", ["water pump gasket", "horn button"])
def test_component_of_what_is_named_is_never_made_sure(text: str) -> None:
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
def test_line_that_leaves_open_which_or_tells_of_other_work_is_never_made_sure(text: str) -> None:
    assert BOTH.match(text).outcome is not Outcome.SURE


def test_suggestions_stay_at_most_three_and_name_repairs() -> None:
    slugs = {problem.slug for problem in book().problems}
    for text in ("STEERING SHAKE", "replaced sensor", "courtesy lamp bulb", "brake fluid in drum RR"):
        found = BOTH.match(text)
        if found.outcome is not Outcome.SEVERAL:
            assert len(found.suggestions) <= 3
        assert set(found.suggestions) <= slugs
