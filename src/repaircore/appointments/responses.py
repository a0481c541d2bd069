"""Mechanics accept or decline appointments through a link: anyone who has it can respond, without an account."""

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Final

from attrs import evolve, field, frozen

from repaircore.appointments.errors import AppointmentNotFound
from repaircore.appointments.letters import DECLINED, when
from repaircore.appointments.lifecycle import Status
from repaircore.appointments.model import Appointment, Response
from repaircore.appointments.ports import AppointmentsWork, OpenWork
from repaircore.appointments.records import AppointmentLog
from repaircore.customers.model import Customer
from repaircore.kernel.errors import Conflict
from repaircore.kernel.link_tokens import SHORT_LENGTH, short_token
from repaircore.kernel.masked_phones import (
    MASKED_FOR,
    PHONES_HIDDEN,
    MaskedPhones,
    NoMaskedPhone,
    NumberMasking,
    PhonePair,
    mask_phones,
    phones_step,
)
from repaircore.kernel.phones import e164
from repaircore.kernel.references import Kind, is_reference
from repaircore.kernel.rules import Length, NoNul, require_valid
from repaircore.kernel.texts import stripped
from repaircore.kernel.timeline import MECHANIC, Step
from repaircore.kernel.types import Clock, Timer

PATH: Final = "/m/"
"""The path of the links, below the public URL."""

_LINK_LIFE: Final = timedelta(days=1)
"""How long a link shows an appointment after its end; limited because the appointment names the customer."""

_MASKED_AHEAD: Final = timedelta(days=1)
"""How far ahead of the start both sides get a masked number, even if the mechanic has not responded."""
_BATCH: Final = 100

_LAST_HOUR: Final = timedelta(hours=1)
"""Within this time before the start, the gateway's failure to respond is final."""

_RUN_SECONDS: Final = 20.0
"""Seconds after which a run sends no more requests, because reminders wait for it; the next run continues."""

_PREFIX: Final = f"{Kind.APPOINTMENT}_"
_CHANGES: Final = {
    Response.ACCEPTED: "accepted_by_mechanic",
    Response.DECLINED: "declined_by_mechanic",
}


@frozen(kw_only=True)
class MechanicLinks:
    """Makes and reads the links. A token is the appointment's reference with a 144-bit MAC, keyed with ``secret``."""

    secret: bytes = field(repr=False)
    public_url: str

    def token(self, ref: str) -> str:
        """Return the token of an appointment; it never changes, so that later messages can include the link."""
        return ref.removeprefix(_PREFIX) + short_token(self.secret, ref)

    def address(self, ref: str) -> str:
        """Return the link to an appointment."""
        return f"{self.public_url.rstrip('/')}{PATH}{self.token(ref)}"

    def reference(self, token: str) -> str | None:
        """Return the reference of the appointment that a token belongs to, or None if the token is invalid."""
        ref = _PREFIX + token[:-SHORT_LENGTH]
        if not is_reference(Kind.APPOINTMENT, ref):
            return None
        seal = short_token(self.secret, ref)
        is_ours = hmac.compare_digest(token[-SHORT_LENGTH:].encode(), seal.encode())
        return ref if is_ours else None


@frozen(kw_only=True)
class DeclineAppointment:
    """The reason why the mechanic cannot take the appointment."""

    reason: Annotated[str | None, Length(0, 500), NoNul()] = None


