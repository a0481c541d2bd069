"""The web console: pages, forms and their effects."""

import csv
import io
import re
import socket
from collections.abc import Callable
from datetime import timedelta
from itertools import takewhile
from urllib.parse import urlencode

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests import photos
from tests.conftest import OpenCore
from tests.http.people import ACCORD
from tests.http.providers import with_provider
from tests.http.visitors import PASSWORD, Page, Visitor, visitor
from tests.http.wizard import import_file
from tests.installations import sale
from werkzeug.test import TestResponse

from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.reader import ChildVinReader
from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL, Environment, PartnerCaller
from repaircore.kernel.errors import Unauthenticated
from repaircore.testing.clock import FrozenClock
from repaircore.webhooks.model import CreateSubscription
from repaircore_http import service
from repaircore_http.service import serve_core

ASK = {"vin": ACCORD, "zip_code": "90210", "problem": "brake-pads-front", "mileage": "84,000"}
CSV = "vin,problem,date,labor_hours,labor_rate,total\n"
GOOD_ROW = f"{ACCORD},brake-pads-front,2025-11-03,1.4,175.00,334.00\n"
BAD_ROW = f"{ACCORD},brake-pads-front,2025-02-30,1.4,175.00,300.00\n"


@pytest.fixture
def browser(core: Core) -> Callable[[], FlaskClient]:
    app = serve_core(core)
    return app.test_client


@pytest.fixture
def guest(browser: Callable[[], FlaskClient]) -> Visitor:
    return Visitor(browser())


@pytest.fixture
def ada(browser: Callable[[], FlaskClient]) -> Visitor:
    return visitor(browser(), "Ada")


@pytest.fixture
def eve(browser: Callable[[], FlaskClient]) -> Visitor:
    return visitor(browser(), "Eve")


@pytest.fixture
def root(browser: Callable[[], FlaskClient], core: Core) -> Visitor:
    return visitor(browser(), "Root", core=core)


def estimate(user: Visitor, **changes: str) -> str:
    """Request an estimate; return its address."""
    user.get("/console")
    answer = user.post("/console/estimates", {**ASK, **changes})
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def words(answer: TestResponse) -> str:
    return Page(answer.text).words


def test_disabled_console_is_not_found(open_core: OpenCore) -> None:
    client = serve_core(open_core(console=False)).test_client()
    for path in ("/", "/console", "/console/login", "/console/admin/prices"):
        answer = client.get(path)
        assert (answer.status_code, answer.mimetype) == (404, "application/json")
        assert "Location" not in answer.headers
    assert client.get("/healthz").status_code == 200
    assert client.get("/docs").status_code == 200


# Registration, login and logout


def test_guests_are_sent_to_the_login_and_users_to_the_console(guest: Visitor) -> None:
    assert "What should a car repair cost?" in words(guest.get("/"))
    assert guest.get("/console").headers["Location"] == "/console/login"
    assert "Log in" in words(guest.get("/console/login"))
    guest.register("Ada")
    assert guest.get("/").headers["Location"] == "/console"


def test_public_pages_can_be_closed(open_core: OpenCore) -> None:
    client = serve_core(open_core(public_pages=False)).test_client()
    assert client.get("/").headers["Location"] == "/console"
    for path in ("/quote", "/diagnose", "/repairs"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize("is_listed", [False, True])
def test_search_engines_list_public_pages_only_if_allowed(open_core: OpenCore, *, is_listed: bool) -> None:
    client = serve_core(open_core(search_engines=is_listed)).test_client()
    assert ("noindex" in client.get("/quote").text) is not is_listed
    assert ("Disallow: /\n" in client.get("/robots.txt").text) is not is_listed


def test_registration_logs_in(guest: Visitor) -> None:
    assert "Your account is ready." in words(guest.register("Ada"))


def test_registration_shows_every_error_with_the_typed_values(guest: Visitor) -> None:
    guest.get("/console/register")
    answer = guest.post("/console/register", {"name": "Ada <b>", "email": "ada", "password": "short"})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert "The email field must be a valid email address." in page.words
    assert "The password field must be at least 8 characters long." in page.words
    assert (page.value("name"), page.value("email")) == ("Ada <b>", "ada")
    assert "short" not in answer.text
    invalid = {field["name"] for field in page.fields if field.get("aria-invalid") == "true"}
    assert invalid == {"email", "password"}


def test_wrong_credentials_are_reported_and_throttled(ada: Visitor, guest: Visitor) -> None:
    guest.email = ada.email
    results = [guest.log_in("battery staple") for _ in range(5)]
    assert [answer.status_code for answer in results] == [401] * 5
    assert "These credentials do not match our records." in words(results[0])
    throttled = guest.log_in()
    assert throttled.status_code == 429
    assert 1 <= int(throttled.headers["Retry-After"]) <= 60
    assert re.search(r"Try again in \d+ second", words(throttled))


def test_login_returns_to_the_requested_page(ada: Visitor, guest: Visitor) -> None:
    guest.email = ada.email
    redirect = guest.get("/console/history?page=2")
    assert redirect.headers["Location"] == "/console/login?next=/console/history?page%3D2"
    form = Page(guest.get(redirect.headers["Location"]).text)
    answer = guest.log_in(next=form.value("next"))
    assert (answer.status_code, answer.headers["Location"]) == (303, "/console/history?page=2")


def test_registration_returns_to_the_requested_page(guest: Visitor) -> None:
    form = Page(guest.get("/console/login?next=/console/keys").text)
    assert "/console/register?next=/console/keys" in [expected.get("href") for _, expected in form.tags]
    form = Page(guest.get("/console/register?next=/console/keys").text)
    assert "/console/login?next=/console/keys" in [expected.get("href") for _, expected in form.tags]
    expected = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD, "next": form.value("next")}
    assert guest.post("/console/register", expected).headers["Location"] == "/console/keys"


