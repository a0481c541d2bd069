"""Fleet vehicles and their signals in the database."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.engine.pages import page_of
from repaircore.adapters.sql.outdated_outlooks import outdate_outlook
from repaircore.adapters.sql.schema.fleet import fleet_signals, fleet_vehicles
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.adapters.sql.vehicles import vehicle_of
from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.ports import FleetVehicles, Signals
from repaircore.fleet.signals import (
    ByPosition,
    Signal,
    SignalKind,
    SignalReading,
    SignalSource,
    SignalValue,
    TirePressures,
    TreadDepths,
)
from repaircore.json_text import decode, encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page

_OWN: Final = ("id", "environment", "owner_id", "vin", "created_at")
FLEET_VEHICLES: Final = sa.select(
    vehicles, *(fleet_vehicles.c[name].label(f"own_{name}") for name in _OWN)
).join_from(fleet_vehicles, vehicles, vehicles.c.id == fleet_vehicles.c.vehicle_id)
"""Selects fleet vehicles with their vehicle records; ``fleet_vehicle_of`` reads its rows."""


class SqlFleetVehicles(FleetVehicles):
    """The registered fleet vehicles."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def by_id(self, vehicle_id: UUID, *, environment: Environment, owner_id: int) -> FleetVehicle | None:
        return self._find(fleet_vehicles.c.id == str(vehicle_id), environment, owner_id)

    @override
    def by_vin(self, vin: str, *, environment: Environment, owner_id: int) -> FleetVehicle | None:
        return self._find(fleet_vehicles.c.vin == vin, environment, owner_id)

    @override
    def register(self, vehicle: FleetVehicle) -> FleetVehicle:
        owned: dict[str, Any] = {"environment": vehicle.environment, "owner_id": vehicle.owner_id}
        existing = self.by_vin(vehicle.vin, **owned)
        if existing is not None:
            return existing
        insert = upsert(self._connection, fleet_vehicles).values(
            id=str(vehicle.id),
            vin=vehicle.vin,
            vehicle_id=str(vehicle.vehicle.id),
            created_at=micros(vehicle.created_at),
            **owned,
        )
        with translating_errors():
            # Two concurrent registrations both get the first row.
            self._connection.execute(insert.on_conflict_do_nothing())
        return self.by_vin(vehicle.vin, **owned) or evolve(vehicle, is_registered=True)

    def _find(
        self, criterion: "sa.ColumnElement[bool]", environment: Environment, owner_id: int
    ) -> FleetVehicle | None:
        owned = (fleet_vehicles.c.environment == environment, fleet_vehicles.c.owner_id == owner_id)
        oldest = (fleet_vehicles.c.created_at, fleet_vehicles.c.id)
        found = FLEET_VEHICLES.where(criterion, *owned).order_by(*oldest).limit(1)
        row = self._connection.execute(found).one_or_none()
        return None if row is None else fleet_vehicle_of(row)


def fleet_vehicle_of(row: "Row[Any]") -> FleetVehicle:
    """Return the fleet vehicle in a row of ``FLEET_VEHICLES``."""
    return FleetVehicle(
        id=UUID(row.own_id),
        environment=Environment(row.own_environment),
        owner_id=row.own_owner_id,
        vin=row.own_vin,
        vehicle=vehicle_of(row),
        created_at=moment(row.own_created_at),
    )


_BY_POSITION: Final[Mapping[SignalKind, type[ByPosition]]] = {
    SignalKind.TIRE_PRESSURES: TirePressures,
    SignalKind.TIRE_DEPTHS: TreadDepths,
}
_DAYS: Final = frozenset(
    {SignalKind.INSPECTION_EXPIRES_ON, SignalKind.REGISTRATION_EXPIRES_ON, SignalKind.INSURANCE_EXPIRES_ON}
)
_NEWEST_FIRST: Final = (fleet_signals.c.at.desc(), fleet_signals.c.id.desc())


class SqlSignals(Signals):
    """The stored signals of fleet vehicles."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, vehicle_id: UUID, reading: SignalReading, *, source: SignalSource, at: datetime) -> None:
        latest = self._latest_at(vehicle_id, at)
        reported = ((kind.value, _encoded(value), source.value) for kind, value in reading.reported())
        new = [
            {
                "fleet_vehicle_id": str(vehicle_id),
                "kind": kind,
                "value": value,
                "source": source_text,
                "at": micros(at),
            }
            for kind, value, source_text in reported
            if latest.get(kind) != (value, source_text)
        ]
        if new:
            self._connection.execute(sa.insert(fleet_signals), new)
            outdate_outlook(self._connection, vehicle_id)

    @override
    def newest(self, vehicle_id: UUID) -> Mapping[SignalKind, Signal]:
        # One index lookup for each kind, however long the history is.
        rows = self._connection.execute(_NEWEST, {"vehicle": str(vehicle_id)})
        signals = [_signal(row) for row in rows]
        return {signal.kind: signal for signal in signals}

    @override
    def page(self, vehicle_id: UUID, *, kind: SignalKind | None, number: int, per_page: int) -> Page[Signal]:
        criteria = [fleet_signals.c.fleet_vehicle_id == str(vehicle_id)]
        if kind is not None:
            criteria.append(fleet_signals.c.kind == kind.value)
        listed = sa.select(fleet_signals).where(*criteria).order_by(*_NEWEST_FIRST)
        return page_of(self._connection, listed, _signal, number=number, per_page=per_page)

    def _latest_at(self, vehicle_id: UUID, at: datetime) -> Mapping[str, tuple[str, str]]:
        """Return the value and source of the last signal stored for the time ``at``, by kind."""
        found = (
            sa.select(fleet_signals.c.kind, fleet_signals.c.value, fleet_signals.c.source)
            .where(fleet_signals.c.fleet_vehicle_id == str(vehicle_id), fleet_signals.c.at == micros(at))
            .order_by(fleet_signals.c.id)
        )
        return {kind: (value, source) for kind, value, source in self._connection.execute(found)}


def _newest(kind: SignalKind) -> "sa.Subquery":
    return (
        sa.select(fleet_signals)
        .where(
            fleet_signals.c.fleet_vehicle_id == sa.bindparam("vehicle"),
            fleet_signals.c.kind == sa.literal_column(f"'{kind.value}'"),
        )
        .order_by(*_NEWEST_FIRST)
        .limit(1)
        .subquery()
    )


# Built once: building it takes longer than running it, and a fleet runs it for each of its vehicles.
_NEWEST: Final = sa.union_all(*(sa.select(_newest(kind)) for kind in SignalKind))


def _encoded(value: SignalValue) -> str:
    return encode_text(value.measured() if isinstance(value, ByPosition) else value)


def _signal(row: "Row[Any]") -> Signal:
    kind = SignalKind(row.kind)
    return Signal(
        kind=kind, value=_value(kind, decode(row.value)), source=SignalSource(row.source), at=moment(row.at)
    )


def _value(kind: SignalKind, stored: Any) -> SignalValue:
    if kind in _BY_POSITION:
        return _BY_POSITION[kind](**stored)
    if kind in _DAYS:
        return date.fromisoformat(stored)
    value: SignalValue = tuple(stored) if kind is SignalKind.DTC_CODES else stored
    return value
