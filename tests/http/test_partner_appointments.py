"""Mechanics and appointments over HTTP, as used by a partner application."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.http.partners import PartnerApp, after
from tests.http.shape import shaped

from repaircore.kernel.hours import DAYS

MONDAY = {"date": "2026-01-05", "time": "09:00"}  # the clock is at Thursday evening in New York
MECHANIC = {
    "ref": str, "name": str, "email": str, "phone": str, "address": str, "city": str, "state": str,
    "zip_code": None, "latitude": None, "longitude": None, "services": [str],
    "offers": [{"service": str, "duration_minutes": int, "price": None}], "languages": [], "rating": None,
    "rating_count": int, "timezone": str,
    "slot_minutes": int, "environment": str, "created_at": str, "updated_at": str,
}  # fmt: skip
APPOINTMENT = {
    "ref": str, "status": str, "mechanic_ref": str,
    "mechanic": {"ref": str, "name": str, "phone": str, "address": str, "city": str, "state": str},
    "customer_ref": str, "date": str, "time": str, "timezone": str, "starts_at": str, "ends_at": str,
    "description": None, "partner_reference": None, "session_id": None, "pickup_progress": str,
    "duration_minutes": int, "service": None, "price": None, "vehicle": None, "address": None, "cancel_fee": None, "no_show_fee": 0.0,
    "mechanic_response": str, "mechanic_response_reason": None, "mechanic_responded_at": None, "rating": None,
    "cancel_reason": None, "transaction_id": None, "invoice": None, "estimate": None,
    "allowed_actions": [str], "environment": str, "created_at": str, "updated_at": str,
}  # fmt: skip


@pytest.fixture
def mechanic(partner: PartnerApp) -> str:
    found: str = partner.get("/mechanics?state=OH&service=diagnostics").get_json()["data"][0]["ref"]
    return found


@pytest.fixture
def customer(partner: PartnerApp) -> str:
    person = {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.org", "phone": "+13105550123"}
    found: str = partner.post("/customers", person).get_json()["data"]["external_ref"]
    return found


@pytest.fixture
def booking(mechanic: str, customer: str) -> dict[str, Any]:
    return {"mechanic_ref": mechanic, "customer_ref": customer, **MONDAY}


@pytest.fixture
def ref(partner: PartnerApp, booking: dict[str, Any]) -> str:
    created: str = partner.post("/appointments", booking).get_json()["data"]["ref"]
    return created


def error_of(answer: Any) -> tuple[int, str, dict[str, Any]]:
    error = answer.get_json()["error"]
    return answer.status_code, error["code"], error["details"]


def test_mechanics_are_listed_with_their_hours(partner: PartnerApp, mechanic: str) -> None:
    listed = partner.get("/mechanics?state=oh&per_page=2").get_json()
    profile = partner.get(f"/mechanics/{mechanic}").get_json()["data"]
    week = partner.get(f"/mechanics/{mechanic}/work-schedule").get_json()["data"]
    newer = partner.get(f"/mechanics/{mechanic}/new-work-schedule?date=2026-01-05").get_json()["data"]

    assert listed["meta"] == {"current_page": 1, "per_page": 2, "total": 3, "last_page": 2}
    assert shaped(MECHANIC, profile)
    assert profile.items() <= listed["data"][0].items()
    assert listed["data"][0]["next_free"] == {
        "date": "2026-01-02",
        "time": "08:00",
        "starts_at": "2026-01-02T13:00:00Z",
    }
    assert week["monday"] == {"open": "08:00", "close": "17:00"}
    assert ([*week], week["sunday"]) == ([*DAYS], None)
    assert newer["weekly"][0] == {
        "day": 1,
        "intervals": [{"start": "08:00", "end": "12:00"}, {"start": "13:00", "end": "17:00"}],
    }
    assert newer["next_available"] == {
        "date": "2026-01-02",
        "time": "08:00",
        "starts_at": "2026-01-02T13:00:00Z",
    }
    assert [slot["time"] for slot in newer["slots"]][:5] == ["08:00", "09:00", "10:00", "11:00", "13:00"]


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("", {"state"}), ("?state=", {"state"}), ("?state=ZZ", {"state"}), ("?state=Ohio", {"state"}),
        ("?state=OH&state=CA", {"state"}), ("?state=OH&per_page=51", {"per_page"}),
        ("?state=OH&page=0&per_page=x", {"page", "per_page"}), ("?state=1&service=%21", {"state", "service"}),
        ("?state=OH&page=99999999999999999999", {"page"}),
    ],
)  # fmt: skip
def test_search_reports_every_bad_field(partner: PartnerApp, query: str, fields: set[str]) -> None:
    status, code, details = error_of(partner.get("/mechanics" + query))

    assert (status, code, set(details)) == (400, "INVALID_REQUEST", fields)


@pytest.mark.parametrize(
    "day", ["2026-01-00", "tomorrow", "2025-12-31", "2027-06-01", "0001-01-01", "9999-12-31"]
)
def test_slots_reject_a_day_out_of_range(partner: PartnerApp, mechanic: str, day: str) -> None:
    answer = partner.get(f"/mechanics/{mechanic}/new-work-schedule?date={day}")
    status, code, details = error_of(answer)

    assert (status, code, set(details)) == (400, "INVALID_REQUEST", {"date"})


def test_appointments_are_booked_followed_and_completed(partner: PartnerApp, booking: dict[str, Any]) -> None:
    answer = partner.post("/appointments", booking)
    booked = answer.get_json()["data"]
    path = f"/appointments/{booked['ref']}"

    assert answer.status_code == 201
    assert [step["action"] for step in booked.pop("timeline")] == ["book"]
    assert shaped(APPOINTMENT, booked)
    assert (booked["starts_at"], booked["ends_at"]) == ("2026-01-05T14:00:00Z", "2026-01-05T15:00:00Z")
    for step in ("driver_assigned", "en_route", "arrived", "vehicle_collected", "delivered"):
        moved = partner.patch(path, {"pickup_progress": step})
        assert (moved.status_code, moved.get_json()["data"]["pickup_progress"]) == (200, step)
    progress = partner.get(f"{path}/pickup-progress").get_json()["data"]

    assert all(step["reached_at"] for step in progress["steps"])
    assert (progress["step"], progress["allowed"], progress["last_notified"]) == ("delivered", [], None)
    notice = partner.get(f"{path}/notify-pickup-progress").get_json()["data"]

    assert (notice["step"], notice["sent"], notice["channels"]) == ("delivered", True, ["webhook"])
    early = error_of(partner.patch(path, {"status": "completed"}))

    assert early == (
        409,
        "CONFLICT",
        {"status": "scheduled", "allowed": booked["allowed_actions"], "starts_at": "2026-01-05T14:00:00Z"},
    )
    partner = after(partner, timedelta(days=4))
    ended = partner.patch(path, {"status": "completed"}).get_json()["data"]

    assert (ended["status"], ended["allowed_actions"]) == ("completed", [])
    detail = partner.get(path).get_json()["data"]
    steps = [(step["action"], step["to"]) for step in detail["timeline"]]

    assert (steps[0], steps[-1], len(steps)) == (("book", "scheduled"), ("complete", "completed"), 12)
    assert detail == ended
    status = partner.get(f"{path}/status").get_json()["data"]

    assert status == {name: ended[name] for name in status}
    assert partner.patch(path, {}).status_code == 409


def test_book_rejects_a_taken_slot(partner: PartnerApp, booking: dict[str, Any], ref: str) -> None:
    status, code, details = error_of(partner.post("/appointments", booking))

    assert (status, code, details["status"]) == (409, "CONFLICT", "full")
    assert details["allowed"][0] == {
        "date": "2026-01-05",
        "time": "10:00",
        "starts_at": "2026-01-05T15:00:00Z",
    }
    assert (
        ref != partner.post("/appointments", {**booking, **details["allowed"][0]}).get_json()["data"]["ref"]
    )


def test_book_replays_a_repeated_request(partner: PartnerApp, booking: dict[str, Any]) -> None:
    first = partner.post("/appointments", booking, key="booking 7")
    again = partner.post("/appointments", booking, key="booking 7")

    assert (first.status_code, again.status_code, again.data) == (201, 201, first.data)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert partner.post("/appointments", {**booking, "time": "10:00"}, key="booking 7").status_code == 400
    assert partner.post("/appointments", booking).status_code == 409


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"mechanic_ref", "customer_ref", "date", "time"}),
        ({"mechanic_ref": 5, "customer_ref": None, "date": 20260105, "time": 9}, {"mechanic_ref", "customer_ref", "date", "time"}),
        ({"mechanic_ref": "x", "customer_ref": "y", "date": "x", "time": 9}, {"mechanic_ref", "customer_ref", "date", "time"}),
        ({"time": "25:00"}, {"time"}), ({"time": "09:00:00"}, {"time"}), ({"date": "05.01.2026"}, {"date"}),
        ({"date": "2026-01-04"}, {"date"}), ({"time": "12:00"}, {"time"}), ({"date": "2025-12-31"}, {"date"}),
        ({"session_id": "x", "description": 7}, {"session_id", "description"}),
        ({"session_id": str(UUID(int=7))}, {"session_id"}),
        ({"description": "x" * 2001}, {"description"}), ({"partner_reference": "x" * 256}, {"partner_reference"}),
    ],
)  # fmt: skip
def test_book_reports_every_bad_field(
    partner: PartnerApp, booking: dict[str, Any], body: dict[str, Any], fields: set[str]
) -> None:
    answer = partner.post("/appointments", body if len(body) in {0, 4} else {**booking, **body})
    status, code, details = error_of(answer)

    assert (status, code, set(details)) == (400, "INVALID_REQUEST", fields)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"status": "cancelled"}, {"status"}), ({"status": "scheduled"}, {"status"}), ({"status": 1}, {"status"}),
        ({"pickup_progress": "flying", "description": []}, {"pickup_progress", "description"}),
        ({"description": "x" * 2001, "partner_reference": True}, {"description", "partner_reference"}),
    ],
)  # fmt: skip
def test_update_reports_every_bad_field(
    partner: PartnerApp, ref: str, body: dict[str, Any], fields: set[str]
) -> None:
    status, code, details = error_of(partner.patch(f"/appointments/{ref}", body))

    assert (status, code, set(details)) == (400, "INVALID_REQUEST", fields)


def test_update_without_fields_changes_nothing(partner: PartnerApp, ref: str) -> None:
    before = partner.get(f"/appointments/{ref}").get_json()["data"]
    for body in ({}, {"description": None}, {"pickup_progress": "not_started"}, {"price": 7}):
        assert partner.patch(f"/appointments/{ref}", body).status_code == 200

    assert partner.get(f"/appointments/{ref}").get_json()["data"] == before


def test_update_rejects_a_skipped_step(partner: PartnerApp, ref: str) -> None:
    answer = partner.patch(f"/appointments/{ref}", {"pickup_progress": "arrived"})

    assert error_of(answer) == (409, "CONFLICT", {"status": "not_started", "allowed": ["driver_assigned"]})


def test_reschedule_frees_the_old_time(partner: PartnerApp, booking: dict[str, Any], ref: str) -> None:
    moved = partner.post(f"/appointments/{ref}/reschedule", {"date": "2026-01-06", "time": "13:00"})

    assert (moved.status_code, moved.get_json()["data"]["starts_at"]) == (200, "2026-01-06T18:00:00Z")
    assert partner.post("/appointments", booking).status_code == 201
    bad = partner.post(f"/appointments/{ref}/reschedule", {"date": "2026-01-06"})

    assert error_of(bad)[2].keys() == {"time"}


def test_cancel_ends_an_appointment(partner: PartnerApp, ref: str) -> None:
    cancelled = partner.post(f"/appointments/{ref}/cancel", {"reason": "It runs again."})

    assert cancelled.get_json()["data"]["cancel_reason"] == "It runs again."
    for answer in (
        partner.post(f"/appointments/{ref}/cancel"),
        partner.post(f"/appointments/{ref}/reschedule", MONDAY),
        partner.patch(f"/appointments/{ref}", {"status": "completed"}),
        partner.get(f"/appointments/{ref}/notify-pickup-progress"),
    ):
        assert error_of(answer) == (409, "CONFLICT", {"status": "cancelled", "allowed": []})


def test_notify_sends_a_step_once_a_minute_and_never_by_head(partner: PartnerApp, ref: str) -> None:
    path = f"/appointments/{ref}/notify-pickup-progress"

    assert partner.request("HEAD", path).status_code == 405
    assert partner.get(path).status_code == 200
    again = partner.get(path)

    assert error_of(again) == (429, "RATE_LIMIT_EXCEEDED", {})
    assert again.headers["Retry-After"] == "60"
