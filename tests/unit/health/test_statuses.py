from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.fleet.signals import (
    ByPosition,
    Signal,
    SignalKind,
    SignalReading,
    SignalSource,
    TirePressures,
    TreadDepths,
)
from repaircore.fleet.tires import Position
from repaircore.health.score import Severity
from repaircore.health.statuses import LOW_PSI, Compliance, Status, compliance_of, runs_backwards, statuses_of

TODAY = date(2026, 1, 2)
VALID = TODAY + timedelta(days=90)
IN_ORDER = SignalReading(
    inspection_expires_on=VALID, registration_expires_on=VALID, insurance_expires_on=VALID
)
DEPTHS = st.floats(0, 32)


def status(kind: str, value: Any) -> Status:
    changes: dict[str, Any] = {kind: value}
    reading = evolve(SignalReading(), **changes)
    return statuses_of(reading, today=TODAY).by_kind[SignalKind(kind)]


@pytest.mark.parametrize(
    ("days", "result"),
    [(31, Status.OK), (30, Status.DUE), (0, Status.DUE), (-1, Status.EXPIRED)],
)
def test_status_of_a_document_is_due_thirty_days_before_it_expires(days: int, result: Status) -> None:
    for kind in ("inspection_expires_on", "registration_expires_on", "insurance_expires_on"):
        assert status(kind, TODAY + timedelta(days=days)) is result


@pytest.mark.parametrize(
    ("kind", "value", "result"),
    [
        ("fuel_level", 15.0, Status.LOW),
        ("fuel_level", 15.1, Status.OK),
        ("battery_voltage", 11.8, Status.CRITICAL),
        ("battery_voltage", 12.1, Status.LOW),
        ("battery_voltage", 12.2, Status.OK),
        ("battery_voltage", 14.8, Status.OK),
        ("battery_voltage", 15.1, Status.HIGH),
        ("oil_life_percent", 0.0, Status.CRITICAL),
        ("oil_life_percent", 15.0, Status.DUE),
        ("oil_life_percent", 16.0, Status.OK),
        ("brake_life_percent", 10.0, Status.CRITICAL),
        ("brake_life_percent", 25.0, Status.DUE),
        ("brake_life_percent", 26.0, Status.OK),
        ("open_recalls", 0, Status.OK),
        ("open_recalls", 1, Status.CHECK),
        ("tire_pressures", ByPosition(front_left=26.0), Status.OK),
        ("tire_pressures", ByPosition(front_left=25.9), Status.LOW),
        ("tire_pressures", ByPosition(front_left=20.0), Status.LOW),
        ("tire_pressures", ByPosition(front_left=19.9), Status.CRITICAL),
        ("tire_pressures", ByPosition(front_left=0.0, front_right=35.0), Status.CRITICAL),
        ("tire_pressures", ByPosition(front_left=40.0, front_right=29.9), Status.LOW),
        ("tire_pressures", ByPosition(front_left=84.0), Status.HIGH),
        ("tire_depths", ByPosition(rear_left=4.1), Status.OK),
        ("tire_depths", ByPosition(rear_left=4.0), Status.DUE),
        ("tire_depths", ByPosition(rear_left=2.1), Status.DUE),
        ("tire_depths", ByPosition(rear_left=2.0), Status.CRITICAL),
        ("dtc_codes", (), Status.OK),
    ],
)
def test_statuses_follow_the_bounds_of_each_signal(kind: str, value: object, result: Status) -> None:
    assert status(kind, value) is result


def test_statuses_leave_out_unreported_signals() -> None:
    result = statuses_of(SignalReading(), today=TODAY)

    assert (result.by_kind, result.by_tire) == ({}, {})


@given(st.lists(st.sampled_from(Severity), min_size=1))
def test_status_of_codes_is_critical_with_a_serious_code(severities: list[Severity]) -> None:
    result = statuses_of(SignalReading(dtc_codes=("P0420",)), today=TODAY, severities=severities)
    serious = {Severity.HIGH, Severity.CRITICAL} & set(severities)

    assert result.by_kind[SignalKind.DTC_CODES] is (Status.CRITICAL if serious else Status.CHECK)


