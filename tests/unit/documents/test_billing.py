"""Billing of a visit's approved lines."""

from datetime import UTC, date, datetime

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.book.fit import FITS
from repaircore.documents.billing import billed_estimate, partial_total
from repaircore.facilities.sales_taxes import LaborTax
from repaircore.kernel.callers import Environment
from repaircore.pricing.model import Breakdown, PartLine
from repaircore.vehicle_facts.model import EngineBay
from repaircore.vehicle_facts.overlap import Overlap, OverlapCondition, OverlapFacts, OverlapTable, SharedWork
from repaircore.visits.charges import totals as totals_of
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
from repaircore.visits.pricing import PricedRepair, price_lines

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SAVING = LineSaving(
    other=1, hours=0.5, labor=50_00, parts=10_00, reason="The wheel comes off for the other job."
)
FLUID = PartLine(name="Brake fluid", unit_price=10_00, quantity=1)
SHARED = SharedWork(
    jobs=("job-2",),
    others=("job-1",),
    share=0.5,
    hours=None,
    parts=(FLUID.name,),
    includes=False,
    reason=SAVING.reason,
)


def line(number: int, *, labor: int, parts: int, savings: tuple[LineSaving, ...] = ()) -> PricedLine:
    average = labor + parts
    return PricedLine(
        requested=RequestedLine(id=number, kind=LineKind.REPAIR, problem_id=number),
        description=f"Brakes > Job {number}",
        problem_slug=f"job-{number}",
        items=(FLUID,),
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
        shared_work=(SHARED,),
    ),
    valid_until=date(2026, 2, 1),
    estimated_at=AT,
    created_at=AT,
    updated_at=AT,
)


def visit_with(*choices: Choice, visit: Visit = VISIT) -> Visit:
    decisions = [
        (number, Decision(choice=choice, name="Grace", at=AT))
        for number, choice in enumerate(choices, start=1)
    ]
    return visit.with_decisions(decisions)


def test_fully_approved_visit_is_billed_as_estimated() -> None:
    bill = billed_estimate(visit_with(Choice.APPROVED, Choice.APPROVED))

    assert [line.average for line in bill.lines] == [300_00, 80_00]
    assert (bill.totals.total, bill.totals.low, bill.totals.high) == (393_00, 393_00, 393_00)


def test_line_costs_its_full_price_without_the_line_it_saved_against() -> None:
    (bill,) = billed_estimate(visit_with(Choice.DECLINED, Choice.APPROVED)).lines

    assert (bill.labor, bill.parts, bill.average, bill.savings) == (100_00, 40_00, 140_00, ())
    assert bill.average == bill.apart
    assert bill.hours == 1.0


def test_question_is_not_an_approval() -> None:
    totals = billed_estimate(visit_with(Choice.APPROVED, Choice.ASKED)).totals

    assert (totals.total, totals.saved) == (310_00, 0)


def test_visit_without_decisions_is_billed_whole() -> None:
    assert billed_estimate(VISIT).lines == LINES


def test_bill_needs_an_approved_line() -> None:
    assert billed_estimate(visit_with(Choice.DECLINED, Choice.ASKED)).lines == ()


def test_charges_follow_the_billed_lines() -> None:
    charges = Charges(supplies=Supplies(percent=10), discount=Discount(percent=50))
    visit = evolve(VISIT, estimate=evolve(VISIT.estimate, charges=charges))

    totals = billed_estimate(visit_with(Choice.APPROVED, Choice.DECLINED, visit=visit)).totals

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
def test_partial_total_needs_a_partial_approval(choices: tuple[Choice, ...], total: int | None) -> None:
    assert partial_total(visit_with(*choices)) == total


# A visit is billed as if only its approved lines had been estimated.

RATE = 137_50
FACTS = OverlapFacts(bay=EngineBay.V6_TRANSVERSE)
SLUGS = ("belt", "pump", "pads", "bearing", "axle")
REPAIRS = st.builds(
    lambda hours, parts: Breakdown(
        parts=tuple(PartLine(name=name, unit_price=price, quantity=1) for name, price in parts.items()),
        labor_hours=hours / 100,
        labor_rate=RATE,
    ),
    st.integers(0, 800),
    st.dictionaries(st.sampled_from(["Fluid", "Nut", "Kit"]), st.integers(1, 300_00)),
)
GROUPS = st.frozensets(st.sampled_from(SLUGS), min_size=1, max_size=3)
OVERLAPS = st.builds(
    Overlap,
    jobs=GROUPS,
    others=GROUPS,
    share=st.sampled_from([0.25, 0.5, 1.0]),
    hours=st.none() | st.sampled_from([0.17, 0.5]),
    parts=st.frozensets(st.sampled_from(["Fluid", "Nut"])),
    includes=st.booleans(),
    when=st.sampled_from([
        OverlapCondition(),
        OverlapCondition(bays=frozenset({EngineBay.V6_TRANSVERSE})),
        OverlapCondition(is_pump_under_belt=True),
    ]),
    reason=st.just("It comes off once."),
    source=st.just("editorial"),
)  # fmt: skip


