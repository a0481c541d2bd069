"""Customers of partners over HTTP."""

import csv
import io
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
    "metadata": dict,
    "created_at": str,
    "updated_at": str,
}


def count(core: Core, table: sa.Table) -> int:
    with core.storage.database.transaction(write=False) as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def test_resolve_creates_and_then_finds_a_customer(partner: PartnerApp) -> None:
    created = partner.post("/customers", ADA)

    assert created.status_code == 201
    assert shaped({"data": CUSTOMER, "created": bool, "not_taken": list}, created.get_json())
    assert (created.get_json()["created"], created.get_json()["not_taken"]) == (True, [])
    data = created.get_json()["data"]

    assert data["ref"] == data["external_ref"]
    assert data["phone"] == "+13105550123"
    found = partner.post("/customers", {**ADA, "email": "ADA@example.COM", "phone": "+1 310 555 0199"})

    assert (found.status_code, found.get_json()["data"]) == (200, data)
    assert (found.get_json()["created"], found.get_json()["not_taken"]) == (False, ["phone"])


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
                "message": "The e-mail and the phone belong to two different customers.",
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
    created = partner.post("/customers", {**ADA, **changes}).get_json()["data"]

    assert {name: created[name] for name in changes} == changes


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
    def resolve(number: int) -> int:
        # Flask's test client is not thread-safe.
        app = evolve(partner, client=partner.client.application.test_client())
        status: int = app.request("POST", "/customers", ADA, key=f"k-{number}").status_code
        return status

    with ThreadPoolExecutor(5) as pool:
        statuses = sorted(pool.map(resolve, range(5)))

    assert statuses == [200] * 4 + [201]
    assert (count(core, customers), count(core, events)) == (1, 1)


def test_resolve_creates_an_erased_customer_again(core: Core, partner: PartnerApp) -> None:
    before = partner.post("/customers", ADA, key="k-1")

    assert core.persons.erase("ada@example.com").traces == ()
    after = partner.post("/customers", ADA, key="k-1")

    assert after.status_code == 201
    assert "Idempotent-Replayed" not in after.headers
    assert after.get_json()["data"]["ref"] != before.get_json()["data"]["ref"]


def _customer(partner: PartnerApp, **fields: Any) -> dict[str, Any]:
    created = partner.post("/customers", {**ADA, **fields})
    assert created.status_code == 201, created.get_json()
    data: dict[str, Any] = created.get_json()["data"]
    return data


def test_existing_customer_lists_the_ignored_fields(partner: PartnerApp) -> None:
    _customer(partner, metadata={"crm": "7"})
    same = partner.post("/customers", {**ADA, "phone": "310-555-0123", "metadata": {"crm": "7"}}).get_json()
    other = partner.post(
        "/customers", {**ADA, "first_name": "Augusta", "address": None, "metadata": {}}
    ).get_json()

    assert (same["created"], same["not_taken"]) == (False, [])
    assert other["not_taken"] == ["first_name", "metadata"]
    assert (other["data"]["first_name"], other["data"]["metadata"]) == ("Ada", {"crm": "7"})


def test_customer_is_shown_only_to_its_partner(
    partner: PartnerApp, live_partner: PartnerApp, other_partner: PartnerApp
) -> None:
    ada = _customer(partner)

    assert partner.get(f"/customers/{ada['ref']}").get_json() == {"data": ada}
    for other in (live_partner, other_partner):
        for answer in (
            other.get(f"/customers/{ada['ref']}"),
            other.patch(f"/customers/{ada['ref']}", {"first_name": "Eve"}),
        ):
            assert (answer.status_code, answer.get_json()["error"]["code"]) == (404, "NOT_FOUND")
        assert other.get("/customers").get_json()["data"] == []
    assert partner.get("/customers/cus_1").status_code == 404


def test_update_changes_the_given_fields_and_sends_an_event(partner: PartnerApp, core: Core) -> None:
    ada = _customer(partner, metadata={"crm": "7", "tier": "gold"})
    changes = {"phone": "(310) 555-0199", "email": "ada@new.example.com", "metadata": {"crm": "8"}}
    updated = partner.patch(f"/customers/{ada['ref']}", changes)

    assert updated.status_code == 200
    data = updated.get_json()["data"]
    assert data == {
        **ada,
        "phone": "+13105550199",
        "email": "ada@new.example.com",
        "metadata": {"crm": "8"},
        "updated_at": data["updated_at"],
    }
    assert partner.get(f"/customers/{ada['ref']}").get_json()["data"] == data
    assert count(core, events) == 2
    # What is stored already changes nothing.
    assert partner.patch(f"/customers/{ada['ref']}", {"first_name": "Ada"}).get_json()["data"] == data
    assert count(core, events) == 2


