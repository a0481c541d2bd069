import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.estimates.jobs import BOOK, HOME, estimated

from repaircore.estimates.adjustment import adjusted, adjusted_amount, adjusted_breakdown
from repaircore.estimates.model import Breakdown, PartLine

PERCENTS = st.floats(-90, 500) | st.integers(-90, 500).map(float)
BREAKDOWNS = st.builds(
    Breakdown,
    parts=st.lists(
        st.builds(
            PartLine, name=st.just("Rotor"), unit_price=st.integers(1, 900_000), quantity=st.integers(1, 16)
        ),
        max_size=5,
    ).map(tuple),
    labor_hours=st.integers(0, 6_000).map(lambda n: n / 100),
    labor_rate=st.integers(1_000, 50_000),
)


@given(BREAKDOWNS, PERCENTS)
def test_adjusting_then_adding_up_equals_adding_up_what_was_adjusted(
    breakdown: Breakdown, percent: float
) -> None:
    told = adjusted_breakdown(breakdown, percent)
    units = [adjusted_amount(line.unit_price, percent) for line in breakdown.parts]
    rate = adjusted_amount(breakdown.labor_rate, percent)
    parts = sum(unit * line.quantity for unit, line in zip(units, breakdown.parts, strict=True))
    assert told.parts_total == parts
    assert told.total == parts + Breakdown(parts=(), labor_hours=breakdown.labor_hours, labor_rate=rate).total
    assert [line.quantity for line in told.parts] == [line.quantity for line in breakdown.parts]
    assert told.labor_hours == breakdown.labor_hours


@given(BREAKDOWNS, PERCENTS)
def test_the_adjusted_total_is_the_total_adjusted_but_for_rounding(
    breakdown: Breakdown, percent: float
) -> None:
    pieces = sum(line.quantity for line in breakdown.parts)
    exact = breakdown.total * (100 + percent) / 100
    # Half a cent for each piece and hour, and for the labor before (up to six times) and after.
    assert (
        abs(adjusted_breakdown(breakdown, percent).total - exact) <= pieces + breakdown.labor_hours / 2 + 3.5
    )


@given(st.integers(1, 500_000), PERCENTS, st.floats(0.05, 1))
def test_low_average_and_high_stay_in_order_and_move_alike(rate: int, percent: float, spread: float) -> None:
    before = estimated(book=evolve(BOOK, spread=spread), market=evolve(HOME, rate=rate))
    after = adjusted(before, percent)
    assert 0 < after.low <= after.average <= after.high
    assert after.average == after.breakdown.total
    for old, new in ((before.low, after.low), (before.average, after.average), (before.high, after.high)):
        assert abs(new - old * (100 + percent) / 100) <= 10


@given(BREAKDOWNS, PERCENTS, PERCENTS)
def test_a_greater_adjustment_never_gives_a_lower_price(
    breakdown: Breakdown, one: float, other: float
) -> None:
    small, large = sorted((one, other))
    assert adjusted_breakdown(breakdown, small).total <= adjusted_breakdown(breakdown, large).total


def test_no_adjustment_changes_nothing() -> None:
    assert adjusted(estimated(), 0) == estimated()
    assert adjusted_breakdown(estimated().breakdown, 0) == estimated().breakdown


@pytest.mark.parametrize("percent", [-90.5, 500.1, float("nan")])
def test_an_absurd_adjustment_is_refused(percent: float) -> None:
    with pytest.raises(ValueError, match="-90 and 500"):
        adjusted_amount(100, percent)
