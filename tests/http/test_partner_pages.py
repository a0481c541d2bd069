"""A partner's pages in the console: only for its members, with the features of its API."""

import re
from typing import Any

import pytest
from tests.contracts.appointments import a_customer, a_mechanic
from tests.http.partners import PartnerApp, partner_app
from tests.http.rides import create_customer, mobile
from tests.http.visitors import Page, Visitor, visitor

from repaircore.appointments.validation import CreateAppointment
from repaircore.core import Core
from repaircore_http.service import serve_core

HOOKS = "https://example.com/hooks"
WEBHOOK = {"url": HOOKS, "events": "customer.*"}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the pages do not depend on the database."""
    return sqlite_url


@pytest.fixture
def app(core: Core) -> Any:
    return serve_core(core)


@pytest.fixture
def roadside(app: Any, core: Core) -> PartnerApp:
    return partner_app(app.test_client(), core)


@pytest.fixture
def ada(app: Any, core: Core, roadside: PartnerApp) -> Visitor:
    """Return a member of the partner, in the test environment."""
    member = visitor(app.test_client(), "Ada")
    core.partner_members.add(roadside.name, member.email)
    member.get("/console/keys")
    member.post("/console/environment", {"environment": "test"})
    return member


def add_webhook(ada: Visitor) -> str:
    """Add a webhook, and return the address of its page."""
    ada.get("/console/partner/webhooks")
    answer = ada.post("/console/partner/webhooks", WEBHOOK)
    assert answer.status_code == 201, Page(answer.text).words
    return str(re.findall(r'href="(/console/partner/webhooks/whs_[^"]+)"', answer.text)[0])


def test_only_members_have_the_pages(app: Any, ada: Visitor) -> None:
    stranger = visitor(app.test_client(), "Bo")
    statuses = [stranger.get(f"/console/partner{page}").status_code for page in ("", "/jobs", "/keys")]

    assert ">Partner<" in ada.get("/console/keys").text
    assert ">Partner<" not in stranger.get("/console/keys").text
    assert statuses == [404] * 3
    assert "Roadside Inc" in ada.page("/console/partner").words


def test_removed_and_suspended_members_see_nothing(core: Core, ada: Visitor, roadside: PartnerApp) -> None:
    core.partners.suspend(roadside.name)
    assert ada.get("/console/partner").status_code == 403
    core.partners.resume(roadside.name)
    core.partner_members.remove(roadside.name, ada.email)

    assert ada.get("/console/partner").status_code == 404
    assert ada.post("/console/partner/keys/rotate", {"hours": "0"}).status_code == 404


def test_overview_shows_the_limits_of_the_api(ada: Visitor, roadside: PartnerApp) -> None:
    used = roadside.get("/usage").get_json()["data"]["requests_per_minute"]
    words = ada.page("/console/partner").words

    assert f"{used['remaining'] - 1} of {used['limit']}" in words
    assert "0 of 20" in words


def test_overview_has_the_webhooks_and_whether_they_work(ada: Visitor) -> None:
    add_webhook(ada)
    words = ada.page("/console/partner").words

    assert "1 of 20" in words
    assert f"{HOOKS} Nothing has been sent yet." in words


def test_webhook_is_added_tested_replayed_changed_and_deleted(ada: Visitor, roadside: PartnerApp) -> None:
    address = add_webhook(ada)
    create_customer(roadside)
    page = ada.page(address)
    assert "customer.created pending" in page.words

    assert ada.post(f"{address}/test").headers["Location"].endswith("?done=webhook-tested")
    assert "webhook.test pending" in ada.page(address).words
    event = re.findall(r"evt_[a-z0-9]{26}", ada.get(address).text)[0]
    assert ada.post(f"{address}/replay", {"event": event}).headers["Location"].endswith("event-replayed")
    assert ada.post(f"{address}/replay", {"event": "evt_none"}).status_code == 422

    changed = ada.post(f"{address}/change", {"url": HOOKS, "events": ["ride.*", "tow.created"]})
    assert changed.headers["Location"].endswith("?done=webhook-changed")
    words = ada.page(address).words
    assert "ride.*, tow.created" in words
    assert "off" in words  # the box was not checked
    assert ada.post(f"{address}/change", {"url": HOOKS, "events": "ride.cre*"}).status_code == 422
    assert "whsec_" in ada.post(f"{address}/secret").text
    assert ada.post(f"{address}/delete").status_code == 303
    assert ada.get(address).status_code == 404


def test_secret_of_a_webhook_is_shown_once(ada: Visitor) -> None:
    ada.get("/console/partner/webhooks")
    assert "whsec_" in ada.post("/console/partner/webhooks", WEBHOOK).text
    assert "whsec_" not in ada.get("/console/partner/webhooks").text


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ({"url": "http://10.0.0.1/hooks", "events": "*"}, "url"),
        ({"url": HOOKS}, "The events field is required."),
        ({"url": HOOKS, "events": "visit.sent"}, "or one of ride.*, tow.*"),
    ],
)
def test_rejected_webhook_is_shown_again_as_typed(ada: Visitor, form: dict[str, str], text: str) -> None:
    ada.get("/console/partner/webhooks")
    answer = ada.post("/console/partner/webhooks", form)

    assert answer.status_code == 422
    assert text in Page(answer.text).words
    assert Page(answer.text).value("url") == form["url"]


def test_webhooks_of_another_environment_or_partner_are_not_found(app: Any, core: Core, ada: Visitor) -> None:
    address = add_webhook(ada)
    partner_app(app.test_client(), core, name="Towify")
    bo = visitor(app.test_client(), "Bo")
    core.partner_members.add("Towify", bo.email)
    bo.get("/console/keys")
    bo.post("/console/environment", {"environment": "test"})

    assert bo.get(address).status_code == 404
    assert bo.post(f"{address}/delete").status_code == 404
    ada.post("/console/environment", {"environment": "live"})
    assert ada.get(address).status_code == 404


def test_key_rotation_ends_sessions_on_request(core: Core, ada: Visitor, roadside: PartnerApp) -> None:
    ada.get("/console/partner/keys")
    first = ada.post("/console/partner/keys/rotate", {"hours": "1"})
    assert roadside.get("/usage").status_code == 200
    ended = ada.post("/console/partner/keys/rotate", {"hours": "0", "end_sessions": "true"})
    secret = re.findall(r"psk_test_[A-Za-z0-9_-]+", ended.text)[0]

    assert (first.status_code, ended.status_code) == (201, 201)
    assert roadside.get("/usage").status_code == 401
    assert core.partner_sessions.authenticate(secret) == roadside.caller
    assert secret not in ada.get("/console/partner/keys").text


def test_jobs_are_listed_filtered_and_shown_with_their_timeline(ada: Visitor, roadside: PartnerApp) -> None:
    first = mobile.pending(roadside, partner_reference="claim-7")
    mobile.pending(roadside)
    words = ada.page("/console/partner/jobs?partner_reference=claim-7").words
    page = ada.page(f"/console/partner/jobs/{first['ref']}")

    assert words.count("ride_") == 1
    assert "claim-7" in words
    assert "Timeline" in page.words
    assert "Create" in page.words
    assert ada.page("/console/partner").words.count("your reference claim-7") == 1
    assert ada.get("/console/partner/jobs?kind=bus").status_code == 422
    assert ada.get("/console/partner/jobs?kinds=ride").status_code == 422
    assert ada.get("/console/partner/jobs/ride_0").status_code == 404


def test_timeline_shows_a_refund_with_amount_reason_and_actor(ada: Visitor, roadside: PartnerApp) -> None:
    ref = mobile.completed(roadside)["ref"]
    roadside.post(f"/mobile-rides/{ref}/refund", {"amount": 10.5, "reason": "It came late."})
    words = ada.page(f"/console/partner/jobs/{ref}").words

    assert "Refunded partner" in words
    assert "amount: $10.50 · refunded: $10.50 · partial: yes · reason: It came late." in words


def test_timeline_shows_the_former_destination_as_a_place(ada: Visitor, roadside: PartnerApp) -> None:
    ride = mobile.pending(roadside)
    roadside.patch(
        f"/mobile-rides/{ride['ref']}", {"dropoff_latitude": 34.0195, "dropoff_longitude": -118.4912}
    )
    words = ada.page(f"/console/partner/jobs/{ride['ref']}").words

    assert "previous destination: near " in words
    assert "previous price: $" in words
    assert "latitude" not in words


@pytest.mark.parametrize(
    ("address", "customers", "mechanics"),
    [("412 W 5th St", "412 W 5th St", "412 W 5th St"), (None, "Garage, ", "At Garage")],
)
def test_pages_show_the_place_of_an_appointment(
    core: Core, ada: Visitor, roadside: PartnerApp, *, address: str | None, customers: str, mechanics: str
) -> None:
    booked = core.appointments.book(
        CreateAppointment(
            mechanic_ref=a_mechanic(core).ref,
            customer_ref=a_customer(core, roadside.caller),
            date="2026-01-05",
            time="09:00",
            address=address,
        ),
        roadside.caller,
    )
    link = core.mechanic_responses.links.address(booked.ref).removeprefix(core.settings.public_url)

    assert f"Where {customers}" in ada.page(f"/console/partner/jobs/{booked.ref}").words
    assert f"Where {mechanics}" in ada.page(link).words


def test_statement_is_shown_and_downloaded(ada: Visitor, roadside: PartnerApp) -> None:
    ride = mobile.completed(roadside)
    ref = ride["ref"]
    page = ada.page("/console/partner/statements")
    month = page.value("month")
    csv = ada.get(f"/console/partner/statements/{month}.csv")

    assert f"Captured ${ride['fare']['total']:,.2f}" in page.words
    assert csv.headers["Content-Type"].startswith("text/csv")
    assert csv.text == roadside.get(f"/statements/{month}?format=csv").text
    assert ref in csv.text
    assert ada.get("/console/partner/statements?month=2026-13").status_code == 422
    assert ada.get("/console/partner/statements/soon.csv").status_code == 422


def test_operator_adds_and_removes_members_in_the_console(core: Core, app: Any, roadside: PartnerApp) -> None:
    root = visitor(app.test_client(), "Root", core=core)
    bo = visitor(app.test_client(), "Bo")
    member = {"partner": roadside.name, "email": bo.email}
    root.get("/console/admin/partners")

    unknown = root.post("/console/admin/partners/members/add", {**member, "email": "nobody@example.org"})
    assert unknown.status_code == 422
    assert "There is no account with the e-mail nobody@example.org." in Page(unknown.text).words
    assert root.post("/console/admin/partners/members/add", member).status_code == 303
    assert bo.email in root.page("/console/admin/partners").words
    assert bo.get("/console/partner").status_code == 200
    assert root.post("/console/admin/partners/members/remove", member).status_code == 303
    assert bo.get("/console/partner").status_code == 404
