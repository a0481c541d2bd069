"""The public pages of the repair book."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.conftest import OpenCore
from tests.http.people import ACCORD
from tests.http.visitors import Page, Visitor, visitor
from tests.installations import sale

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore_http.service import serve_core

CIVIC: Mapping[str, str] = {"year": "2015", "make": "Honda", "model": "Civic", "zip_code": "60614"}
ODD = [
    "x" * 20_000,
    "a\x00b",
    "\N{GRINNING FACE}" * 9,
    "'\"><script>alert(1)</script>",
    "%00",
    "' OR 1=1 --",
    "\N{RIGHT-TO-LEFT OVERRIDE}",
    "9" * 400,
]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the pages do not depend on the database."""
    return sqlite_url


@pytest.fixture
def guest(core: Core) -> Visitor:
    return Visitor(serve_core(core).test_client())


def find_tags(page: Page, tag: str, **fields: str) -> list[dict[str, str]]:
    return [found for name, found in page.tags if name == tag and fields.items() <= found.items()]


def test_book_lists_each_repair_in_its_category(guest: Visitor, core: Core) -> None:
    page = guest.page("/repairs")
    links = {link["href"] for link in find_tags(page, "a") if link["href"].startswith("/repairs/")}

    assert links == {f"/repairs/{problem.slug}" for problem in core.problems.list_all()}
    assert all(category.slug in page.ids for category in core.problems.list_categories())


def test_search_in_everyday_words_finds_a_repair(guest: Visitor) -> None:
    page = guest.page("/repairs?q=squeaky+brakes")

    assert "/repairs/brake-pads-front" in [link["href"] for link in find_tags(page, "a")]
    assert page.value("q") == "squeaky brakes"
    assert "Nothing found" in guest.page("/repairs?q=qqqqzzzz").words


@pytest.mark.long
def test_every_repair_has_a_page_of_its_own(guest: Visitor, core: Core) -> None:
    titles: dict[str, str] = {}
    descriptions: set[str] = set()
    for problem in core.problems.list_all():
        answer = guest.get(f"/repairs/{problem.slug}")
        page = Page(answer.text)
        title = re.findall(r"<title>(.*?)</title>", answer.text)[0]

        assert answer.status_code == 200, problem.slug
        assert titles.setdefault(title, problem.slug) == problem.slug
        assert problem.description in page.words
        assert "None" not in page.words, problem.slug
        assert "$" in page.words
        assert "What it costs by kind of car" in page.words
        # No section or list is empty.
        assert not re.findall(r"</h2>\s*(?:</section>|<h2)", answer.text), problem.slug
        assert not re.findall(r"<(ul|ol|tbody|dl)[^>]*>\s*</\1>", answer.text), problem.slug
        described = find_tags(page, "meta", name="description")[0]["content"]
        assert len(described) < 250
        descriptions.add(described)
        assert len(page.ids) == len(set(page.ids))
    assert len(titles) == len(descriptions) == len(core.problems.list_all())


def test_page_says_which_cars_cannot_have_the_repair(guest: Visitor) -> None:
    words = guest.page("/repairs/spark-plugs").words

    assert "Does not apply to" in words
    assert "A 2018 Tesla Model 3 is electric: it has no spark plugs." in words


def test_page_has_one_url_for_search_engines(open_core: OpenCore) -> None:
    core = open_core(public_url="https://shop.example.com/", search_engines=True)
    guest = Visitor(serve_core(core).test_client())
    page = guest.page("/repairs/alternator")

    assert (
        find_tags(page, "link", rel="canonical")[0]["href"] == "https://shop.example.com/repairs/alternator"
    )
    assert find_tags(page, "meta", name="robots") == []
    sitemap = guest.get("/sitemap.xml")
    assert sitemap.mimetype == "application/xml"
    assert sitemap.text.count("<loc>") == 4 + len(core.problems.list_all())
    assert "<loc>https://shop.example.com/repairs/alternator</loc>" in sitemap.text
    assert "Sitemap: https://shop.example.com/sitemap.xml" in guest.get("/robots.txt").text


def test_search_engines_are_excluded_by_default(guest: Visitor) -> None:
    assert find_tags(guest.page("/repairs/alternator"), "meta", name="robots")[0]["content"] == "noindex"
    assert guest.get("/sitemap.xml").status_code == 404
    assert "Sitemap" not in guest.get("/robots.txt").text


def test_pages_are_not_found_without_public_pages(open_core: OpenCore) -> None:
    client = serve_core(open_core(public_pages=False, search_engines=True)).test_client()

    for path in ("/repairs", "/repairs/alternator", "/diagnose", "/sitemap.xml"):
        assert client.get(path).status_code == 404, path
    assert "Sitemap" not in client.get("/robots.txt").text


def test_price_for_a_car_needs_no_account_and_stores_nothing(guest: Visitor, core: Core) -> None:
    guest.get("/repairs/alternator")
    answer = guest.post("/repairs/alternator", CIVIC)
    words = Page(answer.text).words

    assert answer.status_code == 200
    assert "On your 2015 Honda Civic, in 60614 IL" in words
    assert "Save as an estimate" not in words
    assert core.past_predictions.page().total == 0
    assert core.stored_vehicles.page().total == 0


