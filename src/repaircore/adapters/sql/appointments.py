"""Appointments in the database."""

from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import ColumnCodec, RowCodec, changed
from repaircore.adapters.sql.engine.dialects import translating_errors
from repaircore.adapters.sql.schema.mechanics import appointments, mechanics
from repaircore.adapters.sql.schema.partners import customers
from repaircore.appointments.model import Appointment, AppointmentPlace
from repaircore.appointments.ports import AppointmentRecords
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.hours import format_minute, parse_minute

_PLACE: Final = {
    name: f"mechanic_{name}"
    for name in ("id", "ref", "name", "address", "city", "state", "phone", "time_zone")
}
_codec: Final = RowCodec(
    Appointment,
    {"day": "local_date", "minute": "local_time", "pickup": "pickup_step", "notified": "notified_step"},
    caller=RowCodec(PartnerCaller),
    place=RowCodec(AppointmentPlace, _PLACE),
    minute=ColumnCodec(parse_minute, format_minute),
)
_query: Final = sa.select(
    appointments,
    customers.c.ref.label("customer_ref"),
    *(mechanics.c[name].label(label) for name, label in _PLACE.items() if name != "id"),
).select_from(appointments.join(mechanics).join(customers))


class SqlAppointments(AppointmentRecords):
    """The stored appointments."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, appointment: Appointment) -> Appointment:
        values = _values(appointment)
        with translating_errors():
            added = self._connection.execute(sa.insert(appointments).values(values))
        key: Any = added.inserted_primary_key
        return evolve(appointment, id=key[0])

    @override
    def find(self, ref: str, caller: PartnerCaller) -> Appointment | None:
        row = self._connection.execute(_query.where(_is_ref(ref, caller))).one_or_none()
        return None if row is None else _codec.read(row)

    @override
    def lock(self, ref: str, caller: PartnerCaller) -> Appointment | None:
        # SQLite has one writer anyway.
        query = _query.where(_is_ref(ref, caller)).with_for_update(of=appointments, key_share=True)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _codec.read(row)

    @override
    def replace(self, old: Appointment, new: Appointment) -> Appointment:
        saved = evolve(new, version=old.version + 1)
        unchanged = (appointments.c.id == old.id, appointments.c.version == old.version)
        update = sa.update(appointments).where(*unchanged).values(changed(_values(old), _values(saved)))
        if self._connection.execute(update).rowcount != 1:
            raise Conflict("The appointment was changed concurrently.")
        return saved


def _is_ref(ref: str, caller: PartnerCaller) -> sa.ColumnElement[bool]:
    return sa.and_(
        appointments.c.ref == ref,
        appointments.c.partner_id == caller.partner_id,
        appointments.c.environment == caller.environment,
    )


def _values(appointment: Appointment) -> dict[str, Any]:
    stored = {column.name for column in appointments.c} - {"id"}
    return {name: value for name, value in _codec.write(appointment).items() if name in stored}
