"""Book, update, cancel and reschedule appointments, and follow the pickup of the vehicle.

Locks are taken in one order, the mechanic before the appointment, so that no two transactions deadlock.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.appointments.cancellation import CancellationCost, CancellationPolicy, no_show_cost
from repaircore.appointments.errors import AppointmentNotFound
from repaircore.appointments.letters import (
    BOOKED,
    CALLED_OFF,
    CANCELLED,
    MOVED,
    NEW,
    NO_SHOW,
    RESCHEDULED,
    pickup_news,
)
from repaircore.appointments.lifecycle import ENDS, LIFECYCLE, Action, Status
from repaircore.appointments.model import Appointment, AppointmentPlace, PickupNotice
from repaircore.appointments.ports import AppointmentsWork, Invoices, OpenWork
from repaircore.appointments.records import AppointmentLog
from repaircore.appointments.reminders import next_reminder
from repaircore.appointments.seating import find_offer, find_requested_slot, require_free, take_seats
from repaircore.appointments.validation import (
    AppointmentFilter,
    CancelAppointment,
    CreateAppointment,
    RateMechanic,
    RescheduleAppointment,
    UpdateAppointment,
    unknown_reference,
    validate_end,
)
from repaircore.appointments.views import PICKUP_STEP, CancellationCostView
from repaircore.customers.model import Customer
from repaircore.json_text import plain
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.expected_fees import require_expected_fee
from repaircore.kernel.masked_phones import PHONES_HIDDEN
from repaircore.kernel.money import dollars
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest
from repaircore.kernel.references import Kind, is_reference, reference
from repaircore.kernel.rules import field_errors, require_valid
from repaircore.kernel.texts import stripped
from repaircore.kernel.timeline import PARTNER, Actor, Step
from repaircore.kernel.types import Clock, NewId
from repaircore.mechanics.model import Mechanic, Offer
from repaircore.mechanics.ports import SeatHolder
from repaircore.mechanics.slots import Slot
from repaircore.messages.model import Channel
from repaircore.transactions.job_invoice import JobInvoice

_NO_REASON: Final = CancelAppointment()


@frozen(kw_only=True)
class Appointments:
    """Use cases for appointments. ``reminder_hours`` lists how many hours before the start customers are reminded.

    If ``masks_phones`` is set, customer and mechanic call each other through a masked number once the mechanic has
    accepted, or from the day before the start.
    """

    transaction: OpenWork
    read: OpenWork
    log: AppointmentLog
    policy: CancellationPolicy
    reminder_hours: Sequence[float]
    invoices: Invoices
    masks_phones: bool
    new_id: NewId
    clock: Clock

    def book(self, data: CreateAppointment, caller: PartnerCaller) -> Appointment:
        """Book an appointment.

        Raises:
            Invalid: with every bad field, including unknown references.
            SlotFull: the slot is fully booked.
        """
        require_valid(data)
        now = self.clock()
        with self.transaction() as work:
            mechanic, customer, slot, offer = self._resolve(work, data, caller)
            require_free(work.seats, mechanic, slot, now=now)
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
                    description=stripped(data.description),
                    partner_reference=stripped(data.partner_reference),
                    session_id=data.session_id,
                    service=None if offer is None else offer.service,
                    price=None if offer is None else offer.price,
                    no_show_fee=self.policy.no_show_fee,
                    vehicle=None if data.vehicle is None else data.vehicle.booked(),
                    address=stripped(data.address),
                    remind_at=next_reminder(slot.starts_at, self.reminder_hours, after=now),
                    phones=PHONES_HIDDEN if self.masks_phones else None,
                    created_at=now,
                    updated_at=now,
                )
            )
            take_seats(work.seats, mechanic, SeatHolder(appointment_id=booked.id), slot, now=now)
            step = Step(at=now, action="book", before=None, after=booked.status)
            self.log.record(work, booked, "booked", step)
            self.log.tell_customer(work, BOOKED, booked)
            self.log.tell_mechanic(work, NEW, booked)
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

    def list_page(
        self,
        caller: PartnerCaller | Environment | None,
        wanted: AppointmentFilter = AppointmentFilter(),  # noqa: B008 - frozen
        request: PageRequest = FIRST_PAGE,
    ) -> Page[Appointment]:
        """List a page of a partner's, an environment's or all appointments, newest first unless requested otherwise.

        Raises:
            Invalid: with every bad field of the filter, and on ``sort`` and ``cursor``.
        """
        require_valid(wanted)
        with self.read() as work:
            return work.appointments.list_page(caller, wanted, request)

    def caller_of(self, ref: str) -> PartnerCaller:
        """Return the partner and environment of an appointment, for operators.

        Raises:
            AppointmentNotFound: there is no such appointment.
        """
        with self.read() as work:
            caller = work.appointments.find_caller(ref) if is_reference(Kind.APPOINTMENT, ref) else None
        if caller is None:
            raise AppointmentNotFound
        return caller

    def update(
        self,
        ref: str,
        fields: Mapping[str, Any],
        caller: PartnerCaller,
        *,
        invoice: JobInvoice | None = None,
        actor: Actor = PARTNER,
    ) -> Appointment:
        """Update the given fields of ``UpdateAppointment``; leave the others unchanged.

        Ending the appointment releases its seats. ``invoice`` bills the work, and is only allowed with the status
        ``completed``.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
            Invalid: one or more fields are invalid; errors of the invoice are under ``invoice``.
            Conflict: it has ended, the new status is not allowed before it starts, or another pickup step comes next.
        """
        errors = {**field_errors(UpdateAppointment, fields), **validate_end({**fields, "invoice": invoice})}
        if errors:
            raise Invalid(errors)
        with self.transaction() as work:
            old, at = _lock(work, ref, caller), self.clock()
            new = old.update(_stored(fields), at=at, is_billed=invoice is not None)
            if new == old:
                return old
            if new.status is Status.NO_SHOW:
                new = evolve(new, no_show_fee=no_show_cost(new))
            saved = work.appointments.replace(old, self._bill(work, new, invoice))
            if saved.pickup is not old.pickup:
                step = Step(at=at, action=PICKUP_STEP, before=old.pickup, after=saved.pickup)
                work.timelines.add(ref, step)
            if saved.status in ENDS:
                work.seats.release(saved.id)
            action = ENDS.get(saved.status, Action.UPDATE)
            change = "completed" if saved.status is Status.COMPLETED else "updated"
            detail = {"fee": dollars(saved.no_show_fee or 0)} if saved.status is Status.NO_SHOW else None
            step = Step(
                at=at, action=action, before=old.status, after=saved.status, actor=actor, detail=detail
            )
            self.log.record(work, saved, change, step)
            if saved.status is Status.NO_SHOW:
                self.log.tell_customer(work, NO_SHOW, saved)
        return saved

    def cancel(
        self, ref: str, caller: PartnerCaller, data: CancelAppointment = _NO_REASON, *, actor: Actor = PARTNER
    ) -> Appointment:
        """Cancel an appointment, release its seats and store the fee.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
            Invalid: ``reason`` is too long, or ``expected_fee`` is invalid.
            Conflict: it has ended.
            FeeChanged: the fee is not ``expected_fee``.
        """
        require_valid(data)
        with self.transaction() as work:
            old, at = _lock(work, ref, caller), self.clock()
            cancelled, cost = old.apply(Action.CANCEL, at=at), self.policy.cost(old, at=at)
            _require_expected(old, cost, data, at=at)
            fee, reason = cost.fee, stripped(data.reason)
            new = evolve(cancelled, cancel_reason=reason, cancel_fee=fee, remind_at=None)
            saved = work.appointments.replace(old, new)
            work.seats.release(saved.id)
            step = Step(
                at=at,
                action=Action.CANCEL,
                before=old.status,
                after=saved.status,
                actor=actor,
                detail={"fee": dollars(fee)},
            )
            self.log.record(work, saved, "cancelled", step)
            self.log.tell_customer(work, CANCELLED, saved)
            self.log.tell_mechanic(work, CALLED_OFF, saved)
        return saved

    def preview_cancellation(self, ref: str, caller: PartnerCaller) -> tuple[Appointment, CancellationCost]:
        """Return an appointment and the cost of canceling it now.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
            Conflict: it has ended.
        """
        appointment, _ = self.get(ref, caller)
        at = self.clock()
        appointment.apply(Action.CANCEL, at=at)
        return appointment, self.policy.cost(appointment, at=at)

    def reschedule(
        self, ref: str, caller: PartnerCaller, *, date: str, time: str, hold: str | None = None
    ) -> Appointment:
        """Move an appointment to another time with the same mechanic, who is asked to accept it again.

        If canceling is no longer free, it still costs the fee after the move, until the mechanic accepts the new time.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
            Invalid: on ``date``, ``time`` or ``hold``.
            Conflict: it has ended, or the mechanic no longer takes appointments.
            SlotFull: the slot is fully booked.
        """
        require_valid(RescheduleAppointment(date=date, time=time, hold=hold))
        with self.transaction() as work:
            mechanic = self._lock_mechanic(work, ref, caller)
            old = _lock(work, ref, caller)
            at = self.clock()
            LIFECYCLE.after(old.status, Action.RESCHEDULE)
            # A booked service keeps its length, even if the mechanic has changed the offer.
            minutes = None if old.service is None else old.minutes
            slot = find_requested_slot(mechanic, date=date, time=time, minutes=minutes, now=at)
            if slot.starts_at == old.starts_at and slot.ends_at == old.ends_at:
                return old
            # Released first, because the new slot may overlap the old one.
            work.seats.release(old.id)
            self._use_hold(work, hold, caller, mechanic, slot)
            require_free(work.seats, mechanic, slot, now=at)
            remind_at = next_reminder(slot.starts_at, self.reminder_hours, after=at)
            late_start = self.policy.late_start(old, slot.starts_at, at=at)
            moved = evolve(old.reschedule(slot, at=at), remind_at=remind_at, late_start=late_start)
            saved = work.appointments.replace(old, moved)
            take_seats(work.seats, mechanic, SeatHolder(appointment_id=saved.id), slot, now=at)
            step = Step(
                at=at,
                action=Action.RESCHEDULE,
                before=old.status,
                after=saved.status,
                detail={"from": old.local_time, "to": saved.local_time},
            )
            self.log.record(work, saved, "rescheduled", step)
            self.log.tell_customer(work, RESCHEDULED, saved, moved_from=old.starts_at)
            self.log.tell_mechanic(work, MOVED, saved, moved_from=old.starts_at)
        return saved

    def notify(self, ref: str, caller: PartnerCaller) -> PickupNotice:
        """Notify the customer and the webhooks of the pickup's progress.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
            Conflict: it has ended.
            TooMany: the customer was notified of this step less than a minute ago.
        """
        with self.transaction() as work:
            old = _lock(work, ref, caller)
            saved = work.appointments.replace(old, old.notify(at=self.clock()))
            self.log.emit(work, saved, "pickup_progress")
            channel = self.log.tell_customer(work, pickup_news(saved), saved)
        # Messages in the test environment are stored but never sent.
        by_mail = channel is Channel.EMAIL and caller.environment is Environment.LIVE
        return PickupNotice(appointment=saved, by_mail=by_mail)

    def rate(self, ref: str, data: RateMechanic, caller: PartnerCaller) -> Appointment:
        """Rate the mechanic of a completed appointment, once.

        Raises:
            AppointmentNotFound: the partner has no such appointment.
            Invalid: on ``rating``.
            Conflict: it is not completed, or has already been rated.
        """
        require_valid(data)
        with self.transaction() as work:
            old, at = _lock(work, ref, caller), self.clock()
            if old.status is not Status.COMPLETED or old.rating is not None:
                is_rated = old.rating is not None
                raise Conflict(
                    "The mechanic of this appointment has already been rated."
                    if is_rated
                    else "Only the mechanic of a completed appointment can be rated.",
                    details={"status": old.status.value, "allowed": [*map(str, old.allowed_actions(at=at))]},
                )
            saved = work.appointments.replace(old, evolve(old, rating=data.rating, updated_at=at))
            work.mechanics.rate(saved.place.id, data.rating)
            detail = {"rating": data.rating}
            step = Step(at=at, action="rate", before=old.status, after=saved.status, detail=detail)
            self.log.record(work, saved, "rated", step)
        return saved

    def _bill(self, work: AppointmentsWork, ended: Appointment, invoice: JobInvoice | None) -> Appointment:
        if invoice is None:
            return ended
        bill = self.invoices.record(
            work, invoice, job=ended.ref, session_id=ended.session_id, environment=ended.caller.environment
        )
        return evolve(ended, bill=bill)

    def _resolve(
        self, work: AppointmentsWork, data: CreateAppointment, caller: PartnerCaller
    ) -> tuple[Mechanic, Customer, Slot, Offer | None]:
        """Find the mechanic, customer, slot and offer of a new appointment; lock the mechanic and release the hold."""
        errors: dict[str, Sequence[str]] = {}
        slot, offer = None, None
        mechanic = work.mechanics.lock(data.mechanic_ref, caller.environment)
        customer = work.customers.find(data.customer_ref, caller)
        if mechanic is None or not mechanic.is_active:
            errors |= unknown_reference(Kind.MECHANIC, "mechanic_ref")
        else:
            try:
                service = self._service(work, data, caller)
                offer = find_offer(mechanic, service)
                minutes = None if offer is None else mechanic.profile.minutes_of(offer.service)
                slot = find_requested_slot(
                    mechanic, date=data.date, time=data.time, minutes=minutes, now=self.clock()
                )
                self._use_hold(work, data.hold, caller, mechanic, slot)
            except Invalid as error:
                errors |= error.fields
        if customer is None:
            errors |= unknown_reference(Kind.CUSTOMER, "customer_ref")
        if data.session_id is not None and not self._is_known(work, data.session_id, caller):
            errors["session_id"] = ["The selected session id is invalid."]
        if errors or mechanic is None or customer is None or slot is None:
            raise Invalid(errors)
        return mechanic, customer, slot, offer

    def _service(self, work: AppointmentsWork, data: CreateAppointment, caller: PartnerCaller) -> str | None:
        """Return the requested service, or else the hold's, or None if neither is given."""
        if data.service is not None or data.hold is None:
            return data.service
        held = work.holds.find(data.hold, caller, at=self.clock())
        return None if held is None else held.service

    def _use_hold(
        self,
        work: AppointmentsWork,
        ref: str | None,
        caller: PartnerCaller,
        mechanic: Mechanic,
        slot: Slot,
    ) -> None:
        """Release the hold ``ref``, if given, in the unit of work that books its time.

        Raises:
            Invalid: on ``hold``, if it has expired or is for another mechanic or time.
        """
        if ref is None:
            return
        held = work.holds.find(ref, caller, at=self.clock())
        if held is None or not work.holds.delete(held.id):
            raise Invalid(unknown_reference(Kind.HOLD, "hold"))
        if (held.mechanic_id, held.starts_at) != (mechanic.id, slot.starts_at):
            raise Invalid({"hold": ["The hold field must be a hold for this mechanic, date and time."]})

    def _is_known(self, work: AppointmentsWork, session_id: UUID, caller: PartnerCaller) -> bool:
        found = work.past_predictions.find(session_id, environment=caller.environment, owner_id=None)
        return found is not None

    def _lock_mechanic(self, work: AppointmentsWork, ref: str, caller: PartnerCaller) -> Mechanic:
        """Lock and return the mechanic of an appointment, before the appointment is locked."""
        found = work.appointments.find(ref, caller) if is_reference(Kind.APPOINTMENT, ref) else None
        if found is None:
            raise AppointmentNotFound
        mechanic = work.mechanics.lock(found.place.ref, caller.environment)
        if mechanic is None or not mechanic.is_active:
            raise Conflict(
                "The mechanic is no longer taking appointments. Cancel this one and book another mechanic.",
                details={"status": found.status.value, "allowed": [Action.CANCEL.value]},
            )
        return mechanic


def _lock(work: AppointmentsWork, ref: str, caller: PartnerCaller) -> Appointment:
    found = work.appointments.lock(ref, caller) if is_reference(Kind.APPOINTMENT, ref) else None
    if found is None:
        raise AppointmentNotFound
    return found


def _require_expected(
    old: Appointment, cost: CancellationCost, data: CancelAppointment, *, at: datetime
) -> None:
    require_expected_fee(
        data.expected_fee,
        cost.fee,
        status=old.status,
        allowed=old.allowed_actions(at=at),
        preview=plain(CancellationCostView.of(old, cost)),
    )


def _stored(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of an update, with the vehicle in its stored form."""
    vehicle = fields.get("vehicle")
    return fields if vehicle is None else {**fields, "vehicle": vehicle.booked()}