@pytest.mark.parametrize("backwards", [True, False])
def test_status_of_an_odometer_that_ran_backwards_is_check(*, backwards: bool) -> None:
    result = statuses_of(SignalReading(odometer=80_000), today=TODAY, odometer_backwards=backwards)

    assert result.by_kind[SignalKind.ODOMETER] is (Status.CHECK if backwards else Status.OK)


@given(st.integers(0, 2_000_000), st.integers(0, 2_000_000), st.integers(-5, 5))
def test_runs_backwards_needs_a_later_and_lower_reading(miles: int, before: int, days: int) -> None:
    now = datetime(2026, 1, 10, tzinfo=UTC)
    known = Signal(
        kind=SignalKind.ODOMETER, value=before, source=SignalSource.OWNER, at=now - timedelta(days=days)
    )

    assert runs_backwards(miles, known, at=now) is (miles < before and days >= 0)
    assert not runs_backwards(None, known, at=now)
    assert not runs_backwards(miles, None, at=now)


@given(DEPTHS, DEPTHS)
def test_status_of_tread_never_improves_with_less(one: float, other: float) -> None:
    worse, better = sorted((one, other))
    order = list(Status).index

    assert order(status("tire_depths", ByPosition(front_left=worse))) >= order(
        status("tire_depths", ByPosition(front_left=better))
    )


@given(
    st.fixed_dictionaries({}, optional={position.value: st.floats(LOW_PSI, 34.0) for position in Position})
)
def test_status_of_a_set_is_that_of_its_worst_tire(pressures: dict[str, float]) -> None:
    result = statuses_of(SignalReading(tire_pressures=TirePressures(**pressures)), today=TODAY)
    tires = result.by_tire.get(SignalKind.TIRE_PRESSURES, {})
    assert {position.value for position in tires} == set(pressures)
    worst = max(tires.values(), key=list(Status).index, default=None)

    assert result.by_kind.get(SignalKind.TIRE_PRESSURES) is worst


@pytest.mark.parametrize(
    ("reading", "result"),
    [
        (IN_ORDER, Compliance.COMPLIANT),
        (evolve(IN_ORDER, insurance_expires_on=TODAY), Compliance.DUE),
        (evolve(IN_ORDER, insurance_expires_on=None), Compliance.INCOMPLETE),
        (evolve(IN_ORDER, insurance_expires_on=date(2025, 1, 1)), Compliance.NON_COMPLIANT),
        (SignalReading(insurance_expires_on=date(2025, 1, 1)), Compliance.NON_COMPLIANT),
        (evolve(IN_ORDER, tire_depths=TreadDepths(front_left=1)), Compliance.NON_COMPLIANT),
        (SignalReading(), Compliance.INCOMPLETE),
    ],
)
def test_compliance_depends_on_documents_and_bald_tires(reading: SignalReading, result: Compliance) -> None:
    assert compliance_of(statuses_of(reading, today=TODAY)) is result


@pytest.mark.parametrize(
    ("miles", "seconds", "backwards"),
    [(79_999, 0, True), (79_999, 1, True), (79_999, -1, False), (80_000, 0, False), (80_001, 1, False)],
)
def test_odometer_runs_backwards_if_it_shows_less_no_earlier(
    miles: int, seconds: int, *, backwards: bool
) -> None:
    now = datetime(2026, 1, 10, tzinfo=UTC)
    known = Signal(kind=SignalKind.ODOMETER, value=80_000, source=SignalSource.OWNER, at=now)
    at = now + timedelta(seconds=seconds)

    assert runs_backwards(miles, known, at=at) is backwards
    assert not runs_backwards(None, known, at=at)
    assert not runs_backwards(miles, None, at=at)
    assert not runs_backwards(miles, evolve(known, value=0.5), at=at)


@pytest.mark.parametrize(
    ("kind", "value", "result"),
    [
        ("battery_voltage", 15.0, Status.OK),
        ("oil_life_percent", 0.5, Status.DUE),
        ("tire_pressures", ByPosition(front_left=83.0), Status.OK),
        ("tire_pressures", ByPosition(front_left=40.0, front_right=30.0), Status.OK),
        ("tire_pressures", ByPosition(front_left=40.0, rear_right=29.0), Status.OK),
    ],
)
def test_status_changes_only_beyond_its_bound(kind: str, value: object, result: Status) -> None:
    assert status(kind, value) is result
