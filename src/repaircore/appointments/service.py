"""Appointments: booked, shown, changed, moved, cancelled, and followed.

Whoever takes or moves a place holds its mechanic first and the appointment second, so that no two wait for each other.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Final
from uuid import UUID

from attrs import asdict, evolve, frozen

from repaircore.appointments.errors import AppointmentNotFound, SlotFull
from repaircore.appointments.letters import BOOKED, CANCELLED, MOVED, letter, pickup_letter
from repaircore.appointments.lifecycle import LIFECYCLE, Action, Status
from repaircore.appointments.model import Appointment, NewAppointment
from repaircore.appointments.ports import AppointmentsWork, Invoices, OpenWork
from repaircore.appointments.times import slot_of
from repaircore.appointments.validation import (
    AppointmentChange,
    CreateAppointment,
    faults_of,
    invalid,
    text_told,
)
from repaircore.appointments.views import PICKUP_STEP, AppointmentView
from repaircore.customers.model import Customer
from repaircore.json_text import plain
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.events import Event
from repaircore.kernel.hours import format_minute
from repaircore.kernel.references import Kind, is_reference, reference
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock, NewId
from repaircore.mails.model import NewMail
from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.slots import Slot, first_free, free, ticks
from repaircore.transactions.job_invoice import JobInvoice

_TOLD_INSTEAD: Final = 5
_LOOK_AHEAD_DAYS: Final = 14
_ENDS: Final = {Status.COMPLETED: Action.COMPLETE, Status.NO_SHOW: Action.MARK_NO_SHOW}


@frozen(kw_only=True)
class PickupNotice:
    """What was told of a pickup: the webhooks always are, the customer by mail where mails are sent (``by_mail``)."""

    appointment: Appointment
    by_mail: bool


@frozen(kw_only=True)
class Appointments:
    """The use cases of appointments. A partner sees its own, of one environment.

    ``writes_mails`` says whether customers of the live environment are written mails; those of the test
    environment never are (docs/decisions/appointments.md).
    """

    transaction: OpenWork
    read: OpenWork
    writes_mails: bool
    invoices: Invoices
    new_id: NewId
    clock: Clock

    def validate(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with some fields; those that are not given are not judged."""
        return faults_of(fields)

    def book(self, told: CreateAppointment, caller: PartnerCaller) -> Appointment:
        """Book an appointment.

        Raises:
            Invalid: every bad field is named; also an unknown mechanic, customer or prediction.
            SlotFull: every place of the slot is taken.
        """
        wrong = self.validate(**asdict(told))
        if wrong:
            raise Invalid(wrong)
        now = self.clock()
        with self.transaction() as work:
            mechanic, customer, slot = self._agreed(work, told, caller)
            self._require_free(work, mechanic, slot)
            made = work.appointments.add(
                NewAppointment(
                    ref=reference(Kind.APPOINTMENT, self.new_id()),
                    caller=caller,
                    mechanic_id=mechanic.id,
                    customer_id=customer.id,
                    slot=slot,
                    description=text_told(told.description),
                    partner_reference=text_told(told.partner_reference),
                    session_id=told.session_id,
                    created_at=now,
                )
            )
            self._take(work, mechanic, made, slot)
            step = Step(at=now, action="book", before=None, after=made.status)
            self._happened(work, made, "booked", step)
            self._write(work, letter(BOOKED, made, customer), caller)
        return made

    def show(self, ref: str, caller: PartnerCaller) -> tuple[Appointment, Sequence[Step]]:
        """Give an appointment, and what became of it.

        Raises:
            AppointmentNotFound: the partner has no such one.
        """
        with self.read() as work:
            found = work.appointments.by_ref(ref, caller) if is_reference(Kind.APPOINTMENT, ref) else None
            if found is None:
                raise AppointmentNotFound
            return found, work.timelines.list_for(ref)

    def change(self, ref: str, told: AppointmentChange, caller: PartnerCaller) -> Appointment:
        """Put what is told in the place of what was told before; what is not told stays.

        Raises:
            AppointmentNotFound: the partner has no such one.
            Invalid: every bad field is named, those of the invoice below ``invoice``.
            Conflict: it is over, or another step of the pickup comes next.
        """
        wrong = self.validate(**told)
        if wrong:
            raise Invalid(wrong)
        with self.transaction() as work:
            old = _held(work, ref, caller)
            new = _changed(old, told, at := self.clock())
            if new == old:
                return old
            kept = work.appointments.replace(old, self._billed(work, new, told.get("invoice")))
            if kept.pickup is not old.pickup:
                step = Step(at=at, action=PICKUP_STEP, before=old.pickup, after=kept.pickup)
                work.timelines.add(ref, step)
            action = _ENDS.get(kept.status, Action.UPDATE)
            completed = kept.status is Status.COMPLETED
            step = Step(at=at, action=action, before=old.status, after=kept.status)
            self._happened(work, kept, "completed" if completed else "updated", step)
        return kept

    def cancel(self, ref: str, caller: PartnerCaller, *, reason: str | None = None) -> Appointment:
        """Cancel an appointment and give its place free.

        Raises:
            AppointmentNotFound: the partner has no such one.
            Invalid: on ``reason``: it is too long.
            Conflict: it is over.
        """
        wrong = self.validate(reason=reason)
        if wrong:
            raise Invalid(wrong)
        with self.transaction() as work:
            old = _held(work, ref, caller)
            at = self.clock()
            new = evolve(old.after(Action.CANCEL, at=at), cancel_reason=text_told(reason))
            kept = work.appointments.replace(old, new)
            work.seats.release(kept.id)
            step = Step(at=at, action=Action.CANCEL, before=old.status, after=kept.status)
            self._happened(work, kept, "cancelled", step)
            self._write(work, self._letter(work, CANCELLED, kept), caller)
        return kept

    def reschedule(self, ref: str, caller: PartnerCaller, *, date: str, time: str) -> Appointment:
        """Move an appointment to another time of the same mechanic: the old place is free when the new one is taken.

        Raises:
            AppointmentNotFound: the partner has no such one.
            Invalid: on ``date`` or ``time``.
            Conflict: it is over, or the mechanic is no longer in the directory.
            SlotFull: every place of the slot is taken.
        """
        wrong = self.validate(date=date, time=time)
        if wrong:
            raise Invalid(wrong)
        with self.transaction() as work:
            mechanic = self._mechanic_of(work, ref, caller)
            old = _held(work, ref, caller)
            at = self.clock()
            LIFECYCLE.after(old.status, Action.RESCHEDULE)
            slot = slot_of(mechanic.profile.schedule, date, time, now=at)
            if slot.starts_at == old.starts_at and slot.ends_at == old.ends_at:
                return old
            work.seats.release(old.id)
            self._require_free(work, mechanic, slot)
            kept = work.appointments.replace(old, old.moved(slot, at=at))
            self._take(work, mechanic, kept, slot)
            step = Step(
                at=at,
                action=Action.RESCHEDULE,
                before=old.status,
                after=kept.status,
                detail={"from": _when(old), "to": _when(kept)},
            )
            self._happened(work, kept, "rescheduled", step)
            self._write(work, self._letter(work, MOVED, kept), caller)
        return kept

    def notify(self, ref: str, caller: PartnerCaller) -> PickupNotice:
        """Tell the customer and the webhooks how far the pickup is.

        Raises:
            AppointmentNotFound: the partner has no such one.
            Conflict: it is over.
            TooMany: the same step was told within the last minute.
        """
        with self.transaction() as work:
            old = _held(work, ref, caller)
            kept = work.appointments.replace(old, old.told(at=self.clock()))
            self._emit(work, kept, "pickup_progress")
            customer = work.customers.find_by_id(kept.customer_id, kept.caller)
            mail = None if customer is None else pickup_letter(kept, customer)
            by_mail = self._write(work, mail, caller)
        return PickupNotice(appointment=kept, by_mail=by_mail)

    def _billed(self, work: AppointmentsWork, ended: Appointment, invoice: JobInvoice | None) -> Appointment:
        if invoice is None:
            return ended
        bill = self.invoices.record(
            work,
            invoice,
            job=ended.ref,
            session_id=ended.session_id,
            environment=ended.caller.environment,
        )
        return evolve(ended, bill=bill)

    def _agreed(
        self, work: AppointmentsWork, told: CreateAppointment, caller: PartnerCaller
    ) -> tuple[Mechanic, Customer, Slot]:
        """Find who an appointment is with and for, and when; the mechanic is held."""
        wrong: dict[str, Sequence[str]] = {}
        slot: Slot | None = None
        mechanic = work.mechanics.hold(told.mechanic_ref, caller.environment)
        customer = work.customers.find(told.customer_ref, caller)
        if mechanic is None or not mechanic.is_active:
            wrong["mechanic_ref"] = [invalid("mechanic_ref")]
        else:
            try:
                slot = slot_of(mechanic.profile.schedule, told.date, told.time, now=self.clock())
            except Invalid as bad:
                wrong |= bad.fields
        if customer is None:
            wrong["customer_ref"] = [invalid("customer_ref")]
        if told.session_id is not None and not self._is_known(work, told.session_id, caller):
            wrong["session_id"] = [invalid("session_id")]
        if wrong or mechanic is None or customer is None or slot is None:
            raise Invalid(wrong)
        return mechanic, customer, slot

    def _is_known(self, work: AppointmentsWork, session_id: UUID, caller: PartnerCaller) -> bool:
        found = work.past_predictions.find(session_id, environment=caller.environment, owner_id=None)
        return found is not None

    def _mechanic_of(self, work: AppointmentsWork, ref: str, caller: PartnerCaller) -> Mechanic:
        """Give an appointment's mechanic, held before the appointment is."""
        found = work.appointments.by_ref(ref, caller) if is_reference(Kind.APPOINTMENT, ref) else None
        if found is None:
            raise AppointmentNotFound
        mechanic = work.mechanics.hold(found.place.ref, caller.environment)
        if mechanic is None or not mechanic.is_active:
            raise Conflict(
                "The mechanic takes no appointments any more.",
                details={"status": found.status.value, "allowed": [Action.CANCEL.value]},
            )
        return mechanic

    def _require_free(self, work: AppointmentsWork, mechanic: Mechanic, slot: Slot) -> None:
        schedule = mechanic.profile.schedule
        taken = work.seats.taken(mechanic.id, slot.starts_at, slot.ends_at)
        if not free([slot], taken, capacity=schedule.capacity, now=self.clock()):
            raise self._full(work, mechanic, slot)

    def _take(self, work: AppointmentsWork, mechanic: Mechanic, made: Appointment, slot: Slot) -> None:
        places = ticks(slot.starts_at, slot.ends_at)
        if not work.seats.take(mechanic.id, made.id, places, capacity=mechanic.profile.schedule.capacity):
            raise self._full(work, mechanic, slot)

    def _full(self, work: AppointmentsWork, mechanic: Mechanic, slot: Slot) -> SlotFull:
        now, schedule = self.clock(), mechanic.profile.schedule
        until = slot.starts_at + timedelta(days=_LOOK_AHEAD_DAYS + 2)
        taken = work.seats.taken(mechanic.id, slot.starts_at, until)
        later = first_free(schedule, taken, now=now, since=slot.starts_at, days=_LOOK_AHEAD_DAYS)
        return SlotFull(list(islice(later, _TOLD_INSTEAD)))

    def _happened(self, work: AppointmentsWork, kept: Appointment, what: str, step: Step) -> None:
        work.timelines.add(kept.ref, step)
        self._emit(work, kept, what)

    def _emit(self, work: AppointmentsWork, kept: Appointment, what: str) -> None:
        work.outbox.add(
            Event(
                id=reference(Kind.EVENT, self.new_id()),
                type=f"appointment.{what}",
                partner_id=kept.caller.partner_id,
                environment=kept.caller.environment,
                subject=kept.ref,
                data=plain(AppointmentView.of(kept)),
                created_at=kept.updated_at,
            )
        )

    def _letter(self, work: AppointmentsWork, what: tuple[str, str], kept: Appointment) -> NewMail | None:
        customer = work.customers.find_by_id(kept.customer_id, kept.caller)
        return None if customer is None else letter(what, kept, customer)

    def _write(self, work: AppointmentsWork, mail: NewMail | None, caller: PartnerCaller) -> bool:
        """Have a mail sent, and say whether it will be."""
        if mail is None or not self.writes_mails or caller.environment is not Environment.LIVE:
            return False
        work.mails.add(mail, self.clock())
        return True


def _held(work: AppointmentsWork, ref: str, caller: PartnerCaller) -> Appointment:
    found = work.appointments.hold(ref, caller) if is_reference(Kind.APPOINTMENT, ref) else None
    if found is None:
        raise AppointmentNotFound
    return found


def _changed(old: Appointment, told: AppointmentChange, at: datetime) -> Appointment:
    """Give an appointment as a change makes it; the same one when nothing differs."""
    new, step, status = old, told.get("pickup_progress"), told.get("status")
    if "description" in told:
        new = evolve(new, description=text_told(told["description"]))
    if "partner_reference" in told:
        new = evolve(new, partner_reference=text_told(told["partner_reference"]))
    if new != old:
        new = new.after(Action.UPDATE, at=at)
    if step is not None:
        new = new.picked_up(step, at=at)
    # What is over is billed no more, also when it is told again how it ended.
    if status is not None and (status is not old.status or told.get("invoice") is not None):
        new = new.after(_ENDS[status], at=at)
    return new


def _when(appointment: Appointment) -> str:
    return f"{appointment.day.isoformat()} {format_minute(appointment.minute)}"
