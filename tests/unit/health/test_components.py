from datetime import UTC, datetime
from typing import Any, TypeVar, get_args

import pytest
from attrs import evolve, fields, resolve_types
from hypothesis import given
from hypothesis import strategies as st

from repaircore.book.model import Safety, Urgency
from repaircore.fleet.model import ServiceCounts
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
from repaircore.health.code_severity import severity_by_area, severity_of
from repaircore.health.components import VehicleState, score_components
from repaircore.health.score import Component, Health, Severity, health_of
from repaircore.kernel.rules import field_errors, rules_of
from repaircore.recalls.open_recalls import OpenRecalls

NOW = datetime(2026, 1, 2, tzinfo=UTC)
Figures = TypeVar("Figures", bound=ByPosition)

SHARES = st.floats(0, 100)
COUNTS = st.integers(0, 6)


def tires(shape: type[Figures], least: float, most: float) -> st.SearchStrategy[Figures]:
    figures = {position.value: st.floats(least, most) for position in Position}
    return st.fixed_dictionaries(figures).map(lambda depths: shape(**depths))


READINGS = st.builds(
    SignalReading,
    odometer=st.none() | st.integers(0, 500_000),
    battery_voltage=st.none() | st.floats(0, 20),
    oil_life_percent=st.none() | SHARES,
    tire_pressures=st.none() | tires(TirePressures, 0, 150),
    tire_depths=st.none() | tires(TreadDepths, 0, 32),
    brake_life_percent=st.none() | SHARES,
    dtc_codes=st.none() | st.just(("P0420",)),
)


def state_of(reading: SignalReading, **changes: Any) -> VehicleState:
    newest = {
        kind: Signal(kind=kind, value=value, source=SignalSource.OWNER, at=NOW)
        for kind, value in reading.reported()
    }
    plain = VehicleState(
        newest=newest,
        reading=reading,
        severities=[Severity.MEDIUM] if reading.dtc_codes else [],
        recalls=None,
        services=ServiceCounts(),
        years=7.0,
        burden=None,
        now=NOW,
    )
    return evolve(plain, **changes)


def recalls(count: int, *, park_it: bool = False, confirmed: bool = True) -> OpenRecalls:
    return OpenRecalls(count=count, park_it=park_it, confirmed=confirmed, as_of=NOW)


def values(state: VehicleState) -> dict[Component, float | None]:
    return {part.component: part.value for part in score_components(state)}


def health_from(state: VehicleState) -> Health:
    return health_of(values(state), open_recalls=bool(state.recalls and state.recalls.count))


@given(READINGS)
def test_score_components_has_every_component_and_times_of_known_ones(reading: SignalReading) -> None:
    parts = score_components(state_of(reading))
    assert [part.component for part in parts] == list(Component)
    for part in parts:
        assert part.value is None or 0 <= part.value <= 1
        assert (part.as_of is None) == (part.value is None)
        assert part.basis.endswith(".")


@given(READINGS, SHARES, SHARES)
def test_score_components_rises_with_brakes_and_oil(reading: SignalReading, one: float, other: float) -> None:
    less, more = sorted((one, other))
    for name in ("brake_life_percent", "oil_life_percent"):
        levels: list[dict[str, Any]] = [{name: less}, {name: more}]
        worse, better = (health_from(state_of(evolve(reading, **changes))).score for changes in levels)
        assert worse is not None
        assert better is not None
        assert worse <= better


@given(READINGS, st.floats(0, 32), st.floats(0, 32))
def test_score_components_rises_with_even_tread(reading: SignalReading, one: float, other: float) -> None:
    worse, better = (
        health_from(state_of(evolve(reading, tire_depths=_on_all_tires(TreadDepths, depth)))).score
        for depth in sorted((one, other))
    )

    assert worse is not None
    assert better is not None
    assert worse <= better


