"""Finding mechanics and times, holding, booking services, lists, calendar files and fees over HTTP."""

import csv
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from tests.conftest import OpenCore
from tests.http.partners import PartnerApp, after, partner_app
from tests.http.watched import serve_core

from repaircore.adapters.sql.schema.operations import messages
from repaircore.appointments.letters import LATE_MOVE
from repaircore.appointments.lifecycle import Status
from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.timeline import MECHANIC, PARTNER, Actor
from repaircore.mechanics.model import Mechanic

TEST = Environment.TEST
MONDAY = {"date": "2026-01-05", "time": "09:00"}  # the clock is at Thursday evening in New York
CIVIC = {"vin": "2HGFC2F59JH000000", "year": 2018, "make": "Honda", "model": "Civic"}


def add_mechanic(core: Core, name: str, zip_code: str, **cells: str) -> Mechanic:
    usual = {"services": "brakes (90 min, $189.50); oil change (30 min)", "hours": "mon-fri 08:00-17:00"}
    return core.mechanics.add(TEST, name=name, zip_code=zip_code, **{**usual, **cells})


@pytest.fixture
def garage(core: Core) -> Mechanic:
    return add_mechanic(core, "Downtown", "43215", languages="Spanish; en", email="desk@garage.example")


@pytest.fixture
def customer(partner: PartnerApp) -> str:
    person = {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.org", "phone": "+13105550123"}
    found: str = partner.post("/customers", person).get_json()["data"]["external_ref"]
    return found


@pytest.fixture
def brakes(garage: Mechanic, customer: str) -> dict[str, Any]:
    return {"mechanic_ref": garage.ref, "customer_ref": customer, **MONDAY, "service": "Brakes"}


def error_of(answer: Any) -> tuple[int, str, dict[str, Any]]:
    error = answer.get_json()["error"]
    return answer.status_code, error["code"], error["details"]


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [each["name"] for each in answer.get_json()["data"] if "Sandbox" not in each["name"]]


def test_mechanics_are_searched_around_a_zip_code(core: Core, partner: PartnerApp, garage: Mechanic) -> None:
    add_mechanic(core, "Dublin", "43017", services="tires")
    add_mechanic(core, "Cleveland", "44114")

    near = partner.get("/mechanics?zip=43215")
    first = next(each for each in near.get_json()["data"] if each["ref"] == garage.ref)

    assert names(near) == ["Downtown", "Dublin"]
    assert names(partner.get("/mechanics?zip=43215&radius_miles=200")) == ["Downtown", "Dublin", "Cleveland"]
    assert names(partner.get("/mechanics?zip=43215&radius_miles=2")) == ["Downtown"]
    assert names(partner.get("/mechanics?latitude=40.1&longitude=-83.11&radius_miles=30")) == [
        "Dublin",
        "Downtown",
    ]
    assert names(partner.get("/mechanics?zip=43215&service=oil+change")) == ["Downtown"]
    assert names(partner.get("/mechanics?zip=43215&language=Spanish")) == ["Downtown"]
    assert names(partner.get("/mechanics?state=OH&language=fr")) == []
    assert (first["distance_miles"], first["languages"]) == (0.0, ["en", "es"])
    assert first["offers"] == [
        {"service": "brakes", "duration_minutes": 90, "price": 189.5},
        {"service": "oil_change", "duration_minutes": 30, "price": None},
    ]
    assert first["next_free"] == {"date": "2026-01-02", "time": "08:00", "starts_at": "2026-01-02T13:00:00Z"}


def test_mechanics_are_sorted_by_rating_and_by_next_free_time(core: Core, partner: PartnerApp) -> None:
    monday, friday = (
        add_mechanic(core, name, "43215", hours=f"{name[:3].lower()} 08:00-17:00")
        for name in ("Monday", "Friday")
    )
    with core.storage.transaction() as work:
        for mechanic, stars in ((monday, 5), (monday, 4), (friday, 3)):
            work.mechanics.rate(mechanic.id, stars)
    rated = partner.get("/mechanics?zip=43215&sort=-rating").get_json()["data"]

    assert [(each["name"], each["rating"], each["rating_count"]) for each in rated[:2]] == [
        ("Monday", 4.5, 2),
        ("Friday", 3.0, 1),
    ]
    assert names(partner.get("/mechanics?zip=43215&sort=next_free")) == ["Friday", "Monday"]
    assert names(partner.get("/mechanics?state=OH&sort=-rating")) == ["Monday", "Friday"]
    assert names(partner.get("/mechanics?state=OH&sort=next_free")) == ["Friday", "Monday"]
    assert names(partner.get("/mechanics?zip=43215&min_rating=4")) == ["Monday"]
    assert names(partner.get("/mechanics?zip=43215&per_page=1&page=2&sort=-rating")) == ["Friday"]


def test_the_nearer_of_two_mechanics_with_one_rating_comes_first(core: Core, partner: PartnerApp) -> None:
    dublin, best, downtown = (
        add_mechanic(core, name, zip_code)
        for name, zip_code in (("Dublin", "43017"), ("Best", "43017"), ("Downtown", "43215"))
    )
    with core.storage.transaction() as work:
        for mechanic, stars in ((dublin, 4), (best, 5), (downtown, 4)):
            work.mechanics.rate(mechanic.id, stars)

    assert names(partner.get("/mechanics?zip=43215&sort=-rating")) == ["Best", "Downtown", "Dublin"]


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("", {"state"}), ("?zip=00000", {"zip"}), ("?zip=x&radius_miles=0", {"zip", "radius_miles"}),
        ("?latitude=40", {"longitude"}), ("?longitude=-83", {"latitude"}), ("?latitude=91&longitude=0", {"latitude"}),
        ("?latitude=40&longitude=-83&zip=43215", {"zip"}), ("?state=OH&radius_miles=5", {"radius_miles"}),
        ("?state=OH&sort=distance", {"sort"}), ("?state=OH&sort=name", {"sort"}), ("?state=OH&language=klingon", {"language"}),
        ("?state=OH&min_rating=6", {"min_rating"}), ("?state=OH&colour=red", {"colour"}), ("?zip=09009", {"zip"}),
        ("?state=ZZ&service=%21&page=0", {"state", "service", "page"}),
        ("?zip=43215&colour=red&radius_miles=0", {"colour", "radius_miles"}),
    ],
)  # fmt: skip
def test_search_reports_every_bad_parameter(partner: PartnerApp, query: str, fields: set[str]) -> None:
    status, code, details = error_of(partner.get("/mechanics" + query))

    assert (status, code, set(details)) == (400, "INVALID_REQUEST", fields)


