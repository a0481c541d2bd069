import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.valuation.insurance import MEDIAN_VALUE, Band, risk_of
from repaircore.vehicle_facts.model import Segment

SEGMENTS = st.sampled_from(Segment)
PARTS = st.floats(0.5, 8)
VALUES = st.integers(500_00, 500_000_00)
HEALTHS = st.none() | st.floats(0, 100)


def test_an_average_vehicle_in_perfect_health_is_in_the_middle() -> None:
    told = risk_of(Segment.LARGE_CAR, parts_factor=1.0, value=MEDIAN_VALUE, health=100)
    assert told.score == 50
    assert told.band is Band.MODERATE


def test_a_dear_sports_car_in_bad_health_is_a_high_risk() -> None:
    assert risk_of(Segment.SPORTS_CAR, parts_factor=2.0, value=80_000_00, health=20).band is Band.HIGH


@given(SEGMENTS, PARTS, VALUES, HEALTHS)
def test_the_score_is_within_its_scale(
    segment: Segment, parts: float, value: int, health: float | None
) -> None:
    told = risk_of(segment, parts_factor=parts, value=value, health=health)
    assert 0 <= told.score <= 100
    assert told.score == pytest.approx(100 * (1 - 2**-told.expected), abs=0.06)


@given(SEGMENTS, PARTS, VALUES, st.floats(0, 100), st.floats(0, 100))
def test_better_health_never_raises_the_risk(
    segment: Segment, parts: float, value: int, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    assert (
        risk_of(segment, parts_factor=parts, value=value, health=high).score
        <= risk_of(segment, parts_factor=parts, value=value, health=low).score
    )


@given(SEGMENTS, PARTS, VALUES, st.integers(0, 100_000_00), HEALTHS)
def test_a_dearer_vehicle_is_never_a_lower_risk(
    segment: Segment, parts: float, value: int, more: int, health: float | None
) -> None:
    assert (
        risk_of(segment, parts_factor=parts, value=value + more, health=health).score
        >= risk_of(segment, parts_factor=parts, value=value, health=health).score
    )


def test_a_factor_moves_the_score_from_where_it_would_be_without() -> None:
    plain = risk_of(Segment.LARGE_CAR, parts_factor=1.0, value=MEDIAN_VALUE, health=100)
    sick = risk_of(Segment.LARGE_CAR, parts_factor=1.0, value=MEDIAN_VALUE, health=0)
    assert [plain.points(factor) for factor in (plain.frequency, plain.value, plain.health)] == [0, 0, 0]
    assert sick.points(sick.health) == pytest.approx(sick.score - plain.score, abs=0.11)
