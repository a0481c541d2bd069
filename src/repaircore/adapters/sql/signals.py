"""Signals of fleet vehicles in the database."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.schema.fleet import fleet_signals
from repaircore.fleet.ports import Signals
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
from repaircore.kernel.paging import Page

_BY_POSITION: Final[Mapping[SignalKind, type[ByPosition]]] = {
    SignalKind.TIRE_PRESSURES: TirePressures,
    SignalKind.TIRE_DEPTHS: TreadDepths,
}
_DAYS: Final = frozenset(
    {
        SignalKind.INSPECTION_EXPIRES_ON,
        SignalKind.REGISTRATION_EXPIRES_ON,
        SignalKind.INSURANCE_EXPIRES_ON,
    }
)
_NEWEST_FIRST: Final = (fleet_signals.c.at.desc(), fleet_signals.c.id.desc())


class SqlSignals(Signals):
    """Stored signals."""

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

    @override
    def newest(self, vehicle_id: UUID) -> Mapping[SignalKind, Signal]:
        # One index lookup for each kind, however long the history is.
        found = sa.union_all(*(sa.select(_newest(vehicle_id, kind)) for kind in SignalKind))
        signals = [_signal(row) for row in self._connection.execute(found)]
        return {signal.kind: signal for signal in signals}

    @override
    def page(self, vehicle_id: UUID, *, kind: SignalKind | None, number: int, per_page: int) -> Page[Signal]:
        which = [fleet_signals.c.fleet_vehicle_id == str(vehicle_id)]
        if kind is not None:
            which.append(fleet_signals.c.kind == kind.value)
        count = sa.select(sa.func.count()).select_from(fleet_signals).where(*which)
        total: int = self._connection.execute(count).scalar_one()
        start = (number - 1) * per_page
        shown = max(0, min(per_page, total - start))
        listed = sa.select(fleet_signals).where(*which).order_by(*_NEWEST_FIRST).offset(start).limit(shown)
        rows = self._connection.execute(listed) if shown else ()
        return Page(items=tuple(map(_signal, rows)), number=number, per_page=per_page, total=total)

    def _latest_at(self, vehicle_id: UUID, at: datetime) -> Mapping[str, tuple[str, str]]:
        """Return the value and the source of the signal of each kind that was stored last for a time."""
        found = (
            sa.select(fleet_signals.c.kind, fleet_signals.c.value, fleet_signals.c.source)
            .where(fleet_signals.c.fleet_vehicle_id == str(vehicle_id), fleet_signals.c.at == micros(at))
            .order_by(fleet_signals.c.id)
        )
        return {kind: (value, source) for kind, value, source in self._connection.execute(found)}


def _newest(vehicle_id: UUID, kind: SignalKind) -> "sa.Subquery":
    return (
        sa.select(fleet_signals)
        .where(fleet_signals.c.fleet_vehicle_id == str(vehicle_id), fleet_signals.c.kind == kind.value)
        .order_by(*_NEWEST_FIRST)
        .limit(1)
        .subquery()
    )


def _encoded(value: SignalValue) -> str:
    return encode_text(value.measured() if isinstance(value, ByPosition) else value)


def _signal(row: "Row[Any]") -> Signal:
    kind = SignalKind(row.kind)
    return Signal(
        kind=kind,
        value=_value(kind, decode(row.value)),
        source=SignalSource(row.source),
        at=moment(row.at),
    )


def _value(kind: SignalKind, stored: Any) -> SignalValue:
    if kind in _BY_POSITION:
        return _BY_POSITION[kind](**stored)
    if kind in _DAYS:
        return date.fromisoformat(stored)
    value: SignalValue = tuple(stored) if kind is SignalKind.DTC_CODES else stored
    return value
