import math

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.fleet.tires import Position, Tire, health_of, tire_set

TIRES = st.builds(
    Tire,
    depth=st.floats(0, 20),
    new_depth=st.floats(6, 20),
    age=st.none() | st.floats(0, 30),
    pressure=st.none() | st.floats(0, 120),
    recommended=st.none() | st.floats(20, 90),
    miles=st.none() | st.floats(0, 200_000),
)
SETS = st.dictionaries(st.sampled_from(Position), TIRES, min_size=1)


def four(depth: float) -> dict[Position, Tire]:
    return {position: Tire(depth=depth) for position in Position}


@pytest.mark.parametrize(
    ("depth", "tread"), [(12, 1.0), (10, 1.0), (6, 0.5), (4, 0.25), (3, 0.125), (2, 0), (0, 0)]
)
def test_tread_falls_from_new_to_the_legal_limit(depth: float, tread: float) -> None:
    assert health_of(Tire(depth=depth)).tread == pytest.approx(tread)


def test_below_four_thirty_seconds_no_tire_keeps_more_than_a_quarter() -> None:
    assert health_of(Tire(depth=3.9, new_depth=6)).tread == 0.25


@pytest.mark.parametrize(("age", "factor"), [(None, 1.0), (0, 1.0), (6, 1.0), (8, 0.7), (10, 0.4), (25, 0.4)])
def test_a_tire_ages_after_six_years(age: float | None, factor: float) -> None:
    assert health_of(Tire(depth=8, age=age)).age == pytest.approx(factor)


@pytest.mark.parametrize(("psi", "factor"), [(35, 1.0), (31.5, 0.8), (38.5, 0.8), (10, 0.7), (70, 0.7)])
def test_pressure_that_is_off_costs_up_to_three_tenths(psi: float, factor: float) -> None:
    assert health_of(Tire(depth=8, pressure=psi, recommended=35)).pressure == pytest.approx(factor)


def test_the_worst_tire_counts_most() -> None:
    told = tire_set({**four(10), Position.REAR_LEFT: Tire(depth=9), Position.FRONT_LEFT: Tire(depth=8.5)})
    assert told.worst is Position.FRONT_LEFT
    worst, mean = (8.5 - 2) / 8, (2 + 7 / 8 + 6.5 / 8) / 4
    assert told.health == pytest.approx(0.7 * worst + 0.3 * mean)
    assert not told.uneven


@pytest.mark.parametrize("tire", [Tire(depth=2), Tire(depth=9, pressure=19, recommended=35)])
def test_one_tire_that_is_worn_to_its_wear_bars_or_flat_holds_the_set_down(tire: Tire) -> None:
    found = tire_set({**four(10), Position.REAR_LEFT: tire})

    assert found.health == 0.05
    assert list(found.unfit) == [Position.REAR_LEFT]


def test_a_tire_that_is_due_does_not() -> None:
    found = tire_set({**four(10), Position.REAR_LEFT: Tire(depth=4, pressure=20, recommended=35)})

    assert found.health > 0.2
    assert not found.unfit


def test_axles_that_differ_cost_ten_points() -> None:
    front = {**four(10), Position.REAR_LEFT: Tire(depth=7.9), Position.REAR_RIGHT: Tire(depth=7.9)}
    told = tire_set(front)
    assert told.uneven
    share = 5.9 / 8
    assert told.health == pytest.approx(0.7 * share + 0.3 * (1 + share) / 2 - 0.1)


def test_miles_left_follow_the_wear_so_far() -> None:
    assert health_of(Tire(depth=7, miles=30_000)).miles_left == pytest.approx(3 * 10_000)
    assert health_of(Tire(depth=7)).miles_left == pytest.approx(3 * 6_250)
    assert health_of(Tire(depth=3)).miles_left == 0


@given(SETS)
def test_health_is_a_share_and_the_miles_are_finite(tires: dict[Position, Tire]) -> None:
    told = tire_set(tires)
    assert 0 <= told.health <= 1
    assert math.isfinite(told.miles_left)
    assert told.miles_left >= 0


@given(TIRES, st.floats(0, 5))
def test_more_tread_is_never_worse(tire: Tire, more: float) -> None:
    better = health_of(evolve(tire, depth=tire.depth + more))
    assert better.health >= health_of(tire).health - 1e-12


@given(TIRES, st.floats(0, 10))
def test_an_older_tire_is_never_better(tire: Tire, years: float) -> None:
    older = health_of(evolve(tire, age=(tire.age or 0) + years))
    assert older.health <= health_of(tire).health + 1e-12


@given(SETS, st.floats(0, 5))
def test_all_tires_with_more_tread_are_never_worse(tires: dict[Position, Tire], more: float) -> None:
    better = {position: evolve(tire, depth=tire.depth + more) for position, tire in tires.items()}
    assert (
        tire_set(better).health >= tire_set(tires).health - 0.1 - 1e-12
    )  # rounding may tip the axles' verdict
