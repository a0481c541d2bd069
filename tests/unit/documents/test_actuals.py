"""Invoice figures that differ from the approved ones."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.documents.test_billing import VISIT, line, visit_with

from repaircore.documents.actuals import ActualLine, actual_errors, with_actual
from repaircore.documents.billing import billed_estimate, billed_lines
from repaircore.visits.model import Choice, LineKind, PricedLine, RequestedLine

REPAIR = line(1, labor=200_00, parts=100_00)
PLACE_RATE = 140_00


def own_line(kind: LineKind, *, hours: float | None = None) -> PricedLine:
    return PricedLine(
        requested=RequestedLine(id=1, kind=kind, description="Mine", price=50_00, hours=hours),
        description="Mine",
        parts=50_00 if kind is LineKind.PART else 0,
        labor=50_00 if kind is LineKind.LABOR else 0,
        fee=50_00 if kind is LineKind.FEE else 0,
        apart=50_00,
        low=50_00,
        average=50_00,
        high=50_00,
    )


def bill_line(line: PricedLine, **figures: float) -> PricedLine:
    (found,) = with_actual([line], [ActualLine(line=1, **figures)], PLACE_RATE)
    return found


def errors(line: PricedLine, **figures: float) -> dict[str, list[str]]:
    return actual_errors([line], [ActualLine(line=1, **figures)])


def test_hours_are_billed_at_the_approved_rate() -> None:
    found = bill_line(REPAIR, labor_hours=3.5)

    assert (found.hours, found.rate, found.labor, found.parts) == (3.5, 100_00, 350_00, 100_00)
    assert (found.average, found.low, found.high, found.approved) == (450_00, 450_00, 450_00, 300_00)


def test_rate_is_billed_for_the_approved_hours() -> None:
    found = bill_line(REPAIR, labor_rate=120)

    assert (found.hours, found.rate, found.labor) == (2.0, 120_00, 240_00)


def test_rate_follows_from_a_sum() -> None:
    found = bill_line(REPAIR, labor_hours=1.5, labor_total=225)

    assert (found.hours, found.rate, found.labor) == (1.5, 150_00, 225_00)


def test_parts_total_replaces_the_list_of_parts() -> None:
    found = bill_line(REPAIR, parts_total=80.25)

    assert (found.parts, found.items, found.labor) == (80_25, (), 200_00)


def test_own_labor_line_takes_a_sum_or_hours_at_the_places_rate() -> None:
    labor = own_line(LineKind.LABOR)

    assert bill_line(labor, labor_total=75).average == 75_00
    assert bill_line(labor, labor_hours=0.5).average == 70_00


@pytest.mark.parametrize("figures", [{}, {"labor_hours": 2.0}, {"labor_total": 200.0}, {"parts_total": 100}])
def test_same_figures_leave_a_line_as_approved(figures: dict[str, float]) -> None:
    assert bill_line(REPAIR, **figures) is REPAIR


@given(
    figures=st.fixed_dictionaries(
        {},
        optional={
            "labor_hours": st.integers(0, 5000).map(lambda each: each / 100),
            "parts_total": st.integers(0, 99_999).map(lambda each: each / 100),
        },
    ),
    labor=st.none()
    | st.tuples(
        st.sampled_from(["labor_rate", "labor_total"]), st.integers(0, 99_999).map(lambda each: each / 100)
    ),
)
def test_entering_a_bill_twice_changes_nothing(
    figures: dict[str, float], labor: tuple[str, float] | None
) -> None:
    given_figures = {**figures, **dict([labor] if labor else [])}

    once = bill_line(REPAIR, **given_figures)

    assert once.average == once.parts + once.labor
    assert bill_line(once, **given_figures) is once


@pytest.mark.parametrize(
    ("line", "figures", "bad"),
    [
        (REPAIR, {"labor_rate": 100, "labor_total": 10}, {"lines.0.labor_rate"}),
        (own_line(LineKind.FEE), {"parts_total": 1, "labor_hours": 1}, {"lines.0.labor_hours", "lines.0.parts_total"}),
        (own_line(LineKind.PART), {"labor_total": 1}, {"lines.0.labor_total"}),
        (own_line(LineKind.LABOR), {"parts_total": 1}, {"lines.0.parts_total"}),
        (own_line(LineKind.LABOR), {"labor_rate": 100}, {"lines.0.labor_hours"}),
        (REPAIR, {"labor_hours": 5e-324, "labor_total": 1}, {"lines.0.labor_total"}),
        (REPAIR, {"labor_total": 20_001}, {"lines.0.labor_total"}),
        (evolve(REPAIR, hours=0.0, labor=0), {"labor_total": 90}, {"lines.0.labor_hours"}),
        (line(2, labor=1, parts=1), {}, {"lines.0.line"}),
    ],
)  # fmt: skip
def test_every_bad_figure_is_reported(line: PricedLine, figures: dict[str, float], bad: set[str]) -> None:
    assert errors(line, **figures).keys() == bad


def test_repeated_line_is_rejected() -> None:
    twice = [ActualLine(line=1, labor_hours=1), ActualLine(line=1, labor_hours=2)]

    assert actual_errors([REPAIR], twice) == {
        "lines.1.line": ["The lines.1.line field must not repeat the line of another entry."]
    }


def test_declined_line_accepts_no_figures() -> None:
    visit = visit_with(Choice.APPROVED, Choice.DECLINED)

    assert actual_errors(billed_lines(visit), [ActualLine(line=2)]).keys() == {"lines.0.line"}


def test_totals_follow_the_figures() -> None:
    totals = billed_estimate(VISIT, [ActualLine(line=1, labor_hours=1, parts_total=50)]).totals

    assert (totals.labor, totals.parts) == (100_00 + 50_00, 50_00 + 30_00)
    assert totals.tax is not None
    assert totals.total == 230_00 + totals.tax.amount
