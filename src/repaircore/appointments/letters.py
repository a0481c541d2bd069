"""Messages to customers and mechanics about appointments, by e-mail and SMS; mechanics get a link to respond."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from attrs import frozen

from repaircore.appointments.cancellation import CancellationPolicy
from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.model import Appointment, Response
from repaircore.customers.model import Customer
from repaircore.kernel.wording import money, time_and_day, time_of_day

_STOP: Final = "Reply STOP to opt out."
_LONGEST_PARTNER: Final = 40
"""The maximum length of a partner's name in a text message."""
_NOT_KEPT: Final = frozenset({Status.CANCELLED, Status.NO_SHOW})
_PICKUP: Final = {
    Pickup.NOT_STARTED: "The pickup of your vehicle has not started yet.",
    Pickup.DRIVER_ASSIGNED: "A driver has been assigned to pick up your vehicle.",
    Pickup.EN_ROUTE: "The driver is on the way to your vehicle.",
    Pickup.ARRIVED: "The driver has arrived at your vehicle.",
    Pickup.VEHICLE_COLLECTED: "The driver has picked up your vehicle and is on the way to the mechanic.",
    Pickup.DELIVERED: "Your vehicle has arrived at the mechanic.",
}


@frozen(kw_only=True)
class CustomerNews:
    """The wording of a message to a customer: ``sentence`` precedes the facts, and ``then`` follows them.

    The ``subject`` has a placeholder for the mechanic's name. ``names_fee`` is whether the message states the fees for
    a no-show and a cancellation.
    """

    subject: str
    sentence: str
    then: str = ""
    names_fee: bool = False


@frozen(kw_only=True)
class MechanicNews:
    """The wording of a message to a mechanic: ``sentence`` precedes the facts.

    ``asks`` is whether the message has a link to accept or decline the appointment.
    """

    subject: str
    sentence: str
    asks: bool


BOOKED: Final = CustomerNews(
    subject="Your appointment at {}", sentence="Your appointment is booked:", names_fee=True
)
RESCHEDULED: Final = CustomerNews(
    subject="Your appointment at {} has a new time",
    sentence="Your appointment was moved to a new time:",
    names_fee=True,
)
CANCELLED: Final = CustomerNews(
    subject="Your appointment at {} is canceled", sentence="Your appointment was canceled:"
)
REMINDER: Final = CustomerNews(
    subject="Reminder: your appointment at {}",
    sentence="This is a reminder of your appointment:",
    names_fee=True,
)
NO_SHOW: Final = CustomerNews(
    subject="Your appointment at {} was closed",
    sentence="Your appointment was closed because you did not show up:",
)
DECLINED: Final = CustomerNews(
    subject="Your appointment at {} needs another time",
    sentence="The mechanic cannot take your appointment:",
    then="You will be contacted about another time.",
)

NEW: Final = MechanicNews(subject="New appointment", sentence="You have a new appointment:", asks=True)
MOVED: Final = MechanicNews(
    subject="Appointment moved",
    sentence="One of your appointments was moved to a new time:",
    asks=True,
)
CALLED_OFF: Final = MechanicNews(
    subject="Appointment canceled", sentence="One of your appointments was canceled:", asks=False
)
PHONE: Final = MechanicNews(
    subject="Phone number for your appointment",
    sentence="You can now call the customer of your appointment:",
    asks=False,
)

LATE_MOVE: Final = (
    "It was moved on short notice. Until you accept the new time, canceling costs the customer a fee."
)
"""The note to the mechanic of an appointment that was moved late: accepting makes canceling free again."""


@frozen(kw_only=True)
class Letter:
    """A message as an e-mail (``subject``, ``body``) and as a text message (``short``, ``ending``).

    If the text message is too long, ``short`` is cut, but never ``ending``.
    """

    subject: str
    body: str
    short: str
    ending: str


def pickup_news(appointment: Appointment) -> CustomerNews:
    """Return the wording of a message about the pickup's progress."""
    return CustomerNews(
        subject="Pickup of your vehicle for {}",
        sentence=f"{_PICKUP[appointment.pickup]} Your appointment:",
    )


def when(appointment: Appointment, *, now: datetime) -> str:
    """Return the start on the mechanic's clock, such as ``Tuesday, December 1 at 10:00 AM EST``.

    The year is included unless it is the current year.
    """
    return _in_words(appointment.starts_at, ZoneInfo(appointment.place.time_zone), now=now)


def customer_letter(
    news: CustomerNews,
    appointment: Appointment,
    customer: Customer,
    *,
    partner: str,
    policy: CancellationPolicy,
    sender: str,
    now: datetime,
    moved_from: datetime | None = None,
) -> Letter:
    """Return the message to the customer, for whom ``partner`` booked the appointment.

    ``policy`` determines what a cancellation costs. The e-mail also names the host ``sender`` and, if given, the former
    start ``moved_from``.
    """
    place, time = appointment.place, when(appointment, now=now)
    who_and_where = (
        appointment.where if appointment.own_address is None else f"with {place.name} at {appointment.where}"
    )
    then = f" {news.then}" if news.then else ""
    return Letter(
        subject=news.subject.format(place.name),
        body="\n".join(
            _customer_lines(
                news, appointment, customer, policy, sender, partner=partner, now=now, moved_from=moved_from
            )
        ),
        short=f"{news.sentence} {_service_and_time(appointment, time)}, {who_and_where}.{then}",
        ending=_customer_ending(news, appointment, partner, policy, now=now),
    )


