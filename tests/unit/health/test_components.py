from datetime import UTC, datetime, timedelta
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


NOTHING = SignalReading()


def scored(component: Component, reading: SignalReading = NOTHING, **changes: Any) -> Any:
    state = state_of(reading, **changes)
    (found,) = (one for one in score_components(state) if one.component is component)
    return found


@pytest.mark.parametrize(
    ("component", "reading", "value", "basis"),
    [
        (Component.BRAKES, SignalReading(brake_life_percent=50), 0.5, "Reported brake life."),
        (Component.BRAKES, SignalReading(), None, "Unknown: report brake_life_percent."),
        (Component.TROUBLE_CODES, SignalReading(dtc_codes=()), 1.0, "No stored codes."),
        (Component.TROUBLE_CODES, SignalReading(dtc_codes=("P0420",)), 0.7, "Stored codes: P0420."),
        (Component.TROUBLE_CODES, SignalReading(), None, "Unknown: report dtc_codes, [] if there are none."),
        (Component.BATTERY, SignalReading(battery_voltage=12.6), 1.0, "12.6 V; full at 12.6, flat at 11.8."),
        (Component.BATTERY, SignalReading(), None, "Unknown: report battery_voltage."),
        (Component.TIRES, SignalReading(), None, "Unknown: report tire_depths or tire_pressures."),
    ],
)
def test_component_has_its_value_and_basis(
    component: Component, reading: SignalReading, value: float | None, basis: str
) -> None:
    found = scored(component, reading)

    assert (found.value, found.basis) == (value, basis)
    assert found.as_of == (None if value is None else NOW)


def test_burden_is_unknown_or_as_given() -> None:
    unknown, known = scored(Component.REPAIR_BURDEN), scored(Component.REPAIR_BURDEN, burden=0.5)

    assert (unknown.value, unknown.as_of, unknown.basis) == (None, None, "Unknown.")
    assert (known.value, known.as_of) == (0.5, NOW)
    assert known.basis.startswith("Yearly cost of repairs")


def test_service_is_as_of_the_oil_if_nothing_is_planned() -> None:
    earlier = NOW - timedelta(days=9)
    oil = SignalReading(oil_life_percent=50)
    signal = Signal(kind=SignalKind.OIL_LIFE_PERCENT, value=50, source=SignalSource.OWNER, at=earlier)
    newest = {SignalKind.OIL_LIFE_PERCENT: signal}
    plans = ServiceCounts(planned=1)

    assert scored(Component.SERVICE).as_of is None
    assert scored(Component.SERVICE, oil, newest=newest).as_of == earlier
    assert scored(Component.SERVICE, oil, newest=newest, services=plans).as_of == NOW
    assert scored(Component.SERVICE, services=plans).as_of == NOW


@pytest.mark.parametrize(
    ("psi", "value"),
    [
        (35.0, 1.0),  # of a car's placard
        (45.0, 0.7),  # too much for a car
        (45.1, 1.0),  # usual on a van
        (60.0, 1.0),
        (20.0, 0.7),
        (19.9, 0.05),
    ],
)
def test_pressure_is_compared_with_the_likely_placard(psi: float, value: float) -> None:
    pressures = TirePressures(**{position.value: psi for position in Position})

    assert scored(Component.TIRES, SignalReading(tire_pressures=pressures)).value == pytest.approx(value)


def test_flat_tire_without_a_known_tread_counts() -> None:
    depths = TreadDepths(front_left=10)
    flat, low = (
        scored(
            Component.TIRES,
            SignalReading(tire_depths=depths, tire_pressures=TirePressures(front_left=35, rear_left=psi)),
        ).value
        for psi in (19.9, 20.0)
    )

    assert (flat, low) == (0.05, 1.0)


def test_tread_beyond_a_new_tires_is_whole() -> None:
    assert scored(Component.TIRES, SignalReading(tire_depths=TreadDepths(front_left=14))).value == 1.0
    used = SignalReading(tire_depths=TreadDepths(front_left=14, front_right=6))
    assert scored(Component.TIRES, used).value == pytest.approx(0.7 * 0.5 + 0.3 * 0.75 - 0.1)
