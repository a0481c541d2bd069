"""Messages to providers, worded to be read aloud: who, what, where, when, pay, how to answer, how to stop."""

from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from attrs import frozen

from repaircore.dispatch.jobs import PreviousTerms
from repaircore.dispatch.model import DispatchRequest, Notice
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.views import iso_utc
from repaircore.kernel.wording import money, time_and_day
from repaircore.messages.texts import sms_text
from repaircore.providers.model import Provider
from repaircore.rides.model import Ride, RideKind, Status, Vehicle

_LONGEST_VEHICLE: Final = 40
_WORTH_TELLING: Final = timedelta(days=1)
_STOP_BY_LINK: Final = 'To stop getting requests, open the link and choose "Stop these requests".'
_STOP_BY_REPLY: Final = "Reply STOP to opt out."
"""How to opt out of text messages that have no link to do so; the SMS gateway must honor the reply."""


@frozen(kw_only=True)
class RequestFacts:
    """The facts for messages about a request, as of ``at``.

    ``area`` and ``destination`` are the areas of the pickup and the dropoff, or None if they have no name. ``before``
    has the terms that the provider knew before the customer changed them, or is None if they have not changed;
    ``destination_before`` is the area of the previous dropoff.
    """

    request: DispatchRequest
    ride: Ride
    provider: Provider
    area: str | None
    destination: str | None = None
    before: PreviousTerms | None = None
    destination_before: str | None = None
    link: str
    at: datetime

    @property
    def old_at(self) -> datetime:
        """Return when an outcome is no longer worth reporting.

        This is at least a day away, because a ride under way is often past its ``expires_at``.
        """
        return max(self.ride.expires_at, self.at + _WORTH_TELLING)

    @property
    def sender(self) -> str:
        """Return the sender, which is the host of the link."""
        return urlsplit(self.link).netloc

    @property
    def job(self) -> str:
        """Return the name of the job."""
        return job_words(self.ride.kind, self.ride.service)

    @property
    def spoken_job(self) -> str:
        """Return the name of the job as used within a sentence."""
        return f"{self.job[:1].lower()}{self.job[1:]}"

    @property
    def place(self) -> str:
        """Return where the job is, without the address."""
        distance = f"{self.request.distance_miles:.1f} mi from you"
        return distance if self.area is None else f"near {self.area}, {distance}"

    @property
    def short_place(self) -> str:
        """Return the place for a message with little room: the area if it has a name, or else the distance."""
        return self.place if self.area is None else f"near {self.area}"

    @property
    def pay(self) -> str:
        """Return the pay, which is the quoted price until a provider is chosen."""
        return money(self.ride.agreed_price)

    @property
    def pay_before(self) -> str | None:
        """Return the pay before the customer changed the trip, or None if it is unchanged or unknown."""
        pay = None if self.before is None else self.before.other_pay(self.ride.agreed_price)
        return None if pay is None else money(pay)

    @property
    def time(self) -> str:
        """Return when the provider is needed: ``now``, or ``at`` and a time."""
        scheduled = self.ride.scheduled_for
        return "now" if scheduled is None else f"at {self.local(scheduled)}"

    @property
    def which(self) -> str:
        """Return what identifies a job among several: what, where and when."""
        scheduled = self.ride.scheduled_for
        when = (
            f"requested at {self.local(self.request.sent_at)}"
            if scheduled is None
            else f"for {self.local(scheduled)}"
        )
        return f"{self.spoken_job} {self.place} ({when})"

    @property
    def due(self) -> str:
        """Return a sentence with the deadline for the pickup, or "" once the provider has arrived."""
        if self.ride.status not in {Status.PENDING, Status.ACCEPTED}:
            return ""
        at = self.ride.eta_at or self.ride.scheduled_for
        return "Be there as soon as you can." if at is None else f"Be there by {self.local(at)}."

    @property
    def stop(self) -> str:
        """Return instructions on how to stop requests, for messages whose link no longer works."""
        return f"To stop getting requests, contact the operator of {self.sender}."

    def local(self, at: datetime) -> str:
        """Return a time in the provider's time zone, with the zone and the day."""
        return local_time(at, self.provider.time_zone)


def job_words(kind: RideKind, service: str) -> str:
    """Return the name of a job."""
    return f"{service} tow" if kind is RideKind.TOW else service.replace("_", " ").capitalize()


