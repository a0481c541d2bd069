"""Customers at the partner platform's door."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.http.partners import PartnerApp
from tests.http.shape import shaped

from repaircore.adapters.sql.schema.partners import customers
from repaircore.adapters.sql.schema.webhooks import events
from repaircore.core import Core

ADA = {
    "first_name": "Ada",
    "last_name": "Byron",
    "email": "Ada@Example.com",
    "phone": "(310) 555-0123",
    "address": "1 Main Street",
}
CUSTOMER = {
    "id": int,
    "ref": str,
    "external_ref": str,
    "environment": str,
    "first_name": str,
    "last_name": str,
    "email": str,
    "phone": str,
    "address": str,
    "created_at": str,
    "updated_at": str,
}


def count(core: Core, table: sa.Table) -> int:
    with core.storage.database.transaction(write=False) as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def test_resolve_creates_and_then_finds_a_customer(partner: PartnerApp) -> None:
    made = partner.post("/customers", ADA)

    assert made.status_code == 201
    assert shaped({"data": CUSTOMER}, made.get_json())
    data = made.get_json()["data"]

    assert data["ref"] == data["external_ref"]
    assert data["phone"] == "+13105550123"
    found = partner.post("/customers", {**ADA, "email": "ADA@example.COM", "phone": "+1 310 555 0199"})

    assert (found.status_code, found.get_json()) == (200, made.get_json())


def test_resolve_separates_partners_and_environments(
    partner: PartnerApp, live_partner: PartnerApp, other_partner: PartnerApp
) -> None:
    answers = [each.post("/customers", ADA) for each in (partner, live_partner, other_partner)]

    assert [each.status_code for each in answers] == [201, 201, 201]
    assert len({each.get_json()["data"]["ref"] for each in answers}) == 3


def test_resolve_answers_409_for_two_customers(partner: PartnerApp) -> None:
    bo = {**ADA, "email": "bo@example.com", "phone": "+49 30 901820"}
    refs = [partner.post("/customers", each).get_json()["data"]["ref"] for each in (ADA, bo)]
    answer = partner.post("/customers", {**ADA, "phone": bo["phone"]})

    assert (answer.status_code, answer.get_json()) == (
        409,
        {
            "error": {
                "message": "The email and the phone belong to two different customers.",
                "code": "CONFLICT",
                "details": {"email": refs[0], "phone": refs[1]},
            }
        },
    )


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"phone": "12345"}, {"phone"}),
        ({"phone": 3105550123}, {"phone"}),
        ({"phone": "12345", "email": "nobody", "first_name": 1}, {"phone", "email", "first_name"}),
        (
            {"first_name": " ", "last_name": "x" * 256, "address": "x" * 501},
            {"first_name", "last_name", "address"},
        ),
        (
            {"first_name": "Ada\r\n\r\nYou won!", "last_name": "\x1b[31m", "address": "1 Main St\x07"},
            {"first_name", "last_name", "address"},
        ),
        ({"first_name": "Ada\u2028You won!"}, {"first_name"}),
        ({"email": None}, {"email"}),
        ({"email": "x" * 300 + "@example.com", "phone": "1" * 5000}, {"email", "phone"}),
    ],
)
def test_resolve_reports_every_bad_field(
    core: Core, partner: PartnerApp, changes: dict[str, Any], fields: set[str]
) -> None:
    answer = partner.post("/customers", {**ADA, **changes})

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "INVALID_REQUEST")
    assert set(answer.get_json()["error"]["details"]) == fields
    assert count(core, customers) == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"address": "1 Main St\nApt 2\r\n\tColumbus"},
        {"first_name": "نا\u200cزنین"},
        {"last_name": "van\u00a0Dyk"},
    ],
)
def test_resolve_keeps_unusual_names_and_addresses(partner: PartnerApp, changes: dict[str, str]) -> None:
    made = partner.post("/customers", {**ADA, **changes}).get_json()["data"]

    assert {name: made[name] for name in changes} == changes


def test_resolve_reports_every_missing_field(partner: PartnerApp) -> None:
    answer = partner.post("/customers", {})

    assert set(answer.get_json()["error"]["details"]) == {"first_name", "last_name", "email", "phone"}


def test_resolve_replays_a_repeated_request(core: Core, partner: PartnerApp) -> None:
    first, again = (partner.post("/customers", ADA, key="k-1") for _ in range(2))

    assert (first.status_code, again.status_code, again.data) == (201, 201, first.data)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert partner.post("/customers", {**ADA, "address": None}, key="k-1").status_code == 400
    assert (count(core, customers), count(core, events)) == (1, 1)


def test_resolve_answers_201_once_among_concurrent_requests(core: Core, partner: PartnerApp) -> None:
    def ask(number: int) -> int:
        # A client of Flask is one caller's at a time.
        app = evolve(partner, client=partner.client.application.test_client())
        status: int = app.request("POST", "/customers", ADA, key=f"k-{number}").status_code
        return status

    with ThreadPoolExecutor(5) as pool:
        statuses = sorted(pool.map(ask, range(5)))

    assert statuses == [200] * 4 + [201]
    assert (count(core, customers), count(core, events)) == (1, 1)


def test_resolve_creates_an_erased_customer_again(core: Core, partner: PartnerApp) -> None:
    before = partner.post("/customers", ADA, key="k-1")

    assert core.persons.erase("ada@example.com").traces == ()
    after = partner.post("/customers", ADA, key="k-1")

    assert after.status_code == 201
    assert "Idempotent-Replayed" not in after.headers
    assert after.get_json()["data"]["ref"] != before.get_json()["data"]["ref"]
