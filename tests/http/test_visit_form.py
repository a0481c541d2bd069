"""The form of a visit without scripts: 200 lines, their order, conflicts, and URLs that fill it in."""

from collections.abc import Iterator
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from tests.http.people import ACCORD
from tests.http.visitors import Page, Visitor, visitor
from typing_extensions import override

from repaircore.core import Core
from repaircore.visits.model import MOST_LINES, LineKind
from repaircore.visits.requests import CreateVisit
from repaircore_http.service import serve_core

NEW = "/console/visits/new"
BASIC = {"vin": ACCORD, "zip_code": "90210"}
TWO_LINES = {
    "lines.0.problem_identifier": "brake-pads-front",
    "lines.1.kind": "fee",
    "lines.1.description": "Road test",
    "lines.1.price": "25",
}


class FormValues(HTMLParser):
    """The values that a browser sends for a page's unchanged forms: hidden fields, texts, choices and checked boxes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._select = self._area = ""
        self.feed(html)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        name = attributes.get("name", "")
        if (
            tag == "input"
            and name
            and (attributes.get("type") not in {"checkbox", "radio"} or "checked" in attributes)
        ):
            self.values[name] = attributes.get("value", "")
        elif tag == "select":
            self._select = name
        elif (
            tag == "option" and self._select and ("selected" in attributes or self._select not in self.values)
        ):
            self.values[self._select] = attributes["value"]
        elif tag == "textarea":
            self._area = name
            self.values[name] = ""

    @override
    def handle_endtag(self, tag: str) -> None:
        self._select = "" if tag == "select" else self._select
        self._area = "" if tag == "textarea" else self._area

    @override
    def handle_data(self, data: str) -> None:
        if self._area:
            self.values[self._area] += data.removeprefix("\n")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the page does not depend on the database."""
    return sqlite_url


@pytest.fixture
def ada(core: Core) -> Visitor:
    return visitor(serve_core(core).test_client(), "Ada")


@pytest.fixture
def edit_url(ada: Visitor) -> str:
    """Store a visit; return the URL of its form."""
    ada.get(NEW)
    answer = ada.post(NEW, {**BASIC, **TWO_LINES, "notes": "First."})
    assert answer.status_code == 303, Page(answer.text).words
    return answer.headers["Location"].partition("?")[0].removeprefix("http://localhost") + "/edit"


def lines_in(page: Page) -> list[str]:
    """Return the repairs and descriptions of the lines, in order."""
    names = [(field.get("name", ""), field.get("value", "")) for field in page.fields]
    return [
        value
        for name, value in names
        if name.startswith("lines.") and name.endswith((".problem_identifier", ".description"))
    ]


def focused_id(page: Page) -> str:
    (found,) = [fields for _, fields in page.tags if "autofocus" in fields]
    return found.get("id", found.get("role", ""))