def _customer_lines(
    news: CustomerNews,
    appointment: Appointment,
    customer: Customer,
    policy: CancellationPolicy,
    sender: str,
    *,
    partner: str,
    now: datetime,
    moved_from: datetime | None,
) -> list[str]:
    """Return the lines of the e-mail to the customer."""
    before = _start(appointment, moved_from, now=now)
    place, phone = appointment.place, appointment.place_phone(at=now)
    cancellation = cancellation_sentence(policy, appointment, now=now) if news.names_fee else None
    no_show = _no_show_fee(appointment) if news.names_fee else None
    contact = f"call {place.name} at {phone}" if phone else f"contact {partner}"
    ask = (
        f"To change or cancel it, {contact}"
        if appointment.status is Status.SCHEDULED
        else f"Questions? {contact[:1].upper()}{contact[1:]}"
    )
    return [
        f"Hello {customer.first_name},",
        "",
        news.sentence,
        "",
        *([f"Mechanic:  {place.name}"] if appointment.own_address is not None else []),
        *_facts(appointment, when(appointment, now=now), appointment.where, phone, before=before),
        *(
            [f"No-show:   {money(no_show)} if you do not show up{_or_cancel(no_show, policy)}"]
            if no_show
            else []
        ),
        f"Reference: {appointment.ref}",
        "",
        *([news.then, ""] if news.then else []),
        *([cancellation] if cancellation else []),
        f"{ask} and give the reference.",
        f"You are getting this message from {sender} because {partner} booked this appointment for you. To stop these messages, contact {partner.rstrip('.')}.",
        "",
    ]


def _customer_ending(
    news: CustomerNews, appointment: Appointment, partner: str, policy: CancellationPolicy, *, now: datetime
) -> str:
    """Return the end of the text message to the customer.

    It leaves out the place, whose name may fill a whole SMS, and shortens the name of the partner, because an ending is
    never cut.
    """
    is_over = appointment.status is not Status.SCHEDULED
    phone = appointment.place_phone(at=now)
    contact = f"call {phone}" if phone else f"contact {_short_name(partner)}"
    fees = _fees(appointment, policy, now=now) if news.names_fee or is_over else ""
    ask = "Questions" if is_over else "Questions or changes"
    return f"{fees} {ask}: {contact}, ref. {appointment.ref}. {_STOP}"


def _short_name(name: str) -> str:
    return name if len(name) <= _LONGEST_PARTNER else f"{name[: _LONGEST_PARTNER - 3].rstrip()}..."


def mechanic_letter(
    news: MechanicNews,
    appointment: Appointment,
    customer: Customer | None,
    *,
    policy: CancellationPolicy,
    link: str | None,
    sender: str,
    now: datetime,
    moved_from: datetime | None = None,
) -> Letter:
    """Return the message to the mechanic from the host ``sender``, with a ``link`` to accept or decline if given.

    ``moved_from`` is the former start; if given, the message names it too.
    """
    time = when(appointment, now=now)
    before = _start(appointment, moved_from, now=now)
    sentence = f"Your appointment was moved from {before}:" if before else news.sentence
    phone = appointment.customer_phone(None if customer is None else customer.phone, at=now)
    for_customer = "" if customer is None else f" for {_full_name(customer)}"
    where = appointment.where_for_mechanic
    return Letter(
        subject=f"{news.subject}: {time}",
        body="\n".join(
            _mechanic_lines(
                news, appointment, customer, policy, link=link, sender=sender, before=before, now=now
            )
        ),
        short=f"{sender}: {sentence} {_service_and_time(appointment, time)}{for_customer}, {where}.",
        ending=(f" Call {phone}." if phone else "")
        + f" Ref. {appointment.ref}. {_STOP}"
        + (f" Accept or decline: {link}" if link else ""),
    )


def _mechanic_lines(
    news: MechanicNews,
    appointment: Appointment,
    customer: Customer | None,
    policy: CancellationPolicy,
    *,
    link: str | None,
    sender: str,
    before: str | None,
    now: datetime,
) -> list[str]:
    """Return the lines of the e-mail to the mechanic."""
    phone = appointment.customer_phone(None if customer is None else customer.phone, at=now)
    no_show = _no_show_fee(appointment)
    is_late_move = link is not None and policy.is_late_move(appointment, at=now)
    return [
        f"Hello {appointment.place.name},",
        "",
        news.sentence,
        "",
        *([] if customer is None else [f"Customer:  {_full_name(customer)}"]),
        *_facts(
            appointment, when(appointment, now=now), appointment.where_for_mechanic, phone, before=before
        ),
        *(
            [f"No-show:   {money(no_show)} if the customer does not show up{_or_cancel(no_show, policy)}"]
            if no_show
            else []
        ),
        f"Reference: {appointment.ref}",
        "",
        *([f"Accept or decline: {link}", ""] if link else []),
        *([LATE_MOVE, ""] if is_late_move else []),
        f"You are getting this message because you are listed as a mechanic. To stop these messages, contact the operator of {sender}.",
        "",
    ]


