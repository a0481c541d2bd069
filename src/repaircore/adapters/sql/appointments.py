"""Appointments in the database."""

from datetime import date
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.bills import bill_kept, bill_of
from repaircore.adapters.sql.engine.codec import micros, moment, moment_or_none
from repaircore.adapters.sql.engine.dialects import translated
from repaircore.adapters.sql.schema.mechanics import appointments, mechanics
from repaircore.adapters.sql.schema.partners import customers
from repaircore.appointments.errors import AppointmentNotFound
from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.model import Appointment, AppointmentPlace, NewAppointment
from repaircore.appointments.ports import AppointmentRecords
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.hours import format_minute, parse_minute
from repaircore.mechanics.slots import Slot

_MECHANIC = ("ref", "name", "address", "city", "state", "phone", "time_zone")

_whole = sa.select(
    appointments,
    customers.c.ref.label("customer_ref"),
    *(mechanics.c[name].label(f"mechanic_{name}") for name in _MECHANIC),
).select_from(appointments.join(mechanics).join(customers))


class SqlAppointments(AppointmentRecords):
    """The kept appointments."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, appointment: NewAppointment) -> Appointment:
        session, at = appointment.session_id, micros(appointment.created_at)
        with translated():
            self._connection.execute(
                sa.insert(appointments).values(
                    ref=appointment.ref,
                    partner_id=appointment.caller.partner_id,
                    environment=appointment.caller.environment.value,
                    mechanic_id=appointment.mechanic_id,
                    customer_id=appointment.customer_id,
                    **_times(appointment.slot),
                    status=Status.SCHEDULED.value,
                    pickup_step=Pickup.NOT_STARTED.value,
                    description=appointment.description,
                    partner_reference=appointment.partner_reference,
                    session_id=None if session is None else str(session),
                    created_at=at,
                    updated_at=at,
                    version=1,
                )
            )
        kept = self.by_ref(appointment.ref, appointment.caller)
        if kept is None:
            raise AppointmentNotFound
        return kept

    @override
    def by_ref(self, ref: str, caller: PartnerCaller) -> Appointment | None:
        row = self._connection.execute(_whole.where(_of(ref, caller))).one_or_none()
        return None if row is None else _appointment(row)

    @override
    def hold(self, ref: str, caller: PartnerCaller) -> Appointment | None:
        # SQLite's writers wait for one another from their beginning.
        held = _whole.where(_of(ref, caller)).with_for_update(of=appointments, key_share=True)
        row = self._connection.execute(held).one_or_none()
        return None if row is None else _appointment(row)

    @override
    def replace(self, old: Appointment, new: Appointment) -> Appointment:
        kept = evolve(new, version=old.version + 1)
        unchanged = (appointments.c.id == old.id, appointments.c.version == old.version)
        slot = Slot(kept.day, kept.minute, kept.starts_at, kept.ends_at)
        notified_at = kept.notified_at
        done = self._connection.execute(
            sa.update(appointments)
            .where(*unchanged)
            .values(
                **_times(slot),
                status=kept.status.value,
                pickup_step=kept.pickup.value,
                description=kept.description,
                partner_reference=kept.partner_reference,
                cancel_reason=kept.cancel_reason,
                bill=bill_kept(kept.bill),
                notified_step=None if kept.notified is None else kept.notified.value,
                notified_at=None if notified_at is None else micros(notified_at),
                updated_at=micros(kept.updated_at),
                version=kept.version,
            )
        )
        if done.rowcount != 1:
            raise Conflict("The appointment was changed by somebody else.")
        return kept


def _of(ref: str, caller: PartnerCaller) -> sa.ColumnElement[bool]:
    return sa.and_(
        appointments.c.ref == ref,
        appointments.c.partner_id == caller.partner_id,
        appointments.c.environment == caller.environment,
    )


def _times(slot: Slot) -> dict[str, Any]:
    return {
        "starts_at": micros(slot.starts_at),
        "ends_at": micros(slot.ends_at),
        "local_date": slot.day.isoformat(),
        "local_time": format_minute(slot.minute),
    }


def _appointment(row: "Row[Any]") -> Appointment:
    return Appointment(
        id=row.id,
        ref=row.ref,
        caller=PartnerCaller(partner_id=row.partner_id, environment=Environment(row.environment)),
        place=AppointmentPlace(
            id=row.mechanic_id, **{name: getattr(row, f"mechanic_{name}") for name in _MECHANIC}
        ),
        customer_id=row.customer_id,
        customer_ref=row.customer_ref,
        day=date.fromisoformat(row.local_date),
        minute=parse_minute(row.local_time) or 0,
        starts_at=moment(row.starts_at),
        ends_at=moment(row.ends_at),
        status=Status(row.status),
        pickup=Pickup(row.pickup_step),
        description=row.description,
        partner_reference=row.partner_reference,
        session_id=None if row.session_id is None else UUID(row.session_id),
        cancel_reason=row.cancel_reason,
        bill=bill_of(row.bill),
        notified=None if row.notified_step is None else Pickup(row.notified_step),
        notified_at=moment_or_none(row.notified_at),
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        version=row.version,
    )
