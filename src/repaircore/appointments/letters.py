"""Messages to customers and mechanics about appointments, with links to answer and to unsubscribe."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from attrs import frozen

from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.model import Appointment
from repaircore.customers.model import Customer
from repaircore.kernel.wording import money, time_of_day

_PICKUP: Final = {
    Pickup.NOT_STARTED: "The pickup of your vehicle has not started yet.",
    Pickup.DRIVER_ASSIGNED: "A driver has been assigned to pick up your vehicle.",
    Pickup.EN_ROUTE: "The driver is on the way to your vehicle.",
    Pickup.ARRIVED: "The driver has arrived at your vehicle.",
    Pickup.VEHICLE_COLLECTED: "The driver has picked up your vehicle and is on the way to the mechanic.",
    Pickup.DELIVERED: "Your vehicle has arrived at the mechanic.",
}


@frozen(kw_only=True)
class News:
    """What has happened to an appointment: the subject and the first sentence of a message about it."""

    subject: str
    sentence: str


BOOKED: Final = News(subject="Your appointment", sentence="Your appointment is booked.")
RESCHEDULED: Final = News(
    subject="Your appointment has a new time", sentence="Your appointment was moved to a new time."
)
CANCELLED: Final = News(subject="Your appointment is cancelled", sentence="Your appointment was cancelled.")
REMINDER: Final = News(
    subject="Reminder: your appointment", sentence="This is a reminder of your appointment."
)
DECLINED: Final = News(
    subject="Your appointment needs another time",
    sentence="The mechanic cannot take your appointment. You will hear about another time.",
)

NEW: Final = News(subject="New appointment", sentence="You have a new appointment.")
MOVED: Final = News(subject="An appointment has a new time", sentence="An appointment of yours was moved.")
CALLED_OFF: Final = News(
    subject="An appointment is cancelled", sentence="An appointment of yours was cancelled."
)


@frozen(kw_only=True)
class Letter:
    """A message: as a mail with a subject, and as a short text, whose ending is never cut."""

    subject: str
    body: str
    short: str
    ending: str


def pickup_news(appointment: Appointment) -> News:
    """Return the progress of the pickup."""
    return News(subject="The pickup of your vehicle", sentence=_PICKUP[appointment.pickup])


def when(appointment: Appointment, *, now: datetime) -> str:
    """Return the start by the mechanic's clock: ``Tuesday, December 1 at 10:00 AM EST``, with the year unless it is this one."""
    zone = ZoneInfo(appointment.place.time_zone)
    start = appointment.starts_at.astimezone(zone)
    year = "" if start.year == now.astimezone(zone).year else f", {start.year}"
    return f"{start:%A, %B} {start.day}{year} at {time_of_day(start)}"


def customer_letter(news: News, appointment: Appointment, customer: Customer, *, now: datetime) -> Letter:
    """Return the message to the customer."""
    place, time = appointment.place, when(appointment, now=now)
    phone = appointment.place_phone(at=now)
    where = ", ".join(filter(None, (place.name, place.address, place.city, place.state)))
    how = f"Call {place.name} at {phone}" if phone else "Contact whoever booked it for you"
    ask = f"call {phone}" if phone else "ask whoever booked it"
    lines = (
        f"Hello {customer.first_name},",
        "",
        news.sentence,
        "",
        *_facts(appointment, time, where, phone),
        "",
        f"To change or cancel it: {how}, and name the reference.",
        "You get these messages because this appointment was booked for you. To stop them, tell whoever booked it.",
        "",
    )
    return Letter(
        subject=f"{news.subject} at {place.name}",
        body="\n".join(lines),
        short=f"{news.sentence} {_service_and_time(appointment, time)}, {where}.{_not_coming(appointment)}",
        # Not with the name of the place, which may be as long as a whole SMS and is never cut here.
        ending=f" Questions or changes: {ask}, ref. {appointment.ref}. Reply STOP to stop.",
    )


def mechanic_letter(
    news: News, appointment: Appointment, customer: Customer | None, *, link: str | None, now: datetime
) -> Letter:
    """Return the message to the mechanic; with a ``link``, by which they accept or decline."""
    time = when(appointment, now=now)
    who = "" if customer is None else f"{customer.first_name} {customer.last_name}"
    lines = (
        f"Hello {appointment.place.name},",
        "",
        news.sentence,
        "",
        *([f"Customer:  {who}"] if who else []),
        *_facts(appointment, time, appointment.address, appointment.masked_phone(at=now)),
        "",
        *([f"Accept or decline: {link}", ""] if link else []),
        "You get these messages because you are listed as a mechanic. To stop them, tell the operator of the directory.",
        "",
    )
    return Letter(
        subject=f"{news.subject}: {time}",
        body="\n".join(lines),
        short=f"{news.sentence} {_service_and_time(appointment, time)}.",
        ending=(f" Accept or decline: {link} ." if link else "") + " Reply STOP to stop.",
    )


def _facts(appointment: Appointment, time: str, where: str | None, phone: str | None) -> list[str]:
    vehicle = appointment.vehicle
    price = None if appointment.price is None else money(appointment.price)
    not_coming = appointment.no_show_fee if appointment.status is Status.SCHEDULED else None
    facts = (
        ("When", time),
        ("What", service_words(appointment)),
        ("Vehicle", None if vehicle is None else vehicle.name or vehicle.vin),
        ("Where", where),
        ("Phone", phone),
        ("Price", price),
        ("Fee", money(appointment.cancel_fee) if appointment.cancel_fee else None),
        ("No-show", f"{money(not_coming)}, if the customer does not come" if not_coming else None),
        ("Reference", appointment.ref),
    )
    return [f"{name + ':':10} {value}" for name, value in facts if value]


def _not_coming(appointment: Appointment) -> str:
    """Return what it costs not to come, as a sentence for a text message; empty where it costs nothing."""
    fee = appointment.no_show_fee if appointment.status is Status.SCHEDULED else None
    return f" Not coming costs {money(fee)}." if fee else ""


def _service_and_time(appointment: Appointment, time: str) -> str:
    service = service_words(appointment)
    return time if service is None else f"{service}, {time}"


def service_words(appointment: Appointment) -> str | None:
    """Return the service in words; None where there is none."""
    return None if appointment.service is None else appointment.service.replace("_", " ").capitalize()
