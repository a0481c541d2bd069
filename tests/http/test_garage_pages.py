"""The garage in the console, without a script."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from tests.http.people import ACCORD
from tests.http.visitors import Page, Visitor, visitor

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock
from repaircore_http.service import serve_core

GARAGE = "/console/garage"
TESLA = "5YJ3E1EA7JF053140"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the pages do not depend on the database."""
    return sqlite_url


@pytest.fixture
def app(core: Core) -> Any:
    return serve_core(core)


@pytest.fixture
def ada(app: Any) -> Visitor:
    return visitor(app.test_client(), "Ada")


def paste(user: Visitor, text: str, **fields: str) -> Page:
    user.get(f"{GARAGE}/add")
    answer = user.post(f"{GARAGE}/add", {"vins": text, "zip_code": "60601", **fields})
    assert answer.status_code == 200, answer.text
    return Page(answer.text)


def vehicle(user: Visitor) -> str:
    """Return the address of the first vehicle of the list."""
    listed = user.page(GARAGE)
    return next(
        attributes["href"]
        for tag, attributes in listed.tags
        if tag == "a" and attributes.get("href", "").startswith(f"{GARAGE}/vehicles/")
    )


def test_empty_garage_says_how_to_start(ada: Visitor) -> None:
    assert "Your garage is empty." in ada.page(GARAGE).words


def test_pasted_list_allows_any_separators_and_duplicates(ada: Visitor) -> None:
    shown = paste(ada, f"{ACCORD}, {TESLA.lower()};{ACCORD}\n\n1HG\tWAUZZZ")

    assert "2 vehicles added" in shown.words
    assert "2 not added" in shown.words
    assert "A VIN has 17 characters; this one has 3." in shown.words


def test_list_shows_costs_and_labels(ada: Visitor) -> None:
    paste(ada, ACCORD, department="Sales")

    words = ada.page(GARAGE).words

    assert "2003 Honda Accord EX-V6" in words
    assert "a year" in words
    assert "Sales" in words


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"vins": ""}, "The vins field is required."),
        ({"vins": "x\n" * 3}, ""),
        ({"vins": ACCORD, "zip_code": "00000"}, "The zip code field must be a US ZIP code that is in use."),
        (
            {"vins": "\n".join(f"{number:017d}" for number in range(201))},
            "Paste 1 to 200 VINs at once; you pasted 201.",
        ),
    ],
)
def test_bad_list_is_shown_again_with_its_error(ada: Visitor, fields: dict[str, str], sentence: str) -> None:
    ada.get(f"{GARAGE}/add")

    answer = ada.post(f"{GARAGE}/add", fields)

    assert answer.status_code == (422 if sentence else 200)
    assert sentence in answer.text
    if sentence:
        assert Page(answer.text).value("zip_code") == fields.get("zip_code", "")


def test_file_adds_vehicles_and_reports_bad_lines(ada: Visitor) -> None:
    ada.get(f"{GARAGE}/add")
    content = f"vin,nickname\r\n{ACCORD},Old\r\n1HG,Bad\r\n".encode("utf-8-sig")

    answer = ada.post(f"{GARAGE}/add/file", {"file": (io.BytesIO(content), "v.csv")})

    words = Page(answer.text).words
    assert "1 vehicle added" in words
    assert "Line 3" in words


def test_labels_change_and_empty_ones_are_removed(ada: Visitor) -> None:
    paste(ada, ACCORD, department="Sales")
    address = vehicle(ada)
    version = ada.page(address).value("version")
    fields = {"version": version, "nickname": "Blue", "department": "", "zip_code": "60601"}

    shown = Page(ada.post(address, fields, follow=True).text)

    assert "The vehicle was changed." in shown.words
    assert (shown.value("nickname"), shown.value("department")) == ("Blue", "")


def test_odometer_that_runs_backwards_is_explained(ada: Visitor, clock: FrozenClock) -> None:
    paste(ada, ACCORD)
    address = vehicle(ada)
    ada.get(address)
    assert ada.post(f"{address}/odometer", {"miles": "81,000"}).status_code == 303
    clock.advance(timedelta(hours=1))

    answer = ada.post(f"{address}/odometer", {"miles": "80,000"})

    assert answer.status_code == 422
    assert "The odometer would run backward." in answer.text


def test_service_is_recorded_as_done(ada: Visitor) -> None:
    paste(ada, ACCORD)
    address = vehicle(ada)
    ada.get(address)

    shown = Page(
        ada.post(f"{address}/done", {"service": "tire-rotation", "miles": "1,000"}, follow=True).text
    )

    assert "The service was recorded." in shown.words
    assert "since it was last done" in shown.words


def test_removed_vehicle_is_not_found(ada: Visitor) -> None:
    paste(ada, ACCORD)
    address = vehicle(ada)
    ada.get(address)

    shown = ada.post(f"{address}/remove", follow=True)

    assert "The vehicle is no longer in your garage." in shown.text
    assert ada.get(address).status_code == 404


def test_sums_show_the_year_and_every_table_can_be_downloaded(ada: Visitor) -> None:
    paste(ada, f"{ACCORD}\n{TESLA}")

    words = ada.page(f"{GARAGE}/sums").words
    downloads = {
        name: list(csv.DictReader(io.StringIO(ada.get(f"{GARAGE}{name}").text)))
        for name in (".csv", "/services.csv", "/months.csv", "/models.csv")
    }

    assert "The next twelve months" in words
    assert [len(downloads[name]) for name in (".csv", "/models.csv")] == [2, 2]
    assert len(downloads["/months.csv"]) in {12, 13}


def test_settings_are_saved(ada: Visitor) -> None:
    ada.get(f"{GARAGE}/settings")
    shown = ada.post(f"{GARAGE}/settings", {"zip_code": "60601", "mail_reminders": "true"}, follow=True)

    assert "The settings were saved." in shown.text
    assert Page(shown.text).value("zip_code") == "60601"


@pytest.mark.parametrize("query", ["?due=never", "?health_below=x", "?cursor=x", "?sort=color"])
def test_bad_filter_is_a_422(ada: Visitor, query: str) -> None:
    assert ada.get(GARAGE + query).status_code == 422


def test_bad_filter_keeps_the_other_filters(ada: Visitor) -> None:
    answer = ada.get(f"{GARAGE}?recalls=true&health_below=x")

    shown = Page(answer.text)
    assert answer.status_code == 422
    assert shown.value("health_below") == "x"
    assert '<option value="true" selected>' in answer.text


def test_list_pages_keep_the_order_and_filter(ada: Visitor) -> None:
    paste(ada, "\n".join(f"1HGCM826X3A{serial:06}" for serial in range(200)))
    first = ada.page(f"{GARAGE}?sort=-odometer&make=Honda")
    links = {attributes.get("rel"): attributes["href"] for tag, attributes in first.tags if tag == "a"}

    second = ada.page(links["next"])

    def vins(page: Page) -> set[str]:
        return {
            attributes["href"]
            for tag, attributes in page.tags
            if "/garage/vehicles/" in attributes.get("href", "")
        }

    assert "sort=-odometer" in links["next"]
    assert "make=Honda" in links["next"]
    assert vins(first)
    assert vins(second)
    assert vins(first).isdisjoint(vins(second))


@pytest.mark.parametrize("action", ["odometer", "done", "remove"])
def test_action_url_redirects_to_the_vehicle(ada: Visitor, action: str) -> None:
    paste(ada, ACCORD)
    address = vehicle(ada)

    assert ada.get(f"{address}/{action}").status_code == 303