def price_repairs(
    repairs: dict[str, Breakdown], table: OverlapTable, quantities: dict[str, int]
) -> tuple[PricedLine, ...]:
    ids = {slug: number for number, slug in enumerate(SLUGS, start=1)}
    found = {
        ids[slug]: PricedRepair(
            slug=slug,
            display_name=slug,
            low=breakdown.total * 3 // 4,
            average=breakdown.total,
            high=breakdown.total * 2,
            center=1.0,
            spread=0.3,
            breakdown=breakdown,
            tier=None,
            fit=FITS,
            outside=False,
        )
        for slug, breakdown in repairs.items()
    }
    requested = [
        RequestedLine(id=number, kind=LineKind.REPAIR, problem_id=number, quantity=quantities[repair.slug])
        for number, repair in found.items()
    ]
    return price_lines(requested, found, rate=RATE, table=table, facts=FACTS)


@given(
    repairs=st.dictionaries(st.sampled_from(SLUGS), REPAIRS, min_size=1),
    overlaps=st.lists(OVERLAPS, max_size=6),
    quantities=st.fixed_dictionaries({slug: st.integers(1, 3) for slug in SLUGS}),
    answers=st.fixed_dictionaries({slug: st.sampled_from(Choice) for slug in SLUGS}),
    charges=st.builds(
        Charges,
        supplies=st.none() | st.just(Supplies(percent=7.0, cap=45_00)),
        discount=st.none() | st.sampled_from([Discount(percent=10.0), Discount(amount=25_00)]),
    ),
)
def test_approved_lines_cost_as_if_estimated_alone(
    repairs: dict[str, Breakdown],
    overlaps: list[Overlap],
    quantities: dict[str, int],
    answers: dict[str, Choice],
    charges: Charges,
) -> None:
    table = OverlapTable(tuple(overlaps))
    lines = price_repairs(repairs, table, quantities)
    estimate = evolve(
        VISIT.estimate,
        lines=lines,
        charges=charges,
        totals=evolve(TOTALS, tax=None),
        shared_work=table.shared_work({*repairs}, FACTS),
    )
    decisions = [
        (line.id, Decision(choice=answers[line.problem_slug or ""], name="Grace", at=AT)) for line in lines
    ]
    approved = {slug: one for slug, one in repairs.items() if answers[slug] is Choice.APPROVED}
    alone = price_repairs(approved, table, quantities)

    bill = billed_estimate(evolve(VISIT, estimate=estimate).with_decisions(decisions))

    assert [line.average for line in bill.lines] == [line.average for line in alone]
    assert [line.savings for line in bill.lines] == [line.savings for line in alone]
    assert [(line.hours, line.parts) for line in bill.lines] == [(line.hours, line.parts) for line in alone]
    assert bill.totals.total == totals_of(alone, charges, tax=None, repairs=None).total


def test_line_saves_against_a_third_one_when_the_second_is_declined() -> None:
    wheel = Overlap(
        jobs=frozenset({"pads"}), others=frozenset({"bearing", "axle"}), share=1.0, reason="", source=""
    )
    bearing, axle, pads = (
        Breakdown(parts=(), labor_hours=hours, labor_rate=RATE) for hours in (3.0, 2.0, 1.0)
    )
    table = OverlapTable((wheel,))
    lines = price_repairs({"bearing": bearing, "axle": axle, "pads": pads}, table, dict.fromkeys(SLUGS, 1))
    shared = table.shared_work({"bearing", "axle", "pads"}, FACTS)
    estimate = evolve(VISIT.estimate, lines=lines, shared_work=shared)
    by_slug = {line.problem_slug: line for line in lines}
    approved = Decision(choice=Choice.APPROVED, name="Grace", at=AT)
    visit = evolve(VISIT, estimate=estimate).with_decisions(
        [(by_slug[slug].id, approved) for slug in ("axle", "pads")]
    )

    bill = {line.problem_slug: line for line in billed_estimate(visit).lines}

    assert [saving.other for saving in by_slug["pads"].savings] == [by_slug["bearing"].id]
    assert [saving.other for saving in bill["pads"].savings] == [by_slug["axle"].id]
    assert (bill["pads"].average, bill["axle"].average) == (0, 2 * RATE)