@frozen(kw_only=True)
class MechanicResponses:
    """Use cases for mechanics who have the link to an appointment.

    ``batch`` is how many appointments without a masked number are read at once.
    """

    transaction: OpenWork
    read: OpenWork
    links: MechanicLinks
    log: AppointmentLog
    masking: NumberMasking | None
    clock: Clock
    timer: Timer
    batch: int = _BATCH

    def get(self, token: str) -> tuple[Appointment, Customer | None]:
        """Return a link's appointment and its customer, or None for the customer once it is no longer scheduled.

        Raises:
            AppointmentNotFound: the link is invalid, or the appointment has been over for more than a day.
        """
        with self.read() as work:
            appointment = self._find(work, token, lock=False)
            if self.clock() > appointment.ends_at + _LINK_LIFE:
                raise AppointmentNotFound
            if appointment.status is not Status.SCHEDULED:
                return appointment, None
            return appointment, work.customers.find_by_id(appointment.customer_id, appointment.caller)

    def accept(self, token: str, *, moves: int | None = None) -> Appointment:
        """Accept an appointment and request a masked number for both sides, which may take a few seconds.

        ``moves`` is the ``moves`` of the appointment that the mechanic saw; None accepts whatever time is stored.

        Raises:
            AppointmentNotFound: the link is invalid.
            Conflict: it has started or ended, or was moved after the mechanic saw it.
        """
        if self.masking is None:
            return self._respond(token, Response.ACCEPTED, None, moves=moves)
        with self.read() as work:
            appointment = self._find(work, token, lock=False)
            customer = work.customers.find_by_id(appointment.customer_id, appointment.caller)
        # Request no number if it is already accepted, no longer can be, or was moved.
        at = self.clock()
        accepted = appointment.respond(Response.ACCEPTED, reason=None, phones=appointment.phones, at=at)
        require_seen(appointment, moves, at=at)
        if accepted == appointment:
            return appointment
        phones = appointment.phones
        if phones is None or phones.may_get_number:  # otherwise it was settled in advance
            phones = mask_phones(self.masking, phone_pair(appointment, customer))
            if _may_be_short_outage(phones, appointment, at):
                phones = PHONES_HIDDEN  # the number is requested again in the background
        # The number is for this time only.
        return self._respond(token, Response.ACCEPTED, None, moves=appointment.moves, requested=phones)

    def mask_due(self) -> int:
        """Request the masked numbers that are due; return how many appointments were settled.

        They are due for accepted appointments, and for pending ones that start within a day. A settled appointment has
        a number, or the reason why there is none. Until then, both phones stay hidden. A mechanic who has accepted gets
        a message with the number. A run ends at the first request without a response; later runs repeat it until an
        hour before the start. A run also ends after a time limit, because reminders wait for it.
        """
        if self.masking is None:
            return 0
        deadline, total = self.timer() + _RUN_SECONDS, 0
        while True:
            settled = self._mask_batch(self.masking, deadline)
            total += settled
            # Appointments that were not settled would be listed again.
            if settled < self.batch:
                return total

    def _mask_batch(self, masking: NumberMasking, deadline: float) -> int:
        """Request the masked numbers of the next appointments one after another; return how many were settled."""
        now, settled = self.clock(), 0
        for appointment, pair in self._list_unmasked(now):
            if self.timer() >= deadline:
                break
            phones = mask_phones(masking, pair)
            if _may_be_short_outage(phones, appointment, now):
                break  # a stored failure would be final
            settled += self._mask(appointment, phones)
        return settled

    def _list_unmasked(self, now: datetime) -> Sequence[tuple[Appointment, PhonePair | None]]:
        with self.read() as work:
            unmasked = work.appointments.list_unmasked(now, until=now + _MASKED_AHEAD, limit=self.batch)
            return [
                (each, phone_pair(each, work.customers.find_by_id(each.customer_id, each.caller)))
                for each in _in_turn(unmasked, now)
            ]

    def _mask(self, unmasked: Appointment, phones: MaskedPhones) -> bool:
        """Store the result of a request for a masked number; return False if the appointment has changed since."""
        at = self.clock()
        try:
            with self.transaction() as work:
                saved = work.appointments.replace(unmasked, evolve(unmasked, phones=phones, updated_at=at))
                for step in phones_step(phones, saved.status, at=at):
                    work.timelines.add(saved.ref, step)
                self.log.emit(work, saved, "updated")
                if saved.response is Response.ACCEPTED:
                    self.log.tell_customer_phone(work, saved)
        except Conflict:
            return False  # the next run tries it again
        return True

    def decline(self, token: str, *, reason: str | None = None, moves: int | None = None) -> Appointment:
        """Decline an appointment, which the partner should then move or cancel.

        ``moves`` is the ``moves`` of the appointment that the mechanic saw; None declines whatever time is stored.

        Raises:
            AppointmentNotFound: the link is invalid.
            Invalid: on ``reason``, if it is too long.
            Conflict: it has started or ended, or was moved after the mechanic saw it.
        """
        require_valid(DeclineAppointment(reason=reason))
        return self._respond(token, Response.DECLINED, stripped(reason), moves=moves)

    def _respond(
        self,
        token: str,
        response: Response,
        reason: str | None,
        *,
        moves: int | None,
        requested: MaskedPhones | None = None,
    ) -> Appointment:
        """Store a response to the appointment as it was after ``moves`` moves.

        ``requested`` is the result of the request for a masked number.
        """
        at = self.clock()
        with self.transaction() as work:
            old = self._find(work, token, lock=True)
            phones = _keep_settled(old.phones, requested)
            new = old.respond(response, reason=reason, phones=phones, at=at)
            require_seen(old, moves, at=at)
            if new == old:
                return old
            saved = work.appointments.replace(old, new)
            change = _CHANGES[response]
            self.log.record(
                work,
                saved,
                change,
                Step(at=at, action=change, before=old.status, after=saved.status, actor=MECHANIC),
            )
            if phones is not None and phones != old.phones:
                for step in phones_step(phones, saved.status, at=at):
                    work.timelines.add(saved.ref, step)
            if response is Response.DECLINED:
                self.log.tell_customer(work, DECLINED, saved)
        return saved

    def _find(self, work: AppointmentsWork, token: str, *, lock: bool) -> Appointment:
        ref = self.links.reference(token)
        caller = None if ref is None else work.appointments.find_caller(ref)
        if ref is None or caller is None:
            raise AppointmentNotFound
        records = work.appointments
        found = records.lock(ref, caller) if lock else records.find(ref, caller)
        if found is None:
            raise AppointmentNotFound
        return found


