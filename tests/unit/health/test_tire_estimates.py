from datetime import UTC, datetime
from typing import TypeVar

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.fleet.signals import ByPosition, TirePressures, TreadDepths
from repaircore.fleet.tires import Position
from repaircore.health.statuses import Status
from repaircore.health.tire_estimates import (
    EstimateTires,
    TireAges,
    TireEstimate,
    TireLimit,
    Tires,
    estimate,
)
from repaircore.kernel.errors import Invalid

NOW = datetime(2026, 1, 2, tzinfo=UTC)
WORN = EstimateTires(depths=TreadDepths(front_left=6.0, front_right=6.5))

Figures = TypeVar("Figures", bound=ByPosition)


def estimate_now(request: EstimateTires) -> TireEstimate:
    return estimate(request, now=NOW)


def by_position(shape: type[Figures], least: float, most: float) -> st.SearchStrategy[Figures]:
    figures = {position.value: st.floats(least, most) for position in Position}
    return st.fixed_dictionaries({}, optional=figures).map(lambda figures_by_tire: shape(**figures_by_tire))


REQUESTS = st.builds(
    EstimateTires,
    depths=by_position(TreadDepths, 0, 32).filter(lambda depths: bool(depths.measured())),
    pressures=st.none() | by_position(TirePressures, 0, 150),
    ages=st.none() | by_position(TireAges, 0, 50),
    mileage=st.none() | st.integers(0, 200_000),
    new_depth=st.floats(5, 32),
    recommended_pressure=st.floats(10, 150),
    miles_per_year=st.integers(1, 200_000),
)


@given(REQUESTS)
def test_estimate_is_within_bounds_and_explained_by_its_factors(request: EstimateTires) -> None:
    result = estimate_now(request)

    assert 0 <= result.health <= 100
    assert result.miles_left >= 0
    assert result.replace_by >= NOW.date()
    assert result.sample_size == len(result.statuses) == len(request.depths.measured())
    total = 100 + sum(factor.effect for factor in result.factors)
    assert result.health == pytest.approx(total, abs=0.2)


@given(REQUESTS, st.floats(0, 32))
def test_estimate_with_less_tread_never_has_more_miles_left(request: EstimateTires, less: float) -> None:
    request = evolve(request, mileage=None)
    depths = {position.value: min(less, depth) for position, depth in request.depths.measured().items()}
    worn = evolve(request, depths=TreadDepths(**depths))

    assert estimate_now(worn).miles_left <= estimate_now(request).miles_left


@given(REQUESTS, st.integers(1, 200_000))
def test_estimate_with_more_miles_a_year_never_replaces_later(request: EstimateTires, more: int) -> None:
    further = evolve(request, miles_per_year=request.miles_per_year + more)

    assert estimate_now(further).replace_by <= estimate_now(request).replace_by


def test_estimate_limits_old_tires_with_much_tread_by_age() -> None:
    old = estimate_now(evolve(WORN, depths=TreadDepths(front_left=10.0), ages=TireAges(front_left=10.0)))

    assert (old.limited_by, old.replace_by) == (TireLimit.AGE, NOW.date())
    assert estimate_now(WORN).limited_by is TireLimit.WEAR


def test_estimate_limits_worn_tires_by_wear_although_they_are_young() -> None:
    result, ageless = estimate_now(evolve(WORN, ages=TireAges(front_left=1.0))), estimate_now(WORN)

    assert result.limited_by is TireLimit.WEAR
    assert result.replace_by == ageless.replace_by < NOW.date().replace(year=2035)


def test_estimate_uses_the_wear_rate_of_the_tires() -> None:
    quick = estimate_now(evolve(WORN, depths=TreadDepths(front_left=6.0), mileage=10_000))

    assert quick.miles_left == 2 * 2_500
    assert "these tires" in quick.basis


def errors_of(request: EstimateTires) -> dict[str, list[str]]:
    with pytest.raises(Invalid) as error:
        Tires(clock=lambda: NOW).estimate(request)
    return {name: [*sentences] for name, sentences in error.value.fields.items()}


