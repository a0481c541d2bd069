import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.health.score import (
    WEIGHTS,
    Cap,
    Component,
    Grade,
    Severity,
    age_and_mileage_value,
    battery_value,
    burden_value,
    codes_value,
    health_of,
    recalls_value,
    service_value,
)

SHARES = st.floats(0, 1)
VALUES = st.dictionaries(st.sampled_from(Component), SHARES, min_size=1)
ALL_GOOD = dict.fromkeys(Component, 1.0)


def test_weights_add_up_to_one() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert set(WEIGHTS) == set(Component)


def test_health_of_a_perfect_vehicle_is_a_hundred() -> None:
    result = health_of(ALL_GOOD)

    assert (result.score, result.grade, result.coverage, result.cap) == (100, Grade.A, 1, None)


def test_health_of_an_unknown_vehicle_has_no_score() -> None:
    result = health_of({Component.TIRES: None})

    assert (result.score, result.grade, result.coverage) == (None, None, 0)


def test_health_leaves_out_unknown_components_and_reports_the_coverage() -> None:
    result = health_of({Component.BATTERY: 1.0, Component.TIRES: None})

    assert result.score == 100
    assert result.coverage == pytest.approx(0.05)


def test_health_does_not_average_a_bad_system_away() -> None:
    result = health_of({**ALL_GOOD, Component.TROUBLE_CODES: 0.05})

    assert result.score is not None
    assert result.score < 60
    assert result.effects[Component.TROUBLE_CODES] == pytest.approx(result.score - 100, abs=0.11)
    assert result.effects[Component.TIRES] == 0


def test_health_with_an_open_recall_is_capped_at_seventy() -> None:
    result = health_of(ALL_GOOD, open_recalls=True)

    assert (result.score, result.cap) == (70, Cap.OPEN_RECALL)


@pytest.mark.parametrize(("part", "cap"), [(Component.TIRES, Cap.TIRES), (Component.BRAKES, Cap.BRAKES)])
def test_health_with_bald_tires_or_worn_brakes_is_capped_at_fifty(part: Component, cap: Cap) -> None:
    result = health_of({**ALL_GOOD, part: 0.09}, open_recalls=True)

    assert (result.score, result.cap) == (50, cap)


def test_health_reports_no_cap_without_effect() -> None:
    result = health_of(dict.fromkeys(Component, 0.3), open_recalls=True)

    assert result.cap is None


@given(VALUES, st.booleans())
def test_health_is_within_its_scale(values: dict[Component, float], recalls: bool) -> None:  # noqa: FBT001
    result = health_of(values, open_recalls=recalls)

    assert result.score is not None
    assert 0 <= result.score <= 100
    assert 0 < result.coverage <= 1
    assert all(effect <= 0 for effect in result.effects.values())


@given(VALUES, st.sampled_from(Component), SHARES, SHARES, st.booleans())
def test_health_never_falls_with_a_better_component(
    values: dict[Component, float],
    part: Component,
    one: float,
    other: float,
    recalls: bool,  # noqa: FBT001
) -> None:
    worse, better = sorted((one, other))
    low = health_of({**values, part: worse}, open_recalls=recalls)
    high = health_of({**values, part: better}, open_recalls=recalls)

    assert low.score is not None
    assert high.score is not None
    assert low.score <= high.score


@given(VALUES)
def test_health_never_rises_with_an_open_recall(values: dict[Component, float]) -> None:
    with_one, without = health_of(values, open_recalls=True).score, health_of(values).score

    assert with_one is not None
    assert without is not None
    assert with_one <= without


@given(st.floats(0, 20), st.floats(0, 20))
def test_battery_value_never_falls_with_more_volts(one: float, other: float) -> None:
    low, high = sorted((one, other))

    assert 0 <= battery_value(low) <= battery_value(high) <= 1


@given(st.lists(st.sampled_from(Severity), max_size=9), st.sampled_from(Severity))
def test_codes_value_never_rises_with_another_code(codes: list[Severity], another: Severity) -> None:
    assert 0 < codes_value([*codes, another]) < codes_value(codes) <= 1


@given(st.integers(0, 9), st.booleans())
def test_recalls_value_never_rises_with_another_recall(count: int, park_it: bool) -> None:  # noqa: FBT001
    now, then = (recalls_value(count=number, park_it=park_it) for number in (count, count + 1))

    assert 0 < then < now <= 1
    assert recalls_value(count=count, park_it=True) <= recalls_value(count=count, park_it=False)


@given(st.integers(0, 9), st.integers(0, 9), st.floats(0, 100), st.floats(0, 100))
def test_service_value_never_rises_with_overdue_services_and_rises_with_fresh_oil(
    overdue: int, due: int, a: float, b: float
) -> None:
    low, high = sorted((a, b))
    result = [service_value(overdue=overdue, due=due, oil_life_percent=oil) for oil in (low, high, None)]

    assert result == sorted(result)
    assert service_value(overdue=overdue + 1, due=due, oil_life_percent=low) < result[0]
    assert service_value(overdue=overdue, due=due + 1, oil_life_percent=low) < result[0]


