import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.pricing.jobs import estimated

from repaircore.predictions.price_adjustment import (
    adjusted_amount,
    adjusted_breakdown,
    adjusted_estimate,
)
from repaircore.pricing.model import Breakdown, PartLine
from repaircore.testing.builders import some_figures

PERCENTS = st.floats(-90, 500) | st.integers(-90, 500).map(float)


def breakdowns(*, least: int, quantities: st.SearchStrategy[int]) -> st.SearchStrategy[Breakdown]:
    line = st.builds(
        PartLine, name=st.just("Ring"), unit_price=st.integers(least, 900_000), quantity=quantities
    )
    return st.builds(
        Breakdown,
        parts=st.lists(line, max_size=5).map(tuple),
        labor_hours=st.integers(0, 6_000).map(lambda n: n / 100),
        labor_rate=st.integers(1_000, 50_000),
    )


ANY = breakdowns(least=1, quantities=st.integers(1, 16))
# Prices from $20 can absorb the rounding of 60 hours and 64 pieces at -90%.
SETS = breakdowns(least=2_000, quantities=st.integers(1, 16))
SINGLE = st.builds(
    PartLine, name=st.just("Head"), unit_price=st.integers(2_000, 900_000), quantity=st.just(1)
)


@given(SETS, SINGLE, PERCENTS)
def test_adjusting_then_itemizing_equals_itemizing_then_adjusting(
    sets: Breakdown, single: PartLine, percent: float
) -> None:
    breakdown = evolve(sets, parts=(*sets.parts, single))

    assert adjusted_breakdown(breakdown, percent).total == adjusted_amount(breakdown.total, percent)


@given(SETS.filter(lambda result: bool(result.parts)), PERCENTS)
def test_adjusted_total_of_parts_in_sets_is_within_rounding(breakdown: Breakdown, percent: float) -> None:
    smallest = min(line.quantity for line in breakdown.parts)
    result = adjusted_breakdown(breakdown, percent)

    assert abs(result.total - adjusted_amount(breakdown.total, percent)) <= smallest / 2


@given(ANY, PERCENTS)
def test_labor_only_is_its_hours_at_the_adjusted_rate(breakdown: Breakdown, percent: float) -> None:
    result = adjusted_breakdown(evolve(breakdown, parts=()), percent)

    assert result.total == result.labor_total
    # Half a cent for each hour, and for the labor before (up to six times), after and adjusted.
    exact = adjusted_amount(breakdown.labor_total, percent)

    assert abs(result.total - exact) <= breakdown.labor_hours / 2 + 4


@given(ANY, PERCENTS)
def test_adjusting_keeps_hours_quantities_and_every_price(breakdown: Breakdown, percent: float) -> None:
    result = adjusted_breakdown(breakdown, percent)

    assert result.labor_hours == breakdown.labor_hours
    assert result.labor_rate == adjusted_amount(breakdown.labor_rate, percent)
    assert [(line.name, line.quantity) for line in result.parts] == [
        (line.name, line.quantity) for line in breakdown.parts
    ]
    assert all(line.unit_price >= 1 for line in result.parts)


@given(SETS, SINGLE, PERCENTS, PERCENTS)
def test_greater_adjustment_never_gives_a_lower_price(
    sets: Breakdown, single: PartLine, one: float, other: float
) -> None:
    breakdown = evolve(sets, parts=(*sets.parts, single))
    small, large = sorted((one, other))

    assert adjusted_breakdown(breakdown, small).total <= adjusted_breakdown(breakdown, large).total


@given(ANY, PERCENTS, st.floats(0.1, 1), st.floats(1, 10))
def test_low_average_and_high_stay_in_order_and_lines_add_up_to_the_average(
    breakdown: Breakdown, percent: float, down: float, up: float
) -> None:
    average = max(1, breakdown.total)
    before = some_figures()
    local = evolve(before.local, low=max(1, int(average * down)), average=average, high=int(average * up) + 1)
    after = evolve(before, local=local, breakdown=breakdown).adjusted(percent)

    assert 0 < after.local.low <= after.local.average <= after.local.high
    assert after.local.average == max(1, after.breakdown.total)


@given(PERCENTS)
def test_rates_of_the_region_and_the_lines_move_alike(percent: float) -> None:
    figures = some_figures()
    rate = figures.region.labor_rate
    figures = evolve(figures, breakdown=evolve(figures.breakdown, labor_rate=rate))
    result = figures.adjusted(percent)

    assert result.region.labor_rate == result.breakdown.labor_rate == adjusted_amount(rate, percent)


def test_no_adjustment_changes_nothing() -> None:
    assert some_figures().adjusted(0) == some_figures()
    assert adjusted_breakdown(estimated().breakdown, 0) == estimated().breakdown
    assert adjusted_estimate(estimated(), 0) == estimated()


@given(PERCENTS)
def test_adjusted_estimate_moves_every_price(percent: float) -> None:
    before = estimated()
    after = adjusted_estimate(before, percent)

    assert 0 < after.low <= after.average <= after.high
    assert after.average == after.breakdown.total
    assert after.low == min(after.average, adjusted_amount(before.low, percent))
    assert after.high == max(after.average, adjusted_amount(before.high, percent))
    assert (after.confidence, after.spread, after.steps) == (before.confidence, before.spread, before.steps)


@pytest.mark.parametrize("percent", [-90.5, 500.1, float("nan")])
def test_absurd_adjustment_is_refused(percent: float) -> None:
    with pytest.raises(ValueError, match="-90 and 500"):
        adjusted_amount(100, percent)


@pytest.mark.parametrize(
    ("amount", "percent", "adjusted"),
    [
        (100_00, 10, 110_00),
        (100_00, -10, 90_00),
        (100_00, -90, 10_00),
        (100_00, 500, 600_00),
        (1, -90, 1),
        (4, -90, 1),
        (15, -90, 2),
        (0, 500, 0),
    ],
)
def test_amount_moves_by_the_percentage_and_stays_a_cent(amount: int, percent: float, adjusted: int) -> None:
    assert adjusted_amount(amount, percent) == adjusted


@pytest.mark.parametrize("percent", [-90.1, 500.1])
def test_percentage_beyond_its_limits_is_refused(percent: float) -> None:
    with pytest.raises(ValueError, match="between -90 and 500"):
        adjusted_amount(1, percent)
