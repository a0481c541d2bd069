"""What customers are written."""

from typing import Final

from repaircore.appointments.lifecycle import Pickup
from repaircore.appointments.model import Appointment
from repaircore.customers.model import Customer
from repaircore.kernel.hours import format_minute
from repaircore.mails.model import NewMail

BOOKED: Final = ("Your appointment", "Your appointment is booked.")
MOVED: Final = ("Your appointment has a new time", "Your appointment was moved to a new time.")
CANCELLED: Final = ("Your appointment is cancelled", "Your appointment was cancelled.")

_PICKUP: Final = {
    Pickup.NOT_STARTED: "The pickup of your vehicle has not begun yet.",
    Pickup.DRIVER_ASSIGNED: "A driver has been found who will pick your vehicle up.",
    Pickup.EN_ROUTE: "The driver is on the way to your vehicle.",
    Pickup.ARRIVED: "The driver has arrived at your vehicle.",
    Pickup.VEHICLE_COLLECTED: "The driver has taken your vehicle over and is on the way to the mechanic.",
    Pickup.DELIVERED: "Your vehicle has arrived at the mechanic's.",
}


def letter(what: tuple[str, str], appointment: Appointment, customer: Customer) -> NewMail | None:
    """Write to a customer that something became of an appointment; None where no address is known."""
    subject, sentence = what
    return _mail(subject, sentence, appointment, customer)


def pickup_letter(appointment: Appointment, customer: Customer) -> NewMail | None:
    """Write to a customer how far the pickup is; None where no address is known."""
    return _mail("The pickup of your vehicle", _PICKUP[appointment.pickup], appointment, customer)


def _mail(subject: str, sentence: str, appointment: Appointment, customer: Customer) -> NewMail | None:
    if customer.email is None:
        return None
    place = appointment.place
    where = ", ".join(filter(None, (place.name, place.address, place.city, place.state)))
    lines = (
        f"Hello {customer.first_name},",
        "",
        sentence,
        "",
        f"When:      {appointment.day:%A, %B} {appointment.day.day}, {appointment.day.year} at {format_minute(appointment.minute)}",
        f"Where:     {where}",
        *([f"Phone:     {place.phone}"] if place.phone else []),
        f"Reference: {appointment.ref}",
        "",
    )
    return NewMail(
        recipient=customer.email,
        subject=f"{subject} at {place.name}",
        body="\n".join(lines),
        about=appointment.ref,
    )
