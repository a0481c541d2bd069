from datetime import UTC, datetime

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.fleet.signals import ByPosition
from repaircore.fleet.tires import Position
from repaircore.fleet.validation import validate_reading
from repaircore.health.statuses import Status
from repaircore.health.tire_estimates import EstimateTires, TireEstimate, TireLimit, estimate, validate_tire

NOW = datetime(2026, 1, 2, tzinfo=UTC)
WORN = EstimateTires(depths=ByPosition(front_left=6.0, front_right=6.5))


def judged(ask: EstimateTires) -> TireEstimate:
    return estimate(ask, now=NOW)


def positions(least: float, most: float) -> st.SearchStrategy[ByPosition]:
    figures = {position.value: st.floats(least, most) for position in Position}
    return st.fixed_dictionaries({}, optional=figures).map(lambda told: ByPosition(**told))


ASKS = st.builds(
    EstimateTires,
    depths=positions(0, 32).filter(lambda depths: bool(depths.told())),
    pressures=st.none() | positions(0, 150),
    ages=st.none() | positions(0, 50),
    mileage=st.none() | st.integers(0, 200_000),
    new_depth=st.floats(5, 32),
    recommended_pressure=st.floats(10, 150),
    miles_per_year=st.integers(1, 200_000),
)


@given(ASKS)
def test_whatever_is_sound_is_judged(ask: EstimateTires) -> None:
    told = judged(ask)
    assert 0 <= told.health <= 100
    assert told.miles_left >= 0
    assert told.replace_by >= NOW.date()
    assert told.sample_size == len(told.statuses) == len(ask.depths.told())
    whole = 100 + sum(factor.effect for factor in told.factors)
    assert told.health == pytest.approx(whole, abs=0.2)


@given(ASKS, st.floats(0, 32))
def test_less_tread_never_gives_more_miles(ask: EstimateTires, less: float) -> None:
    ask = evolve(ask, mileage=None)
    depths = {position.value: min(less, depth) for position, depth in ask.depths.told().items()}
    assert judged(evolve(ask, depths=ByPosition(**depths))).miles_left <= judged(ask).miles_left


@given(ASKS, st.integers(1, 200_000))
def test_who_drives_more_replaces_no_later(ask: EstimateTires, more: int) -> None:
    further = evolve(ask, miles_per_year=ask.miles_per_year + more)
    assert judged(further).replace_by <= judged(ask).replace_by


def test_age_ends_a_tire_that_is_hardly_worn() -> None:
    old = evolve(WORN, depths=ByPosition(front_left=10.0), ages=ByPosition(front_left=10.0))
    assert (judged(old).limited_by, judged(old).replace_by) == (TireLimit.AGE, NOW.date())
    assert judged(WORN).limited_by is TireLimit.WEAR


def test_their_own_wear_tells_how_long_they_last() -> None:
    quick = judged(evolve(WORN, depths=ByPosition(front_left=6.0), mileage=10_000))
    assert quick.miles_left == 2 * 2_500
    assert "these tires" in quick.basis


def test_every_bad_figure_is_named() -> None:
    told = validate_tire(
        depths=ByPosition(front_left=33.0, rear_left=6.0),
        pressures=ByPosition(front_left=-1.0),
        ages=ByPosition(rear_right=51.0),
        mileage=-1,
        new_depth=4.0,
        recommended_pressure=9.0,
        miles_per_year=0,
    )
    assert set(told) == {
        *("depths.front_left", "pressures.front_left", "ages.rear_right", "mileage", "new_depth"),
        *("recommended_pressure", "miles_per_year"),
    }
    assert validate_tire(depths=ByPosition()).keys() == {"depths"}
    assert validate_tire(pressures=None, mileage=0) == {}


def test_a_flat_tire_is_critical_however_new_it_is() -> None:
    told = judged(EstimateTires(depths=ByPosition(front_left=10.0), pressures=ByPosition(front_left=5.0)))
    assert told.statuses[Position.FRONT_LEFT] is Status.CRITICAL


def test_the_pace_is_that_of_the_tires_only_once_they_show_wear() -> None:
    new, worn = (
        EstimateTires(depths=ByPosition(front_left=10.0), mileage=60_000),
        evolve(WORN, mileage=30_000),
    )
    assert "lasts 50,000 miles" in judged(new).basis
    assert "wear of these tires so far" in judged(worn).basis


def test_bounds_are_told_in_full() -> None:
    assert validate_tire(mileage=-1)["mileage"] == ["The mileage field must be between 0 and 200,000."]
    assert validate_reading(odometer=-1)["odometer"] == [
        "The odometer field must be between 0 and 2,000,000."
    ]
