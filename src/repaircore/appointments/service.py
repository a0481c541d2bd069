"""Book, update, cancel and reschedule appointments, and follow the pickup of the vehicle.

Locks are taken in one order, the mechanic before the appointment, so that no two transactions deadlock.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.appointments.errors import AppointmentNotFound, SlotFull
from repaircore.appointments.letters import BOOKED, CANCELLED, RESCHEDULED, appointment_mail, pickup_mail
from repaircore.appointments.lifecycle import LIFECYCLE, Action, Status
from repaircore.appointments.model import Appointment, AppointmentPlace
from repaircore.appointments.ports import AppointmentsWork, Invoices, OpenWork
from repaircore.appointments.times import find_slot, parse_date, parse_time
from repaircore.appointments.validation import (
    CancelAppointment,
    CreateAppointment,
    RescheduleAppointment,
    UpdateAppointment,
    unknown_reference,
    validate_end,
)
from repaircore.appointments.views import PICKUP_STEP, AppointmentView
from repaircore.customers.model import Customer
from repaircore.json_text import plain
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.events import Event
from repaircore.kernel.hours import format_minute
from repaircore.kernel.references import Kind, is_reference, reference
from repaircore.kernel.rules import field_errors, require_valid
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock, NewId
from repaircore.mails.model import NewMail
from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.slots import Slot, free_slots, ticks, upcoming_free_slots
from repaircore.transactions.job_invoice import JobInvoice

_MOST_ALTERNATIVES: Final = 5
_LOOK_AHEAD_DAYS: Final = 14
_ENDS: Final = {Status.COMPLETED: Action.COMPLETE, Status.NO_SHOW: Action.MARK_NO_SHOW}


@frozen(kw_only=True)
class PickupNotice:
    """A notification of the progress of the pickup; ``by_mail`` is whether the customer gets a mail besides the event."""

    appointment: Appointment
    by_mail: bool


@frozen(kw_only=True)
class Appointments:
    """The use cases of appointments.

    ``sends_mails`` is whether customers of the live environment get mails; those of the test environment never do
    (docs/decisions/appointments.md).
    """

    transaction: OpenWork
    read: OpenWork
    sends_mails: bool
    invoices: Invoices
    new_id: NewId
    clock: Clock

    def book(self, data: CreateAppointment, caller: PartnerCaller) -> Appointment:
        """Book an appointment.

        Raises:
            Invalid: with every bad field, unknown references included.
            SlotFull: the slot is fully booked.
        """
        require_valid(data)
        now = self.clock()
        with self.transaction() as work:
            mechanic, customer, slot = self._resolve(work, data, caller)
            self._require_free(work, mechanic, slot)
            booked = work.appointments.add(
                Appointment(
                    ref=reference(Kind.APPOINTMENT, self.new_id()),
                    caller=caller,
                    place=AppointmentPlace.of(mechanic),
                    customer_id=customer.id,
                    customer_ref=customer.ref,
                    day=slot.day,
                    minute=slot.minute,
                    starts_at=slot.starts_at,
                    ends_at=slot.ends_at,
                    description=_text(data.description),
                    partner_reference=_text(data.partner_reference),
                    session_id=data.session_id,
                    created_at=now,
                    updated_at=now,
                )
            )
            self._take_seats(work, mechanic, booked, slot)
            step = Step(at=now, action="book", before=None, after=booked.status)
            self._record(work, booked, "booked", step)
            self._send(work, appointment_mail(BOOKED, booked, customer), caller)
        return booked

    def get(self, ref: str, caller: PartnerCaller) -> tuple[Appointment, Sequence[Step]]:
        """Return an appointment with its timeline.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
        """
        with self.read() as work:
            found = work.appointments.find(ref, caller) if is_reference(Kind.APPOINTMENT, ref) else None
            if found is None:
                raise AppointmentNotFound
            return found, work.timelines.list_for(ref)

    def update(
        self, ref: str, fields: Mapping[str, Any], caller: PartnerCaller, *, invoice: JobInvoice | None = None
    ) -> Appointment:
        """Update the given fields of ``UpdateAppointment``; leave the others unchanged.

        ``invoice`` is that of the work, with the status completed.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
            Invalid: with every bad field, those of the invoice below ``invoice``.
            Conflict: it has ended, or another step of the pickup comes next.
        """
        errors = {**field_errors(UpdateAppointment, fields), **validate_end({**fields, "invoice": invoice})}
        if errors:
            raise Invalid(errors)
        with self.transaction() as work:
            old = _lock(work, ref, caller)
            new = _updated(old, fields, at := self.clock(), is_billed=invoice is not None)
            if new == old:
                return old
            saved = work.appointments.replace(old, self._bill(work, new, invoice))
            if saved.pickup is not old.pickup:
                step = Step(at=at, action=PICKUP_STEP, before=old.pickup, after=saved.pickup)
                work.timelines.add(ref, step)
            action = _ENDS.get(saved.status, Action.UPDATE)
            completed = saved.status is Status.COMPLETED
            step = Step(at=at, action=action, before=old.status, after=saved.status)
            self._record(work, saved, "completed" if completed else "updated", step)
        return saved

    def cancel(self, ref: str, caller: PartnerCaller, *, reason: str | None = None) -> Appointment:
        """Cancel an appointment, and release its seats.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
            Invalid: on ``reason``: it is too long.
            Conflict: it has ended.
        """
        require_valid(CancelAppointment(reason=reason))
        with self.transaction() as work:
            old = _lock(work, ref, caller)
            at = self.clock()
            new = evolve(old.apply(Action.CANCEL, at=at), cancel_reason=_text(reason))
            saved = work.appointments.replace(old, new)
            work.seats.release(saved.id)
            step = Step(at=at, action=Action.CANCEL, before=old.status, after=saved.status)
            self._record(work, saved, "cancelled", step)
            self._send(work, appointment_mail(CANCELLED, saved, _customer(work, saved)), caller)
        return saved

    def reschedule(self, ref: str, caller: PartnerCaller, *, date: str, time: str) -> Appointment:
        """Move an appointment to another time of the same mechanic.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
            Invalid: on ``date`` or ``time``.
            Conflict: it has ended, or the mechanic was removed.
            SlotFull: the slot is fully booked.
        """
        require_valid(RescheduleAppointment(date=date, time=time))
        with self.transaction() as work:
            mechanic = self._lock_mechanic(work, ref, caller)
            old = _lock(work, ref, caller)
            at = self.clock()
            LIFECYCLE.after(old.status, Action.RESCHEDULE)
            slot = self._find_slot(mechanic, date, time)
            if slot.starts_at == old.starts_at and slot.ends_at == old.ends_at:
                return old
            # Released first: the new slot may overlap the old one.
            work.seats.release(old.id)
            self._require_free(work, mechanic, slot)
            saved = work.appointments.replace(old, old.reschedule(slot, at=at))
            self._take_seats(work, mechanic, saved, slot)
            step = Step(
                at=at,
                action=Action.RESCHEDULE,
                before=old.status,
                after=saved.status,
                detail={"from": _local_time(old), "to": _local_time(saved)},
            )
            self._record(work, saved, "rescheduled", step)
            self._send(work, appointment_mail(RESCHEDULED, saved, _customer(work, saved)), caller)
        return saved

    def notify(self, ref: str, caller: PartnerCaller) -> PickupNotice:
        """Notify the customer and the webhooks of the progress of the pickup.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
            Conflict: it has ended.
            TooMany: the customer was notified of this step less than a minute ago.
        """
        with self.transaction() as work:
            old = _lock(work, ref, caller)
            saved = work.appointments.replace(old, old.notify(at=self.clock()))
            self._emit(work, saved, "pickup_progress")
            by_mail = self._send(work, pickup_mail(saved, _customer(work, saved)), caller)
        return PickupNotice(appointment=saved, by_mail=by_mail)

    def _bill(self, work: AppointmentsWork, ended: Appointment, invoice: JobInvoice | None) -> Appointment:
        if invoice is None:
            return ended
        bill = self.invoices.record(
            work, invoice, job=ended.ref, session_id=ended.session_id, environment=ended.caller.environment
        )
        return evolve(ended, bill=bill)

    def _resolve(
        self, work: AppointmentsWork, data: CreateAppointment, caller: PartnerCaller
    ) -> tuple[Mechanic, Customer, Slot]:
        """Find the mechanic, who is locked, the customer and the slot of a new appointment."""
        errors: dict[str, Sequence[str]] = {}
        slot: Slot | None = None
        mechanic = work.mechanics.lock(data.mechanic_ref, caller.environment)
        customer = work.customers.find(data.customer_ref, caller)
        if mechanic is None or not mechanic.is_active:
            errors |= unknown_reference(Kind.MECHANIC, "mechanic_ref")
        else:
            try:
                slot = self._find_slot(mechanic, data.date, data.time)
            except Invalid as error:
                errors |= error.fields
        if customer is None:
            errors |= unknown_reference(Kind.CUSTOMER, "customer_ref")
        if data.session_id is not None and not self._is_known(work, data.session_id, caller):
            errors["session_id"] = ["The selected session id is invalid."]
        if errors or mechanic is None or customer is None or slot is None:
            raise Invalid(errors)
        return mechanic, customer, slot

    def _find_slot(self, mechanic: Mechanic, date: str, time: str) -> Slot:
        day, minute = parse_date(date), parse_time(time)
        if day is None or minute is None:
            raise Invalid(field_errors(RescheduleAppointment, {"date": date, "time": time}))
        return find_slot(mechanic.profile.schedule, day, minute, now=self.clock())

    def _is_known(self, work: AppointmentsWork, session_id: UUID, caller: PartnerCaller) -> bool:
        found = work.past_predictions.find(session_id, environment=caller.environment, owner_id=None)
        return found is not None

    def _lock_mechanic(self, work: AppointmentsWork, ref: str, caller: PartnerCaller) -> Mechanic:
        """Lock the mechanic of an appointment, before the appointment is locked."""
        found = work.appointments.find(ref, caller) if is_reference(Kind.APPOINTMENT, ref) else None
        if found is None:
            raise AppointmentNotFound
        mechanic = work.mechanics.lock(found.place.ref, caller.environment)
        if mechanic is None or not mechanic.is_active:
            raise Conflict(
                "The mechanic no longer takes appointments.",
                details={"status": found.status.value, "allowed": [Action.CANCEL.value]},
            )
        return mechanic

    def _require_free(self, work: AppointmentsWork, mechanic: Mechanic, slot: Slot) -> None:
        schedule = mechanic.profile.schedule
        taken = work.seats.count_taken(mechanic.id, slot.starts_at, slot.ends_at)
        if not free_slots([slot], taken, capacity=schedule.capacity, now=self.clock()):
            raise self._full(work, mechanic, slot)

    def _take_seats(
        self, work: AppointmentsWork, mechanic: Mechanic, appointment: Appointment, slot: Slot
    ) -> None:
        wanted = ticks(slot.starts_at, slot.ends_at)
        capacity = mechanic.profile.schedule.capacity
        if not work.seats.take(mechanic.id, appointment.id, wanted, capacity=capacity):
            raise self._full(work, mechanic, slot)

    def _full(self, work: AppointmentsWork, mechanic: Mechanic, slot: Slot) -> SlotFull:
        now, schedule = self.clock(), mechanic.profile.schedule
        until = slot.starts_at + timedelta(days=_LOOK_AHEAD_DAYS + 2)
        taken = work.seats.count_taken(mechanic.id, slot.starts_at, until)
        later = upcoming_free_slots(schedule, taken, now=now, since=slot.starts_at, days=_LOOK_AHEAD_DAYS)
        return SlotFull(list(islice(later, _MOST_ALTERNATIVES)))

    def _record(self, work: AppointmentsWork, saved: Appointment, change: str, step: Step) -> None:
        work.timelines.add(saved.ref, step)
        self._emit(work, saved, change)

    def _emit(self, work: AppointmentsWork, saved: Appointment, change: str) -> None:
        work.outbox.add(
            Event(
                id=reference(Kind.EVENT, self.new_id()),
                type=f"appointment.{change}",
                partner_id=saved.caller.partner_id,
                environment=saved.caller.environment,
                subject=saved.ref,
                data=plain(AppointmentView.of(saved)),
                created_at=saved.updated_at,
            )
        )

    def _send(self, work: AppointmentsWork, mail: NewMail | None, caller: PartnerCaller) -> bool:
        """Queue a mail; return whether it will be sent."""
        if mail is None or not self.sends_mails or caller.environment is not Environment.LIVE:
            return False
        work.mails.add(mail, self.clock())
        return True


def _lock(work: AppointmentsWork, ref: str, caller: PartnerCaller) -> Appointment:
    found = work.appointments.lock(ref, caller) if is_reference(Kind.APPOINTMENT, ref) else None
    if found is None:
        raise AppointmentNotFound
    return found


def _customer(work: AppointmentsWork, appointment: Appointment) -> Customer | None:
    return work.customers.find_by_id(appointment.customer_id, appointment.caller)


def _updated(old: Appointment, fields: Mapping[str, Any], at: datetime, *, is_billed: bool) -> Appointment:
    """Return an appointment with the given fields; the same one when nothing changes."""
    new, step, status = old, fields.get("pickup_progress"), fields.get("status")
    if "description" in fields:
        new = evolve(new, description=_text(fields["description"]))
    if "partner_reference" in fields:
        new = evolve(new, partner_reference=_text(fields["partner_reference"]))
    if new != old:
        new = new.apply(Action.UPDATE, at=at)
    if step is not None:
        new = new.advance_pickup(step, at=at)
    # An ended appointment cannot be billed, not even when its own status is sent again.
    if status is not None and (status is not old.status or is_billed):
        new = new.apply(_ENDS[status], at=at)
    return new


def _text(text: str | None) -> str | None:
    return None if text is None else text.strip() or None


def _local_time(appointment: Appointment) -> str:
    return f"{appointment.day.isoformat()} {format_minute(appointment.minute)}"