def test_availability_of_many_mechanics_is_one_answer(
    core: Core, partner: PartnerApp, garage: Mechanic, brakes: dict[str, Any]
) -> None:
    west = add_mechanic(core, "West", "79936", hours="mon 08:00-10:00")  # El Paso, by another clock
    partner.post("/appointments", brakes)
    days = "date_from=2026-01-05&date_to=2026-01-06"
    both = partner.get(f"/mechanics/availability?{days}&mechanics={west.ref},{garage.ref}&service=brakes")
    first, second = both.get_json()["data"]

    assert (first["mechanic_ref"], first["timezone"], first["duration_minutes"], first["price"]) == (
        west.ref,
        "America/Denver",
        90,
        189.5,
    )
    assert first["slots"] == [
        {
            "date": "2026-01-05",
            "time": "08:00",
            "starts_at": "2026-01-05T15:00:00Z",
            "ends_at": "2026-01-05T16:30:00Z",
        }
    ]
    monday = [slot["time"] for slot in second["slots"] if slot["date"] == "2026-01-05"]

    assert monday == ["11:00", "12:00", "13:00", "14:00", "15:00"]  # 9:00 to 10:30 is booked
    found = partner.get(f"/mechanics/availability?{days}&zip=43215&service=oil_change").get_json()["data"]
    usual = next(each for each in found if each["mechanic_ref"] == garage.ref)

    assert [slot["time"] for slot in usual["slots"]][:3] == ["08:00", "11:00", "12:00"]
    other = partner.get(f"/mechanics/availability?{days}&mechanics={garage.ref}&service=paint")

    assert other.get_json() == {"data": []}


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("", {"date_from", "date_to"}), ("?date_from=2026-01-05&date_to=2026-01-05", {"state"}),
        ("?date_from=2026-01-05&date_to=2026-01-19&state=OH", {"date_to"}),
        ("?date_from=2026-01-05&date_to=2026-01-04&state=OH", {"date_to"}),
        ("?date_from=2025-12-01&date_to=2025-12-02&state=OH", {"date_from"}),
        ("?date_from=9999-12-31&date_to=9999-12-31&state=OH", {"date_from"}),
        ("?date_from=2026-01-05&date_to=2026-01-05&mechanics=,", {"mechanics"}),
        ("?date_from=2026-01-05&date_to=2026-01-05&mechanics=mec_x", {"mechanics"}),
        ("?date_from=soon&date_to=2026-01-05&mechanics=x&when=now", {"when", "date_from"}),
    ],
)  # fmt: skip
def test_availability_reports_every_bad_parameter(partner: PartnerApp, query: str, fields: set[str]) -> None:
    status, code, details = error_of(partner.get("/mechanics/availability" + query))

    assert (status, code, set(details)) == (400, "INVALID_REQUEST", fields)


