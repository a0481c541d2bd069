"""Appointments in the database."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import ColumnCodec, RowCodec, changed, micros
from repaircore.adapters.sql.engine.dialects import translating_errors
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.schema.mechanics import appointment_holds, appointments, mechanics
from repaircore.adapters.sql.schema.partners import customers
from repaircore.appointments.lifecycle import Status
from repaircore.appointments.model import Appointment, AppointmentPlace, Hold, Response
from repaircore.appointments.ports import AppointmentRecords, HoldRecords
from repaircore.appointments.validation import AppointmentFilter
from repaircore.json_text import encode_text
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.hours import format_minute, parse_minute
from repaircore.kernel.masked_phones import PHONES_HIDDEN
from repaircore.kernel.paging import Page, PageRequest

_PLACE: Final = {
    name: f"mechanic_{name}"
    for name in ("id", "ref", "name", "address", "city", "state", "phone", "email", "time_zone")
}
_callers: Final = RowCodec(PartnerCaller)
_codec: Final = RowCodec(
    Appointment,
    {"day": "local_date", "minute": "local_time", "pickup": "pickup_step", "notified": "notified_step"},
    caller=_callers,
    place=RowCodec(AppointmentPlace, _PLACE),
    minute=ColumnCodec(parse_minute, format_minute),
)
_holds: Final = RowCodec(
    Hold,
    {"day": "local_date", "minute": "local_time"},
    caller=_callers,
    minute=ColumnCodec(parse_minute, format_minute),
)
_holds_query: Final = sa.select(
    appointment_holds, mechanics.c.ref.label("mechanic_ref"), mechanics.c.time_zone
).select_from(appointment_holds.join(mechanics))
_query: Final = sa.select(
    appointments,
    customers.c.ref.label("customer_ref"),
    *(mechanics.c[name].label(label) for name, label in _PLACE.items() if name != "id"),
).select_from(appointments.join(mechanics).join(customers))


_ORDERS: Final = Orders(
    of="appointments",
    columns={"created_at": appointments.c.id, "starts_at": appointments.c.starts_at},
    id=appointments.c.id,
    usual="-created_at",
)


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
    def find_caller(self, ref: str) -> PartnerCaller | None:
        query = sa.select(appointments.c.partner_id, appointments.c.environment)
        row = self._connection.execute(query.where(appointments.c.ref == ref)).one_or_none()
        return None if row is None else _callers.read(row)

    @override
    def list_page(
        self, caller: PartnerCaller | Environment | None, wanted: AppointmentFilter, request: PageRequest
    ) -> Page[Appointment]:
        conditions = [*_conditions(caller, wanted)]
        query, counted = _query.where(*conditions), sa.select(appointments).where(*conditions)
        return listed(self._connection, query, request, _ORDERS, _codec.read, counted=counted)

    @override
    def lock_due(self, at: datetime, *, limit: int) -> Sequence[Appointment]:
        query = (
            _query.where(appointments.c.remind_at <= micros(at), appointments.c.status == Status.SCHEDULED)
            .order_by(appointments.c.remind_at, appointments.c.id)
            .limit(limit)
            .with_for_update(of=appointments, key_share=True, skip_locked=True)
        )
        return [_codec.read(row) for row in self._connection.execute(query)]

    @override
    def list_unmasked(self, at: datetime, *, until: datetime, limit: int) -> Sequence[Appointment]:
        soon = appointments.c.starts_at <= micros(until)
        found = [
            *self._list_unmasked(at, appointments.c.response == Response.PENDING, soon, limit=limit),
            *self._list_unmasked(at, appointments.c.response == Response.ACCEPTED, limit=limit),
        ]
        return sorted(found, key=lambda each: (each.starts_at, each.id))[:limit]

    def _list_unmasked(
        self, at: datetime, *where: "sa.ColumnElement[bool]", limit: int
    ) -> Sequence[Appointment]:
        # The first condition is that of a partial index, which a parameter would not match.
        query = _query.where(
            sa.text("appointments.phones IS NOT NULL AND appointments.status = 'scheduled'"),
            appointments.c.phones == encode_text(PHONES_HIDDEN),
            appointments.c.starts_at > micros(at),
            *where,
        ).order_by(appointments.c.starts_at, appointments.c.id)
        return [_codec.read(row) for row in self._connection.execute(query.limit(limit))]

    @override
    def replace(self, old: Appointment, new: Appointment) -> Appointment:
        saved = evolve(new, version=old.version + 1)
        unchanged = (appointments.c.id == old.id, appointments.c.version == old.version)
        update = sa.update(appointments).where(*unchanged).values(changed(_values(old), _values(saved)))
        if self._connection.execute(update).rowcount != 1:
            raise Conflict("The appointment was changed by another request. Reload it and try again.")
        return saved


class SqlHolds(HoldRecords):
    """The stored holds."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, hold: Hold) -> Hold:
        stored = {column.name for column in appointment_holds.c} - {"id"}
        values = {name: value for name, value in _holds.write(hold).items() if name in stored}
        with translating_errors():
            added = self._connection.execute(sa.insert(appointment_holds).values(values))
        key: Any = added.inserted_primary_key
        return evolve(hold, id=key[0])

    @override
    def find(self, ref: str, caller: PartnerCaller, *, at: datetime) -> Hold | None:
        query = _holds_query.where(appointment_holds.c.ref == ref, *_open(caller, at))
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _holds.read(row)

    @override
    def list_open(self, mechanic_id: int, caller: PartnerCaller, *, at: datetime) -> Sequence[Hold]:
        columns = appointment_holds.c
        query = _holds_query.where(columns.mechanic_id == mechanic_id, *_open(caller, at))
        rows = self._connection.execute(query.order_by(columns.expires_at, columns.id))
        return [_holds.read(row) for row in rows]

    @override
    def delete(self, hold_id: int) -> bool:
        # Its seats are deleted with it.
        deletion = sa.delete(appointment_holds).where(appointment_holds.c.id == hold_id)
        return bool(self._connection.execute(deletion).rowcount)

    @override
    def prune(self, at: datetime) -> int:
        deletion = sa.delete(appointment_holds).where(appointment_holds.c.expires_at <= micros(at))
        return int(self._connection.execute(deletion).rowcount)


