"""Messages to providers, fit to be read aloud: who, what, where, when, pay, how to answer, how to stop."""

from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from attrs import frozen

from repaircore.dispatch.model import DispatchRequest, Notice
from repaircore.kernel.views import iso_utc
from repaircore.kernel.wording import money, time_of_day
from repaircore.messages.texts import sms_text
from repaircore.providers.model import Provider
from repaircore.rides.model import Ride, RideKind, Status, Vehicle

_LONGEST_VEHICLE: Final = 40
_DOLLAR: Final = 100
_WORTH_TELLING: Final = timedelta(days=1)
_STOP_BY_LINK: Final = "To get no more requests, open the link and choose Stop these requests."
_STOP_BY_REPLY: Final = " Reply STOP to stop."
"""The end of a text message whose link has no option to stop; the SMS gateway must honor the reply."""


@frozen(kw_only=True)
class RequestFacts:
    """The facts in messages about a request, as of ``at``. ``area`` is None if it has no name."""

    request: DispatchRequest
    ride: Ride
    provider: Provider
    area: str | None
    link: str
    at: datetime

    @property
    def old_at(self) -> datetime:
        """Return when an outcome is no longer worth telling: a ride under way is often older than its own ``expires_at``."""
        return max(self.ride.expires_at, self.at + _WORTH_TELLING)

    @property
    def sender(self) -> str:
        """Return the sender: the host of the link."""
        return urlsplit(self.link).netloc

    @property
    def job(self) -> str:
        """Return the name of the job."""
        return job_words(self.ride.kind, self.ride.service)

    @property
    def spoken_job(self) -> str:
        """Return the name of the job within a sentence."""
        return f"{self.job[:1].lower()}{self.job[1:]}"

    @property
    def place(self) -> str:
        """Return the place without the address."""
        distance = f"{self.request.distance_miles:.1f} mi from you"
        return distance if self.area is None else f"near {self.area}, {distance}"

    @property
    def pay(self) -> str:
        """Return the pay: until a provider is chosen, the quoted price."""
        return money(self.ride.agreed_price)

    @property
    def time(self) -> str:
        """Return when the provider is wanted."""
        scheduled = self.ride.scheduled_for
        return "now" if scheduled is None else f"at {self.local(scheduled)}"

    @property
    def which(self) -> str:
        """Return which of several jobs a message is about: what, where and when."""
        scheduled = self.ride.scheduled_for
        when = (
            f"asked at {self.local(self.request.sent_at)}"
            if scheduled is None
            else f"for {self.local(scheduled)}"
        )
        return f"{self.spoken_job} {self.place} ({when})"

    @property
    def due(self) -> str:
        """Return a sentence with the deadline for the pickup; "" once the provider has arrived."""
        if self.ride.status not in {Status.PENDING, Status.ACCEPTED}:
            return ""
        at = self.ride.eta_at or self.ride.scheduled_for
        return "Be there as soon as you can." if at is None else f"Be there by {self.local(at)}."

    @property
    def stop(self) -> str:
        """Return instructions to stop requests, for messages whose link has expired."""
        return f"To get no more requests, tell the operator of {self.sender}, who lists you."

    def local(self, at: datetime) -> str:
        """Return a time on the provider's clock, with its time zone and day."""
        return local_time(at, self.provider.time_zone)


def job_words(kind: RideKind, service: str) -> str:
    """Return the name of a job."""
    return f"{service} tow" if kind is RideKind.TOW else service.replace("_", " ").capitalize()


def vehicle_words(vehicle: Vehicle) -> str | None:
    """Return a vehicle in words; None when nothing is known of it."""
    parts = [part for part in (vehicle.color, vehicle.year, vehicle.make, vehicle.model) if part]
    return " ".join(parts) or None


def local_time(at: datetime, zone: str) -> str:
    """Return a time with its time zone and day, as a message may be read the next morning: ``5:42 PM EST on Fri, Nov 27``."""
    local = at.astimezone(ZoneInfo(zone))
    return f"{time_of_day(local)} on {local:%a}, {local:%b} {local.day}"


def ask(facts: RequestFacts) -> Notice:
    """Return the message that requests an offer."""
    until = facts.local(facts.request.expires_at)
    vehicle = vehicle_words(facts.ride.vehicle)
    body = [
        f"Hello {facts.provider.name},",
        "",
        f"{facts.sender} asks whether you can take this job:",
        "",
        f"What: {facts.job}",
        *([] if vehicle is None else [f"Vehicle: {vehicle}"]),
        f"Where: {facts.place}",
        f"When: {facts.time}",
        f"Pays: {facts.pay}",
        f"Please answer by: {until}",
        "",
        f"Offer or decline here: {facts.link}",
        "",
        "The address and the customer's name come once you are chosen. Until then there is nothing to do but answer.",
        _STOP_BY_LINK,
    ]
    return _notice(
        facts,
        "requested",
        f"{facts.job}, {facts.place}",
        body,
        _asking(facts, until),
        expires_at=facts.request.expires_at,  # whoever gets it later could not answer in time
    )


