"""What is billed of a visit."""

from datetime import UTC, date, datetime

import pytest
from attrs import evolve

from repaircore.documents.billing import billed_estimate, partial_total
from repaircore.facilities.sales_taxes import LaborTax
from repaircore.kernel.callers import Environment
from repaircore.visits.model import (
    AppliedTax,
    Charges,
    Choice,
    Decision,
    Discount,
    Estimate,
    LineKind,
    LineSaving,
    PricedLine,
    RequestedLine,
    Supplies,
    Totals,
    Visit,
    VisitPlace,
    VisitVehicle,
)

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SAVING = LineSaving(
    other=1, hours=0.5, labor=50_00, parts=10_00, reason="The wheel comes off for the other job."
)


def line(number: int, *, labor: int, parts: int, savings: tuple[LineSaving, ...] = ()) -> PricedLine:
    average = labor + parts
    return PricedLine(
        requested=RequestedLine(id=number, kind=LineKind.REPAIR, problem_id=number),
        description=f"Brakes > Job {number}",
        problem_slug=f"job-{number}",
        parts=parts,
        labor=labor,
        hours=labor / 100_00,
        rate=100_00,
        apart=average + sum(saving.labor + saving.parts for saving in savings),
        low=average,
        average=average,
        high=average,
        savings=savings,
    )


LINES = (line(1, labor=200_00, parts=100_00), line(2, labor=50_00, parts=30_00, savings=(SAVING,)))
TAX = AppliedTax(
    state="CA", percent=10.0, labor=LaborTax.EXEMPT, base=130_00, amount=13_00, low=9_00, high=14_00, text=""
)
TOTALS = Totals(
    parts=130_00, labor=250_00, fees=0, saved=60_00, supplies=0, supplies_text=None, discount=0, tax=TAX,
    total=393_00, low=300_00, high=500_00,
)  # fmt: skip
VISIT = Visit(
    number="V-1",
    environment=Environment.LIVE,
    owner_id=1,
    estimate=Estimate(
        vehicle=VisitVehicle(
            vin=None,
            year=2003,
            make="Honda",
            model="Accord",
            trim=None,
            engine=None,
            display_name="2003 Honda Accord",
        ),
        place=VisitPlace(
            zip_code="90210", state="CA", labor_rate=100_00, labor_rate_source="x", labor_rate_text=""
        ),
        mileage=None,
        charges=Charges(),
        lines=LINES,
        totals=TOTALS,
    ),
    valid_until=date(2026, 2, 1),
    estimated_at=AT,
    created_at=AT,
    updated_at=AT,
)


def decided(*choices: Choice, visit: Visit = VISIT) -> Visit:
    decisions = [
        (number, Decision(choice=choice, name="Grace", at=AT))
        for number, choice in enumerate(choices, start=1)
    ]
    return visit.with_decisions(decisions)


def test_everything_approved_is_billed_as_estimated() -> None:
    billed = billed_estimate(decided(Choice.APPROVED, Choice.APPROVED))

    assert [line.average for line in billed.lines] == [300_00, 80_00]
    assert (billed.totals.total, billed.totals.low, billed.totals.high) == (393_00, 393_00, 393_00)


def test_line_without_the_one_that_it_saved_against_costs_what_it_costs_alone() -> None:
    (billed,) = billed_estimate(decided(Choice.DECLINED, Choice.APPROVED)).lines

    assert (billed.labor, billed.parts, billed.average, billed.savings) == (100_00, 40_00, 140_00, ())
    assert billed.average == billed.apart
    assert billed.hours == 1.0


def test_question_is_no_approval() -> None:
    totals = billed_estimate(decided(Choice.APPROVED, Choice.ASKED)).totals

    assert (totals.total, totals.saved) == (310_00, 0)


def test_visit_approved_as_a_whole_is_billed_as_a_whole() -> None:
    assert billed_estimate(VISIT).lines == LINES


def test_nothing_approved_bills_nothing() -> None:
    assert billed_estimate(decided(Choice.DECLINED, Choice.ASKED)).lines == ()


def test_charges_follow_what_is_billed() -> None:
    charges = Charges(supplies=Supplies(percent=10), discount=Discount(percent=50))
    visit = evolve(VISIT, estimate=evolve(VISIT.estimate, charges=charges))

    totals = billed_estimate(decided(Choice.APPROVED, Choice.DECLINED, visit=visit)).totals

    assert (totals.supplies, totals.discount) == (20_00, 150_00)
    assert totals.total == 300_00 + 20_00 - 150_00 + 7_00


@pytest.mark.parametrize(
    ("choices", "total"),
    [
        ((), None),
        ((Choice.APPROVED, Choice.APPROVED), None),
        ((Choice.DECLINED, Choice.DECLINED), None),
        ((Choice.APPROVED, Choice.DECLINED), 310_00),
    ],
)
def test_partial_total_is_that_of_some_lines(choices: tuple[Choice, ...], total: int | None) -> None:
    assert partial_total(decided(*choices)) == total