def require_seen(appointment: Appointment, moves: int | None, *, at: datetime) -> None:
    """Require that a scheduled appointment is still at the time that the mechanic saw.

    A ``moves`` of None means any time.

    Raises:
        Conflict: it has been moved since; the message states its time.
    """
    if moves in {None, appointment.moves} or appointment.status is not Status.SCHEDULED:
        return
    # A page that does not send what it showed may be about an appointment that was never moved.
    change = "was moved to" if appointment.moves else "is on"
    raise Conflict(f"This appointment {change} {when(appointment, now=at)}. Please answer again.")


def phone_pair(appointment: Appointment, customer: Customer | None) -> PhonePair | None:
    """Return the two phones to mask until a day after the start, or None if the customer or mechanic has none."""
    own = appointment.place.phone
    mechanic = None if own is None else e164(own)
    if customer is None or customer.phone is None or mechanic is None:
        return None
    return PhonePair(
        key=appointment.masking_key,
        environment=appointment.caller.environment,
        customer=customer.phone,
        provider=mechanic,
        until=appointment.starts_at + MASKED_FOR,
    )


def _may_be_short_outage(phones: MaskedPhones, appointment: Appointment, now: datetime) -> bool:
    """Return whether the gateway did not respond and there is time to request the number again."""
    return phones.failure is NoMaskedPhone.UNAVAILABLE and not _is_soon(appointment, now)


def _is_soon(appointment: Appointment, now: datetime) -> bool:
    return appointment.starts_at <= now + _LAST_HOUR


def _in_turn(unmasked: Sequence[Appointment], now: datetime) -> Sequence[Appointment]:
    """Return the appointments that start soon, then the others, beginning with a different one each minute.

    A run ends at a request without a response, so a pair for which the gateway always fails would otherwise block those
    that follow.
    """
    soon = [each for each in unmasked if _is_soon(each, now)]
    others = unmasked[len(soon) :]
    first = int(now.timestamp()) // 60 % max(1, len(others))
    return [*soon, *others[first:], *others[:first]]


def _keep_settled(stored: MaskedPhones | None, requested: MaskedPhones | None) -> MaskedPhones | None:
    """Return the requested phones, or the stored ones if the background job settled them and the request did not.

    A stored number may already have been seen, and so may a phone that is shown after a rejection.
    """
    if stored is None or requested is None or requested.number is not None:
        return requested
    is_settled = stored.number is not None or (requested.may_get_number and not stored.may_get_number)
    return stored if is_settled else requested