@pytest.mark.parametrize(
    ("last", "sentence"),
    [
        ("2026-01-04", "The last day must not be before the first day."),
        ("2026-01-19", "The period must be at most 14 days. Choose an earlier last day."),
    ],
)
def test_availability_says_what_is_wrong_with_the_days(partner: PartnerApp, last: str, sentence: str) -> None:
    _, _, details = error_of(
        partner.get(f"/mechanics/availability?date_from=2026-01-05&date_to={last}&state=OH")
    )

    assert details == {"date_to": [sentence]}
    assert (
        partner.get("/mechanics/availability?date_from=2026-01-05&date_to=2026-01-18&state=OH").status_code
        == 200
    )


def test_hold_reserves_a_time_for_ten_minutes(
    partner: PartnerApp, core: Core, garage: Mechanic, brakes: dict[str, Any]
) -> None:
    other = partner_app(partner.client, core, "Haulify")
    slot = {"mechanic_ref": garage.ref, **MONDAY, "service": "brakes"}
    answer = partner.post("/appointments/holds", slot)
    hold = answer.get_json()["data"]

    assert answer.status_code == 201
    assert (hold["expires_at"], hold["created_at"]) == ("2026-01-02T03:14:05Z", "2026-01-02T03:04:05Z")
    assert (hold["starts_at"], hold["ends_at"]) == ("2026-01-05T14:00:00Z", "2026-01-05T15:30:00Z")
    for refusal in (
        other.post("/appointments/holds", {**slot, "time": "10:00"}),
        partner.post("/appointments", brakes),
    ):
        status, code, details = error_of(refusal)
        assert (status, code, details["status"]) == (409, "CONFLICT", "full")
        assert details["allowed"][0]["time"] == "11:00"
    assert error_of(other.delete(f"/appointments/holds/{hold['ref']}"))[0] == 404
    booked = partner.post("/appointments", {**brakes, "hold": hold["ref"]})

    assert booked.status_code == 201, booked.text
    assert (booked.get_json()["data"]["service"], booked.get_json()["data"]["price"]) == ("brakes", 189.5)
    again = partner.post("/appointments", {**brakes, "hold": hold["ref"]})

    assert set(error_of(again)[2]) == {"hold"}


