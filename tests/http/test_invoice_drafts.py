"""Drafts of invoices over the API: uploaded, corrected, recorded once, listed and deleted."""

import csv
import io
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.http.people import Person, bearer, person, promoted
from tests.http.visitors import encoded
from tests.paper_invoices import INVOICES, as_pdf
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.text_extraction.service import MAX_DOCUMENT_BYTES

PATH = "/api/v1/admin/invoice-drafts"


@pytest.fixture
def admin(core: Core, ada: Person) -> Person:
    return promoted(core, ada)


def send(admin: Person, content: bytes, name: str = "invoice.pdf") -> TestResponse:
    form = encoded({"file": (io.BytesIO(content), name)})
    return admin.client.post(PATH, headers=bearer(admin.token), **form)


def create_draft(admin: Person, number: int = 5) -> dict[str, Any]:
    answer = send(admin, as_pdf(INVOICES[number]))
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.get_json()["data"]
    return data


def correction_of(draft: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return the body that corrects a draft."""
    fields = {
        name: draft[name]
        for name in (
            *("shop_name", "zip_code", "invoice_number", "performed_on", "vin", "odometer", "subtotal"),
            *("total", "version"),
        )
    }
    lines = [
        {
            "kind": line["kind"],
            "description": line["description"],
            "problem_identifier": None if line["problem"] is None else line["problem"]["slug"],
            **{name: line[name] for name in ("labor_hours", "labor_rate", "parts_total", "total")},
        }
        for line in draft["lines"]
    ]
    return {**fields, "lines": lines, **changes}


def put(admin: Person, number: str, body: dict[str, Any]) -> TestResponse:
    return admin.client.put(f"{PATH}/{number}", json=body, headers=bearer(admin.token))


def test_pdf_becomes_a_draft_with_its_lines_and_sums(admin: Person) -> None:
    draft = create_draft(admin)
    paper = INVOICES[5]

    assert (draft["shop_name"], draft["vin"], draft["odometer"]) == (
        paper.shop.upper(),
        paper.vin,
        paper.odometer,
    )
    assert draft["performed_on"] == paper.day.isoformat()
    assert [line["problem"]["slug"] for line in draft["lines"] if line["problem"]] == [
        job.slug for job in paper.jobs
    ]
    assert draft["total"] == draft["lines_total"] == paper.total / 100
    assert (draft["differences"], draft["doubts"], draft["unread"]) == ([], [], [])
    assert (draft["status"], draft["file_name"], draft["version"]) == ("draft", "invoice.pdf", 1)


def test_wrong_sums_are_reported(admin: Person) -> None:
    paper = INVOICES[7]
    draft = create_draft(admin, 7)

    assert draft["differences"] == [
        f"The lines add up to ${paper.total / 100:,.2f}, but the invoice says ${paper.printed_total / 100:,.2f}."
    ]
    refused = admin.post(f"{PATH}/{draft['number']}/record", {})
    assert refused.status_code == 422
    assert refused.get_json()["errors"]["total"] == draft["differences"]
    accepted = admin.post(f"{PATH}/{draft['number']}/record", {"accept_difference": True})
    assert accepted.status_code == 200, accepted.text


def test_recording_creates_transactions_without_fees_and_tax(admin: Person) -> None:
    paper = INVOICES[5]
    draft = create_draft(admin)

    recorded = admin.post(f"{PATH}/{draft['number']}/record", {"version": 1})

    assert recorded.status_code == 200, recorded.text
    data = recorded.get_json()["data"]
    assert recorded.get_json()["message"] == "3 transactions recorded."
    assert data["status"] == "recorded"
    found = [
        admin.get(f"/api/v1/admin/transactions/{number}").get_json()["data"]
        for number in data["transactions"]
    ]
    assert [round(one["total"] * 100) for one in found] == [paper.job_total(job) for job in paper.jobs]
    assert {one["performed_on"] for one in found} == {paper.day.isoformat()}
    assert {one["mileage"] for one in found} == {paper.odometer}


def test_draft_without_a_vin_is_recorded_by_its_model(admin: Person) -> None:
    draft = create_draft(admin)
    specs = {"vin": None, "year": 2003, "make": "Honda", "model": "Accord"}
    unknown = put(admin, draft["number"], correction_of(draft, **specs | {"model": "Roadrunner"}))
    version = unknown.get_json()["data"]["version"]
    refused = admin.post(f"{PATH}/{draft['number']}/record", {})
    put(admin, draft["number"], correction_of(draft, **specs, version=version))

    recorded = admin.post(f"{PATH}/{draft['number']}/record", {})

    assert (refused.status_code, set(refused.get_json()["errors"])) == (422, {"model"})
    assert recorded.status_code == 200, recorded.text
    assert len(recorded.get_json()["data"]["transactions"]) == 3


def test_draft_is_recorded_once(admin: Person) -> None:
    draft = create_draft(admin)
    path = f"{PATH}/{draft['number']}"
    first = admin.post(f"{path}/record", {}).get_json()["data"]

    again = admin.post(f"{path}/record", {})
    changed = put(admin, draft["number"], correction_of(draft))
    duplicate = send(admin, as_pdf(INVOICES[5]), "again.pdf").get_json()["data"]

    assert again.status_code == changed.status_code == 409
    assert again.get_json()["transactions"] == first["transactions"]
    assert (duplicate["number"], duplicate["status"]) == (draft["number"], "recorded")
    listed = admin.get("/api/v1/admin/transactions").get_json()
    assert listed["meta"]["total"] == 3


def test_correction_replaces_the_draft_and_clears_doubts(admin: Person) -> None:
    draft = create_draft(admin, 4)  # without a VIN
    body = correction_of(draft, vin="1HGCM82633A004352", notes=None)
    del body["notes"]
    body["lines"][0] |= {"problem_identifier": "water-pump", "total": 400.0, "parts_total": 250.0}
    body["lines"][0] |= {"labor_hours": 1.0, "labor_rate": 150.0}

    answer = put(admin, draft["number"], body)

    assert answer.status_code == 200, answer.text
    data = answer.get_json()["data"]
    assert (data["vin"], data["version"], data["doubts"]) == ("1HGCM82633A004352", 2, [])
    assert data["lines"][0]["problem"]["slug"] == "water-pump"
    assert len(data["differences"]) >= 1  # the total is still the invoice's
    stale = put(admin, draft["number"], body)
    assert (stale.status_code, stale.get_json()["version"]) == (409, 2)


def test_correction_reports_every_bad_field(admin: Person) -> None:
    draft = create_draft(admin)
    body = correction_of(draft, vin="123", zip_code="1", odometer=-1)
    body["lines"][0] |= {"problem_identifier": "no-such-repair"}

    wrong_types = put(admin, draft["number"], body).get_json()["errors"]
    wrong_values = put(admin, draft["number"], {**body, "zip_code": "90210", "odometer": 1}).get_json()[
        "errors"
    ]

    assert set(wrong_types) == {"zip_code", "odometer"}
    assert set(wrong_values) == {"vin", "lines.0.problem_identifier"}


def test_missing_fields_are_reported_before_recording(admin: Person) -> None:
    draft = create_draft(admin)
    body = correction_of(draft, performed_on=None, vin=None)
    for line in body["lines"]:
        line["parts_total"] = None
    put(admin, draft["number"], body)

    refused = admin.post(f"{PATH}/{draft['number']}/record", {})

    assert refused.status_code == 422
    errors = refused.get_json()["errors"]
    assert {"performed_on", "vin", "lines.0.parts_total"} <= set(errors)
    assert admin.get("/api/v1/admin/transactions").get_json()["meta"]["total"] == 0


def test_drafts_belong_to_their_account(api: FlaskClient, core: Core, admin: Person) -> None:
    other = promoted(core, person(api, "Eve"))
    draft = create_draft(admin)

    assert other.get(f"{PATH}/{draft['number']}").status_code == 404
    assert other.get(PATH).get_json()["data"] == []
    assert other.delete(f"{PATH}/{draft['number']}").status_code == 404
    assert [one["number"] for one in admin.get(PATH).get_json()["data"]] == [draft["number"]]


def test_user_who_is_no_admin_is_rejected(ada: Person) -> None:
    assert ada.get(PATH).status_code == 403
    assert send(ada, as_pdf(INVOICES[0])).status_code == 403


def test_deleted_draft_is_not_found(admin: Person) -> None:
    draft = create_draft(admin)

    deleted = admin.delete(f"{PATH}/{draft['number']}")

    assert deleted.status_code == 200
    assert admin.get(f"{PATH}/{draft['number']}").status_code == 404
    assert create_draft(admin)["number"] != draft["number"]


@pytest.mark.parametrize("content", [b"{}", b"%PDF-1.7\n", b""])
def test_unreadable_file_is_rejected(admin: Person, content: bytes) -> None:
    answer = send(admin, content)

    assert answer.status_code == 422
    assert list(answer.get_json()["errors"]) == ["file"]


def test_too_large_file_is_rejected(admin: Person) -> None:
    answer = send(admin, b"%PDF-1.7\n" + bytes(MAX_DOCUMENT_BYTES))

    assert answer.status_code == 422
    assert answer.get_json()["errors"]["file"] == ["The file must not be larger than 10 MB."]


def test_list_is_searched_sorted_and_paged_by_cursor(admin: Person) -> None:
    totals = sorted(create_draft(admin, number)["lines_total"] for number in range(5))

    listed, cursor = [], ""
    while True:
        page = admin.get(f"{PATH}?sort=total&per_page=2{cursor}").get_json()
        listed += [one["total"] for one in page["data"]]
        if page["meta"]["next_cursor"] is None:
            break
        cursor = f"&cursor={page['meta']['next_cursor']}"

    assert listed == totals
    found = admin.get(f"{PATH}?search=desert").get_json()["data"]
    assert [one["shop_name"] for one in found] == ["DESERT STAR AUTOMOTIVE"]


def test_list_is_csv_on_request(admin: Person) -> None:
    create_draft(admin, 1)
    create_draft(admin, 2)

    answer = admin.client.get(PATH, headers={**bearer(admin.token), "Accept": "text/csv"})

    assert answer.content_type == "text/csv; charset=utf-8"
    rows = [*csv.DictReader(io.StringIO(answer.text))]
    assert [row["shop_name"] for row in rows] == ["DESERT STAR AUTOMOTIVE", "Lakeview Motors & Tire"]
    assert answer.text == admin.get(f"{PATH}?format=csv").text


@pytest.mark.parametrize("query", ["statuss=draft", "status=lost", "sort=color", "cursor=x", "per_page=0"])
def test_unknown_filters_and_values_are_rejected(admin: Person, query: str) -> None:
    answer = admin.get(f"{PATH}?{query}")

    assert answer.status_code == 422
    assert list(answer.get_json()["errors"]) == [query.partition("=")[0]]