def vehicle_words(vehicle: Vehicle) -> str | None:
    """Return a vehicle in words, or None if nothing is known about it."""
    parts = [part for part in (vehicle.color, vehicle.year, vehicle.make, vehicle.model) if part]
    return " ".join(parts) or None


def local_time(at: datetime, zone: str) -> str:
    """Return a time with its zone and day (``5:42 PM EST on Fri, Nov 27``): a message may be read the next morning."""
    return time_and_day(at.astimezone(ZoneInfo(zone)))


def ask(facts: RequestFacts) -> Notice:
    """Return the message that requests an offer; if the trip was changed, it says what has changed."""
    until = facts.local(facts.request.expires_at)
    vehicle = vehicle_words(facts.ride.vehicle)
    body = [
        f"Hello {facts.provider.name},",
        "",
        f"{facts.sender} has a job for you:"
        if facts.before is None
        else f"The customer changed a job that {facts.sender} sent you:",
        "",
        f"What: {facts.job}",
        *([] if vehicle is None else [f"Vehicle: {vehicle}"]),
        f"Where: {facts.place}",
        *_destination_lines(facts),
        f"When: {facts.time}",
        f"Pays: {facts.pay}{'' if facts.pay_before is None else f' (before: {facts.pay_before})'}",
        f"Answer by: {until}",
        "",
        f"Make an offer or decline: {facts.link}",
        "",
        *([] if facts.before is None else ["If you already answered, please answer again.", ""]),
        "If you are chosen, you will get the address and the customer's name. Until then, there is nothing else to do.",
        _STOP_BY_LINK,
    ]
    subject = f"{facts.job}, {facts.place}"
    return _notice(
        facts,
        "requested",
        subject if facts.before is None else f"Changed: {subject}",
        body,
        _asking(facts, until),
        expires_at=facts.request.expires_at,  # anyone who gets it later could not answer in time
    )


def chosen(facts: RequestFacts) -> Notice:
    """Return the message that the provider was chosen; if the destination has changed, it names the old one as well."""
    is_changed = facts.before is not None
    where = f"{facts.short_place}{_from_to(facts)}" if is_changed else facts.place
    due = f" {facts.due}" if facts.due else ""
    text = sms_text(
        f"{facts.sender}: You have the job. {facts.job} {where}",
        ending=f".{due} Pays {facts.pay}{_instead(facts)}. {_STOP_BY_REPLY} Address and next steps: {facts.link}",
    )
    body = [
        f"Hello {facts.provider.name},",
        "",
        f"You have the job from {facts.sender}: {facts.spoken_job}, {facts.place}.{due} It pays {facts.pay}{_instead(facts)}.",
        "",
        *(
            [
                "The customer has changed the destination.",
                *_destination_lines(facts, address=facts.ride.dropoff_address),
                "",
            ]
            if is_changed
            else []
        ),
        f"The address, the customer's name and the next steps are here: {facts.link}",
        "",
        "If you cannot make it, please say so there right away so that someone else can go.",
        _STOP_BY_LINK,
    ]
    return _notice(facts, "chosen", f"You have the job: {facts.job}", body, text)


def changed(facts: RequestFacts) -> Notice:
    """Return the message that the job's destination has changed, with the old and the new one, and the pay."""
    due = f" {facts.due}" if facts.due else ""
    pays = f"It now pays {facts.pay}{_instead(facts)}."
    text = sms_text(
        f"{facts.sender}: New destination for your {facts.spoken_job} {facts.short_place}{_from_to(facts)}",
        ending=f".{due} {pays} {_STOP_BY_REPLY} Details: {facts.link}",
    )
    body = [
        f"Hello {facts.provider.name},",
        "",
        f"The customer changed the destination of your job from {facts.sender}: {facts.spoken_job}, {facts.place}.",
        "",
        *_destination_lines(facts, address=facts.ride.dropoff_address),
        f"{pays}{due}",
        "",
        f"The address and the next steps are here: {facts.link}",
        "",
        "If you cannot do this, please say so there before the job starts so that someone else can take it.",
        _STOP_BY_LINK,
    ]
    return _notice(facts, "changed", f"New destination: {facts.job}", body, text)


def not_chosen(facts: RequestFacts) -> Notice:
    """Return the message that the provider's offer was not accepted."""
    sentence = f"Your offer for the {facts.which} was not accepted. There is nothing else to do. Thank you for offering."
    return _closing(facts, "not_chosen", f"Not chosen: {facts.job}", sentence)