def test_update_rejects_the_email_of_another_customer(partner: PartnerApp) -> None:
    ada = _customer(partner)
    bo = _customer(partner, email="bo@example.com", phone="+13105550124")
    refused = partner.patch(f"/customers/{bo['ref']}", {"email": "ADA@example.com"})

    assert refused.status_code == 409
    assert refused.get_json()["error"]["details"] == {"email": ada["ref"]}
    assert partner.get(f"/customers/{bo['ref']}").get_json()["data"] == bo


@pytest.mark.parametrize(
    ("fields", "bad"),
    [
        ({"first_name": " ", "email": "x"}, {"first_name", "email"}),
        ({"phone": "1"}, {"phone"}),
        ({"metadata": {str(number): "x" for number in range(21)}}, {"metadata"}),
        ({"metadata": {"": "x"}}, {"metadata"}),
        ({"metadata": {"a": "x" * 501}}, {"metadata"}),
        ({"metadata": {"a": 1}}, {"metadata.a"}),
        ({"metadata": []}, {"metadata"}),
    ],
)
def test_bad_fields_of_an_update_are_reported(
    partner: PartnerApp, fields: dict[str, Any], bad: set[str]
) -> None:
    ada = _customer(partner)
    refused = partner.patch(f"/customers/{ada['ref']}", fields)

    assert (refused.status_code, refused.get_json()["error"]["code"]) == (400, "INVALID_REQUEST")
    assert set(refused.get_json()["error"]["details"]) == bad


def test_list_filters_and_pages_by_cursor(partner: PartnerApp) -> None:
    created = [
        _customer(partner, email=f"{number}@example.com", phone=f"+1310555010{number}") for number in range(5)
    ]

    def refs(query: str) -> list[str]:
        answer = partner.get(f"/customers?{query}")
        assert answer.status_code == 200, answer.get_json()
        return [each["ref"] for each in answer.get_json()["data"]]

    newest_first = [each["ref"] for each in created[::-1]]
    first = partner.get("/customers?per_page=2").get_json()
    second = partner.get(f"/customers?per_page=2&cursor={first['meta']['next_cursor']}").get_json()

    assert [each["ref"] for each in first["data"] + second["data"]] == newest_first[:4]
    assert refs("email=3@EXAMPLE.com") == [created[3]["ref"]]
    assert refs("phone=310-555-0102") == [created[2]["ref"]]
    assert refs("date_from=2000-01-01&date_to=2999-01-01") == newest_first
    assert refs("date_to=2000-01-01") == []


def test_list_is_sorted_and_csv_has_every_page(partner: PartnerApp) -> None:
    created = [
        _customer(partner, email=f"{number}@example.com", phone=f"+1310555010{number}") for number in range(3)
    ]
    oldest_first = partner.get("/customers?sort=created_at").get_json()["data"]
    sheet = partner.get("/customers?format=csv&sort=created_at&per_page=1")

    assert [each["ref"] for each in oldest_first] == [each["ref"] for each in created]
    assert sheet.content_type == "text/csv; charset=utf-8"
    assert [row["ref"] for row in csv.DictReader(io.StringIO(sheet.text))] == [
        each["ref"] for each in created
    ]


@pytest.mark.parametrize("path", ["/mobile-rides", "/tow-rides", "/webhooks", "/appointments"])
def test_every_list_has_csv_and_rejects_the_cursor_of_another(partner: PartnerApp, path: str) -> None:
    for number in range(2):
        _customer(partner, email=f"{number}@example.com", phone=f"+1310555010{number}")
    cursor = partner.get("/customers?per_page=1").get_json()["meta"]["next_cursor"]
    refused = partner.get(f"{path}?cursor={cursor}")

    assert partner.get(f"{path}?format=csv").content_type == "text/csv; charset=utf-8"
    assert refused.status_code == 400
    assert list(refused.get_json()["error"]["details"]) == ["cursor"]


@pytest.mark.parametrize(
    "query",
    [
        "mail=x",
        "sort=email",
        "date_from=2026-02-02&date_to=2026-02-01",
        "cursor=x",
        "per_page=0",
        "date_from=soon",
    ],
)
def test_bad_query_of_the_list_is_rejected(partner: PartnerApp, query: str) -> None:
    refused = partner.get(f"/customers?{query}")

    assert (refused.status_code, refused.get_json()["error"]["code"]) == (400, "INVALID_REQUEST")
    assert len(refused.get_json()["error"]["details"]) == 1


def test_erased_customer_is_neither_listed_nor_shown(partner: PartnerApp, core: Core) -> None:
    ada = _customer(partner, metadata={"crm": "Ada Byron"})
    core.persons.erase("ada@example.com")

    assert partner.get("/customers").get_json()["data"] == []
    assert partner.get(f"/customers/{ada['ref']}").status_code == 404
    assert partner.patch(f"/customers/{ada['ref']}", {"first_name": "Ada"}).status_code == 404
