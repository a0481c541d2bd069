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
def test_tread_value_falls_from_new_to_the_legal_limit(depth: float, tread: float) -> None:
    assert health_of(Tire(depth=depth)).tread == pytest.approx(tread)


def test_tread_value_below_four_thirty_seconds_is_a_quarter_at_most() -> None:
    assert health_of(Tire(depth=3.9, new_depth=6)).tread == 0.25


@pytest.mark.parametrize(("age", "factor"), [(None, 1.0), (0, 1.0), (6, 1.0), (8, 0.7), (10, 0.4), (25, 0.4)])
def test_age_value_falls_after_six_years(age: float | None, factor: float) -> None:
    assert health_of(Tire(depth=8, age=age)).age == pytest.approx(factor)


@pytest.mark.parametrize(("psi", "factor"), [(35, 1.0), (31.5, 0.8), (38.5, 0.8), (10, 0.7), (70, 0.7)])
def test_pressure_value_falls_by_up_to_three_tenths(psi: float, factor: float) -> None:
    assert health_of(Tire(depth=8, pressure=psi, recommended=35)).pressure == pytest.approx(factor)


def test_tire_set_is_dominated_by_the_worst_tire() -> None:
    result = tire_set({**four(10), Position.REAR_LEFT: Tire(depth=9), Position.FRONT_LEFT: Tire(depth=8.5)})
    assert result.worst is Position.FRONT_LEFT
    worst, mean = (8.5 - 2) / 8, (2 + 7 / 8 + 6.5 / 8) / 4

    assert result.health == pytest.approx(0.7 * worst + 0.3 * mean)
    assert not result.uneven


@pytest.mark.parametrize("tire", [Tire(depth=2), Tire(depth=9, pressure=19, recommended=35)])
def test_tire_set_with_a_worn_out_or_flat_tire_is_capped(tire: Tire) -> None:
    found = tire_set({**four(10), Position.REAR_LEFT: tire})

    assert found.health == 0.05
    assert list(found.unfit) == [Position.REAR_LEFT]


def test_tire_set_with_a_tire_that_is_due_is_not_capped() -> None:
    found = tire_set({**four(10), Position.REAR_LEFT: Tire(depth=4, pressure=20, recommended=35)})

    assert found.health > 0.2
    assert not found.unfit


def test_tire_set_with_uneven_axles_loses_ten_points() -> None:
    front = {**four(10), Position.REAR_LEFT: Tire(depth=7.9), Position.REAR_RIGHT: Tire(depth=7.9)}
    result = tire_set(front)
    assert result.uneven
    share = 5.9 / 8

    assert result.health == pytest.approx(0.7 * share + 0.3 * (1 + share) / 2 - 0.1)


def test_tire_set_miles_left_follow_the_wear_so_far() -> None:
    assert health_of(Tire(depth=7, miles=30_000)).miles_left == pytest.approx(3 * 10_000)
    assert health_of(Tire(depth=7)).miles_left == pytest.approx(3 * 6_250)
    assert health_of(Tire(depth=3)).miles_left == 0


@given(SETS)
def test_tire_set_health_is_a_share_and_its_miles_are_finite(tires: dict[Position, Tire]) -> None:
    result = tire_set(tires)

    assert 0 <= result.health <= 1
    assert math.isfinite(result.miles_left)
    assert result.miles_left >= 0


@given(TIRES, st.floats(0, 5))
def test_health_of_a_tire_never_falls_with_more_tread(tire: Tire, more: float) -> None:
    better = health_of(evolve(tire, depth=tire.depth + more))

    assert better.health >= health_of(tire).health - 1e-12


@given(TIRES, st.floats(0, 10))
def test_health_of_a_tire_never_rises_with_age(tire: Tire, years: float) -> None:
    older = health_of(evolve(tire, age=(tire.age or 0) + years))

    assert older.health <= health_of(tire).health + 1e-12


@given(SETS, st.floats(0, 5))
def test_tire_set_health_never_falls_with_more_tread(tires: dict[Position, Tire], more: float) -> None:
    better = {position: evolve(tire, depth=tire.depth + more) for position, tire in tires.items()}

    assert (
        tire_set(better).health >= tire_set(tires).health - 0.1 - 1e-12
    )  # rounding may tip the axles' verdict


def test_tire_health_is_the_product_of_its_factors() -> None:
    found = health_of(Tire(depth=6, age=8, pressure=31.5, recommended=35))

    assert found.health == pytest.approx(0.5 * 0.7 * 0.8)


def test_tire_at_four_thirty_seconds_keeps_its_share() -> None:
    assert health_of(Tire(depth=4, new_depth=6)).tread == 0.5


@pytest.mark.parametrize(("depth", "shows"), [(9.0, True), (9.1, False)])
def test_wear_of_one_thirty_second_shows_its_rate(depth: float, *, shows: bool) -> None:
    assert Tire(depth=depth).shows_wear is shows


@pytest.mark.parametrize(
    ("depths", "uneven"),
    [
        ((10, 8, 10, 10), False),
        ((10, 7.9, 10, 10), True),
        ((10, 10, 10, 7.9), True),
        ((10, 10, 8, 8), False),
        ((10, 10, 7.9, 7.9), True),
    ],
)
def test_tires_wear_unevenly_by_more_than_two_thirty_seconds(
    depths: tuple[float, ...], *, uneven: bool
) -> None:
    tires = {position: Tire(depth=depth) for position, depth in zip(Position, depths, strict=True)}

    assert tire_set(tires).uneven is uneven


def test_first_tire_that_is_due_limits_the_miles_of_a_set() -> None:
    assert tire_set({**four(10), Position.REAR_LEFT: Tire(depth=9)}).miles_left == 5 * 6_250
    assert tire_set(four(10)).health == 1.0