def _full_name(customer: Customer) -> str:
    return f"{customer.first_name} {customer.last_name}"


def cancellation_sentence(
    policy: CancellationPolicy, appointment: Appointment, *, now: datetime
) -> str | None:
    """Return a sentence about what canceling costs now or later, or None if no cancellation fee applies."""
    if not _may_cost(policy, appointment):
        return None
    cost = policy.cost(appointment, at=now)
    zone = ZoneInfo(appointment.place.time_zone)
    if policy.is_late_move(appointment, at=now):
        until = _in_words(policy.free_until(appointment.starts_at), zone, now=now)
        return (
            f"Canceling now costs {money(cost.fee)}, because it was moved on short notice. "
            f"Once the mechanic accepts the new time, canceling is free until {until}."
        )
    if cost.fee:
        return f"Canceling now costs {money(cost.fee)}."
    until = _in_words(cost.free_until, zone, now=now)
    return f"Canceling is free until {until} and costs {money(policy.fee)} after that."


def _may_cost(policy: CancellationPolicy, appointment: Appointment) -> bool:
    """Return whether canceling the appointment costs the cancellation fee, now or later."""
    is_declined = appointment.response is Response.DECLINED
    return bool(policy.fee) and not is_declined and appointment.status is Status.SCHEDULED


def _in_words(at: datetime, zone: ZoneInfo, *, now: datetime) -> str:
    local = at.astimezone(zone)
    year = "" if local.year == now.astimezone(zone).year else f", {local.year}"
    return f"{local:%A, %B} {local.day}{year} at {time_of_day(local)}"


def _start(appointment: Appointment, at: datetime | None, *, now: datetime) -> str | None:
    """Return ``at`` in words, on the mechanic's clock, or None if ``at`` is None."""
    return None if at is None else _in_words(at, ZoneInfo(appointment.place.time_zone), now=now)


def _facts(
    appointment: Appointment, time: str, where: str | None, phone: str | None, *, before: str | None
) -> list[str]:
    vehicle = appointment.vehicle
    # No one pays for the work of an appointment that was not kept.
    price = None if appointment.status in _NOT_KEPT else appointment.price
    fee = _charged_fee(appointment)
    facts = (
        ("When", time),
        ("Before", before),
        ("What", service_words(appointment)),
        ("Vehicle", None if vehicle is None else vehicle.name or vehicle.vin),
        ("Where", where),
        ("Phone", phone),
        ("Price", None if price is None else money(price)),
        ("Fee", money(fee) if fee else None),
    )
    return [f"{name + ':':10} {value}" for name, value in facts if value]


def _no_show_fee(appointment: Appointment) -> int | None:
    """Return the no-show fee in cents, or None if there is none or there can no longer be one."""
    return (appointment.no_show_fee or None) if appointment.status is Status.SCHEDULED else None


def _charged_fee(appointment: Appointment) -> int | None:
    """Return the no-show or cancellation fee that was charged, in cents, or None if none was."""
    fee = appointment.no_show_fee if appointment.status is Status.NO_SHOW else appointment.cancel_fee
    return fee or None


def _or_cancel(no_show_fee: int, policy: CancellationPolicy) -> str:
    """Return words saying that canceling after the start costs the no-show fee, or "" if that is not the higher fee."""
    return " or cancel after the start" if no_show_fee > policy.fee else ""


def _fees(appointment: Appointment, policy: CancellationPolicy, *, now: datetime) -> str:
    """Return the fee charged, or else what canceling and a no-show cost, for a text message; "" if there is no fee."""
    charged = _charged_fee(appointment)
    if charged:
        name = "no-show" if appointment.status is Status.NO_SHOW else "cancellation"
        return f" The {name} fee is {money(charged)}."
    no_show = _no_show_fee(appointment)
    cancellation = _short_cancellation(policy, appointment, now=now)
    return f"{cancellation}{f' No-show fee: {money(no_show)}.' if no_show else ''}"


def _short_cancellation(policy: CancellationPolicy, appointment: Appointment, *, now: datetime) -> str:
    """Return the sentence about the cost of canceling for a text message, or "" if no cancellation fee applies."""
    if not _may_cost(policy, appointment):
        return ""
    cost = policy.cost(appointment, at=now)
    if cost.fee:
        return f" Canceling now costs {money(cost.fee)}."
    until = time_and_day(cost.free_until.astimezone(ZoneInfo(appointment.place.time_zone)))
    return f" Free to cancel until {until}, then {money(policy.fee)}."


def _service_and_time(appointment: Appointment, time: str) -> str:
    service = service_words(appointment)
    return time if service is None else f"{service}, {time}"


def service_words(appointment: Appointment) -> str | None:
    """Return the service in words, or None if there is none."""
    return None if appointment.service is None else appointment.service.replace("_", " ").capitalize()