def offer_void(facts: RequestFacts) -> Notice:
    """Return the message that the provider's offer no longer counts, because the customer changed the trip."""
    sentence = (
        f"The customer changed the {facts.which}, so your offer no longer counts."
        " If you are needed for the new trip, you will get a new request."
    )
    return _closing(facts, "not_chosen", f"Changed: {facts.job}", sentence)


def cancelled(facts: RequestFacts) -> Notice:
    """Return the message that the job was canceled after the provider was chosen."""
    sentence = f"The {facts.which} was canceled. Please do not go there."
    return _closing(facts, "cancelled", f"Canceled: {facts.job}", sentence)


def taken_off(facts: RequestFacts) -> Notice:
    """Return the message that the provider is no longer on the job."""
    sentence = (
        f"You are no longer on the {facts.which}. Please do not go there. We are asking other providers."
    )
    return _closing(facts, "dropped_out", f"No longer yours: {facts.job}", sentence)


def _closing(facts: RequestFacts, event: str, subject: str, sentence: str) -> Notice:
    body = [f"Hello {facts.provider.name},", "", sentence, "", f"Sent by {facts.sender}. {facts.stop}"]
    text = sms_text(f"{facts.sender}: {sentence}", ending=f" {_STOP_BY_REPLY}")
    return _notice(facts, event, subject, body, text)


def _asking(facts: RequestFacts, until: str) -> str:
    """Return the text message for a request; if it is too long, it is cut before the time, the pay and the link."""
    vehicle = vehicle_words(facts.ride.vehicle)
    what = facts.job if vehicle is None else f"{facts.job}, {vehicle[:_LONGEST_VEHICLE]}"
    text = f"{facts.sender}: Can you take this job? {what}, {facts.place}"
    if facts.before is not None:
        text = f"{facts.sender}: Job changed. {facts.job} {facts.short_place}{_from_to(facts)}"
    return sms_text(
        text,
        ending=f". Needed {facts.time}. Pays {facts.pay}{_instead(facts)}. Answer by {until} or stop these requests: {facts.link}",
    )


def _instead(facts: RequestFacts) -> str:
    return "" if facts.pay_before is None else f" instead of {facts.pay_before}"


def _from_to(facts: RequestFacts) -> str:
    """Return the new and the old destination for a text message, or "" if the new one has no name or the same name."""
    old = facts.destination_before
    if facts.destination is None or old == facts.destination:
        return ""
    return f", to {facts.destination}" + ("" if old is None else f" instead of {old}")


def _destination_lines(facts: RequestFacts, *, address: str | None = None) -> list[str]:
    """Return the lines of an e-mail about the destination: the new one, and the old one if it was changed."""
    if facts.ride.dropoff == facts.ride.pickup:
        return []
    area = None if facts.destination is None else f"near {facts.destination}"
    new = address or area
    old = None if facts.destination_before is None else f"near {facts.destination_before}"
    lines = [] if new is None else [f"{'Destination' if facts.before is None else 'New destination'}: {new}"]
    return lines if old is None or old == new else [f"Old destination: {old}", *lines]


def _notice(
    facts: RequestFacts,
    event: str,
    subject: str,
    body: list[str],
    text: str,
    *,
    expires_at: datetime | None = None,
) -> Notice:
    """Return a message that is not sent after ``expires_at``, by default ``facts.old_at``."""
    before = facts.before
    payload: dict[str, Any] = {
        "type": f"request.{event}",
        "request": facts.request.ref,
        "kind": str(facts.ride.kind),
        "service": facts.ride.service,
        "area": facts.area,
        "destination_area": facts.destination,
        "distance_miles": round(facts.request.distance_miles, 2),
        "pays": dollars(facts.ride.agreed_price),
        "currency": "USD",
        "before_change": None
        if before is None
        else {"destination_area": facts.destination_before, "pays": dollars_or_none(before.pay)},
        "answer_by": iso_utc(facts.request.expires_at),
        "scheduled_for": None if facts.ride.scheduled_for is None else iso_utc(facts.ride.scheduled_for),
        "link": facts.link,
    }
    return Notice(
        about=facts.request.ref,
        subject=subject,
        text=text,
        body="\n".join(body) + "\n",
        payload=payload,
        expires_at=expires_at or facts.old_at,
    )