@given(reading=READINGS, few=COUNTS, more=COUNTS, confirmed=st.booleans())
def test_score_components_falls_with_recalls_services_and_miles(
    *, reading: SignalReading, few: int, more: int, confirmed: bool
) -> None:
    many = few + more
    plenty = ServiceCounts(planned=20)
    for worse, better in (
        (
            state_of(reading, recalls=recalls(many, confirmed=confirmed)),
            state_of(reading, recalls=recalls(few, confirmed=confirmed)),
        ),
        (
            state_of(reading, services=evolve(plenty, overdue=many)),
            state_of(reading, services=evolve(plenty, overdue=few)),
        ),
        (state_of(evolve(reading, odometer=many)), state_of(evolve(reading, odometer=few))),
        (state_of(reading, years=float(many)), state_of(reading, years=float(few))),
    ):
        low, high = health_from(worse).score, health_from(better).score
        assert low is not None
        assert high is not None
        assert low <= high


def test_score_components_counts_at_most_three_unconfirmed_campaigns() -> None:
    many = values(state_of(SignalReading(), recalls=recalls(20, confirmed=False)))[Component.RECALLS]

    assert many == pytest.approx(0.7**3)
    assert health_from(state_of(SignalReading(), recalls=recalls(1, confirmed=False))).score == 70


def test_score_components_with_pressure_alone_only_lowers() -> None:
    low = values(state_of(SignalReading(tire_pressures=TirePressures(front_left=25.0))))[Component.TIRES]

    assert low is not None
    for psi in (35.0, 70.0):  # 70 is usual in a heavy pickup
        even = SignalReading(tire_pressures=_on_all_tires(TirePressures, psi))
        assert low < values(state_of(even))[Component.TIRES] == 1  # type: ignore[operator]


def test_score_components_has_no_service_until_some_are_planned() -> None:
    assert values(state_of(SignalReading()))[Component.SERVICE] is None
    assert values(state_of(SignalReading(), services=ServiceCounts(planned=1)))[Component.SERVICE] == 1


def test_signal_reading_has_a_validated_field_for_every_kind() -> None:
    resolve_types(SignalReading)

    assert {field.name for field in fields(SignalReading)} == {kind.value for kind in SignalKind}
    for field in fields(SignalReading):
        kind, _ = get_args(field.type)
        assert rules_of(kind) or issubclass(kind, ByPosition)


@pytest.mark.parametrize(
    ("reading", "errors"),
    [
        (SignalReading(odometer=-1), {"odometer": ["The odometer field must be at least 0."]}),
        (
            SignalReading(dtc_codes=("P0420", "P04")),
            {"dtc_codes.1": ["The dtc codes.1 field must be a trouble code such as P0420."]},
        ),
        (
            SignalReading(tire_pressures=TirePressures(rear_left=151)),
            {
                "tire_pressures.rear_left": [
                    "The tire pressures.rear left field must not be greater than 150."
                ]
            },
        ),
    ],
)
def test_signal_reading_is_bounded(reading: SignalReading, errors: dict[str, list[str]]) -> None:
    values = {field.name: getattr(reading, field.name) for field in fields(SignalReading)}

    assert field_errors(SignalReading, values) == errors


@pytest.mark.parametrize(
    ("code", "severity"),
    [
        ("P0217", Severity.CRITICAL),
        ("P0521", Severity.CRITICAL),
        ("P0301", Severity.HIGH),
        ("p0442", Severity.LOW),
        ("P0420", Severity.MEDIUM),
        ("C0035", Severity.HIGH),
        ("B0001", Severity.HIGH),
        ("B1234", Severity.LOW),
        ("U0100", Severity.MEDIUM),
    ],
)
def test_severity_by_area_uses_the_prefix_of_a_code(code: str, severity: Severity) -> None:
    assert severity_by_area(code) is severity


def test_severity_of_uses_urgency_and_safety() -> None:
    order = list(Severity).index
    for safety in Safety:
        severities = [order(severity_of(urgency, safety)) for urgency in Urgency]
        assert severities == sorted(severities, reverse=True)

    assert severity_of(Urgency.COMFORT, Safety.NO) is Severity.CRITICAL
    assert severity_of(Urgency.COMFORT, Safety.YES) is Severity.LOW


def _on_all_tires(shape: type[Figures], figure: float) -> Figures:
    return shape(front_left=figure, front_right=figure, rear_left=figure, rear_right=figure)
