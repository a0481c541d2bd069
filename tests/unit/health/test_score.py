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


def test_the_weights_make_one() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert set(WEIGHTS) == set(Component)


def test_a_vehicle_that_is_well_has_a_hundred() -> None:
    told = health_of(ALL_GOOD)
    assert (told.score, told.grade, told.coverage, told.cap) == (100, Grade.A, 1, None)


def test_nothing_known_is_no_score() -> None:
    told = health_of({Component.TIRES: None})
    assert (told.score, told.grade, told.coverage) == (None, None, 0)


def test_what_is_not_known_is_left_out_and_told() -> None:
    told = health_of({Component.BATTERY: 1.0, Component.TIRES: None})
    assert told.score == 100
    assert told.coverage == pytest.approx(0.05)


def test_one_bad_system_is_not_averaged_away() -> None:
    told = health_of({**ALL_GOOD, Component.TROUBLE_CODES: 0.05})
    assert told.score is not None
    assert told.score < 60
    assert told.effects[Component.TROUBLE_CODES] == pytest.approx(told.score - 100, abs=0.11)
    assert told.effects[Component.TIRES] == 0


def test_an_open_recall_holds_the_score_at_seventy() -> None:
    told = health_of(ALL_GOOD, open_recalls=True)
    assert (told.score, told.cap) == (70, Cap.OPEN_RECALL)


@pytest.mark.parametrize(("part", "cap"), [(Component.TIRES, Cap.TIRES), (Component.BRAKES, Cap.BRAKES)])
def test_bald_tires_and_worn_out_brakes_hold_it_at_fifty(part: Component, cap: Cap) -> None:
    told = health_of({**ALL_GOOD, part: 0.09}, open_recalls=True)
    assert (told.score, told.cap) == (50, cap)


def test_a_cap_that_holds_nothing_down_is_not_told() -> None:
    told = health_of(dict.fromkeys(Component, 0.3), open_recalls=True)
    assert told.cap is None


@given(VALUES, st.booleans())
def test_the_score_is_within_its_scale(values: dict[Component, float], recalls: bool) -> None:  # noqa: FBT001
    told = health_of(values, open_recalls=recalls)
    assert told.score is not None
    assert 0 <= told.score <= 100
    assert 0 < told.coverage <= 1
    assert all(effect <= 0 for effect in told.effects.values())


@given(VALUES, st.sampled_from(Component), SHARES, SHARES, st.booleans())
def test_a_better_signal_never_lowers_the_score(
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
def test_an_open_recall_never_raises_it(values: dict[Component, float]) -> None:
    with_one, without = health_of(values, open_recalls=True).score, health_of(values).score
    assert with_one is not None
    assert without is not None
    assert with_one <= without


@given(st.floats(0, 20), st.floats(0, 20))
def test_a_battery_with_more_volts_is_never_worse(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= battery_value(low) <= battery_value(high) <= 1


@given(st.lists(st.sampled_from(Severity), max_size=9), st.sampled_from(Severity))
def test_another_trouble_code_never_helps(codes: list[Severity], another: Severity) -> None:
    assert 0 < codes_value([*codes, another]) < codes_value(codes) <= 1


@given(st.integers(0, 9), st.booleans())
def test_another_recall_never_helps(count: int, park_it: bool) -> None:  # noqa: FBT001
    now, then = (recalls_value(count=number, park_it=park_it) for number in (count, count + 1))
    assert 0 < then < now <= 1
    assert recalls_value(count=count, park_it=True) <= recalls_value(count=count, park_it=False)


@given(st.integers(0, 9), st.integers(0, 9), st.floats(0, 100), st.floats(0, 100))
def test_overdue_service_never_helps_and_fresh_oil_does(overdue: int, due: int, a: float, b: float) -> None:
    low, high = sorted((a, b))
    told = [service_value(overdue=overdue, due=due, oil_life_percent=oil) for oil in (low, high, None)]
    assert told == sorted(told)
    assert service_value(overdue=overdue + 1, due=due, oil_life_percent=low) < told[0]
    assert service_value(overdue=overdue, due=due + 1, oil_life_percent=low) < told[0]


@given(st.floats(0, 60), st.floats(0, 500_000), st.floats(0, 10), st.floats(0, 50_000))
def test_age_and_miles_never_help(years: float, miles: float, later: float, further: float) -> None:
    now = age_and_mileage_value(years=years, miles=miles)
    assert 0 < age_and_mileage_value(years=years + later, miles=miles + further) <= now <= 1
    assert now <= age_and_mileage_value(years=years, miles=None)


@given(st.floats(0, 50_000), st.floats(0, 10_000), st.floats(1, 200_000))
def test_dearer_repairs_never_help(cost: float, more: float, value: float) -> None:
    assert burden_value(yearly_repairs=cost + more, value=value) <= burden_value(
        yearly_repairs=cost, value=value
    )
    assert burden_value(yearly_repairs=cost, value=0) == 0
