"""What each part of a vehicle's health is worth, from what is known of it: 0 to 1, or None when nothing is."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Final

from attrs import frozen

from repaircore.fleet.model import ServiceCounts
from repaircore.fleet.signals import Signal, SignalKind, SignalReading
from repaircore.fleet.tires import FLAT_PSI, NEW, Position, Tire, set_of
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
"""So many campaigns of a model year count at most while nobody says that one is of this very vehicle."""


@frozen(kw_only=True)
class VehicleState:
    """All that is known of a vehicle at a time.

    ``severities`` are those of its trouble codes; ``recalls``, ``miles`` and ``burden`` are None when they are not known.
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
    """A component: its value (None: not known), since when that is known, and what it rests on."""

    component: Component
    value: float | None
    as_of: datetime | None
    basis: str


def parts_of(known: VehicleState) -> Sequence[ComponentScore]:
    """Judge every component, in the order of ``Component``."""
    judged = {
        Component.TIRES: _tires(known),
        Component.BRAKES: _brakes(known),
        Component.RECALLS: _recalls(known),
        Component.TROUBLE_CODES: _codes(known),
        Component.SERVICE: _service(known),
        Component.BATTERY: _battery(known),
        Component.AGE_AND_MILEAGE: _age(known),
        Component.REPAIR_BURDEN: _burden(known),
    }
    return [judged[component] for component in Component]


def _tires(known: VehicleState) -> ComponentScore:
    depths, pressures = known.reading.tire_depths, known.reading.tire_pressures
    tread = {} if depths is None else depths.told()
    psi = {} if pressures is None else pressures.told()
    usual = _placard(psi)
    flat = {at: Tire(depth=NEW, pressure=one) for at, one in psi.items() if one < FLAT_PSI}
    if tread:
        measured = flat | {
            position: Tire(
                depth=depth, new_depth=max(NEW, depth), pressure=psi.get(position), recommended=usual
            )
            for position, depth in tread.items()
        }
        return _part(
            known,
            Component.TIRES,
            set_of(measured).health,
            SignalKind.TIRE_DEPTHS,
            "Tread and pressure as told." if psi else "Tread as told; the pressure is not known.",
        )
    value = _by_pressure(psi, usual) if psi else None
    told = (
        "Pressure alone: the tread is not known." if psi else "Not known: tell tire_depths or tire_pressures."
    )
    return _part(known, Component.TIRES, value, SignalKind.TIRE_PRESSURES, told)


def _by_pressure(psi: Mapping[Position, float], usual: float) -> float:
    """Judge tires of which only the pressure is known as those of which only this is wrong."""
    return set_of({at: Tire(depth=NEW, pressure=one, recommended=usual) for at, one in psi.items()}).health


def _placard(psi: Mapping[Position, float]) -> float:
    """Guess what the placard asks for: 35 psi, and for vans and heavy pickups what most of their tires have."""
    middle = median(psi.values()) if psi else 0.0
    return middle if middle > _HEAVY_PSI else _USUAL_PSI


def _brakes(known: VehicleState) -> ComponentScore:
    percent = known.reading.brake_life_percent
    value = None if percent is None else percent / 100
    told = "Not known: tell brake_life_percent." if value is None else "What is left of the pads, as told."
    return _part(known, Component.BRAKES, value, SignalKind.BRAKE_LIFE_PERCENT, told)


def _recalls(known: VehicleState) -> ComponentScore:
    open_ones = known.recalls
    if open_ones is None:
        told = "Not known: no source of recalls answers for every year of campaigns that counts for this vehicle."
        return ComponentScore(component=Component.RECALLS, value=None, as_of=None, basis=told)
    if open_ones.confirmed:
        counted, told = open_ones.count, f"{open_ones.count} open on this vehicle, as told."
    else:
        counted = min(open_ones.count, _MOST_UNCONFIRMED)
        told = (
            f"{open_ones.count} of this make, model and year that are not marked as dealt with; not confirmed for this VIN,"
            f" so at most {_MOST_UNCONFIRMED} count."
        )
    value = recalls_value(open_ones=counted, park_it=open_ones.park_it)
    return ComponentScore(component=Component.RECALLS, value=value, as_of=open_ones.as_of, basis=told)


def _codes(known: VehicleState) -> ComponentScore:
    codes = known.reading.dtc_codes
    value = None if codes is None else codes_value(known.severities)
    told = "Not known: tell dtc_codes, [] when there are none." if codes is None else "None are stored."
    return _part(
        known,
        Component.TROUBLE_CODES,
        value,
        SignalKind.DTC_CODES,
        f"Stored: {', '.join(codes)}." if codes else told,
    )


def _service(known: VehicleState) -> ComponentScore:
    oil, services = known.reading.oil_life_percent, known.services
    if oil is None and not services.planned:
        told = "Not known: plan services, or tell oil_life_percent."
        return ComponentScore(component=Component.SERVICE, value=None, as_of=None, basis=told)
    value = service_value(overdue=services.overdue, due=services.due, oil_life_percent=oil)
    planned = f"{services.overdue} overdue and {services.due} due of {services.planned} planned services"
    told = f"{planned}; the oil's life {'is not known' if oil is None else f'is {oil:g} %'}."
    oil_signal = known.newest.get(SignalKind.OIL_LIFE_PERCENT)
    as_of = known.now if oil_signal is None or services.planned else oil_signal.at
    return ComponentScore(component=Component.SERVICE, value=value, as_of=as_of, basis=told)


def _battery(known: VehicleState) -> ComponentScore:
    volts = known.reading.battery_voltage
    value = None if volts is None else battery_value(volts)
    told = (
        "Not known: tell battery_voltage." if volts is None else f"{volts:g} V; full at 12.6, flat at 11.8."
    )
    return _part(known, Component.BATTERY, value, SignalKind.BATTERY_VOLTAGE, told)


def _age(known: VehicleState) -> ComponentScore:
    miles = known.reading.odometer
    value = age_and_mileage_value(years=known.years, miles=miles)
    driven = "miles not known" if miles is None else f"{miles:,} miles"
    told = f"{known.years:.1f} years, {driven}."
    return ComponentScore(component=Component.AGE_AND_MILEAGE, value=value, as_of=known.now, basis=told)


def _burden(known: VehicleState) -> ComponentScore:
    told = "Not known." if known.burden is None else "What repairs cost a year beside what it is worth."
    as_of = None if known.burden is None else known.now
    return ComponentScore(component=Component.REPAIR_BURDEN, value=known.burden, as_of=as_of, basis=told)


def _part(
    known: VehicleState, component: Component, value: float | None, kind: SignalKind, basis: str
) -> ComponentScore:
    signal = known.newest.get(kind)
    as_of = None if value is None or signal is None else signal.at
    return ComponentScore(component=component, value=value, as_of=as_of, basis=basis)