@given(st.floats(0, 60), st.floats(0, 500_000), st.floats(0, 10), st.floats(0, 50_000))
def test_age_and_mileage_value_never_rises(years: float, miles: float, later: float, further: float) -> None:
    now = age_and_mileage_value(years=years, miles=miles)

    assert 0 < age_and_mileage_value(years=years + later, miles=miles + further) <= now <= 1
    assert now <= age_and_mileage_value(years=years, miles=None)


@given(st.floats(0, 50_000), st.floats(0, 10_000), st.floats(1, 200_000))
def test_burden_value_never_rises_with_costlier_repairs(cost: float, more: float, value: float) -> None:
    assert burden_value(yearly_repairs=cost + more, value=value) <= burden_value(
        yearly_repairs=cost, value=value
    )
    assert burden_value(yearly_repairs=cost, value=0) == 0


@pytest.mark.parametrize(
    ("value", "grade"),
    [(0.85, Grade.A), (0.8499, Grade.B), (0.7, Grade.B), (0.55, Grade.C), (0.4, Grade.D), (0.3999, Grade.F)],
)
def test_grade_begins_at_its_score(value: float, grade: Grade) -> None:
    assert health_of({Component.BATTERY: value + 1e-9}).grade is grade


def test_score_is_the_weighted_geometric_mean_of_what_is_known() -> None:
    result = health_of({Component.TIRES: 0.5, Component.BATTERY: 0.2, Component.BRAKES: None})

    assert result.score == round(100 * (0.5**0.15 * 0.2**0.05) ** (1 / 0.2), 1)
    assert result.coverage == 0.2
    assert result.effects == {
        Component.TIRES: round(result.score - 100 * 0.2 ** (0.05 / 0.2), 1),
        Component.BATTERY: round(result.score - 100 * 0.5 ** (0.15 / 0.2), 1),
    }


def test_values_count_within_their_scale() -> None:
    assert health_of({Component.BATTERY: 1.5}).values == {Component.BATTERY: 1.0}
    assert health_of({Component.BATTERY: -0.5}).values == {Component.BATTERY: 0.0}
    assert health_of({Component.BATTERY: 0.0}).score == 1.0


@pytest.mark.parametrize(("value", "cap"), [(0.1, None), (0.0999, Cap.BRAKES)])
def test_brakes_cap_the_score_below_a_tenth(value: float, cap: Cap | None) -> None:
    result = health_of({**ALL_GOOD, Component.BRAKES: value})

    assert result.cap is cap
    assert (result.score == 50) is (cap is not None)


def test_cap_that_changes_nothing_is_not_named() -> None:
    assert health_of({Component.BATTERY: 0.5}, open_recalls=True).cap is None
    assert health_of({Component.BATTERY: 0.8}, open_recalls=True).cap is Cap.OPEN_RECALL


@pytest.mark.parametrize(("volts", "value"), [(11.0, 0), (11.8, 0), (12.2, 0.5), (12.6, 1), (14.0, 1)])
def test_battery_is_rated_between_flat_and_full(volts: float, value: float) -> None:
    assert battery_value(volts) == pytest.approx(value)


@pytest.mark.parametrize(
    ("overdue", "due", "oil", "value"),
    [
        (0, 0, None, 1),
        (1, 0, None, 0.7),
        (0, 1, None, 0.95),
        (2, 1, None, 0.49 * 0.95),
        (0, 0, 0.0, 0.7),
        (0, 0, -1.0, 0.7),
        (0, 0, 7.5, 0.85),
        (0, 0, 15.0, 1),
        (0, 0, 90.0, 1),
        (1, 0, 0.0, 0.49),
    ],
)
def test_service_is_rated_by_what_is_due_and_the_oil(
    overdue: int, due: int, oil: float | None, value: float
) -> None:
    assert service_value(overdue=overdue, due=due, oil_life_percent=oil) == pytest.approx(value)


@pytest.mark.parametrize(
    ("years", "miles", "value"),
    [(0, None, 1), (-1, None, 1), (20, None, 0.5), (0, 200_000, 0.5), (20, 100_000, 0.5**1.5)],
)
def test_age_and_mileage_halve_the_value(years: float, miles: float | None, value: float) -> None:
    assert age_and_mileage_value(years=years, miles=miles) == pytest.approx(value)


@pytest.mark.parametrize(
    ("repairs", "worth", "value"),
    [(0, 9_000, 1), (3_000, 9_000, 0.5), (6_000, 9_000, 0.25), (5, 0, 0), (0, 1, 1)],
)
def test_burden_halves_with_each_third_of_the_worth(repairs: float, worth: float, value: float) -> None:
    assert burden_value(yearly_repairs=repairs, value=worth) == pytest.approx(value)


def test_recalls_and_do_not_drive_advice_multiply() -> None:
    assert recalls_value(count=0, park_it=False) == 1
    assert recalls_value(count=2, park_it=True) == pytest.approx(0.049)