def test_estimate_reports_every_bad_figure() -> None:
    request = EstimateTires(
        depths=TreadDepths(front_left=33.0, rear_left=6.0),
        pressures=TirePressures(front_left=-1.0),
        ages=TireAges(rear_right=51.0),
        mileage=-1,
        new_depth=4.0,
        recommended_pressure=9.0,
        miles_per_year=200_001,
    )

    assert errors_of(request) == {
        "depths.front_left": ["The depths.front left field must not be greater than 32."],
        "pressures.front_left": ["The pressures.front left field must be at least 0."],
        "ages.rear_right": ["The ages.rear right field must not be greater than 50."],
        "mileage": ["The mileage field must be at least 0."],
        "new_depth": ["The new depth field must be at least 5."],
        "recommended_pressure": ["The recommended pressure field must be at least 10."],
        "miles_per_year": ["The miles per year field must not be greater than 200,000."],
    }


def test_estimate_requires_one_tire() -> None:
    assert errors_of(EstimateTires(depths=TreadDepths())) == {
        "depths": ["The depths field must include the tread of at least one tire."]
    }


def test_estimate_rates_a_flat_tire_critical_even_if_new() -> None:
    flat = estimate_now(
        EstimateTires(depths=TreadDepths(front_left=10.0), pressures=TirePressures(front_left=5.0))
    )

    assert flat.statuses[Position.FRONT_LEFT] is Status.CRITICAL


def test_estimate_ignores_the_mileage_of_tires_without_wear() -> None:
    new = EstimateTires(depths=TreadDepths(front_left=10.0), mileage=60_000)
    worn = evolve(WORN, mileage=30_000)

    assert "lasts 50,000 miles" in estimate_now(new).basis
    assert "wear rate of these tires so far" in estimate_now(worn).basis


def test_factors_are_the_points_of_the_worst_tire_the_mean_the_axles_and_unfit_tires() -> None:
    found = estimate_now(
        EstimateTires(depths=TreadDepths(front_left=10, front_right=10, rear_left=6, rear_right=6))
    )

    assert [(one.name, one.value, one.weight, one.effect) for one in found.factors] == [
        ("worst_tire", 0.5, 0.7, -35.0),
        ("all_tires", 0.75, 0.3, -7.5),
        ("uneven_wear", "yes", 0.1, -10.0),
        ("unfit_tires", "none", 1.0, 0.0),
    ]
    assert found.health == 47.5


def test_unfit_tires_cost_all_but_five_points() -> None:
    found = estimate_now(EstimateTires(depths=TreadDepths(front_left=2, front_right=10)))

    assert [(one.value, one.effect) for one in found.factors[2:]] == [("yes", -10.0), ("front_left", 0.0)]
    healthy = estimate_now(
        EstimateTires(depths=TreadDepths(front_left=10), pressures=TirePressures(front_left=19))
    )
    assert (healthy.factors[3].value, healthy.health) == ("front_left", 5.0)
    assert healthy.factors[3].effect == pytest.approx(-65.0)


@pytest.mark.parametrize(
    ("depth", "age", "psi", "status"),
    [
        (2.0, None, None, Status.CRITICAL),
        (2.1, None, None, Status.DUE),
        (4.0, None, None, Status.DUE),
        (4.1, None, None, Status.OK),
        (8.0, 10.0, None, Status.DUE),
        (8.0, 9.9, None, Status.OK),
        (8.0, None, 31.0, Status.CHECK),
        (8.0, None, 32.0, Status.OK),
        (8.0, None, 19.9, Status.CRITICAL),
    ],
)
def test_status_of_a_tire_follows_from_tread_age_and_pressure(
    depth: float, age: float | None, psi: float | None, status: Status
) -> None:
    request = EstimateTires(
        depths=TreadDepths(front_left=depth),
        ages=None if age is None else TireAges(front_left=age),
        pressures=None if psi is None else TirePressures(front_left=psi),
    )

    assert estimate_now(request).statuses == {Position.FRONT_LEFT: status}


@pytest.mark.parametrize(
    ("ages", "days", "limit"),
    [
        (TireAges(front_left=9, front_right=9.5), 182, TireLimit.AGE),
        (TireAges(front_left=12), 0, TireLimit.AGE),
        (None, 380, TireLimit.WEAR),
    ],
)
def test_oldest_tire_or_wear_limits_the_life(ages: TireAges | None, days: int, limit: TireLimit) -> None:
    found = estimate_now(evolve(WORN, ages=ages))

    assert ((found.replace_by - NOW.date()).days, found.limited_by) == (days, limit)


def test_wear_rate_is_that_of_the_tires_if_one_shows_wear() -> None:
    worn, new = (
        estimate_now(
            EstimateTires(depths=TreadDepths(front_left=depth, front_right=10), mileage=20_000)
        ).basis
        for depth in (9.0, 9.1)
    )

    assert "these tires so far" in worn
    assert "a tire that lasts 50,000 miles" in new
