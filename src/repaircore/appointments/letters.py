"""The mails to customers about their appointments."""

from typing import Final

from repaircore.appointments.lifecycle import Pickup
from repaircore.appointments.model import Appointment
from repaircore.customers.model import Customer
from repaircore.kernel.hours import format_minute
from repaircore.mails.model import NewMail

BOOKED: Final = ("Your appointment", "Your appointment is booked.")
RESCHEDULED: Final = ("Your appointment has a new time", "Your appointment was moved to a new time.")
CANCELLED: Final = ("Your appointment is cancelled", "Your appointment was cancelled.")

_PICKUP: Final = {
    Pickup.NOT_STARTED: "The pickup of your vehicle has not started yet.",
    Pickup.DRIVER_ASSIGNED: "A driver has been assigned to pick up your vehicle.",
    Pickup.EN_ROUTE: "The driver is on the way to your vehicle.",
    Pickup.ARRIVED: "The driver has arrived at your vehicle.",
    Pickup.VEHICLE_COLLECTED: "The driver has picked up your vehicle and is on the way to the mechanic.",
    Pickup.DELIVERED: "Your vehicle has arrived at the mechanic.",
}


def appointment_mail(
    content: tuple[str, str], appointment: Appointment, customer: Customer | None
) -> NewMail | None:
    """Return the mail about a change of an appointment; None without an address."""
    subject, sentence = content
    if customer is None or customer.email is None:
        return None
    place = appointment.place
    address = ", ".join(filter(None, (place.name, place.address, place.city, place.state)))
    lines = (
        f"Hello {customer.first_name},",
        "",
        sentence,
        "",
        f"When:      {appointment.day:%A, %B} {appointment.day.day}, {appointment.day.year} at {format_minute(appointment.minute)}",
        f"Where:     {address}",
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


def pickup_mail(appointment: Appointment, customer: Customer | None) -> NewMail | None:
    """Return the mail about the progress of the pickup; None without an address."""
    return appointment_mail(
        ("The pickup of your vehicle", _PICKUP[appointment.pickup]), appointment, customer
    )