def chosen(facts: RequestFacts) -> Notice:
    """Return the message that the provider was chosen."""
    text = sms_text(
        f"{facts.sender}: you have the job. {facts.job} {facts.place}",
        ending=f". {facts.due} Pays {facts.pay}. Address, customer and next steps: {facts.link} .{_STOP_BY_REPLY}",
    )
    body = [
        f"Hello {facts.provider.name},",
        "",
        f"{facts.sender} chose you. You have the job: {facts.spoken_job}, {facts.place}. {facts.due} It pays {facts.pay}.",
        "",
        f"The address, the customer and the next steps are here: {facts.link}",
        "",
        "If you cannot come, say so there right away, so that somebody else can.",
        _STOP_BY_LINK,
    ]
    return _notice(facts, "chosen", f"You have the job: {facts.job}", body, text)


def changed(facts: RequestFacts) -> Notice:
    """Return the message that the destination of the job has changed, with the new pay."""
    to = facts.ride.dropoff_address
    where = "The new one is on the page of the job." if to is None else f"The new one: {to}."
    due = f" {facts.due}" if facts.due else ""
    sentence = f"the destination of the {facts.spoken_job} {facts.place} has changed. {where} It pays {facts.pay} now."
    text = sms_text(
        f"{facts.sender}: the destination of your {facts.spoken_job} {facts.place} has changed",
        ending=f".{due} It pays {facts.pay} now. Where to: {facts.link} .{_STOP_BY_REPLY}",
    )
    body = [
        f"Hello {facts.provider.name},",
        "",
        f"A message from {facts.sender}: {sentence}{due}",
        "",
        f"The address and the next steps are here: {facts.link}",
        "",
        "If you cannot do this, say so there before the job starts, so that somebody else can.",
        _STOP_BY_LINK,
    ]
    return _notice(facts, "changed", f"New destination: {facts.job}", body, text)


def not_chosen(facts: RequestFacts) -> Notice:
    """Return the message that the provider's offer was not accepted."""
    sentence = f"your offer for the {facts.which} was not accepted. There is nothing to do. Thank you."
    return _closing(facts, "not_chosen", f"Not chosen: {facts.job}", sentence)


def cancelled(facts: RequestFacts) -> Notice:
    """Return the message that the job was cancelled after the provider was chosen."""
    sentence = f"the {facts.which} was cancelled. Please do not go there."
    return _closing(facts, "cancelled", f"Cancelled: {facts.job}", sentence)


def taken_off(facts: RequestFacts) -> Notice:
    """Return the message that the provider is no longer on the job."""
    sentence = f"you are no longer on the {facts.which}. Somebody else is asked."
    return _closing(facts, "dropped_out", f"No longer yours: {facts.job}", sentence)


def _closing(facts: RequestFacts, event: str, subject: str, sentence: str) -> Notice:
    body = [f"Hello {facts.provider.name},", "", f"A message from {facts.sender}: {sentence}", "", facts.stop]
    return _notice(
        facts, event, subject, body, sms_text(f"{facts.sender}: {sentence}", ending=_STOP_BY_REPLY)
    )


def _asking(facts: RequestFacts, until: str) -> str:
    """Return the text message of a request; it is cut before the pay, the time and the link."""
    vehicle = vehicle_words(facts.ride.vehicle)
    what = facts.job if vehicle is None else f"{facts.job}, {vehicle[:_LONGEST_VEHICLE]}"
    return sms_text(
        f"{facts.sender} asks: can you take this? {what}, {facts.place}",
        ending=f". Wanted {facts.time}. Pays {facts.pay}. Answer by {until}, or stop these requests: {facts.link}",
    )


def _notice(
    facts: RequestFacts,
    event: str,
    subject: str,
    body: list[str],
    text: str,
    *,
    expires_at: datetime | None = None,
) -> Notice:
    """Return a message, which is of no use after ``expires_at``, or else when the outcome is old news."""
    payload: dict[str, Any] = {
        "type": f"request.{event}",
        "request": facts.request.ref,
        "kind": str(facts.ride.kind),
        "service": facts.ride.service,
        "area": facts.area,
        "distance_miles": round(facts.request.distance_miles, 2),
        "pays": facts.ride.agreed_price / _DOLLAR,
        "currency": "USD",
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
