"""The page on which a mechanic accepts or declines an appointment by a link, without an account or a script."""

import json
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.appointments import a_customer, a_mechanic
from tests.http.partners import PartnerApp, partner_app
from tests.http.visitors import Page, Visitor

from repaircore.adapters.sql.schema.mechanics import mechanics
from repaircore.adapters.sql.schema.operations import messages
from repaircore.adapters.sql.schema.webhooks import events
from repaircore.appointments.lifecycle import Status
from repaircore.appointments.model import Appointment, Response
from repaircore.appointments.validation import CreateAppointment, VehicleInput
from repaircore.core import Core
from repaircore.kernel.masked_phones import PHONES_HIDDEN
from repaircore.limits.model import Limit
from repaircore.testing.clock import FrozenClock
from repaircore_http.service import serve_core


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the page does not depend on the database."""
    return sqlite_url


@pytest.fixture
def app(core: Core) -> Any:
    return serve_core(core)


@pytest.fixture
def phone(app: Any) -> Visitor:
    return Visitor(app.test_client())


@pytest.fixture
def roadside(app: Any, core: Core) -> PartnerApp:
    return partner_app(app.test_client(), core)


@pytest.fixture
def booked(core: Core, roadside: PartnerApp) -> Appointment:
    garage = a_mechanic(core, services="brakes (90 min, $189.50)", email="desk@garage.example")
    return core.appointments.book(
        CreateAppointment(
            mechanic_ref=garage.ref,
            customer_ref=a_customer(core, roadside.caller),
            date="2026-01-05",
            time="09:00",
            service="brakes",
            vehicle=VehicleInput(year=2018, make="Honda", model="Civic"),
            address="412 W 5th St",
        ),
        roadside.caller,
    )


@pytest.fixture
def path(core: Core, booked: Appointment) -> str:
    """Return the path of the link in the message to the mechanic."""
    link = core.mechanic_responses.links.address(booked.ref)
    with core.storage.database.transaction(write=False) as connection:
        bodies = connection.execute(
            sa.select(messages.c.body).where(messages.c.recipient == "desk@garage.example")
        )
        assert [link in body for (body,) in bodies] == [True]
    return link.removeprefix(core.settings.public_url)


def state(core: Core, booked: Appointment) -> tuple[Response, str | None]:
    found, _ = core.appointments.get(booked.ref, booked.caller)
    return found.response, found.response_reason


def event_types(core: Core, booked: Appointment) -> list[str]:
    query = sa.select(events.c.payload).where(events.c.subject == booked.ref).order_by(events.c.sequence)
    with core.storage.database.transaction(write=False) as connection:
        return [json.loads(payload)["type"] for (payload,) in connection.execute(query)]


def test_mechanic_accepts_an_appointment_on_a_phone(
    core: Core, booked: Appointment, path: str, phone: Visitor
) -> None:
    words = phone.page(path).words
    answer = phone.post(f"{path}/accept")

    for part in (
        "Brakes",
        "Monday, January 5 at 9:00 AM EST",
        "90 minutes",
        "Ada Byron",
        "2018 Honda Civic",
        "412 W 5th St",
        "$189.50",
    ):
        assert part in words
    assert answer.status_code == 303
    assert "You accepted this appointment." in phone.page(path).words
    assert state(core, booked) == (Response.ACCEPTED, None)
    assert event_types(core, booked)[-1] == "appointment.accepted_by_mechanic"


def test_mechanic_declines_with_a_reason_that_the_partner_sees(
    core: Core, booked: Appointment, path: str, phone: Visitor, roadside: PartnerApp
) -> None:
    phone.get(path)
    phone.post(f"{path}/decline", {"reason": "I am busy then"})
    phone.post(f"{path}/decline", {"reason": "I am busy then"})
    appointment = roadside.get(f"/appointments/{booked.ref}").get_json()["data"]

    assert (appointment["status"], appointment["mechanic_response"]) == ("scheduled", "declined")
    assert appointment["mechanic_response_reason"] == "I am busy then"
    assert (
        roadside.get(f"/appointments/{booked.ref}/status").get_json()["data"]["mechanic_response"]
        == "declined"
    )
    assert event_types(core, booked) == ["appointment.booked", "appointment.declined_by_mechanic"]
    assert "You declined this appointment." in phone.page(path).words
    moved = roadside.post(f"/appointments/{booked.ref}/reschedule", {"date": "2026-01-06", "time": "09:00"})

    assert moved.get_json()["data"]["mechanic_response"] == "pending"
    assert moved.get_json()["data"]["mechanic_response_reason"] is None


@pytest.mark.parametrize("step", ["accept", "decline"])
def test_answer_applies_only_to_the_time_shown(
    core: Core, booked: Appointment, path: str, phone: Visitor, step: str
) -> None:
    phone.get(path)
    core.appointments.reschedule(booked.ref, booked.caller, date="2026-01-06", time="10:00")
    refused = phone.post(f"{path}/{step}", {"reason": "I am busy then"})
    words = Page(refused.text).words

    assert refused.status_code == 409
    assert (
        "This appointment was moved to Tuesday, January 6 at 10:00 AM EST. Please answer again. Brakes"
        in words
    )
    assert "Tuesday, January 6 at 10:00 AM EST, 90 minutes" in words
    assert "January 5" not in words
    assert state(core, booked) == (Response.PENDING, None)
    assert event_types(core, booked) == ["appointment.booked", "appointment.rescheduled"]

    # The new page applies to the new time.
    assert phone.post(f"{path}/{step}", {"reason": "I am busy then"}).status_code == 303
    assert state(core, booked)[0] == (Response.ACCEPTED if step == "accept" else Response.DECLINED)


def test_no_show_applies_only_to_the_time_shown(
    core: Core, booked: Appointment, path: str, phone: Visitor, clock: FrozenClock
) -> None:
    clock.now = booked.starts_at
    phone.get(path)
    moved = core.appointments.reschedule(booked.ref, booked.caller, date="2026-01-06", time="10:00")
    clock.now = moved.starts_at
    refused = phone.post(f"{path}/no-show")

    assert refused.status_code == 409
    assert "This appointment was moved to Tuesday, January 6 at 10:00 AM EST." in Page(refused.text).words
    assert event_types(core, booked)[-1] == "appointment.rescheduled"
    assert phone.post(f"{path}/no-show").status_code == 303
    assert "The customer did not show up." in phone.page(path).words


@pytest.mark.parametrize("moves", [None, "", "x", "-1", "\N{SUPERSCRIPT TWO}", "9" * 5000])
def test_form_without_the_time_shown_is_rejected(
    app: Any, core: Core, booked: Appointment, path: str, moves: str | None
) -> None:
    phone = Visitor(app.test_client())
    phone.get("/console/login")  # its form has a token, but not the field
    refused = phone.post(f"{path}/accept", {} if moves is None else {"moves": moves})

    assert refused.status_code == 409
    assert (
        "This appointment is on Monday, January 5 at 9:00 AM EST. Please answer again."
        in Page(refused.text).words
    )
    assert state(core, booked) == (Response.PENDING, None)


def test_answers_end_at_the_start_and_the_link_a_day_after(
    core: Core, booked: Appointment, path: str, phone: Visitor, clock: FrozenClock
) -> None:
    phone.get(path)
    clock.now = booked.starts_at
    late = phone.post(f"{path}/accept")

    assert late.status_code == 409
    assert "This appointment can no longer be accepted or declined." in Page(late.text).words
    assert state(core, booked) == (Response.PENDING, None)
    clock.now = booked.ends_at + timedelta(days=1, seconds=1)

    assert phone.get(path).status_code == 404


def test_cancelled_appointment_has_no_buttons(
    core: Core, booked: Appointment, path: str, phone: Visitor
) -> None:
    phone.get(path)
    phone.post(f"{path}/accept")
    core.appointments.cancel(booked.ref, booked.caller)
    answers = [phone.post(f"{path}/{step}").status_code for step in ("accept", "decline", "no-show")]
    page = phone.page(path)

    assert answers == [303] * 3
    for part in (
        "This appointment was canceled.",
        "Monday, January 5 at 9:00 AM EST",
        booked.ref,
        "Questions?",
    ):
        assert part in page.words
    for part in ("Accept", "Ada", "Byron", "412 W 5th St", "Honda", "+1"):
        assert part not in page.words


@pytest.mark.parametrize(
    ("status", "words"),
    [("completed", "This appointment is completed."), ("no_show", "The customer did not show up.")],
)
def test_page_of_an_ended_appointment_shows_no_personal_data(
    core: Core, booked: Appointment, path: str, phone: Visitor, clock: FrozenClock, *, status: str, words: str
) -> None:
    clock.now = booked.starts_at
    phone.get(path)
    core.appointments.update(booked.ref, {"status": Status(status)}, booked.caller)
    answers = [phone.post(f"{path}/no-show").status_code for _ in range(2)]
    page = phone.page(path)

    assert answers == [303, 303]
    assert words in page.words
    for part in ("Report", "Ada", "Byron", "412 W 5th St", "Honda", "+1"):
        assert part not in page.words


def test_no_show_before_the_start_gets_a_readable_error(
    core: Core, booked: Appointment, path: str, phone: Visitor
) -> None:
    phone.get(path)
    refused = phone.post(f"{path}/no-show")

    assert refused.status_code == 409
    assert (
        "This appointment has not started yet. You can report a no-show after it starts."
        in Page(refused.text).words
    )
    assert "Allowed" not in refused.text
    assert core.appointments.get(booked.ref, booked.caller)[0].status is Status.SCHEDULED


def test_accepted_appointment_shows_the_phone_or_that_it_follows(
    core: Core, booked: Appointment, path: str, phone: Visitor
) -> None:
    before = phone.get(path).text
    phone.post(f"{path}/accept")
    accepted = phone.get(path).text
    with core.storage.transaction() as work:
        stored = work.appointments.find(booked.ref, booked.caller)
        assert stored is not None
        work.appointments.replace(stored, evolve(stored, phones=PHONES_HIDDEN))
    waiting = phone.get(path).text
    with core.storage.database.transaction(write=True) as connection:
        connection.execute(sa.update(mechanics).values(email=None, phone=None))
    unreachable = phone.get(path).text

    assert "tel:" not in before
    assert "tel:+1310555" in accepted
    assert "tel:" not in waiting
    assert "You will get a message with it." in waiting
    assert "You will get a message" not in unreachable
    assert "Open this page again later." in unreachable


@pytest.mark.parametrize("guess", ["x", "A" * 50, "%00", "\N{SNOWMAN}", "0" * 26 + "A" * 24])
def test_guessed_link_is_not_found(phone: Visitor, guess: str) -> None:
    assert phone.get(f"/m/{guess}").status_code == 404


def test_link_of_another_appointment_is_not_found(booked: Appointment, path: str, phone: Visitor) -> None:
    token = path.removeprefix("/m/")
    other = f"{token[:25]}{'0' if token[25] != '0' else '1'}{token[26:]}"

    assert phone.get(path).status_code == 200
    assert phone.get(f"/m/{other}").status_code == 404
    assert booked.ref.removeprefix("apt_") == token[:26]


def test_form_of_another_site_is_rejected(core: Core, booked: Appointment, path: str, phone: Visitor) -> None:
    phone.get(path)
    answer = phone.client.post(
        f"{path}/accept", data={}, headers={"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    )

    assert answer.status_code == 403
    assert state(core, booked) == (Response.PENDING, None)


def test_too_long_reason_is_an_error(path: str, phone: Visitor) -> None:
    phone.get(path)
    answer = phone.post(f"{path}/decline", {"reason": "x" * 501})

    assert answer.status_code == 422
    assert "The reason" in Page(answer.text).words


def test_requests_from_one_address_are_limited(core: Core) -> None:
    limited = core.replacing(limits=evolve(core.limits, visitors=Limit(3)))
    phone = Visitor(serve_core(limited).test_client())
    answers = [phone.get(f"/m/{'A' * 49}{number}").status_code for number in range(5)]

    assert answers == [404, 404, 404, 429, 429]


def test_step_of_an_appointment_that_ends_at_the_same_time_shows_how(
    core: Core,
    booked: Appointment,
    path: str,
    phone: Visitor,
    *,
    clock: FrozenClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def complete_meanwhile(*_: object, **__: object) -> None:
        core.appointments.update(booked.ref, {"status": Status.COMPLETED}, booked.caller)

    clock.now = booked.starts_at
    phone.get(path)
    required = "repaircore_http.console.public.mechanic_appointments.require_seen"
    monkeypatch.setattr(required, complete_meanwhile)
    answer = phone.post(f"{path}/no-show")

    assert answer.status_code == 303
    assert "This appointment is completed." in phone.page(path).words
