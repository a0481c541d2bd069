"""Calendar files: valid lines of RFC 5545 whatever names and texts contain."""

from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.appointments.made import AT, SLOT, an_appointment

from repaircore.appointments.calendar import calendar_file
from repaircore.appointments.lifecycle import Action, Status
from repaircore.appointments.model import Appointment, BookedVehicle, Response


def properties(text: str) -> dict[str, str]:
    """Unfold a file, and return its properties."""
    assert text.endswith("\r\n")
    lines = text.replace("\r\n ", "").removesuffix("\r\n").split("\r\n")
    return dict(line.split(":", 1) for line in lines)


def unescape(text: str) -> str:
    out, rest = "", iter(text)
    for char in rest:
        out += {"n": "\n", "N": "\n"}.get(found := next(rest), found) if char == "\\" else char
    return out


def appointment_at_place(name: str) -> Appointment:
    appointment = an_appointment()
    return evolve(appointment, place=evolve(appointment.place, name=name))


def test_calendar_file_has_the_whole_appointment() -> None:
    appointment = an_appointment(
        service="oil_change", vehicle=BookedVehicle(year=2018, make="Honda", model="Civic")
    )

    assert calendar_file(appointment, at=AT).split("\r\n") == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//repaircore//appointments//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        "BEGIN:VEVENT",
        "UID:apt_01m7wx6s0ce2jsmdd4rhxwsq51@repaircore",
        "SEQUENCE:0",
        "DTSTAMP:20260302T120000Z",
        "CREATED:20260301T120000Z",
        "LAST-MODIFIED:20260301T120000Z",
        "DTSTART:20260303T140000Z",
        "DTEND:20260303T150000Z",
        "STATUS:CONFIRMED",
        "SUMMARY:Oil change at Garage",
        "LOCATION:Garage\\, 1 Main Street\\, Columbus\\, OH",
        "DESCRIPTION:Vehicle: 2018 Honda Civic\\nReference: apt_01m7wx6s0ce2jsmdd4rhx",
        " wsq51",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]


def test_calendar_file_uses_the_appointments_own_address() -> None:
    found = properties(
        calendar_file(an_appointment(service="oil_change", address="412 W 5th St, Columbus"), at=AT)
    )

    assert found["LOCATION"] == "412 W 5th St\\, Columbus"
    assert found["SUMMARY"] == "Oil change with Garage"


def test_calendar_file_has_the_sequence_method_and_status() -> None:
    moved = an_appointment().reschedule(SLOT, at=AT)
    cancelled = moved.apply(Action.CANCEL, at=AT)
    declined = an_appointment(response=Response.DECLINED)

    assert [
        (found["SEQUENCE"], found["METHOD"], found["STATUS"])
        for found in (properties(calendar_file(each, at=AT)) for each in (moved, cancelled, declined))
    ] == [("1", "PUBLISH", "CONFIRMED"), ("2", "CANCEL", "CANCELLED"), ("0", "PUBLISH", "TENTATIVE")]


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.NO_SHOW])
def test_calendar_file_of_an_ended_appointment_stays_confirmed(status: Status) -> None:
    assert properties(calendar_file(an_appointment(status=status), at=AT))["STATUS"] == "CONFIRMED"


def test_calendar_file_converts_times_to_utc() -> None:
    zone = (AT + timedelta(hours=2)).astimezone()
    text = calendar_file(an_appointment(updated_at=zone), at=datetime(2026, 3, 2, tzinfo=UTC))

    assert properties(text)["LAST-MODIFIED"] == "20260302T140000Z"


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200))
def test_lines_are_folded_at_75_octets_without_losing_text(name: str) -> None:
    text = calendar_file(appointment_at_place(name), at=AT)
    lines = text.split("\r\n")

    assert all(len(line.encode()) <= 75 for line in lines)
    assert not any(ord(char) < 32 for line in lines for char in line)
    plain = "".join(
        char for char in name.replace("\r\n", "\n") if (ord(char) >= 32 and ord(char) != 127) or char == "\n"
    )
    assert unescape(properties(text)["SUMMARY"]) == f"Appointment at {plain}"


def test_text_cannot_inject_lines() -> None:
    found = properties(calendar_file(appointment_at_place("Garage\r\nATTENDEE:mailto:x@example.org"), at=AT))

    assert "ATTENDEE" not in found
    assert found["SUMMARY"] == "Appointment at Garage\\nATTENDEE:mailto:x@example.org"
