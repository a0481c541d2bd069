"""The value of each component of a vehicle's health: 0 to 1, or None if unknown."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Final

from attrs import frozen

from repaircore.fleet.model import ServiceCounts
from repaircore.fleet.signals import Signal, SignalKind, SignalReading
from repaircore.fleet.tires import FLAT_PSI, NEW, Position, Tire, tire_set
from repaircore.health.score import (
    Component,
    Severity,
    age_and_mileage_value,
    battery_value,
    codes_value,
    recalls_value,
    service_value,
)
from repaircore.recalls.open_recalls import OpenRecalls

_USUAL_PSI: Final = 35.0
_HEAVY_PSI: Final = 45.0
_MOST_UNCONFIRMED: Final = 3
"""The maximum number of campaigns that count if none is confirmed for this vehicle."""


@frozen(kw_only=True)
class VehicleState:
    """Everything known about a vehicle at one time.

    ``severities`` are the severities of its trouble codes; ``recalls`` and ``burden`` are None if unknown.
    """

    newest: Mapping[SignalKind, Signal]
    reading: SignalReading
    severities: Sequence[Severity]
    recalls: OpenRecalls | None
    services: ServiceCounts
    years: float
    burden: float | None
    now: datetime


@frozen(kw_only=True)
class ComponentScore:
    """A component: its value (None if unknown), the time of that value, and its basis."""

    component: Component
    value: float | None
    as_of: datetime | None
    basis: str


def score_components(state: VehicleState) -> Sequence[ComponentScore]:
    """Return the score of every component, in the order of ``Component``."""
    scores = {
        Component.TIRES: _tires(state),
        Component.BRAKES: _brakes(state),
        Component.RECALLS: _recalls(state),
        Component.TROUBLE_CODES: _codes(state),
        Component.SERVICE: _service(state),
        Component.BATTERY: _battery(state),
        Component.AGE_AND_MILEAGE: _age(state),
        Component.REPAIR_BURDEN: _burden(state),
    }
    return [scores[component] for component in Component]


def _tires(state: VehicleState) -> ComponentScore:
    depths, pressures = state.reading.tire_depths, state.reading.tire_pressures
    tread = {} if depths is None else depths.measured()
    psi = {} if pressures is None else pressures.measured()
    usual = _placard(psi)
    flat = {at: Tire(depth=NEW, pressure=pressure) for at, pressure in psi.items() if pressure < FLAT_PSI}
    if tread:
        measured = flat | {
            position: Tire(
                depth=depth, new_depth=max(NEW, depth), pressure=psi.get(position), recommended=usual
            )
            for position, depth in tread.items()
        }
        return _part(
            state,
            Component.TIRES,
            tire_set(measured).health,
            SignalKind.TIRE_DEPTHS,
            "Reported tread and pressure." if psi else "Reported tread; the pressure is unknown.",
        )
    value = _by_pressure(psi, usual) if psi else None
    basis = (
        "Pressure only: the tread is unknown." if psi else "Unknown: report tire_depths or tire_pressures."
    )
    return _part(state, Component.TIRES, value, SignalKind.TIRE_PRESSURES, basis)


def _by_pressure(psi: Mapping[Position, float], usual: float) -> float:
    """Return the health of tires with a known pressure, whose tread counts as new."""
    return tire_set(
        {at: Tire(depth=NEW, pressure=pressure, recommended=usual) for at, pressure in psi.items()}
    ).health


def _placard(psi: Mapping[Position, float]) -> float:
    """Return the likely placard pressure: 35 psi, or the tires' median if that is above 45 (vans, heavy pickups)."""
    middle = median(psi.values()) if psi else 0.0
    return middle if middle > _HEAVY_PSI else _USUAL_PSI


def _brakes(state: VehicleState) -> ComponentScore:
    percent = state.reading.brake_life_percent
    value = None if percent is None else percent / 100
    basis = "Unknown: report brake_life_percent." if value is None else "Reported brake life."
    return _part(state, Component.BRAKES, value, SignalKind.BRAKE_LIFE_PERCENT, basis)


def _recalls(state: VehicleState) -> ComponentScore:
    recalls = state.recalls
    if recalls is None:
        basis = "Unknown: no recall source covers every campaign year of this vehicle."
        return ComponentScore(component=Component.RECALLS, value=None, as_of=None, basis=basis)
    if recalls.confirmed:
        counted, basis = recalls.count, f"{recalls.count} reported as open on this vehicle."
    else:
        counted = min(recalls.count, _MOST_UNCONFIRMED)
        basis = (
            f"{recalls.count} for this make, model and year that are not marked as done; not confirmed for this VIN,"
            f" so at most {_MOST_UNCONFIRMED} count."
        )
    value = recalls_value(count=counted, park_it=recalls.park_it)
    return ComponentScore(component=Component.RECALLS, value=value, as_of=recalls.as_of, basis=basis)


def _codes(state: VehicleState) -> ComponentScore:
    codes = state.reading.dtc_codes
    value = None if codes is None else codes_value(state.severities)
    basis = "Unknown: report dtc_codes, [] if there are none." if codes is None else "No stored codes."
    return _part(
        state,
        Component.TROUBLE_CODES,
        value,
        SignalKind.DTC_CODES,
        f"Stored codes: {', '.join(codes)}." if codes else basis,
    )


def _service(state: VehicleState) -> ComponentScore:
    oil, services = state.reading.oil_life_percent, state.services
    if oil is None and not services.planned:
        basis = "Unknown: plan services, or report oil_life_percent."
        return ComponentScore(component=Component.SERVICE, value=None, as_of=None, basis=basis)
    value = service_value(overdue=services.overdue, due=services.due, oil_life_percent=oil)
    planned = f"{services.overdue} overdue and {services.due} due of {services.planned} planned services"
    basis = f"{planned}; oil life {'unknown' if oil is None else f'{oil:g}%'}."
    oil_signal = state.newest.get(SignalKind.OIL_LIFE_PERCENT)
    as_of = state.now if oil_signal is None or services.planned else oil_signal.at
    return ComponentScore(component=Component.SERVICE, value=value, as_of=as_of, basis=basis)


def _battery(state: VehicleState) -> ComponentScore:
    volts = state.reading.battery_voltage
    value = None if volts is None else battery_value(volts)
    basis = (
        "Unknown: report battery_voltage." if volts is None else f"{volts:g} V; full at 12.6, flat at 11.8."
    )
    return _part(state, Component.BATTERY, value, SignalKind.BATTERY_VOLTAGE, basis)


def _age(state: VehicleState) -> ComponentScore:
    miles = state.reading.odometer
    value = age_and_mileage_value(years=state.years, miles=miles)
    driven = "mileage unknown" if miles is None else f"{miles:,} miles"
    basis = f"{state.years:.1f} years, {driven}."
    return ComponentScore(component=Component.AGE_AND_MILEAGE, value=value, as_of=state.now, basis=basis)


def _burden(state: VehicleState) -> ComponentScore:
    basis = (
        "Unknown." if state.burden is None else "Yearly cost of repairs compared with the vehicle's value."
    )
    as_of = None if state.burden is None else state.now
    return ComponentScore(component=Component.REPAIR_BURDEN, value=state.burden, as_of=as_of, basis=basis)


def _part(
    state: VehicleState, component: Component, value: float | None, kind: SignalKind, basis: str
) -> ComponentScore:
    signal = state.newest.get(kind)
    as_of = None if value is None or signal is None else signal.at
    return ComponentScore(component=component, value=value, as_of=as_of, basis=basis)