def test_expired_or_released_hold_frees_the_time(
    partner: PartnerApp, garage: Mechanic, brakes: dict[str, Any]
) -> None:
    slot = {"mechanic_ref": garage.ref, **MONDAY}
    first = partner.post("/appointments/holds", slot).get_json()["data"]["ref"]

    assert partner.delete(f"/appointments/holds/{first}").get_json() == {
        "data": {"ref": first, "released": True}
    }
    assert partner.delete(f"/appointments/holds/{first}").status_code == 404
    second = partner.post("/appointments/holds", slot)

    assert second.status_code == 201
    partner = after(partner, timedelta(minutes=10))
    late = partner.post("/appointments", {**brakes, "hold": second.get_json()["data"]["ref"]})

    assert error_of(late) == (
        400,
        "INVALID_REQUEST",
        {"hold": ["The hold field must be the reference of one of your holds that has not expired."]},
    )
    assert partner.post("/appointments", brakes).status_code == 201


def test_hold_of_another_time_is_rejected(
    partner: PartnerApp, garage: Mechanic, brakes: dict[str, Any]
) -> None:
    slot = {"mechanic_ref": garage.ref, "date": "2026-01-05", "time": "13:00"}
    hold = partner.post("/appointments/holds", slot).get_json()["data"]["ref"]

    assert set(error_of(partner.post("/appointments", {**brakes, "hold": hold}))[2]) == {"hold"}
    ref = partner.post("/appointments", brakes).get_json()["data"]["ref"]
    moved = partner.post(
        f"/appointments/{ref}/reschedule", {"date": "2026-01-05", "time": "13:00", "hold": hold}
    )

    assert moved.get_json()["data"]["time"] == "13:00"


def test_partner_has_at_most_ten_holds_with_a_mechanic(core: Core, partner: PartnerApp) -> None:
    garage = add_mechanic(core, "Big", "43215", capacity="50")
    slot = {"mechanic_ref": garage.ref, **MONDAY}
    answers = [partner.post("/appointments/holds", slot) for _ in range(11)]

    assert [answer.status_code for answer in answers] == [201] * 10 + [429]
    assert answers[-1].headers["Retry-After"] == "600"


def test_book_uses_the_duration_and_price_of_the_service(partner: PartnerApp, brakes: dict[str, Any]) -> None:
    booking = {**brakes, "vehicle": {**CIVIC, "vin": "2hgfc2f59jh000000"}, "address": " 12 Oak Street "}
    booked = partner.post("/appointments", booking).get_json()["data"]

    assert (booked["service"], booked["duration_minutes"], booked["price"]) == ("brakes", 90, 189.5)
    assert (booked["starts_at"], booked["ends_at"]) == ("2026-01-05T14:00:00Z", "2026-01-05T15:30:00Z")
    assert (booked["vehicle"], booked["address"]) == (CIVIC, "12 Oak Street")
    path = f"/appointments/{booked['ref']}"
    moved = partner.post(f"{path}/reschedule", {"date": "2026-01-05", "time": "10:00"}).get_json()["data"]

    assert (moved["time"], moved["duration_minutes"]) == ("10:00", 90)
    changed = partner.patch(path, {"vehicle": {"year": 2020, "make": "Kia", "model": "Rio"}, "address": ""})

    assert changed.get_json()["data"]["vehicle"] == {"vin": None, "year": 2020, "make": "Kia", "model": "Rio"}
    assert changed.get_json()["data"]["address"] is None
    late = partner.post(f"{path}/reschedule", {"date": "2026-01-05", "time": "16:00"})

    assert set(error_of(late)[2]) == {"time"}  # it would end after closing


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"service": "paint"}, {"service"}), ({"service": ""}, {"service"}), ({"service": 5}, {"service"}),
        ({"vehicle": {}}, {"vehicle"}), ({"vehicle": {"year": 2018, "make": "Honda"}}, {"vehicle"}),
        ({"vehicle": {"vin": "short"}}, {"vehicle.vin"}), ({"vehicle": {"vin": "2HGFC2F59JH00000O"}}, {"vehicle.vin"}),
        ({"vehicle": {"year": "2018", "make": "Honda", "model": "Fit"}}, {"vehicle.year"}),
        ({"address": "x" * 501}, {"address"}), ({"hold": "mine"}, {"hold"}),
        ({"hold": "hold_00000000000000000000000000"}, {"hold"}), ({"time": "16:00"}, {"time"}),
    ],
)  # fmt: skip
def test_book_reports_every_bad_field_of_a_service(
    partner: PartnerApp, brakes: dict[str, Any], body: dict[str, Any], fields: set[str]
) -> None:
    status, code, details = error_of(partner.post("/appointments", {**brakes, **body}))

    assert (status, code, set(details)) == (400, "INVALID_REQUEST", fields)