def test_price_by_vin_has_no_vin_in_a_link(guest: Visitor) -> None:
    guest.get("/repairs/alternator")
    answer = guest.post("/repairs/alternator", {"vin": ACCORD, "zip_code": "60614"})

    assert answer.status_code == 200
    assert ACCORD not in " ".join(re.findall(r'(?:href|action)="([^"]*)"', answer.text))


def test_user_saves_the_price_as_an_estimate(core: Core) -> None:
    ada = visitor(serve_core(core).test_client(), "Ada")
    ada.get("/repairs/alternator")
    page = Page(ada.post("/repairs/alternator", CIVIC).text)
    hidden = {
        field["name"]: field["value"]
        for field in page.fields
        if field.get("type") == "hidden" and field["name"] != "form_token"
    }
    assert "/console/estimates" in page.actions
    answer = ada.post("/console/estimates", hidden)

    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/console/estimates/")


def test_repair_that_does_not_fit_is_not_priced(guest: Visitor) -> None:
    guest.get("/repairs/spark-plugs")
    answer = guest.post(
        "/repairs/spark-plugs", {"year": "2019", "make": "Tesla", "model": "Model 3", "zip_code": "60614"}
    )

    assert "does not need this" in Page(answer.text).words
    assert 'id="result"' in answer.text


def test_every_bad_field_is_reported_at_once(guest: Visitor) -> None:
    guest.get("/repairs/alternator")
    answer = guest.post("/repairs/alternator", {"year": "20x5", "make": "Honda", "zip_code": "00000"})
    page = Page(answer.text)

    assert answer.status_code == 422
    assert "The year field must be an integer." in page.words
    assert "Model is missing" in page.words
    assert "ZIP code that is in use" in page.words
    assert page.value("year") == "20x5"


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_odd_input_causes_no_server_error(guest: Visitor, odd: str) -> None:
    guest.get("/repairs/alternator")
    answers = [
        guest.client.get("/repairs", query_string={"q": odd}),
        guest.client.get(f"/repairs/{odd[:900]}"),
        guest.client.get("/diagnose", query_string={"words": odd, "codes": odd}),
        *(
            guest.post("/repairs/alternator", {**CIVIC, name: odd})
            for name in ("year", "make", "model", "engine", "zip_code", "vin")
        ),
    ]
    statuses = [answer.status_code for answer in answers]

    assert all(status < 500 for status in statuses), statuses
    assert not any("<script>alert" in answer.text for answer in answers)


def test_lone_surrogate_causes_no_server_error(guest: Visitor) -> None:
    guest.get("/repairs/alternator")
    body = (
        b"form_token=" + guest.token.encode() + b"&zip_code=60614&year=2015&make=%ED%A0%80&model=\xed\xa0\x80"
    )
    answer = guest.client.post(
        "/repairs/alternator",
        data=body,
        content_type="application/x-www-form-urlencoded",
        headers={"Sec-Fetch-Site": "same-origin"},
    )

    assert answer.status_code in {400, 403, 422}
    assert guest.client.get("/repairs?q=%ED%A0%80").status_code == 200


def test_prices_are_limited_without_an_account_but_reading_is_not(open_core: OpenCore) -> None:
    guest = Visitor(serve_core(open_core(public_requests_per_minute=2)).test_client())
    guest.get("/repairs/alternator")
    statuses = [guest.post("/repairs/alternator", CIVIC).status_code for _ in range(3)]

    assert statuses == [200, 200, 429]
    assert guest.get("/repairs/water-pump").status_code == 200


def _invoices(core: Core, number: int, *, shops: int) -> None:
    garages = [
        core.facilities.create(CreateFacility(facility_name=f"Garage {shop}", zip_code="90210")).id
        for shop in range(shops)
    ]
    today = core.clock().date()
    for each in range(number):
        invoice = evolve(
            sale(core),
            facility_id=garages[each % shops],
            performed_on=today - timedelta(days=1 + each),
            labor_rate=100_00 + 3_00 * each,
        )
        core.transactions.record(invoice)


def test_prices_paid_are_shown_only_with_many_shops_and_invoices(core: Core, guest: Visitor) -> None:
    _invoices(core, 30, shops=3)
    page = guest.page("/repairs/brake-pads-front")

    assert "30 invoices from 3 shops in the last three years" in page.words
    assert find_tags(page, "svg", role="img")[0]["aria-label"].startswith("under $")


@pytest.mark.parametrize(("invoices", "shops"), [(30, 2), (19, 3)])
def test_prices_paid_are_hidden_with_few_shops_or_invoices(
    core: Core, guest: Visitor, invoices: int, shops: int
) -> None:
    _invoices(core, invoices, shops=shops)

    assert "What people paid" not in guest.page("/repairs/brake-pads-front").words


def test_guide_changes_with_the_price_adjustment(core: Core, guest: Visitor) -> None:
    def average() -> Any:
        return re.findall(r"Mid-size car \$([\d,]+)", guest.page("/repairs/alternator").words)[0].replace(
            ",", ""
        )

    before = int(average())
    core.predictions.adjust_prices(50.0)

    assert round(int(average()) / before, 1) == 1.5
