"""Appointments as calendar files (RFC 5545): lines end in CRLF and are folded at 75 octets, and text is escaped."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from repaircore.appointments.lifecycle import Status
from repaircore.appointments.model import Appointment, Response

MEDIA_TYPE: Final = "text/calendar"

_OCTETS: Final = 75
_CONTROL: Final = {code: None for code in range(32) if code != ord("\n")} | {127: None}
_ESCAPES: Final = {"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"}


def calendar_file(appointment: Appointment, *, at: datetime) -> str:
    """Return the calendar file for an appointment; ``at`` is when the file is written.

    Its UID never changes, and its SEQUENCE grows when the appointment is moved or canceled, so that a calendar that
    already has the appointment moves or cancels its entry.
    """
    is_cancelled = appointment.status is Status.CANCELLED
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//repaircore//appointments//EN",
        "CALSCALE:GREGORIAN",
        f"METHOD:{'CANCEL' if is_cancelled else 'PUBLISH'}",
        "BEGIN:VEVENT",
        f"UID:{appointment.ref}@repaircore",
        # A cancellation must be newer than the entry that it cancels.
        f"SEQUENCE:{appointment.moves + is_cancelled}",
        f"DTSTAMP:{_utc(at)}",
        f"CREATED:{_utc(appointment.created_at)}",
        f"LAST-MODIFIED:{_utc(appointment.updated_at)}",
        f"DTSTART:{_utc(appointment.starts_at)}",
        f"DTEND:{_utc(appointment.ends_at)}",
        f"STATUS:{_status(appointment)}",
        f"SUMMARY:{_text(_summary(appointment))}",
        f"LOCATION:{_text(appointment.where)}",
        f"DESCRIPTION:{_text(_description(appointment, at=at))}",
        "END:VEVENT",
        "END:VCALENDAR",
    )
    return "".join(f"{part}\r\n" for line in lines for part in _folded(line))


def _status(appointment: Appointment) -> str:
    if appointment.status is Status.CANCELLED:
        return "CANCELLED"
    return "TENTATIVE" if appointment.response is Response.DECLINED else "CONFIRMED"


def _summary(appointment: Appointment) -> str:
    service = (appointment.service or "appointment").replace("_", " ").capitalize()
    # With an address of its own, the appointment is not at the mechanic's.
    return f"{service} {'with' if appointment.own_address else 'at'} {appointment.place.name}"


def _description(appointment: Appointment, *, at: datetime) -> str:
    vehicle, phone = appointment.vehicle, appointment.place_phone(at=at)
    lines = (
        None if vehicle is None or vehicle.name is None else f"Vehicle: {vehicle.name}",
        None if phone is None else f"Phone: {phone}",
        f"Reference: {appointment.ref}",
    )
    return "\n".join(filter(None, lines))


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(text: str) -> str:
    plain = text.replace("\r\n", "\n").translate(_CONTROL)
    return "".join(_ESCAPES.get(char, char) for char in plain)


def _folded(line: str) -> Iterator[str]:
    """Yield the parts of a folded line: all but the first begin with a space, and no character is split."""
    part, octets = "", 0
    for char in line:
        size = len(char.encode())
        if octets + size > _OCTETS:
            yield part
            part, octets = " ", 1
        part, octets = part + char, octets + size
    yield part