def test_book_without_services_says_to_omit_the_field(
    core: Core, partner: PartnerApp, brakes: dict[str, Any]
) -> None:
    mechanic = add_mechanic(core, "Dublin", "43017", services="")
    _, _, details = error_of(partner.post("/appointments", {**brakes, "mechanic_ref": mechanic.ref}))

    assert details == {"service": ["This mechanic lists no services. Omit the service field."]}


def test_list_filters_and_sorts_appointments(
    core: Core, partner: PartnerApp, garage: Mechanic, customer: str, brakes: dict[str, Any]
) -> None:
    refs = []
    for number, day in enumerate(("2026-01-07", "2026-01-05", "2026-01-06")):
        booking = {**brakes, "date": day, "partner_reference": f"A-{number}"}
        refs.append(partner.post("/appointments", booking).get_json()["data"]["ref"])
    partner.post(f"/appointments/{refs[2]}/cancel")
    other = partner_app(partner.client, core, "Haulify")

    def positions(query: str, app: PartnerApp = partner) -> list[int]:
        answer = app.get(f"/appointments{query}")
        assert answer.status_code == 200, answer.text
        return [refs.index(each["ref"]) for each in answer.get_json()["data"]]

    assert positions("") == [2, 1, 0]
    assert positions("?sort=starts_at") == [1, 2, 0]
    assert positions("?date_from=2026-01-06&date_to=2026-01-06") == [2]
    assert positions("?status=scheduled") == [1, 0]
    assert positions("?partner_reference=A-1") == [1]
    assert positions(f"?customer_ref={customer}&mechanic_ref={garage.ref}&sort=-starts_at") == [0, 2, 1]
    assert positions("?customer_ref=cus_00000000000000000000000000") == []
    assert positions("", other) == []
    first = partner.get("/appointments?per_page=2&sort=starts_at").get_json()
    second = partner.get(
        f"/appointments?per_page=2&sort=starts_at&cursor={first['meta']['next_cursor']}"
    ).get_json()

    assert [each["ref"] for each in (*first["data"], *second["data"])] == [refs[1], refs[2], refs[0]]
    assert (first["meta"]["total"], second["meta"]["next_cursor"]) == (3, None)
    table = partner.get("/appointments?format=csv&sort=starts_at")

    assert [row["ref"] for row in csv.DictReader(table.text.splitlines())] == [refs[1], refs[2], refs[0]]


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("?status=open&customer_ref=x", {"status", "customer_ref"}), ("?date_from=x", {"date_from"}),
        ("?sort=price", {"sort"}), ("?cursor=x", {"cursor"}), ("?page=0&mechanic_ref=y", {"page", "mechanic_ref"}),
        ("?customer=x", {"customer"}), ("?customer=x&status=open&page=0", {"customer", "status", "page"}),
    ],
)  # fmt: skip
def test_list_reports_every_bad_parameter(partner: PartnerApp, query: str, fields: set[str]) -> None:
    status, code, details = error_of(partner.get("/appointments" + query))

    assert (status, code, set(details)) == (400, "INVALID_REQUEST", fields)


