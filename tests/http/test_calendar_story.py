"""The steps of docs/howto/book-an-appointment.md, from the search to the end."""

from datetime import timedelta

import pytest
from tests.conftest import OpenCore
from tests.http.partners import PartnerApp, after, partner_app
from tests.http.visitors import Visitor
from tests.http.watched import serve_core

from repaircore.core import Core
from repaircore.kernel.callers import Environment

TUESDAY, WEDNESDAY = "2026-01-06", "2026-01-07"


@pytest.fixture
def core(open_core: OpenCore) -> Core:
    return open_core(
        appointment_cancel_fee=25.0, appointment_free_cancel_hours=24.0, appointment_no_show_fee=40.0
    )


@pytest.fixture
def partner(core: Core) -> PartnerApp:
    return partner_app(serve_core(core).test_client(), core)


def test_appointments_from_the_search_to_a_late_cancellation_and_a_no_show(
    core: Core, partner: PartnerApp
) -> None:
    core.mechanics.add(
        Environment.TEST,
        name="Main Street Garage",
        zip_code="43215",
        services="brakes (90 min, $189.50)",
        languages="Spanish",
        email="desk@garage.example",
    )
    person = {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.org", "phone": "+13105550123"}
    customer = partner.post("/customers", person).get_json()["data"]["external_ref"]

    # Find a mechanic, and a time.
    query = "zip=43215&service=brakes&language=Spanish"
    (garage,) = partner.get(f"/mechanics?{query}&radius_miles=15").get_json()["data"]
    days = f"date_from={TUESDAY}&date_to={WEDNESDAY}"
    (free,) = partner.get(f"/mechanics/availability?{query}&{days}").get_json()["data"]
    first = free["slots"][0]

    assert (garage["name"], garage["distance_miles"]) == ("Main Street Garage", 0)
    assert (first["date"], first["time"], free["timezone"]) == (TUESDAY, "08:00", "America/New_York")

    # Hold it, and book it.
    slot = {
        "mechanic_ref": garage["ref"],
        "date": first["date"],
        "time": first["time"],
        "service": "brakes",
    }
    hold = partner.post("/appointments/holds", slot).get_json()["data"]
    vehicle = {"year": 2018, "make": "Honda", "model": "Civic"}
    booking = {**slot, "customer_ref": customer, "hold": hold["ref"], "vehicle": vehicle}
    booked = partner.post("/appointments", booking).get_json()["data"]
    path = f"/appointments/{booked['ref']}"

    assert (booked["price"], booked["duration_minutes"]) == (189.5, 90)
    assert booked["mechanic_response"] == "pending"

    # The mechanic answers on a phone.
    link = core.mechanic_responses.links.address(booked["ref"]).removeprefix(core.settings.public_url)
    phone = Visitor(partner.client.application.test_client())
    phone.get(link)
    phone.post(f"{link}/accept")

    assert partner.get(f"{path}/status").get_json()["data"]["mechanic_response"] == "accepted"

    # Move it, and cancel it too late.
    moved = partner.post(f"{path}/reschedule", {"date": WEDNESDAY, "time": "10:00"}).get_json()["data"]
    calendar = partner.get(f"{path}/calendar.ics").get_data(as_text=True)

    assert (moved["starts_at"], moved["mechanic_response"]) == ("2026-01-07T15:00:00Z", "pending")
    assert "DTSTART:20260107T150000Z\r\n" in calendar
    early = partner.get(f"{path}/cancel-preview").get_json()["data"]
    partner = after(partner, timedelta(days=5))  # ten hours before the start
    late = partner.get(f"{path}/cancel-preview").get_json()["data"]
    cancelled = partner.post(f"{path}/cancel", {"reason": "It runs again."}).get_json()["data"]

    assert (early["fee"], late["fee"], cancelled["cancel_fee"]) == (0, 25, 25)

    # The time is free again: it is booked again, and the customer does not show up.
    again = partner.post(
        "/appointments", {**slot, "customer_ref": customer, "date": WEDNESDAY, "time": "10:00"}
    )
    other = again.get_json()["data"]
    page = core.mechanic_responses.links.address(other["ref"]).removeprefix(core.settings.public_url)

    assert other["no_show_fee"] == late["no_show_fee"] == 40
    assert partner.patch(f"/appointments/{other['ref']}", {"status": "no_show"}).status_code == 409
    assert "The customer did not show up" not in phone.page(page).words
    partner = after(partner, timedelta(hours=12))

    # The mechanic reports it on a phone, and the partner collects the fee.
    assert "The customer knows about the no-show fee of $40.00." in phone.page(page).words
    assert phone.post(f"{page}/no-show").status_code == 303
    assert "The customer did not show up. The no-show fee is $40.00." in phone.page(page).words
    ended = partner.get(f"/appointments/{other['ref']}").get_json()["data"]

    assert (ended["status"], ended["no_show_fee"], ended["allowed_actions"]) == ("no_show", 40, [])
    assert {**ended["timeline"][-1], "at": None} == {
        "at": None,
        "action": "mark_no_show",
        "from": "scheduled",
        "to": "no_show",
        "actor": "mechanic",
        "detail": {"fee": 40},
    }
    assert phone.post(f"{page}/no-show").status_code == 303  # repeating it changes nothing
    assert partner.get(f"/appointments/{other['ref']}").get_json()["data"] == ended
    appointments = partner.get(f"/appointments?customer_ref={customer}&sort=starts_at").get_json()["data"]

    assert [each["status"] for each in appointments] == ["cancelled", "no_show"]
