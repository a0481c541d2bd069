"""The pages of invoice drafts: upload, correction in a form without scripts, and recording."""

import csv
import io
import re
from typing import Any

import pytest
from tests.http.visitors import Page, Visitor, visitor
from tests.paper_invoices import INVOICES, as_pdf
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore_http.service import serve_core

PATH = "/console/admin/invoices"


@pytest.fixture
def root(core: Core) -> Visitor:
    return visitor(serve_core(core).test_client(), "Root", core=core)


def words(answer: TestResponse) -> str:
    return Page(answer.text).words


def upload(root: Visitor, number: int = 5) -> str:
    """Upload an invoice, and return the address of its draft."""
    root.get(PATH)
    answer = root.post(PATH, {"file": (io.BytesIO(as_pdf(INVOICES[number])), "invoice.pdf")})
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def fields(page: Page) -> dict[str, str]:
    """Return what a browser sends for the unchanged main form of a page."""
    names = ("vin", "year", "make", "model", "trim", "odometer", "shop_name", "zip_code")
    more = ("invoice_number", "performed_on", "subtotal", "total", "version")
    sent = {name: page.value(name) for name in (*names, *more)}
    for field in page.fields:
        name = field.get("name", "")
        if re.fullmatch(r"lines\.\d+\.\w+", name) and field["tag"] == "input" and "remove" not in name:
            sent[name] = field.get("value", "")
    return sent | kinds(page)


def kinds(page: Page) -> dict[str, str]:
    """Return the chosen kinds of the lines."""
    found, select = {}, ""
    for tag, attributes in page.tags:
        if tag == "select":
            select = attributes.get("name", "")
        if tag == "option" and "selected" in attributes and select.endswith(".kind"):
            found[select] = attributes["value"]
    return found


def test_invoice_is_uploaded_corrected_and_recorded(root: Visitor) -> None:
    address = upload(root)
    page = root.page(address)
    paper = INVOICES[5]
    assert page.value("vin") == paper.vin
    assert page.value("lines.0.problem_identifier") == "Fuel > Fuel Pump"

    saved = root.post(address, {**fields(page), "odometer": "70,001", "step": "save"}, follow=True)
    assert "The draft was saved." in words(saved)
    page = root.page(address)
    assert page.value("odometer") == "70001"

    recorded = root.post(address, {**fields(page), "step": "record"}, follow=True)
    assert "The invoice was recorded" in words(recorded)
    assert root.page("/console/admin/transactions").words.count("2025") >= 3
    again = root.post(address, {**fields(page), "step": "record"})
    assert again.status_code == 409


def test_line_is_added_and_removed_without_scripts(root: Visitor) -> None:
    address = upload(root)
    page = root.page(address)
    sent = fields(page)
    before = len(kinds(page))

    added = Page(root.post(address, {**sent, "step": "add"}).text)
    assert len(kinds(added)) == before + 1
    new = f"lines.{before}"
    more = {
        f"{new}.kind": "repair",
        f"{new}.description": "Rotate tires",
        f"{new}.problem_identifier": "Tire Rotation",
        f"{new}.labor_hours": "0.3",
        f"{new}.labor_rate": "$100.00",
        f"{new}.parts_total": "0",
        f"{new}.total": "30",
        "lines.0.remove": "true",
    }
    root.post(address, {**sent, **more, "step": "save"})

    page = root.page(address)
    assert len(kinds(page)) == before
    assert page.value(f"lines.{before - 1}.problem_identifier").endswith("> Tire Rotation")
    assert "the invoice says" in page.words


def test_errors_use_the_labels_of_the_form(root: Visitor) -> None:
    address = upload(root, 4)
    page = root.page(address)
    sent = {**fields(page), "performed_on": "soon", "lines.0.problem_identifier": "magic"}

    answer = root.post(address, {**sent, "step": "save"})

    assert answer.status_code == 422
    assert "Date must be a date" in words(answer)
    fixed = root.post(address, {**sent, "performed_on": "2025-01-02", "step": "save"})
    assert "There is no such repair" in words(fixed)
    assert Page(fixed.text).value("lines.0.problem_identifier") == "magic"


def test_rejected_form_does_not_replace_what_another_admin_saved(root: Visitor) -> None:
    address = upload(root)
    mine = fields(root.page(address))
    root.post(address, {**mine, "odometer": "70001", "step": "save"})

    rejected = root.post(address, {**mine, "performed_on": "soon", "step": "save"})
    added = root.post(address, {**mine, "step": "add"})

    for answer in (rejected, added):
        sent = {**mine, "version": Page(answer.text).value("version"), "step": "save"}
        assert root.post(address, sent).status_code == 409
    assert root.page(address).value("odometer") == "70001"


def test_wrong_sums_are_shown_and_can_be_accepted(root: Visitor) -> None:
    address = upload(root, 7)
    page = root.page(address)
    assert "the invoice says" in page.words

    refused = root.post(address, {**fields(page), "step": "record"})
    assert refused.status_code == 422
    page = Page(refused.text)
    accepted = root.post(
        address, {**fields(page), "accept_difference": "true", "step": "record"}, follow=True
    )
    assert "The invoice was recorded" in words(accepted)


def test_unreadable_file_is_reported_on_the_page(root: Visitor) -> None:
    root.get(PATH)
    answer = root.post(PATH, {"file": (io.BytesIO(b"hello"), "invoice.pdf")})
    assert answer.status_code == 422
    assert "The file must be a complete PDF" in words(answer)
    assert "Choose a file first." in words(root.post(PATH, {}))


@pytest.mark.long
def test_list_is_searched_sorted_paged_and_downloaded(root: Visitor, core: Core) -> None:
    caller = core.accounts.caller_for(root.email)
    for number in range(20):
        core.invoice_drafts.create(io.BytesIO(as_pdf(INVOICES[number])), name="", caller=caller)
    extra: dict[str, Any] = {"name": "", "caller": caller}
    core.invoice_drafts.create(io.BytesIO(as_pdf(INVOICES[0]) + b"\n"), **extra)

    first = root.page(f"{PATH}?sort=total")
    following = [one for tag, one in first.tags if tag == "a" and one.get("rel") == "next"]
    second = root.page(following[0]["href"])
    back = [one for tag, one in second.tags if tag == "a" and one.get("rel") == "prev"]

    assert len(back) == 1
    heads = {one["aria-sort"] for tag, one in first.tags if tag == "th" and "aria-sort" in one}
    assert heads == {"ascending"}
    found = root.page(f"{PATH}?search=bayou&status=draft")
    assert "Bayou Brake" in found.words
    assert "Lakeview" not in found.words
    rows = [*csv.DictReader(io.StringIO(root.get(f"{PATH}.csv?sort=-total").text))]
    assert [float(row["total"]) for row in rows] == sorted(
        (float(row["total"]) for row in rows), reverse=True
    )
    assert len(rows) == 21


@pytest.mark.parametrize("query", ["color=red", "sort=color", "status=lost", "cursor=x", "page=0"])
def test_unknown_filters_are_rejected(root: Visitor, query: str) -> None:
    assert root.get(f"{PATH}?{query}").status_code == 422


def test_draft_is_deleted(root: Visitor) -> None:
    address = upload(root)
    deleted = root.post(f"{address}/delete", follow=True)
    assert "The draft was deleted." in words(deleted)
    assert root.get(address).status_code == 404
