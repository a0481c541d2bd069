"""Labor and parts of a line, where the invoice does not state both."""

from typing import Any

import pytest
from attrs import evolve

from repaircore.invoice_drafts.model import DraftLine
from repaircore.invoice_drafts.splitting import (
    HOURS_DERIVED,
    HOURS_OF_BOOK,
    NOT_SPLIT,
    SPLIT_OF_BOOK,
    complete,
    usual_rate,
)
from repaircore.quote_text.kinds import LineKind
from repaircore.testing.builders import a_problem

BARE = DraftLine(kind=LineKind.REPAIR, description="Brakes", total=500_00)
BRAKES = a_problem()  # 1.5 hours, and parts
ALIGNMENT = a_problem(parts=())
HOURS_UNKNOWN = "The invoice states neither hours nor a rate."


def bare(**stated: Any) -> DraftLine:
    return evolve(BARE, **stated)


def split(line: DraftLine) -> tuple[float | None, int | None, int | None]:
    return line.labor_hours, line.labor_rate, line.parts_total


@pytest.mark.parametrize(
    ("line", "hours", "rate", "parts"),
    [
        (bare(labor_hours=2.0, labor_rate=100_00, parts_total=300_00), 2.0, 100_00, 300_00),
        (bare(labor_hours=2.0, parts_total=300_00), 2.0, 100_00, 300_00),
        (bare(labor_hours=2.0, labor_rate=90_00, parts_total=300_00), 2.0, 100_00, 300_00),
        (bare(labor_hours=2.0, labor_rate=100_00, parts_total=300_04), 2.0, 100_00, 300_04),
        (bare(labor_hours=2.0, labor_rate=100_00, parts_total=300_05), 2.0, 99_98, 300_05),
        (bare(labor_hours=2.0, labor_rate=100_00), 2.0, 100_00, 300_00),
        (bare(labor_hours=4.0, labor_rate=125_00), 4.0, 125_00, 0),
        (bare(labor_hours=1.0, labor_rate=499_97), 1.0, 499_97, 0),
        (bare(labor_hours=1.0, labor_rate=499_96), 1.0, 499_96, 4),
        (bare(labor_hours=1.0, labor_rate=500_03), 1.0, 500_03, 0),
        (bare(parts_total=500_00), 0.0, 0, 500_00),
        (bare(parts_total=499_98), 0.0, 0, 500_00),
        (bare(parts_total=500_00, labor_rate=90_00), 0.0, 90_00, 500_00),
    ],
)
def test_rest_of_what_a_line_states_follows_without_doubt(
    line: DraftLine, hours: float, rate: int, parts: int
) -> None:
    completed = complete(line, BRAKES, 80_00)

    assert split(completed.line) == (hours, rate, parts)
    assert completed.doubts == {}


def test_hours_follow_from_the_rate_of_other_lines() -> None:
    completed = complete(bare(parts_total=300_00), BRAKES, 80_00)

    assert split(completed.line) == (2.5, 80_00, 300_00)
    assert completed.doubts == {"labor_hours": HOURS_DERIVED.format(rate="$80.00")}


def test_derived_hours_have_two_decimals() -> None:
    assert split(complete(bare(parts_total=300_00), BRAKES, 90_00).line) == (2.22, 90_00, 300_00)


def test_usual_rate_is_the_one_of_the_most_hours_stated_or_derived() -> None:
    lines = [
        bare(labor_hours=1.0, labor_rate=100_00),
        bare(labor_hours=1.0, labor_rate=100_00),
        bare(labor_hours=1.9, labor_rate=90_00),
        bare(labor_hours=4.0, parts_total=100_00),
    ]

    assert usual_rate(lines[:3]) == 100_00
    assert usual_rate(lines) == 100_00
    assert usual_rate([bare(labor_hours=4.0, parts_total=300_00)]) == 50_00
    assert usual_rate([lines[0], bare(labor_hours=1.0, labor_rate=90_00)]) == 90_00
    assert usual_rate([BARE]) is None


def test_own_rate_of_a_line_precedes_that_of_other_lines() -> None:
    assert split(complete(bare(parts_total=300_00, labor_rate=50_00), BRAKES, 80_00).line)[0] == 4.0


def test_usual_hours_stand_in_where_no_rate_is_known() -> None:
    completed = complete(bare(parts_total=300_00), BRAKES, None)

    assert split(completed.line) == (1.5, 133_33, 300_00)
    assert completed.doubts == {"labor_hours": HOURS_OF_BOOK, "labor_rate": HOURS_OF_BOOK}


@pytest.mark.parametrize("problem", [None, a_problem(labor_hours=0.0)])
def test_labor_without_hours_or_rate_is_uncertain(problem: Any) -> None:
    completed = complete(bare(parts_total=499_97), problem, None)

    assert split(completed.line) == (None, None, 499_97)
    assert completed.doubts == {"labor_hours": HOURS_UNKNOWN}


def test_single_amount_is_split_by_the_usual_hours() -> None:
    completed = complete(BARE, BRAKES, 100_00)

    assert split(completed.line) == (1.5, 100_00, 350_00)
    assert completed.doubts == {"parts_total": SPLIT_OF_BOOK, "labor_hours": SPLIT_OF_BOOK}


def test_single_amount_is_split_by_the_hours_that_it_states() -> None:
    completed = complete(bare(labor_hours=5.0), BRAKES, 100_00)

    assert split(completed.line) == (5.0, 100_00, 0)
    assert completed.doubts == {"parts_total": SPLIT_OF_BOOK}


def test_single_amount_of_a_repair_without_parts_is_all_labor() -> None:
    completed = complete(BARE, ALIGNMENT, 80_00)

    assert split(completed.line) == (6.25, 80_00, 0)
    assert [*completed.doubts] == ["labor_hours"]


@pytest.mark.parametrize(
    ("line", "problem", "rate"),
    [
        (BARE, None, 100_00),
        (BARE, BRAKES, None),
        (BARE, ALIGNMENT, None),
        (BARE, BRAKES, 400_00),
        (bare(labor_hours=6.0), BRAKES, 100_00),
        (bare(labor_hours=1.0, labor_rate=500_04), BRAKES, None),
        (bare(parts_total=500_01), BRAKES, None),
    ],
)
def test_amount_that_cannot_be_split_is_unchanged_and_uncertain(
    line: DraftLine, problem: Any, rate: int | None
) -> None:
    completed = complete(line, problem, rate)

    assert completed.line == line
    assert completed.doubts == {"parts_total": NOT_SPLIT}


def test_usual_rate_is_the_one_charged_for_the_most_hours() -> None:
    one = bare(labor_hours=1.5, labor_rate=100_00)
    other = bare(labor_hours=1.0, labor_rate=120_00)
    derived = bare(labor_hours=1.0, parts_total=380_00)

    assert usual_rate([one, other]) == 100_00
    assert usual_rate([one, other, derived]) == 120_00
    assert usual_rate([other, bare(labor_hours=1.0, labor_rate=90_00)]) == 90_00
    assert usual_rate([BARE, bare(labor_hours=1.0), bare(labor_rate=90_00)]) is None
