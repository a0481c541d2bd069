"""Estimates for visitors without an account: the front page, the form, and the page of an estimate."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ACCORD
from tests.http.visitors import Page, Visitor, visitor

from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.core import Core
from repaircore.predictions.model import PredictBySpecs
from repaircore_http.service import serve_core

BY_VIN = {"vin": ACCORD, "zip_code": "90210", "problem": "front brake pads", "mileage": "84,000"}
BY_SPECS = {
    "year": "2015",
    "make": "Toyota",
    "model": "Camry",
    "engine": "2.5L",
    "zip_code": "43215",
    "problem": "alternator",
}
SCRIPT = '"><script>alert(1)</script>'


@pytest.fixture
def guest(core: Core) -> Visitor:
    return Visitor(serve_core(core).test_client())


def row_counts(core: Core) -> dict[str, int]:
    engine = sa.create_engine(core.settings.database_url or "", poolclass=sa.NullPool)
    with engine.connect() as connection:
        return {
            table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in METADATA.sorted_tables
        }


def links(page: Page) -> list[str]:
    return [fields["href"] for tag, fields in page.tags if tag == "a"]


def test_front_page_has_a_sample_and_three_ways_in(guest: Visitor, core: Core) -> None:
    page = guest.page("/")
    sample = core.sample_prediction.get()

    assert sample is not None
    assert f"${sample.figures.local.average / 100:.2f}" in page.words
    for expected in ("Sample", "2018 Honda CR-V in Denver, Colorado (80202)", "Look up a repair"):
        assert expected in page.words
    assert {"/estimate", "/quote", "/diagnose", "/console/register"} <= set(links(page))
    assert "/repairs" in page.actions


def test_sample_on_the_front_page_links_to_its_estimate(guest: Visitor) -> None:
    (estimate_link,) = [link for link in links(guest.page("/")) if link.startswith("/estimate?")]

    assert "2018 Honda CR-V" in guest.page(estimate_link).words


def test_front_page_works_without_a_sample(core: Core) -> None:
    impossible = PredictBySpecs(
        year=2018, make="Nobody", model="Nothing", zip_code="80202", problem_identifier="alternator"
    )
    sample = type(core.sample_prediction)(preview=core.previews.preview, clock=core.clock, request=impossible)
    client = serve_core(core.replacing(sample_prediction=sample)).test_client()

    assert client.get("/").status_code == 200
    assert "Sample" not in client.get("/").text


def test_estimate_by_vin_has_no_vin_in_a_link(guest: Visitor) -> None:
    guest.get("/estimate")
    answer = guest.post("/estimate", BY_VIN)
    page = Page(answer.text)

    assert answer.status_code == 200
    for expected in (
        "2003 Honda Accord",
        "Front Brake Pads",
        "Low",
        "Average",
        "High",
        "84,000 miles",
        ACCORD,
    ):
        assert expected in page.words
    assert not [link for link in links(page) if ACCORD in link]
    assert "Create an account" in page.words


def test_estimate_by_specs_has_its_own_url(guest: Visitor) -> None:
    guest.get("/estimate")
    answer = guest.post("/estimate", BY_SPECS)
    address = answer.headers["Location"]

    assert answer.status_code == 303
    assert parse_qs(urlsplit(address).query) == {name: [text] for name, text in BY_SPECS.items()}
    page = guest.page(address)
    assert "2015 Toyota Camry" in page.words
    assert "Alternator" in page.words


def test_preview_stores_nothing(guest: Visitor, core: Core) -> None:
    guest.get("/estimate")
    before = row_counts(core)
    assert guest.post("/estimate", {**BY_VIN, "vin": "1FTEW1EP5JFA00001"}).status_code == 200
    assert guest.post("/estimate", BY_SPECS, follow=True).status_code == 200
    guest.get("/estimate")
    guest.post("/estimate/vehicle.json", {"vin": "JTDKARFU0H3000001"})

    changed = {name: count for name, count in row_counts(core).items() if count != before[name]}
    assert changed in ({}, {"rate_windows": 1})


def test_preview_has_the_adjusted_price_of_a_stored_estimate(guest: Visitor, core: Core) -> None:
    core.predictions.adjust_prices(10)
    request = PredictBySpecs(
        year=2015,
        make="Toyota",
        model="Camry",
        engine="2.5L",
        zip_code="43215",
        problem_identifier="alternator",
    )
    preview, stored = core.previews.preview(request), core.predictions.predict_by_specs(request)

    assert preview.figures.local == stored.figures.local
    assert preview.figures.breakdown == stored.figures.breakdown
    guest.get("/estimate")
    page = Page(guest.post("/estimate", BY_SPECS, follow=True).text)
    assert f"${stored.figures.local.average / 100:,.2f}" in page.words
    assert "All prices are adjusted by +10%" in page.words


def test_guest_chooses_among_repairs_without_scripts(guest: Visitor) -> None:
    guest.get("/estimate")
    answer = guest.post("/estimate", {**BY_SPECS, "problem": "brakes"})
    page = Page(answer.text)

    assert answer.status_code == 422
    offered = [field["value"] for field in page.fields if field.get("name") == "problem_identifier"]
    assert "brake-pads-front" in offered
    chosen = {
        **BY_SPECS,
        "problem": "brakes",
        "chosen_for": "brakes",
        "problem_identifier": "brake-pads-rear",
    }
    assert "problem=brake-pads-rear" in guest.post("/estimate", chosen).headers["Location"]


def test_every_bad_field_is_reported_and_kept(guest: Visitor) -> None:
    guest.get("/estimate")
    typed = {"vin": "1HGCM8263", "zip_code": "00000", "problem": "xyzzy", "mileage": "many"}
    answer = guest.post("/estimate", typed)
    page = Page(answer.text)

    assert answer.status_code == 422
    for expected in ("this one has 9", "a US ZIP code", "No repair matches", "must be an integer"):
        assert expected in page.words
    assert {name: page.value(name) for name in typed} == typed


def test_repair_that_does_not_fit_is_priced_only_on_request(guest: Visitor) -> None:
    electric = {
        "year": "2020",
        "make": "Tesla",
        "model": "Model 3",
        "zip_code": "90210",
        "problem": "spark-plugs",
    }
    guest.get("/estimate")
    answer = guest.post("/estimate", electric, follow=True)
    page = Page(answer.text)

    assert answer.status_code == 422
    assert "Estimate it anyway" in page.words
    forced = guest.post("/estimate", {**electric, "force": "true"}, follow=True)
    assert forced.status_code == 200
    shown = Page(forced.text).words
    assert "This repair does not fit this vehicle" in shown
    assert shown.index("does not fit") < shown.index("Average")


def test_parts_grades_are_links_by_specs_and_a_form_by_vin(guest: Visitor) -> None:
    guest.get("/estimate")
    page = Page(guest.post("/estimate", BY_SPECS, follow=True).text)
    (oem,) = [link for link in links(page) if "parts_tier=oem" in link]
    dearer = guest.page(oem)

    assert "2015 Toyota Camry" in dearer.words
    assert [fields["href"] for tag, fields in dearer.tags if fields.get("aria-current") == "true"] == [
        oem.replace("&amp;", "&")
    ]
    guest.get("/estimate")
    page = Page(guest.post("/estimate", BY_VIN).text)
    fields = {field["name"]: field["value"] for field in page.fields if field.get("type") == "hidden"}
    assert guest.post("/estimate", {**fields, "parts_tier": "oem"}).status_code == 200


def test_registration_keeps_the_estimate_form(guest: Visitor) -> None:
    guest.get("/estimate")
    page = Page(guest.post("/estimate", BY_SPECS, follow=True).text)
    (register_link,) = [link for link in links(page) if "register?next" in link]
    guest.get(register_link)
    (next_url,) = parse_qs(urlsplit(register_link).query)["next"]
    answer = guest.post(
        "/console/register",
        {"name": "Ada", "email": "ada@example.org", "password": "correct horse", "next": next_url},
    )

    assert answer.headers["Location"] == next_url
    form = guest.page(next_url)
    shown = {name: form.value(name) for name in ("year", "make", "model", "zip_code", "problem")}
    assert shown == {
        "year": "2015",
        "make": "Toyota",
        "model": "Camry",
        "zip_code": "43215",
        "problem": "Starting and Charging > Alternator Replacement",
    }


def test_user_saves_an_estimate_from_a_public_url(core: Core) -> None:
    ada = visitor(serve_core(core).test_client(), "Ada")
    address = "/estimate?year=2015&make=Toyota&model=Camry&problem=alternator&zip_code=43215"
    page = ada.page(address)
    assert "Save this estimate" in page.words
    fields = {field["name"]: field["value"] for field in page.fields if field.get("type") == "hidden"}
    saved = ada.post("/console/estimates", fields)

    assert saved.status_code == 303
    assert "2015 Toyota Camry" in ada.page("/console/history").words
    assert ada.get("/estimate?make=Ford").headers["Location"] == "/console?make=Ford"


@pytest.mark.parametrize(
    "query",
    [
        "year=x&make=a&model=b&problem=c&zip_code=d",
        "year=99999999999999999999&make=a&model=b&problem=c&zip_code=d",
        "year=2015&make=%ED%A0%80&model=b&problem=%F0%9F%9A%97&zip_code=90210",
        f"year=2015&make={'m' * 2000}&model=b&problem={'p' * 2000}&zip_code=90210",
        "year=2015&make=Toyota&model=Camry&problem=alternator&zip_code=43215&parts_tier=gold",
        "year=2015&make=Toyota&model=Camry&problem=alternator&zip_code=43215&force=perhaps",
        "year=2015&make=Toyota&model=Camry&engine=9.9&problem=alternator&zip_code=43215",
        "year=2015&year=2016&make=Toyota&model=Camry&problem=alternator&zip_code=43215",
    ],
)
def test_invalid_url_is_reported_in_the_form(guest: Visitor, query: str) -> None:
    answer = guest.get(f"/estimate?{query}")

    assert answer.status_code == 422
    assert "Fix the fields below" in answer.text


def test_url_with_a_nul_is_a_400(guest: Visitor) -> None:
    assert guest.get("/estimate?make=%00").status_code == 400


def test_incomplete_url_fills_in_the_form(guest: Visitor) -> None:
    page = guest.page("/estimate?problem=brake-pads-front&zip_code=90210&vin=hidden&other=1")

    assert page.value("problem") == "Brakes > Front Brake Pads"
    assert page.value("zip_code") == "90210"
    assert page.value("vin") == ""


def test_urls_and_forms_are_escaped(guest: Visitor) -> None:
    guest.get("/estimate")
    names = ("vin", "year", "make", "model", "engine", "problem", "zip_code", "mileage", "parts_tier")
    for answer in (
        guest.post("/estimate", dict.fromkeys(names, SCRIPT)),
        guest.get("/estimate", query_string=dict.fromkeys(names, SCRIPT)),
        guest.get("/estimate", query_string={"make": SCRIPT, "problem": SCRIPT}),
    ):
        assert "<script>alert" not in answer.text


def test_guests_are_limited_by_their_address(open_core: OpenCore) -> None:
    client = serve_core(open_core(public_requests_per_minute=2)).test_client()
    address = "/estimate?year=2015&make=Toyota&model=Camry&problem=alternator&zip_code=43215"
    statuses = [client.get(address).status_code for _ in range(3)]
    refused = client.get(address)

    assert statuses == [200, 200, 429]
    assert re.search(r"Try again in \d+ second", Page(refused.text).words)
    assert client.get("/").status_code == client.get("/estimate").status_code == 200


def test_form_suggests_repairs_vehicles_and_engines_while_typing(guest: Visitor) -> None:
    guest.get("/estimate")
    found = guest.get("/estimate/repairs.json?q=squeaky brakes").get_json()
    vehicle = guest.post("/estimate/vehicle.json", {"vin": ACCORD}).get_json()
    choices = guest.get("/estimate/choices.json?year=2018&make=ford&model=f250").get_json()

    assert "brake-pads-front" in [repair["slug"] for repair in found]
    assert vehicle["name"].startswith("2003 Honda Accord")
    assert "6.2L V8 (6.2 Boss)" in choices["engines"]


def test_configured_models_are_not_called_for_guests(core: Core) -> None:
    request = PredictBySpecs(
        year=2015, make="Toyota", model="Camry", zip_code="43215", problem_identifier="alternator"
    )
    figures = core.previews.preview(request).figures

    assert (figures.model_a.source, figures.model_b.source) == ("offline", "offline")


def test_guest_estimates_are_not_found_without_public_pages(open_core: OpenCore) -> None:
    core = open_core(public_pages=False)
    ada = visitor(serve_core(core).test_client(), "Ada")
    assert ada.get("/estimate").status_code == 404
    ada.get("/console")
    answer = ada.post("/console/estimates", {**BY_VIN, "problem": "brake-pads-front"}, follow=True)

    assert answer.status_code == 200
    assert "Compare my quote" not in answer.text


def test_environment_switch_is_for_developers_and_admins(
    core: Core, open_client: Callable[[], FlaskClient]
) -> None:
    ada = visitor(open_client(), "Ada")
    root = visitor(open_client(), "Root", core=core)
    assert 'name="environment" value="live"' not in ada.get("/console").text
    assert 'name="environment" value="live"' in root.get("/console").text
    core.accounts.create_key(name="shop", environment="test", caller=core.accounts.caller_for(ada.email))

    assert 'name="environment" value="live"' in ada.get("/console").text


@pytest.fixture
def open_client(core: Core) -> Callable[[], FlaskClient]:
    return serve_core(core).test_client