def many_lines(core: Core, count: int) -> Iterator[tuple[str, str]]:
    """Yield the fields of lines, half of them repairs."""
    slugs = [problem.slug for problem in core.problems.list_all()]
    for place in range(count):
        if place % 2:
            yield f"lines.{place}.kind", ("fee", "part", "labor")[place % 3]
            yield f"lines.{place}.description", f"Заказ № {place} – “thé” " + "x" * 150
            yield f"lines.{place}.price", f"{place}.25"
            yield f"lines.{place}.quantity", str(1 + place % 4)
        else:
            yield f"lines.{place}.problem_identifier", slugs[place // 2]
            yield f"lines.{place}.parts_tier", ("", "oem", "economy")[place % 3]


def test_two_hundred_lines_are_saved_shown_and_edited(core: Core, ada: Visitor) -> None:
    ada.get(NEW)
    lines = dict(many_lines(core, MOST_LINES))

    answer = ada.post(NEW, {**BASIC, **lines, "force": "true"})

    assert answer.status_code == 303, Page(answer.text).words[:500]
    number = answer.headers["Location"].rpartition("/")[2].partition("?")[0]
    caller = core.accounts.caller_for(ada.email)
    before = core.visits.get(number, caller)
    assert len(before.lines) == MOST_LINES
    shown = ada.page(f"/console/visits/{number}").words
    assert all(f"№ {place} " in shown for place in range(1, MOST_LINES, 2))
    form = FormValues(ada.get(f"/console/visits/{number}/edit").text).values
    again = ada.post(f"/console/visits/{number}/edit", {**form, "step": "", "notes": "Changed."})
    assert again.status_code == 303, Page(again.text).words[:500]
    after = core.visits.get(number, caller)
    assert (after.estimate, after.notes, after.version) == (before.estimate, "Changed.", before.version + 1)


def test_multipart_form_may_have_as_many_fields(core: Core, ada: Visitor) -> None:
    ada.get(NEW)
    token = {"form_token": ada.token}

    answer = ada.client.post(
        NEW,
        data={**token, **BASIC, **dict(many_lines(core, MOST_LINES)), "force": "true"},
        base_url=ada.base,
        headers={"Sec-Fetch-Site": "same-origin"},
        content_type="multipart/form-data",
    )

    assert answer.status_code == 303, Page(answer.text).words[:500]


@pytest.mark.parametrize("button", [{"step": "own-fee"}, {"step": "add", "problem": "alternator"}])
def test_line_over_the_limit_gets_a_readable_error_and_keeps_the_form(
    ada: Visitor, button: dict[str, str]
) -> None:
    ada.get(NEW)
    lines = {
        f"lines.{place}.{name}": text
        for place in range(MOST_LINES)
        for name, text in (("kind", "fee"), ("description", f"Fee {place}"), ("price", "1"))
    }

    page = Page(ada.post(NEW, {**BASIC, **lines, **button}).text)

    assert "A visit has at most 200 lines. Remove one before you add another." in page.words
    assert lines_in(page) == [f"Fee {place}" for place in range(MOST_LINES)]
    assert page.value("problem") == button.get("problem", "")


def test_more_lines_than_allowed_are_shown_again_with_the_error(core: Core, ada: Visitor) -> None:
    ada.get(NEW)

    answer = ada.post(NEW, {**BASIC, **dict(many_lines(core, MOST_LINES + 1)), "force": "true"})

    assert answer.status_code == 422
    page = Page(answer.text)
    assert "The lines field must not have more than 200 items." in page.words
    assert len(lines_in(page)) == MOST_LINES + 1


def test_lines_are_moved_and_the_focus_goes_with_them(ada: Visitor) -> None:
    ada.get(NEW)
    three = {
        **TWO_LINES,
        "lines.2.kind": "part",
        "lines.2.description": "Clips",
        "problem": "what was being typed",
    }

    down = Page(ada.post(NEW, {**three, "step": "down-0"}).text)
    end = Page(ada.post(NEW, {**three, "step": "down-1"}).text)
    top = Page(ada.post(NEW, {**three, "step": "up-1"}).text)

    assert (lines_in(down), focused_id(down)) == (["Road test", "brake-pads-front", "Clips"], "down-1")
    assert (lines_in(end), focused_id(end)) == (["brake-pads-front", "Clips", "Road test"], "up-2")
    assert (lines_in(top), focused_id(top)) == (["Road test", "brake-pads-front", "Clips"], "down-0")
    assert down.value("problem") == "what was being typed"
    assert "Choose the repair" not in down.words


def test_focus_follows_the_action(ada: Visitor) -> None:
    ada.get(NEW)
    steps = {
        "add": "problem",
        "own-fee": "lines.2.description",
        "remove-0": "remove-0",
        "remove-1": "remove-0",
    }

    found = {
        step: focused_id(Page(ada.post(NEW, {**TWO_LINES, "step": step, "problem": "alternator"}).text))
        for step in steps
    }

    assert found == steps
    alone = {"lines.0.kind": "fee", "lines.0.description": "Fee"}
    assert focused_id(Page(ada.post(NEW, {**alone, "step": "remove-0"}).text)) == "problem"


def test_repair_that_is_on_the_visit_is_not_added_twice(ada: Visitor) -> None:
    ada.get(NEW)

    page = Page(ada.post(NEW, {**TWO_LINES, "step": "add", "problem": "front brake pads"}).text)

    assert "Front Brake Pads is already on line 1. Increase its quantity there." in page.words
    assert len(lines_in(page)) == 2


def test_shop_jargon_finds_the_repair(ada: Visitor) -> None:
    ada.get(NEW)

    for words, name in {"front brakes": "Front Brake Pads", "R&R alt": "Alternator Replacement"}.items():
        assert name in Page(ada.post(NEW, {"step": "add", "problem": words}).text).words


def test_fields_not_in_the_form_are_kept(core: Core, ada: Visitor) -> None:
    caller = core.accounts.caller_for(ada.email)
    request: dict[str, Any] = {
        "year": 2020,
        "make": "Tesla",
        "model": "Model 3",
        "trim": "Long Range",
        "zip_code": "90210",
        "force": True,
        "shop_supplies": {"amount": 12.5},
        "lines": [
            {"problem_identifier": "spark-plugs", "description": "With the coils"},
            {"kind": "labor", "description": "Diagnosis", "labor_hours": 1.5},
        ],
    }
    visit = core.visits.create(core.visits.parse(request, CreateVisit), caller)
    address = f"/console/visits/{visit.number}/edit"

    assert ada.post(address, {**FormValues(ada.get(address).text).values, "step": ""}).status_code == 303

    after = core.visits.get(visit.number, caller)
    assert after.estimate == visit.estimate
    assert after.lines[1].requested.kind is LineKind.LABOR


def test_conflict_shows_both_versions_side_by_side(ada: Visitor, edit_url: str) -> None:
    mine = FormValues(ada.get(edit_url).text).values
    theirs = {**mine, "step": "", "lines.1.price": "30", "customer.name": "Grace Hopper", "mileage": "84,000"}
    assert ada.post(edit_url, {**theirs, "problem": ""}).status_code == 303

    answer = ada.post(edit_url, {**mine, "step": "", "notes": "Mine.", "lines.0.parts_tier": "oem"})

    assert answer.status_code == 409
    page = Page(answer.text)
    assert (
        "What you typed is still below, and none of it is saved yet. The visit is now at version 2"
        in page.words
    )
    for row in (
        "Customer’s name – Grace Hopper",
        "Mileage – 84000",
        "Notes on the estimate Mine. First.",
        "Brakes › Front Brake Pads Original (OEM) parts Usual parts",
        "Road test Road test · fee · $25 Road test · fee · $30",
    ):
        assert row in page.words
    assert page.value("version") == "2"


def test_line_removed_by_another_user_can_be_saved_again(core: Core, ada: Visitor, edit_url: str) -> None:
    mine = FormValues(ada.get(edit_url).text).values
    first = {name: text for name, text in mine.items() if not name.startswith("lines.1.")}
    assert ada.post(edit_url, {**first, "step": ""}).status_code == 303

    answer = ada.post(edit_url, {**mine, "step": ""})

    assert answer.status_code == 409
    assert "Road test Road test · fee · $25 –" in Page(answer.text).words
    assert ada.post(edit_url, {**FormValues(answer.text).values, "step": ""}).status_code == 303
    number = edit_url.split("/")[-2]
    after = core.visits.get(number, core.accounts.caller_for(ada.email))
    assert [line.description for line in after.lines][1:] == ["Road test"]


def test_conflict_with_an_invoice_keeps_the_typed_values(core: Core, ada: Visitor, edit_url: str) -> None:
    mine = FormValues(ada.get(edit_url).text).values
    caller, number = core.accounts.caller_for(ada.email), edit_url.split("/")[-2]
    core.documents.approve(number, caller, version=1, name="Grace Hopper")
    core.visit_invoices.invoice(number, caller, version=2)

    answer = ada.post(edit_url, {**mine, "step": "", "notes": "Mine."})

    assert answer.status_code == 409
    page = Page(answer.text)
    assert (
        "The visit is invoiced now. What you typed is still below, so that you can copy what you need."
        in page.words
    )
    assert FormValues(answer.text).values["notes"] == "Mine."


def test_url_fills_in_the_vehicle_and_the_repairs(ada: Visitor) -> None:
    page = ada.page(
        f"{NEW}?year=2015&make=Toyota&model=Camry&engine=3.5L+V6&zip=10001&problem=alternator&problem=water-pump"
    )

    found = {name: page.value(name) for name in ("year", "make", "model", "engine", "zip_code")}
    assert found == {
        "year": "2015",
        "make": "Toyota",
        "model": "Camry",
        "engine": "3.5L V6",
        "zip_code": "10001",
    }
    assert lines_in(page) == ["alternator", "water-pump"]


def test_visit_from_an_estimate_has_its_vehicle_and_repair(ada: Visitor) -> None:
    ada.get("/console")
    typed = {**BASIC, "problem": "brake-pads-front", "mileage": "84,321"}
    page = Page(ada.post("/console/estimates", typed, follow=True).text)
    assert not [fields for tag, fields in page.tags if tag == "a" and ACCORD in fields["href"]]
    fields = {name: page.value(name) for name in ("vin", "zip_code", "mileage", "lines.0.problem_identifier")}

    form = Page(ada.post(NEW, {**fields, "step": "start"}).text)

    assert (form.value("vin"), form.value("mileage"), form.value("zip_code")) == (ACCORD, "84321", "90210")
    assert lines_in(form) == ["brake-pads-front"]
    assert form.value("valid_until")


def test_new_visit_uses_the_validity_of_the_shop(ada: Visitor, core: Core) -> None:
    ada.post("/console/shop", {"name": "Ada's Garage", "valid_days": "7"})

    shown = Page(ada.get(NEW).text).value("valid_until")

    assert shown == (core.clock() + timedelta(days=7)).date().isoformat()


def test_repair_page_links_to_a_visit(ada: Visitor) -> None:
    page = ada.page("/repairs/alternator")
    (link,) = [
        fields["href"] for tag, fields in page.tags if tag == "a" and fields["href"].startswith(f"{NEW}?")
    ]
    assert lines_in(ada.page(link)) == ["alternator"]

    ada.get("/repairs/alternator")
    priced = Page(ada.post("/repairs/alternator", {"vin": ACCORD, "zip_code": "90210"}).text)
    names = ("vin", "zip_code", "problem", "chosen_for", "problem_identifier")
    sent = {name: priced.value(name) for name in names}
    form = Page(ada.post(NEW, {**sent, "step": "add"}).text)

    assert (lines_in(form), form.value("vin"), form.value("problem")) == (["alternator"], ACCORD, "")