def _open(caller: PartnerCaller, at: datetime) -> Sequence[sa.ColumnElement[bool]]:
    columns = appointment_holds.c
    return (
        columns.partner_id == caller.partner_id,
        columns.environment == caller.environment,
        columns.expires_at > micros(at),
    )


def _conditions(
    caller: PartnerCaller | Environment | None, wanted: AppointmentFilter
) -> Iterator[sa.ColumnElement[bool]]:
    columns = appointments.c
    if isinstance(caller, Environment):
        yield columns.environment == caller
    elif caller is not None:
        yield columns.partner_id == caller.partner_id
        yield columns.environment == caller.environment
    if wanted.customer_ref is not None:
        yield columns.customer_id == _id_of(customers, wanted.customer_ref)
    if wanted.mechanic_ref is not None:
        yield columns.mechanic_id == _id_of(mechanics, wanted.mechanic_ref)
    if wanted.date_from is not None:
        yield columns.local_date >= wanted.date_from.isoformat()
    if wanted.date_to is not None:
        yield columns.local_date <= wanted.date_to.isoformat()
    if wanted.status is not None:
        yield columns.status == wanted.status
    if wanted.partner_reference is not None:
        yield columns.partner_reference == wanted.partner_reference


def _id_of(table: sa.Table, ref: str) -> "sa.ScalarSelect[Any]":
    return sa.select(table.c.id).where(table.c.ref == ref).scalar_subquery()


def _is_ref(ref: str, caller: PartnerCaller) -> sa.ColumnElement[bool]:
    return sa.and_(
        appointments.c.ref == ref,
        appointments.c.partner_id == caller.partner_id,
        appointments.c.environment == caller.environment,
    )


def _values(appointment: Appointment) -> dict[str, Any]:
    stored = {column.name for column in appointments.c} - {"id"}
    return {name: value for name, value in _codec.write(appointment).items() if name in stored}