def test_registration_redirects_to_no_other_site(guest: Visitor) -> None:
    guest.get("/console/register")
    expected = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD, "next": "//example.com"}
    assert guest.post("/console/register", expected).headers["Location"] == "/console?done=registered"


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/",
        "//example.com/console",
        "/console//example.com",
        "/console\\example.com",
        "/console/../api/v1",
        "/consolation",
        "javascript:alert(1)",
        "/console/\r\nSet-Cookie: a=b",
        "/console@example.com",
    ],
)
def test_login_redirects_to_no_other_address(ada: Visitor, guest: Visitor, address: str) -> None:
    guest.email = ada.email
    assert guest.log_in(next=address).headers["Location"] == "/console"


def test_logout_ends_the_session(ada: Visitor, core: Core) -> None:
    cookie = ada.client.get_cookie("repaircore_session")
    assert cookie is not None
    token = cookie.value
    assert core.accounts.authenticate(token).user_id is not None
    ada.get("/console")
    assert ada.post("/console/logout").headers["Location"] == "/console/login?done=logged-out"
    assert ada.client.get_cookie("repaircore_session") is None
    ada.client.set_cookie("repaircore_session", token)
    assert ada.get("/console/keys").headers["Location"] == "/console/login?next=/console/keys"


def test_form_of_an_expired_session_redirects_to_the_login(ada: Visitor, clock: FrozenClock) -> None:
    ada.get("/console/keys")
    clock.advance(timedelta(days=31))
    answer = ada.post("/console/keys", {"name": "shop", "environment": "test"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/console/login")


def test_login_ends_the_browsers_previous_session(ada: Visitor, eve: Visitor, core: Core) -> None:
    def token() -> str:
        cookie = ada.client.get_cookie("repaircore_session")
        assert cookie is not None
        return cookie.value

    earlier, ada.email = token(), eve.email
    assert ada.log_in("battery staple").status_code == 401
    assert core.accounts.authenticate(earlier).user_id is not None
    assert ada.log_in().status_code == 303
    with pytest.raises(Unauthenticated):
        core.accounts.authenticate(earlier)
    earlier = token()
    ada.register("Bo")
    with pytest.raises(Unauthenticated):
        core.accounts.authenticate(earlier)
    assert core.accounts.authenticate(token()).user_id is not None


def test_rejected_form_announces_its_error_first(guest: Visitor) -> None:
    assert "<title>Log in · repaircore</title>" in guest.get("/console/login").text
    guest.email = "nobody@example.org"
    answer = guest.log_in()
    assert "<title>Error: Log in · repaircore</title>" in answer.text
    (expected,) = [expected for _, expected in Page(answer.text).tags if expected.get("role") == "alert"]
    assert {"autofocus", "tabindex"} <= expected.keys()


def test_unknown_page_has_the_error_as_its_title(ada: Visitor) -> None:
    answer = ada.get("/console/nothing")
    assert "<title>Page not found · repaircore</title>" in answer.text
    assert "Log out" in words(answer)
    assert ada.post("/console/environment", {"environment": "test"}).status_code == 303  # its forms work


def test_unknown_page_accepts_no_api_key_as_a_session(guest: Visitor, ada: Visitor, core: Core) -> None:
    assert "Log out" not in words(guest.get("/console/nothing"))
    created = core.accounts.create_key(
        name="shop", environment="live", caller=core.accounts.caller_for(ada.email)
    )
    guest.client.set_cookie("repaircore_session", created.secret_key)
    answer = guest.get("/console/nothing")
    assert (answer.status_code, "Log out" in words(answer)) == (404, False)


# Keys


def test_key_is_shown_once_and_works_until_it_is_deleted(
    ada: Visitor, browser: Callable[[], FlaskClient]
) -> None:
    ada.get("/console/keys")
    created = ada.post("/console/keys", {"name": "my shop", "environment": "test"})
    assert created.status_code == 201
    found = re.search(r"sk_test_\w{39}", created.text)
    assert found is not None
    assert Page(created.text).value("name") == ""
    headers = {"Authorization": f"Bearer {found[0]}"}
    assert browser().post("/api/v1/secure-data", headers=headers).status_code == 200
    listed = ada.get("/console/keys")
    assert found[0] not in listed.text
    assert f"sk_test_…{found[0][-4:]}" in words(listed)
    delete_path = next(action for action in Page(listed.text).actions if action.endswith("/delete"))
    assert "The key was deleted." in words(ada.post(delete_path, follow=True))
    assert browser().post("/api/v1/secure-data", headers=headers).status_code == 401
    again = ada.post(delete_path)
    assert again.status_code == 404


def test_key_without_a_name_is_not_created(ada: Visitor) -> None:
    ada.get("/console/keys")
    answer = ada.post("/console/keys", {"name": " ", "environment": "elsewhere"})
    assert answer.status_code == 422
    assert "The name field is required." in words(answer)
    assert "The environment field must be one of: live, test." in words(answer)


def test_key_of_another_user_is_not_found(ada: Visitor, eve: Visitor) -> None:
    ada.get("/console/keys")
    ada.post("/console/keys", {"name": "my shop", "environment": "test"})
    delete_path = next(action for action in Page(ada.get("/console/keys").text).actions if "delete" in action)
    eve.get("/console/keys")
    assert eve.post(delete_path).status_code == 404
    assert "my shop" in words(ada.get("/console/keys"))


# Estimates


def test_estimate_page_shows_every_part(ada: Visitor) -> None:
    page = ada.page(estimate(ada))
    for part in ("2003 Honda Accord", "Brakes › Front Brake Pads", "Low", "Average", "High", "Labor"):
        assert part in page.words
    for expected in ("Model A", "Model B", "Valid until", "How this was computed", "84,000 miles"):
        assert expected in page.words
    assert "Red flag" not in page.words
    marks = [
        expected for tag, expected in page.tags if tag == "circle" and "bar-mark" in expected.get("class", "")
    ]
    assert len(marks) == 2
    assert all(0 <= float(mark["cx"].removesuffix("%")) <= 100 for mark in marks)


def test_same_request_gets_the_same_estimate(ada: Visitor) -> None:
    assert estimate(ada) == estimate(ada)


def offers_for(user: Visitor, words: str, **changes: str) -> Page:
    """Request an estimate in ambiguous words; return the page that offers the repairs."""
    user.get("/console")
    answer = user.post("/console/estimates", {**ASK, "problem": words, **changes})
    assert answer.status_code == 422
    return Page(answer.text)


def test_ambiguous_words_offer_a_choice_without_scripts(ada: Visitor) -> None:
    page = offers_for(ada, "squeaky brakes")
    assert "Choose the repair that you mean." in page.words
    radios = [field for field in page.fields if field.get("type") == "radio"]
    assert "brake-pads-rear" in [radio["value"] for radio in radios]
    assert [radio for radio in radios if "checked" in radio] == []
    assert (page.value("vin"), page.value("chosen_for")) == (ACCORD, "squeaky brakes")
    chosen = {
        "problem": "squeaky brakes",
        "chosen_for": "squeaky brakes",
        "problem_identifier": "brake-pads-rear",
    }
    answer = ada.post("/console/estimates", {**ASK, **chosen}, follow=True)
    assert "<h1>Brakes › Rear Brake Pads</h1>" in answer.text


@pytest.mark.parametrize("zip_code", ["90210", "1"])
def test_choice_for_other_words_is_ignored(ada: Visitor, zip_code: str) -> None:
    chosen_for = offers_for(ada, "squeaky brakes").value("chosen_for")
    other = {"problem": "battery", "chosen_for": chosen_for, "problem_identifier": "brake-pads-front"}
    answer = ada.post("/console/estimates", {**ASK, **other, "zip_code": zip_code})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert "Choose the repair that you mean." in page.words
    assert "battery-replacement" in [one["value"] for one in page.fields if one.get("type") == "radio"]
    assert (page.value("problem"), page.value("chosen_for")) == ("battery", "battery")


def test_chosen_repair_is_kept_when_another_field_is_wrong(ada: Visitor) -> None:
    chosen_for = offers_for(ada, "squeaky brakes").value("chosen_for")
    chosen = {"problem": chosen_for, "chosen_for": chosen_for, "problem_identifier": "brake-pads-front"}
    page = Page(ada.post("/console/estimates", {**ASK, **chosen, "zip_code": "1"}).text)
    assert page.value("problem") == "Brakes > Front Brake Pads"
    assert not [field for field in page.fields if field.get("name") == "problem_identifier"]
    answer = ada.post("/console/estimates", {**ASK, "problem": page.value("problem")}, follow=True)
    assert "<h1>Brakes › Front Brake Pads</h1>" in answer.text
    page = Page(ada.post("/console/estimates", {**ASK, "problem": "battery", "zip_code": "1"}).text)
    assert page.value("problem") == "battery"


def test_repairs_are_matched_by_their_full_name(ada: Visitor, core: Core) -> None:
    ada.get("/console")
    specs = core.vehicles.identify(ACCORD).specs
    some = [one.problem for one in core.problems.list_fitting(specs.profile)][::40]
    for pattern in ("{}", " {} ", "{}?"):
        expected = 303 if "?" not in pattern else 422
        for problem in some:
            name = problem.display_name.lower().replace(">", "›")
            answer = ada.post("/console/estimates", {**ASK, "problem": pattern.format(name)})
            assert answer.status_code == expected, name


def test_estimate_form_reports_every_bad_field(ada: Visitor) -> None:
    ada.get("/console")
    typed = {"vin": "1HGCM8263", "zip_code": "00000", "problem": "xyzzy", "mileage": "many"}
    answer = ada.post("/console/estimates", typed)
    assert answer.status_code == 422
    page = Page(answer.text)
    assert "A VIN has 11 or 17 characters; this one has 9." in page.words
    assert "The zip code field must be a US ZIP code that is in use." in page.words
    assert "No repair matches these words." in page.words
    assert "The mileage field must be an integer." in page.words
    assert {name: page.value(name) for name in typed} == typed


def test_empty_estimate_form_reports_missing_fields(ada: Visitor) -> None:
    ada.get("/console")
    answer = ada.post("/console/estimates", {})
    assert answer.status_code == 422
    assert "Enter a VIN, or the year, make and model." in words(answer)
    assert "The zip code field is required." in words(answer)
    assert "Enter the repair, or what is wrong." in words(answer)


def test_year_make_and_model_suffice(ada: Visitor) -> None:
    page = ada.page(estimate(ada, vin="", year="2015", make="Toyota", model="Camry"))
    assert "2015 Toyota Camry" in page.words
    assert "Ask again" not in page.words


@pytest.mark.parametrize("path", ["/console", "/console/history"])
def test_estimates_by_year_make_and_model_are_listed_with_their_vehicle(ada: Visitor, path: str) -> None:
    estimate(ada, vin="", year="2015", make="Toyota", model="Camry")

    assert "2015 Toyota Camry" in ada.page(path).words


@pytest.mark.parametrize(("name", "text"), [("year", "2015"), ("make", "Ford"), ("engine", "V6")])
def test_vin_with_other_vehicle_fields_is_an_error(ada: Visitor, name: str, text: str) -> None:
    ada.get("/console")
    answer = ada.post("/console/estimates", {**ASK, name: text})

    assert answer.status_code == 422
    assert "Enter either a VIN or year, make, model and engine, not both." in words(answer)


def test_reason_for_a_misfit_is_shown_once(ada: Visitor) -> None:
    ada.get("/console")
    answer = ada.post("/console/estimates", {**ASK, "vin": "5YJ3E1EA7KF", "problem": "spark-plugs"})

    assert answer.status_code == 422
    assert words(answer).count("has no spark plugs") == 1
    assert "Estimate it anyway" in words(answer)


def test_chosen_engine_is_kept_when_another_field_is_wrong(ada: Visitor) -> None:
    typed = {"vin": "", "year": "2015", "make": "Toyota", "model": "Camry", "engine": "V12"}
    ada.get("/console")
    offered = Page(ada.post("/console/estimates", {**ASK, **typed}).text)
    names = [one["value"] for one in offered.fields if one.get("name") == "chosen_engine"]
    (six,) = [name for name in names if "V6" in name]
    chosen = {**typed, "engine_chosen_for": "V12", "chosen_engine": six}
    again = Page(ada.post("/console/estimates", {**ASK, **chosen, "zip_code": "1"}).text)
    stale = ada.post("/console/estimates", {**ASK, **chosen, "engine": "V10"})

    assert again.value("engine") == six
    assert stale.status_code == 422


def test_unknown_vehicle_is_reported_in_the_form(ada: Visitor) -> None:
    ada.get("/console")
    answer = ada.post(
        "/console/estimates", {**ASK, "vin": "", "year": "2015", "make": "Nobody", "model": "X"}
    )
    assert answer.status_code == 404
    assert "No vehicle matches these specs" in words(answer)
    assert Page(answer.text).value("make") == "Nobody"


@pytest.mark.parametrize("specs", [{}, {"vin": "", "year": "2015", "make": "Toyota", "model": "Camry"}])
def test_expired_estimate_can_be_repeated(ada: Visitor, clock: FrozenClock, specs: dict[str, str]) -> None:
    address = estimate(ada, **specs)
    clock.advance(timedelta(days=3))
    assert "This estimate has expired" in ada.page(address).words
    answer = ada.post(f"{address}/again")
    assert answer.status_code == 303
    assert answer.headers["Location"] != address
    assert "Valid until Jan 8, 2026" in ada.page(answer.headers["Location"]).words


@pytest.mark.parametrize("specs", [{}, {"vin": "", "year": "2015", "make": "Toyota", "model": "Camry"}])
def test_another_parts_grade_makes_another_estimate(ada: Visitor, specs: dict[str, str]) -> None:
    page = ada.page(estimate(ada, **specs))
    grades = [
        (expected["value"], expected["aria-pressed"])
        for tag, expected in page.tags
        if tag == "button" and expected.get("name") == "parts_tier"
    ]
    assert [grade for grade, _ in grades] == ["economy", "aftermarket", "oem"]
    assert [pressed for _, pressed in grades].count("true") == 1
    action = next(action for action in page.actions if action.endswith("/again"))
    other = ada.post(action, {"parts_tier": "oem"})
    assert other.status_code == 303
    dearer = ada.page(other.headers["Location"])
    assert ("button", "oem", "true") in [
        (tag, expected.get("value"), expected.get("aria-pressed")) for tag, expected in dearer.tags
    ]
    assert ada.post(action, {"parts_tier": "gold"}).status_code == 422


def test_estimate_of_another_user_is_not_repeated(ada: Visitor, eve: Visitor) -> None:
    address = estimate(ada)
    eve.get("/console")
    assert eve.post(f"{address}/again").status_code == 404


def test_estimate_links_to_its_form_and_the_quote_check(ada: Visitor) -> None:
    page = ada.page(estimate(ada))
    links = [expected["href"] for tag, expected in page.tags if tag == "a"]
    assert not [link for link in links if ACCORD in link]
    (change,) = {link for link in links if link.startswith("/console?")}
    form = ada.page(change)
    assert (form.value("make"), form.value("problem")) == ("Honda", "Brakes > Front Brake Pads")
    (quote,) = {link for link in links if link.startswith("/quote?")}
    assert "zip_code=90210" in quote


def test_estimate_of_another_user_looks_like_none(ada: Visitor, eve: Visitor) -> None:
    address = estimate(ada)
    seen, unknown, odd = (
        eve.get(path)
        for path in (
            address,
            "/console/estimates/00000000-0000-4000-8000-000000000000",
            "/console/estimates/x",
        )
    )
    assert (seen.status_code, unknown.status_code, odd.status_code) == (404, 404, 404)
    assert words(seen) == words(unknown) == words(odd)


def test_feedback_is_stored_and_shown(ada: Visitor) -> None:
    address = estimate(ada)
    ada.get(address)
    answer = ada.post(f"{address}/feedback", {"rating": "wrong", "comment": "They took $400."}, follow=True)
    result = words(answer)
    assert "Thank you for your feedback." in result
    assert "0 of 1 rating said it looks right." in result
    assert "They took $400." in result
    ada.post(f"{address}/feedback", {"rating": "good"})
    assert "1 of 2 ratings said it looks right." in ada.page(address).words


def test_feedback_requires_a_rating(ada: Visitor) -> None:
    address = estimate(ada)
    ada.get(address)
    answer = ada.post(f"{address}/feedback", {"comment": "x" * 1001})
    assert answer.status_code == 422
    assert "The rating field is required." in words(answer)


def test_repairs_are_suggested_while_typing(ada: Visitor) -> None:
    found = ada.get("/console/repairs.json?q=squeky+brakes").get_json()
    assert 0 < len(found) <= 8
    assert set(found[0]) == {"slug", "name", "parent"}
    assert "brake-pads-front" in [one["slug"] for one in found]


def test_vehicle_is_shown_while_its_vin_is_typed(ada: Visitor) -> None:
    ada.get("/console")
    vehicle = ada.post("/console/vehicles/vin.json", {"vin": ACCORD})
    assert vehicle.get_json() == {
        "name": "2003 Honda Accord EX-V6 · 3.0L V6 (J-series V6), FWD",
        "note": "",
    }
    doubtful = ada.post("/console/vehicles/vin.json", {"vin": ACCORD.replace("633", "643")})
    assert "may have a typo" in doubtful.get_json()["note"]


def test_plate_fills_in_the_vin(open_core: OpenCore) -> None:
    core = open_core()
    ada = visitor(serve_core(with_provider(core, core.lookups.sandbox)).test_client(), "Ada")
    ada.get("/console")
    answer = ada.post("/console/vehicles/plate", {"plate": "TEST 123", "state": "ca"})
    assert answer.status_code == 200, answer.text
    assert len(Page(answer.text).value("vin")) == 17
    for path in ("/console/vehicles/plate", "/console/vehicles/photo"):
        assert ada.get(path).headers["Location"] == "/console"


def test_plate_without_a_provider_is_reported(ada: Visitor) -> None:
    assert "license plate" not in ada.page("/console").words
    answer = ada.post("/console/vehicles/plate", {"plate": "TEST123", "state": "CA"})
    assert answer.status_code == 422
    assert "no plate provider is configured" in words(answer)


def test_photo_is_not_offered_without_a_reader(core: Core) -> None:
    vehicles = core.vehicles
    reader = ChildVinReader(ImageLimit(core.settings.state), packages=["not_installed"])
    unable = core.replacing(vehicles=evolve(vehicles, extraction=evolve(vehicles.extraction, reader=reader)))
    ada = visitor(serve_core(unable).test_client(), "Ada")
    assert "photo" not in ada.page("/console").words
    photo = photos.png(photos.code("QR", ACCORD))
    answer = ada.post("/console/vehicles/photo", {"image": (io.BytesIO(photo), "vin.png")})
    assert answer.status_code == 422
    assert "Photos cannot be read here." in words(answer)
    assert "pip install" not in answer.text


def test_photo_fills_in_the_vin(ada: Visitor) -> None:
    ada.get("/console")
    photo = photos.png(photos.code("QR", ACCORD))
    answer = ada.post("/console/vehicles/photo", {"image": (io.BytesIO(photo), "vin.png")})
    assert answer.status_code == 200, answer.text
    assert Page(answer.text).value("vin") == ACCORD


TYPED = {
    "problem": "squeaky brakes",
    "zip_code": "90210",
    "mileage": "84,000",
    "plate": "TEST 123",
    "state": "ca",
}


def test_vin_lookup_keeps_the_other_typed_fields(open_core: OpenCore) -> None:
    core = open_core()
    ada = visitor(serve_core(with_provider(core, core.lookups.sandbox)).test_client(), "Ada")
    form = ada.page("/console")
    (ask,) = [expected for tag, expected in form.tags if tag == "form" and expected.get("id") == "ask"]
    assert ask["action"] == "/console/estimates"
    targets = {
        expected["formaction"]
        for tag, expected in form.tags
        if tag == "button" and expected.get("form") == "ask"
    }
    assert targets == {"/console/vehicles/plate", "/console/vehicles/photo"}
    photo = (io.BytesIO(photos.png(photos.code("QR", ACCORD))), "vin.png")
    for path, fields in (
        ("/console/vehicles/plate", TYPED),
        ("/console/vehicles/photo", {**TYPED, "image": photo}),
        ("/console/estimates", TYPED),  # submitted by the enter key in the plate field
    ):
        answer = ada.post(path, fields)
        assert answer.status_code == 200, answer.text
        page = Page(answer.text)
        assert len(page.value("vin")) == 17
        assert {name: page.value(name) for name in TYPED} == TYPED


def test_vin_lookup_keeps_the_chosen_repair(ada: Visitor) -> None:
    chosen = {"problem": "brakes", "chosen_for": "brakes", "problem_identifier": "brake-pads-rear"}
    photo = (io.BytesIO(photos.png(photos.code("QR", ACCORD))), "vin.png")
    ada.get("/console")
    page = Page(ada.post("/console/vehicles/photo", {**chosen, "image": photo}).text)
    assert page.value("problem") == "Brakes > Rear Brake Pads"


def test_unreadable_photo_keeps_the_typed_fields(ada: Visitor) -> None:
    ada.get("/console")
    answer = ada.post("/console/vehicles/photo", {**TYPED, "image": (io.BytesIO(b"no photo"), "vin.png")})
    assert answer.status_code == 422
    shown = {name: TYPED[name] for name in ("problem", "zip_code", "mileage")}  # no plate can be looked up
    assert {name: Page(answer.text).value(name) for name in shown} == shown


def options(page: Page, kind: str) -> list[str]:
    """Return the options of a field's list."""
    at = page.tags.index(("datalist", {"id": kind}))
    return [expected["value"] for tag, expected in takewhile(_is_option, page.tags[at + 1 :])]


def _is_option(tag: tuple[str, dict[str, str]]) -> bool:
    return tag[0] == "option"


def test_vehicle_choices_narrow_without_scripts(ada: Visitor) -> None:
    form = ada.page("/console")
    assert "2018" in options(form, "years")
    assert "Ford" in options(form, "makes")
    assert options(form, "models") == options(form, "engines") == []
    chosen = {"problem": "squeaky brakes", "zip_code": "90210", "year": "2018", "make": "Ford"}
    page = Page(ada.post("/console/vehicles/choices", chosen).text)
    assert "F-250" in options(page, "models")
    assert {name: page.value(name) for name in chosen} == chosen
    page = Page(ada.post("/console/vehicles/choices", {**chosen, "model": "F-250"}).text)
    assert "6.7L V8 turbo diesel (6.7 Power Stroke)" in options(page, "engines")
    assert ada.get("/console/vehicles/choices").headers["Location"] == "/console"


def test_vehicle_choices_narrow_while_typing(ada: Visitor) -> None:
    ada.get("/console")
    body = ada.get("/console/vehicles/choices.json?year=2018&make=ford&model=f250").get_json()
    assert "6.2L V8 (6.2 Boss)" in body["engines"]
    odd = ada.get(f"/console/vehicles/choices.json?year=x&make={'m' * 300}&model=%25").get_json()
    assert odd["models"] == odd["engines"] == []


def test_chosen_engine_is_estimated(ada: Visitor) -> None:
    expected = {"vin": "", "year": "2018", "make": "Ford", "model": "F-250"}
    page = ada.page(estimate(ada, **expected, engine="6.7L V8 turbo diesel (6.7 Power Stroke)"))
    assert "2018 Ford F-250 · 6.7L V8 turbo diesel (6.7 Power Stroke)" in page.words
    answer = ada.post("/console/estimates", {**ASK, **expected, "engine": "9.9"})
    assert answer.status_code == 422
    assert "It was sold with: 6.2L V8 (6.2 Boss)" in words(answer)
    assert Page(answer.text).value("engine") == "9.9"
    answer = ada.post("/console/estimates", {**ASK, **expected, "engine": "e" * 1000})
    assert answer.status_code == 422
    assert "This vehicle was sold with: 6.2L V8 (6.2 Boss)" in words(answer)


@pytest.mark.parametrize("name", ["year", "make", "model", "engine"])
def test_vehicle_fields_with_a_value_stay_open(ada: Visitor, name: str) -> None:
    ada.get("/console")
    answer = ada.post("/console/estimates", {**ASK, name: "2015", "zip_code": "1"})
    assert [expected for tag, expected in Page(answer.text).tags if tag == "details" and "open" in expected]


def test_invalid_or_missing_photo_is_reported(ada: Visitor) -> None:
    ada.get("/console")
    none = ada.post("/console/vehicles/photo", {"image": (io.BytesIO(b""), "")})
    assert none.status_code == 422
    assert "Choose a photo first." in words(none)
    text = ada.post("/console/vehicles/photo", {"image": (io.BytesIO(b"no photo"), "vin.png")})
    assert text.status_code == 422
    assert "image" in words(text)


def test_too_large_photo_is_reported_beside_its_field(ada: Visitor) -> None:
    ada.get("/console")
    head = b'--b\r\nContent-Disposition: form-data; name="image"; filename="vin.png"\r\n\r\n'
    answer = ada.client.post(
        "/console/vehicles/photo",
        data=head + b"x" * (10 * 1024 * 1024 + 1) + b"\r\n--b--\r\n",
        content_type="multipart/form-data; boundary=b",
        headers={"Sec-Fetch-Site": "same-origin"},
    )
    assert answer.status_code == 422
    assert "The image must not be larger than 10 MB." in words(answer)


def test_test_and_live_estimates_are_separate(ada: Visitor) -> None:
    address = estimate(ada)
    ada.get("/console/history")
    answer = ada.post("/console/environment", {"environment": "test", "next": "/console/history"})
    assert answer.headers["Location"] == "/console/history"
    assert "No test estimates yet." in words(ada.get("/console/history"))
    assert ada.get(address).status_code == 404
    assert estimate(ada) != address


# History


def test_history_pages_the_users_own_estimates(ada: Visitor, eve: Visitor, core: Core) -> None:
    estimate(eve)
    for problem in core.problems.list_all()[:21]:
        estimate(ada, problem=problem.slug)
    first, second = ada.page("/console/history"), ada.page("/console/history?page=2")
    addresses = [
        [
            expected["href"]
            for tag, expected in page.tags
            if tag == "a" and "/estimates/" in expected.get("href", "")
        ]
        for page in (first, second)
    ]
    assert [len(of_page) for of_page in addresses] == [20, 1]
    dots = [
        expected for tag, expected in first.tags if tag == "circle" and expected.get("class") == "point ours"
    ]
    assert len(dots) == 20 + 1  # the last is in the legend


CAMRY = {"vin": "", "year": "2015", "make": "Toyota", "model": "Camry", "problem": "alternator"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("vehicle=camry", ["Camry"]),
        ("vehicle=2003+honda", ["Accord"]),
        ("vehicle=1hgcm", ["Accord"]),
        ("vehicle=2003+camry", []),
        ("problem=front+pads", ["Accord"]),
        ("problem=BRAKES", ["Accord"]),
        ("problem=%25", []),
        ("red_flag=false", ["Camry", "Accord"]),
        ("red_flag=true", []),
        ("date_from=2026-01-02&date_to=2026-01-02", ["Camry", "Accord"]),
        ("date_from=2026-01-03", []),
        ("vehicle=&problem=&red_flag=&date_from=&date_to=", ["Camry", "Accord"]),
    ],
)
def test_history_is_filtered_on_the_page_and_in_the_file(
    ada: Visitor, eve: Visitor, query: str, found: list[str]
) -> None:
    estimate(eve)
    estimate(ada)
    estimate(ada, **CAMRY)
    page = ada.page(f"/console/history?{query}")
    shown = re.findall(r"(Accord|Camry) ·", page.words)
    rows = [*csv.DictReader(io.StringIO(ada.get(f"/console/history.csv?{query}").text))]

    assert shown == found
    assert [row["vehicle"].split()[-1] for row in rows] == found
    assert ("Download as CSV" in page.words) is bool(found)


def test_history_csv_matches_the_page(ada: Visitor) -> None:
    address = estimate(ada)
    answer = ada.get("/console/history.csv")
    (row,) = csv.DictReader(io.StringIO(answer.text))

    assert answer.mimetype == "text/csv"
    assert 'filename="estimates.csv"' in answer.headers["Content-Disposition"]
    assert (row["vin"], row["repair"], row["red_flag"]) == (ACCORD, "Brakes > Front Brake Pads", "no")
    assert address.endswith(row["session_id"])
    assert f"${row['average']}" in ada.page("/console/history").words


def test_bad_filter_of_the_history_is_shown_again(ada: Visitor) -> None:
    estimate(ada)
    answer = ada.get(f"/console/history?date_from=yesterday&vehicle={'v' * 101}&problem=<b>")
    page = Page(answer.text)

    assert answer.status_code == 422
    assert (page.value("date_from"), page.value("problem")) == ("yesterday", "<b>")
    assert "Accord" in page.words
    assert ada.get("/console/history.csv?date_from=yesterday").status_code == 422
    assert ada.get("/console/history?vehicle=%00").status_code == 400


def test_bad_page_number_is_reported_on_a_page(ada: Visitor) -> None:
    answer = ada.get("/console/history?page=0")
    assert answer.status_code == 422
    assert answer.mimetype == "text/html"
    assert words(answer).count("The page field must be at least 1.") == 1


def test_red_flag_is_shown_with_its_reason(ada: Visitor, root: Visitor, core: Core) -> None:
    rows = "".join(
        f"{ACCORD},brake-pads-front,2025-{1 + number % 9:02}-{1 + number:02},9.0,200.00,{2_600 + number}.00\n"
        for number in range(25)
    )
    assert "Added 25" in import_file(root, core, CSV + rows).words
    page = ada.page(estimate(ada))
    assert "Red flag: check before you pay" in page.words
    assert "local repairs" in page.words
    assert "Ask the shop for a written quote" in page.words
    assert "Red flag" in ada.page("/console/history/red-flags").words
    for path in ("/console/history", "/console/history/red-flags"):
        history = ada.page(path)
        marks = [tag for tag, expected in history.tags if expected.get("class") == "point flagged"]
        assert marks == ["path", "path"]  # no dot: in the drawing and in the legend
        assert "with a red flag" in history.words


# For admins


def test_transactions_are_listed_filtered_and_deleted(root: Visitor, core: Core) -> None:
    stored = [core.transactions.record(sale(core, notes="<b>hello</b>"), LOCAL) for _ in range(3)]
    page = root.page("/console/admin/transactions")
    assert "Invoices 3" in page.words
    none = root.page("/console/admin/transactions?problem_id=101&make=Tesla&date_from=&date_to=")
    assert "No invoices found." in none.words
    address = f"/console/admin/transactions/{stored[0].id}"
    shown = root.get(address)
    assert "<b>hello</b>" not in shown.text
    assert "<b>hello</b>" in words(shown)
    assert "was deleted" in words(root.post(f"{address}/delete", follow=True))
    assert root.get(address).status_code == 404


def test_unreadable_filter_is_reported(root: Visitor) -> None:
    answer = root.get("/console/admin/transactions?date_from=yesterday")
    assert answer.status_code == 422
    assert "The date from field must be a date" in words(answer)


def test_contradictory_filter_is_shown_again_as_typed(root: Visitor, core: Core) -> None:
    core.transactions.record(sale(core), LOCAL)
    filters = {"problem_id": "101", "make": "Honda", "date_from": "2026-01-31", "date_to": "2026-01-01"}
    answer = root.get(f"/console/admin/transactions?{urlencode(filters)}")
    assert answer.status_code == 422
    page = Page(answer.text)
    assert "The date to field must not be before the date from field." in page.words
    assert (page.value("date_from"), page.value("date_to")) == ("2026-01-31", "2026-01-01")
    assert {field["name"] for field in page.fields if field.get("aria-invalid") == "true"} == {"date_to"}
    chosen = [
        expected.get("value") for tag, expected in page.tags if tag == "option" and "selected" in expected
    ]
    assert chosen == ["101", "Honda"]
    assert "Invoices 1" in page.words
    assert root.get("/console/admin/transactions?page=0").status_code == 422


def test_regions_are_added_changed_and_deleted(root: Visitor, core: Core) -> None:
    root.get("/console/admin/regions/new")
    bad = root.post("/console/admin/regions/new", {"facility_name": "", "avg_labor_rate": "much"})
    assert bad.status_code == 422
    assert "field is required" in words(bad)
    expected = {"facility_name": "Ada's Garage", "zip_code": "90210", "avg_labor_rate": "$1,140.50"}
    assert "The region was added." in words(root.post("/console/admin/regions/new", expected, follow=True))
    (region,) = core.facilities.page()
    assert (region.avg_labor_rate, region.state) == (114_050, "CA")
    address = f"/console/admin/regions/{region.id}"
    page = root.page(address)
    filled = {name: page.value(name) for name in ("facility_name", "city", "state", "zip_code", "country")}
    answer = root.post(address, {**filled, "city": "Beverly Hills", "avg_labor_rate": ""}, follow=True)
    assert "The region was changed." in words(answer)
    changed = core.facilities.get(region.id)
    assert (changed.city, changed.avg_labor_rate) == ("Beverly Hills", None)
    assert "Beverly Hills CA 90210" in root.page("/console/admin/regions?search=ada&state=CA").words
    assert "The region was deleted." in words(root.post(f"{address}/delete", follow=True))
    assert core.facilities.page().total == 0


def test_region_with_invoices_cannot_be_deleted(root: Visitor, core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Ada's Garage"))
    core.transactions.record(evolve(sale(core), facility_id=shop.id), LOCAL)
    root.get(f"/console/admin/regions/{shop.id}")
    answer = root.post(f"/console/admin/regions/{shop.id}/delete")
    assert answer.status_code == 409
    assert "The region cannot be deleted" in words(answer)


def test_rates_are_recalculated(root: Visitor) -> None:
    root.get("/console/admin/regions")
    answer = root.post("/console/admin/regions/recalculate")
    assert answer.status_code == 200
    assert "0 regions were updated from invoices" in words(answer)


def test_repair_book_is_searched_and_read(root: Visitor) -> None:
    assert "Front Brake Pads" in root.page("/console/admin/repairs?search=front+brake+pads").words
    page = root.page("/console/admin/repairs/brake-pads-front")
    assert "Symptoms" in page.words
    assert "Often follows" in page.words
    assert "Repairs" in root.page("/console/admin/repairs/brakes").words
    assert root.get("/console/admin/repairs/nothing").status_code == 404


def test_prices_are_adjusted(root: Visitor, core: Core) -> None:
    root.get("/console/admin/prices")
    bad = root.post("/console/admin/prices", {"percent": "501"})
    assert bad.status_code == 422
    assert "The percent field must be between -90 and 500." in words(bad)
    assert "The price adjustment was saved." in words(
        root.post("/console/admin/prices", {"percent": "12.5"}, follow=True)
    )
    assert core.predictions.price_adjustment() == 12.5
    assert "All prices are adjusted by +12.5%" in root.page(estimate(root)).words


def test_shared_settings_change_only_in_live(root: Visitor, core: Core) -> None:
    root.get("/console/admin/prices")
    root.post("/console/environment", {"environment": "test"})
    root.get("/console/admin/prices")
    answer = root.post("/console/admin/prices", {"percent": "12.5"})
    assert answer.status_code == 403
    assert core.predictions.price_adjustment() == 0


def test_accuracy_page_draws_the_invoices(root: Visitor, core: Core) -> None:
    assert "No invoices are linked to estimates" in root.page("/console/admin/accuracy").words
    address = estimate(root)
    session = address.rsplit("/", 1)[1]
    row = f"{ACCORD},brake-pads-front,2025-11-03,1.4,175.00,334.00,{session}\n"
    assert "Added 1" in import_file(root, core, f"{CSV.strip()},session_id\n{row}").words
    page = root.page("/console/admin/accuracy")
    assert "Brakes › Front Brake Pads" in page.words
    dots = [
        expected["class"]
        for _, expected in page.tags
        if expected.get("class") in {"point inside", "point outside"}
    ]
    drawings = 2  # the invoice by its estimate, and by the confidence in it
    assert len(dots) == drawings * (1 + 2)  # one in the drawing; each is in the legend
    assert core.accuracy.report().invoices == 1


def test_partners_are_paged_and_forms_return_to_their_page(root: Visitor, core: Core) -> None:
    for number in range(21):
        core.partners.create(f"Partner {number}", "test")
    first, second = root.get("/console/admin/partners"), root.get("/console/admin/partners?page=2")
    assert "Partner 19" in words(first)
    assert "Partner 20" not in words(first)
    assert "Partner 20" in words(second)
    assert "page=2" in first.text
    suspended = root.post("/console/admin/partners/suspend?page=2", {"partner": "Partner 20"})

    assert suspended.status_code == 303
    assert "page=2" in suspended.headers["Location"]
    assert "No partners on this page" in words(root.get("/console/admin/partners?page=3"))


def test_partner_is_created_rotated_and_suspended(root: Visitor, core: Core) -> None:
    root.get("/console/admin/partners")
    created = root.post("/console/admin/partners", {"name": "Ada's Rides", "environment": "test"})
    assert created.status_code == 201
    assert Page(created.text).value("name") == ""
    first = core.partners.list_page().items[0].keys[0]
    assert first.public_key in words(created)
    assert first.secret_last4 in words(created)
    twice = root.post("/console/admin/partners", {"name": "Ada's Rides", "environment": "test"})
    assert twice.status_code == 409
    assert "already has test keys" in words(twice)
    partner = {"partner": "Ada's Rides"}
    other = root.post(
        "/console/admin/partners/rotate", {**partner, "rotate_environment": "test", "hours": "0"}
    )
    assert other.status_code == 201
    (listed,) = core.partners.list_page().items
    assert [key.revoked_at is None for key in listed.keys] == [False, True]
    assert first.public_key not in words(root.get("/console/admin/partners"))
    assert "The partner was suspended." in words(
        root.post("/console/admin/partners/suspend", partner, follow=True)
    )
    assert core.partners.list_page().items[0].suspended_at is not None
    root.post("/console/admin/partners/resume", partner)
    assert core.partners.list_page().items[0].suspended_at is None
    audited = {one.action: one.email for one in core.audit.list_newest(limit=9)}
    assert audited["partner.suspend"] == root.email


def test_key_rotation_form_offers_options_and_shows_its_errors(root: Visitor, core: Core) -> None:
    for name in ("Ada's Rides", "Bo's Rides"):
        core.partners.create(name, "test")
    page = root.page("/console/admin/partners")
    offered = [expected["value"] for tag, expected in page.tags if tag == "option"]
    assert offered == [
        "test",
        "24",
        "0",
        "test",
        "24",
        "0",
        "test",
        "live",
    ]  # of both partners, then of the form for a new one
    bad = {"partner": "Bo's Rides", "rotate_environment": "moon", "hours": "never"}
    answer = root.post("/console/admin/partners/rotate", bad)
    assert answer.status_code == 422
    page = Page(answer.text)
    wrong = [field["id"] for field in page.fields if field.get("aria-invalid") == "true"]
    links = [
        expected["href"]
        for tag, expected in page.tags
        if tag == "a" and expected.get("href", "").startswith("#")
    ]
    assert wrong == ["rotate-2", "hours-2"]
    assert links[1:] == ["#rotate-2", "#hours-2"]  # after the one that skips to the content
    assert "The hours field must be an integer." in page.words
    assert len([expected for tag, expected in page.tags if tag == "details" and "open" in expected]) == 1
    unknown = {"partner": "Eve's Rides", "rotate_environment": "test", "hours": "0"}
    assert root.post("/console/admin/partners/rotate", unknown).status_code == 404


def test_partner_without_a_name_is_not_created(root: Visitor) -> None:
    root.get("/console/admin/partners")
    answer = root.post("/console/admin/partners", {"name": "", "environment": "moon"})
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.text


def test_webhook_deliveries_are_listed_and_replayed(root: Visitor, core: Core) -> None:
    assert "There are no webhooks yet." in root.page("/console/admin/webhooks").words
    partner = core.partners.create("Ada's Rides", "test").partner
    caller = PartnerCaller(partner_id=partner.id, environment=Environment.TEST)
    with socket.socket() as deaf:  # bound but not listening, so nothing answers
        deaf.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{deaf.getsockname()[1]}/hook"
        created = core.webhooks.create(CreateSubscription(url=address, events=("*",)), caller).subscription
        core.webhook_operations.test(created.ref)
    (attempt,) = core.webhook_operations.list_attempts()
    page = root.page(f"/console/admin/webhooks?subscription={created.ref}")
    for words_of in ("Ada's Rides", address, "webhook.test", attempt.event_id, "pending"):
        assert words_of in page.words
    answer = root.post("/console/admin/webhooks/replay", {"event": attempt.event_id}, follow=True)
    assert "is being sent again" in words(answer)
    assert any(one.action == "webhook.replay" for one in core.audit.list_newest(limit=3))
    assert root.get("/console/admin/webhooks?subscription=whs_none").status_code == 404
    unknown = root.post("/console/admin/webhooks/replay", {"event": "evt_none"})
    assert unknown.status_code == 404
    assert "Event not found." in words(unknown)


@pytest.mark.parametrize("path", ["/quotes", "/x/y", "/favicon.png"])
def test_unknown_address_is_a_page_for_browsers_and_json_for_programs(core: Core, path: str) -> None:
    api = service.serve_core(core).test_client()
    page = api.get(path, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert "<h1" in page.text
    for headers in ({}, {"Accept": "application/json"}):
        assert api.get(path, headers=headers).get_json() == {"message": "Not Found."}
    unknown = api.get("/api/v1/nowhere", headers={"Accept": "text/html"})
    assert unknown.get_json() == {"message": "Not Found."}
