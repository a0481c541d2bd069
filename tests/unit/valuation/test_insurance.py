import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.valuation.insurance import MEDIAN_VALUE, Band, Risk, risk_of
from repaircore.vehicle_facts.model import Segment

SEGMENTS = st.sampled_from(Segment)
PARTS = st.floats(0.5, 8)
VALUES = st.integers(500_00, 500_000_00)
HEALTHS = st.none() | st.floats(0, 100)


def test_risk_of_an_average_vehicle_in_perfect_health_is_fifty() -> None:
    result = risk_of(Segment.LARGE_CAR, parts_factor=1.0, value=MEDIAN_VALUE, health=100)

    assert result.score == 50
    assert result.band is Band.MODERATE


def test_risk_of_an_expensive_sports_car_in_bad_health_is_high() -> None:
    assert risk_of(Segment.SPORTS_CAR, parts_factor=2.0, value=80_000_00, health=20).band is Band.HIGH


@pytest.mark.parametrize(
    ("score", "band"),
    [
        (0.0, Band.LOW),
        (39.9, Band.LOW),
        (40.0, Band.MODERATE),
        (54.9, Band.MODERATE),
        (55.0, Band.ELEVATED),
        (69.9, Band.ELEVATED),
        (70.0, Band.HIGH),
    ],
)
def test_band_begins_at_its_score(score: float, band: Band) -> None:
    value = round(MEDIAN_VALUE * math.log2(1 - score / 100) ** 2)

    result = risk_of(Segment.LARGE_CAR, parts_factor=1.0, value=value, health=None)

    assert (result.score, result.band) == (score, band)


def test_health_and_value_count_only_within_their_scales() -> None:
    def risk(value: int = MEDIAN_VALUE, health: float | None = None) -> Risk:
        return risk_of(Segment.LARGE_CAR, parts_factor=1.0, value=value, health=health)

    assert risk() == risk(health=100) == risk(health=120)
    assert risk(health=0) == risk(health=-20)
    assert risk(health=0).health == 1.5
    assert risk(value=-1) == risk(value=0)


@given(SEGMENTS, PARTS, VALUES, HEALTHS)
def test_risk_is_within_its_scale(segment: Segment, parts: float, value: int, health: float | None) -> None:
    result = risk_of(segment, parts_factor=parts, value=value, health=health)

    assert 0 <= result.score <= 100
    assert result.score == pytest.approx(100 * (1 - 2**-result.expected), abs=0.06)


@given(SEGMENTS, PARTS, VALUES, st.floats(0, 100), st.floats(0, 100))
def test_risk_never_rises_with_better_health(
    segment: Segment, parts: float, value: int, one: float, other: float
) -> None:
    low, high = sorted((one, other))

    assert (
        risk_of(segment, parts_factor=parts, value=value, health=high).score
        <= risk_of(segment, parts_factor=parts, value=value, health=low).score
    )


@given(SEGMENTS, PARTS, VALUES, st.integers(0, 100_000_00), HEALTHS)
def test_risk_never_falls_with_a_higher_value(
    segment: Segment, parts: float, value: int, more: int, health: float | None
) -> None:
    assert (
        risk_of(segment, parts_factor=parts, value=value + more, health=health).score
        >= risk_of(segment, parts_factor=parts, value=value, health=health).score
    )


def test_risk_points_are_the_difference_without_the_factor() -> None:
    plain = risk_of(Segment.LARGE_CAR, parts_factor=1.0, value=MEDIAN_VALUE, health=100)
    sick = risk_of(Segment.LARGE_CAR, parts_factor=1.0, value=MEDIAN_VALUE, health=0)

    assert [plain.points(factor) for factor in (plain.frequency, plain.value, plain.health)] == [0, 0, 0]
    assert sick.points(sick.health) == pytest.approx(sick.score - plain.score, abs=0.11)


@pytest.mark.parametrize(
    ("value", "health", "expected", "score"),
    [
        (15_000_00, None, 1.35 * 2.0, 84.6),
        (60_000_00, 50.0, 1.35 * 2.0 * 2.0 * 1.25, 99.1),
        (3_750_00, 0.0, 1.35 * 2.0 * 0.5 * 1.5, 75.4),
    ],
)
def test_expected_cost_is_the_product_of_its_factors(
    value: int, health: float | None, expected: float, score: float
) -> None:
    found = risk_of(Segment.SPORTS_CAR, parts_factor=4.0, value=value, health=health)

    assert (found.frequency, found.severity) == (1.35, 2.0)
    assert found.expected == pytest.approx(expected)
    assert found.score == score
    # Each factor is compared with an average vehicle's.
    assert found.points(found.severity) == round(100 * (2 ** (-expected / 2) - 2**-expected), 1)