def test_calendar_file_follows_the_appointment(partner: PartnerApp, brakes: dict[str, Any]) -> None:
    ref = partner.post("/appointments", brakes).get_json()["data"]["ref"]

    def lines() -> set[str]:
        answer = partner.get(f"/appointments/{ref}/calendar.ics")
        assert answer.content_type == "text/calendar; charset=utf-8"
        return set(answer.get_data(as_text=True).split("\r\n"))

    assert {"DTSTART:20260105T140000Z", "SEQUENCE:0", f"UID:{ref}@repaircore", "METHOD:PUBLISH"} <= lines()
    partner.post(f"/appointments/{ref}/reschedule", {"date": "2026-01-06", "time": "10:00"})

    assert {"DTSTART:20260106T150000Z", "SEQUENCE:1", f"UID:{ref}@repaircore"} <= lines()
    partner.post(f"/appointments/{ref}/cancel")

    assert {"METHOD:CANCEL", "STATUS:CANCELLED", "SEQUENCE:2", f"UID:{ref}@repaircore"} <= lines()


@pytest.mark.parametrize("hours", [0, 1])
def test_cancel_costs_the_fee_of_the_preview(open_core: OpenCore, hours: int) -> None:
    core = open_core(appointment_cancel_fee=25.0, appointment_free_cancel_hours=24.0)
    core.prepare()
    partner = partner_app(serve_core(core).test_client(), core)
    garage = add_mechanic(core, "Downtown", "43215")
    person = {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.org", "phone": "+13105550123"}
    customer = partner.post("/customers", person).get_json()["data"]["external_ref"]
    booking = {"mechanic_ref": garage.ref, "customer_ref": customer, **MONDAY}
    ref = partner.post("/appointments", booking).get_json()["data"]["ref"]
    # It starts in 82 hours and 56 minutes.
    partner = after(partner, timedelta(hours=58 + hours))
    preview = partner.get(f"/appointments/{ref}/cancel-preview").get_json()["data"]
    cancelled = partner.post(f"/appointments/{ref}/cancel").get_json()["data"]

    assert preview["fee"] == cancelled["cancel_fee"] == (25.0 if hours else 0.0)
    assert (preview["free_until"], preview["currency"]) == ("2026-01-04T14:00:00Z", "USD")
    assert partner.get(f"/appointments/{ref}/cancel-preview").status_code == 409


def test_late_reschedule_does_not_avoid_the_cancellation_fee(open_core: OpenCore) -> None:
    core = open_core(appointment_cancel_fee=25.0, appointment_free_cancel_hours=24.0)
    core.prepare()
    partner = partner_app(serve_core(core).test_client(), core)
    garage = add_mechanic(core, "Downtown", "43215")
    person = {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.org", "phone": "+13105550123"}
    customer = partner.post("/customers", person).get_json()["data"]["external_ref"]
    booking = {"mechanic_ref": garage.ref, "customer_ref": customer, **MONDAY}
    ref, other = (
        partner.post("/appointments", {**booking, "time": time}).get_json()["data"]["ref"]
        for time in ("09:00", "10:00")
    )
    partner = after(partner, timedelta(hours=70))
    for each, time in ((ref, "10:00"), (other, "11:00")):
        partner.post(f"/appointments/{each}/reschedule", {"date": "2026-01-13", "time": time})
    preview = partner.get(f"/appointments/{ref}/cancel-preview").get_json()["data"]
    cancelled = partner.post(f"/appointments/{ref}/cancel").get_json()["data"]
    link = core.mechanic_responses.links.address(other).removeprefix(core.settings.public_url)
    page = partner.client.get(link).get_data(as_text=True)
    core.mechanic_responses.accept(core.mechanic_responses.links.token(other))
    accepted = partner.client.get(link).get_data(as_text=True)
    forgiven = partner.get(f"/appointments/{other}/cancel-preview").get_json()["data"]

    assert (preview["fee"], preview["free_until"]) == (25.0, "2026-01-04T14:00:00Z")
    assert "has not accepted the new time" in preview["reason"]
    assert cancelled["cancel_fee"] == cancelled["timeline"][-1]["detail"]["fee"] == 25.0
    assert (LATE_MOVE in page, LATE_MOVE in accepted) == (True, False)
    assert (forgiven["fee"], forgiven["free_until"]) == (0.0, "2026-01-12T16:00:00Z")


def test_mechanic_is_rated_once_after_a_completed_appointment(
    partner: PartnerApp, garage: Mechanic, brakes: dict[str, Any]
) -> None:
    ref = partner.post("/appointments", brakes).get_json()["data"]["ref"]
    path = f"/appointments/{ref}/rate-mechanic"

    early = partner.post(path, {"rating": 5})
    assert early.status_code == 409
    assert "cancel" in error_of(early)[2]["allowed"]
    partner = after(partner, timedelta(days=4))
    partner.patch(f"/appointments/{ref}", {"status": "completed"})

    assert set(error_of(partner.post(path, {"rating": 6}))[2]) == {"rating"}
    assert partner.post(path, {"rating": 4}).get_json()["data"]["rating"] == 4
    assert partner.post(path, {"rating": 5}).status_code == 409
    shown = partner.get(f"/mechanics/{garage.ref}").get_json()["data"]

    assert (shown["rating"], shown["rating_count"]) == (4.0, 1)


# The no-show fee


def book_with_new_partner(core: Core) -> tuple[PartnerApp, dict[str, Any]]:
    """Book an appointment with a new partner."""
    partner = partner_app(serve_core(core).test_client(), core)
    garage = add_mechanic(core, "Downtown", "43215")
    person = {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.org", "phone": "+13105550123"}
    customer = partner.post("/customers", person).get_json()["data"]["external_ref"]
    booking = {"mechanic_ref": garage.ref, "customer_ref": customer, **MONDAY}
    return partner, partner.post("/appointments", booking).get_json()["data"]


def test_messages_state_the_cancellation_fee(open_core: OpenCore) -> None:
    core = open_core(appointment_cancel_fee=35.0, appointment_free_cancel_hours=24.0)
    partner, booked = book_with_new_partner(core)
    partner = after(partner, timedelta(hours=80))
    partner.post(f"/appointments/{booked['ref']}/reschedule", {"date": "2026-01-05", "time": "10:00"})
    mails = (
        sa.select(messages.c.body).where(messages.c.recipient == "ada@example.org").order_by(messages.c.id)
    )
    with core.storage.database.transaction(write=False) as connection:
        first, second = connection.execute(mails).scalars()

    assert "Canceling is free until Sunday, January 4 at 9:00 AM EST and costs $35.00 after that." in first
    assert "Canceling now costs $35.00." in second


@pytest.mark.parametrize("declines", [False, True])
def test_no_show_costs_the_fee_stated_at_the_booking(open_core: OpenCore, *, declines: bool) -> None:
    core = open_core(appointment_no_show_fee=40.0)
    partner, booked = book_with_new_partner(core)
    path = f"/appointments/{booked['ref']}"
    preview = partner.get(f"{path}/cancel-preview").get_json()["data"]
    if declines:
        core.mechanic_responses.decline(core.mechanic_responses.links.token(booked["ref"]))
    partner = after(partner, timedelta(days=4))
    ended = partner.patch(path, {"status": "no_show"}).get_json()["data"]
    fee = 0.0 if declines else 40.0

    assert (booked["no_show_fee"], preview["no_show_fee"]) == (40.0, 40.0)
    assert (ended["status"], ended["no_show_fee"], ended["cancel_fee"]) == ("no_show", fee, None)
    assert ended["timeline"][-1]["detail"] == {"fee": fee}
    with core.storage.database.transaction(write=False) as connection:
        bodies = connection.execute(sa.select(messages.c.body).where(messages.c.about == booked["ref"]))
        assert "$40.00 if you do not show up" in next(iter(bodies.scalars()))


@pytest.mark.parametrize("by_mechanic", [False, True], ids=["partner", "mechanic"])
def test_no_show_is_reported_to_the_customer_with_its_fee(open_core: OpenCore, *, by_mechanic: bool) -> None:
    core = open_core(appointment_no_show_fee=40.0)
    partner, booked = book_with_new_partner(core)
    partner = after(partner, timedelta(days=4))
    actor: Actor = MECHANIC if by_mechanic else PARTNER
    caller = core.appointments.caller_of(booked["ref"])
    core.appointments.update(booked["ref"], {"status": Status.NO_SHOW}, caller, actor=actor)
    with core.storage.database.transaction(write=False) as connection:
        closed = connection.execute(
            sa.select(messages).where(
                messages.c.recipient == "ada@example.org", messages.c.subject.endswith("was closed")
            )
        ).one()

    assert "Your appointment was closed because you did not show up:" in closed.body
    assert "Fee:       $40.00" in closed.body
    assert "because Roadside Inc booked this appointment for you" in closed.body


def test_canceling_after_the_start_costs_as_much_as_a_no_show(open_core: OpenCore) -> None:
    core = open_core(appointment_cancel_fee=10.0, appointment_no_show_fee=40.0)
    partner, booked = book_with_new_partner(core)
    path = f"/appointments/{booked['ref']}"
    partner = after(partner, timedelta(days=4))
    preview = partner.get(f"{path}/cancel-preview").get_json()["data"]
    ended = partner.post(f"{path}/cancel").get_json()["data"]

    assert (preview["fee"], ended["cancel_fee"]) == (40.0, 40.0)
    assert preview["reason"] == "The appointment has started, so canceling costs as much as a no-show."


@pytest.mark.parametrize("ends", ["completed", "cancelled"])
def test_other_outcomes_have_no_no_show_fee(open_core: OpenCore, ends: str) -> None:
    partner, booked = book_with_new_partner(open_core(appointment_no_show_fee=40.0))
    path = f"/appointments/{booked['ref']}"
    if ends == "cancelled":
        ended = partner.post(f"{path}/cancel")
    else:
        partner = after(partner, timedelta(days=4))
        ended = partner.patch(path, {"status": ends})

    assert (ended.get_json()["data"]["status"], ended.get_json()["data"]["no_show_fee"]) == (ends, None)


def test_cancel_for_another_fee_than_previewed_is_refused(open_core: OpenCore) -> None:
    partner, booked = book_with_new_partner(open_core(appointment_cancel_fee=35.0))
    path = f"/appointments/{booked['ref']}"
    free = partner.get(f"{path}/cancel-preview").get_json()["data"]["fee"]
    late = after(partner, timedelta(hours=80))
    refused = late.post(f"{path}/cancel", {"expected_fee": free})
    status, code, details = error_of(refused)
    preview = late.get(f"{path}/cancel-preview").get_json()["data"]

    assert (status, code, details["status"]) == (409, "CONFLICT", "scheduled")
    assert "cancel" in details["allowed"]
    assert details["preview"] == preview
    assert preview["fee"] == 35.0
    assert "Canceling now costs $35.00 instead of $0.00." in refused.get_json()["error"]["message"]
    ended = late.post(f"{path}/cancel", {"expected_fee": preview["fee"]}).get_json()["data"]
    assert (ended["status"], ended["cancel_fee"]) == ("cancelled", 35.0)


@pytest.mark.parametrize("fee", [-1, 0.001, "0"])
def test_expected_fee_is_checked(open_core: OpenCore, fee: object) -> None:
    partner, booked = book_with_new_partner(open_core())
    status, _, details = error_of(
        partner.post(f"/appointments/{booked['ref']}/cancel", {"expected_fee": fee})
    )

    assert (status, [*details]) == (400, ["expected_fee"])
