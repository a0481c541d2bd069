"""Visits in the console: from a VIN and several jobs to an invoice, without a script."""

import io
import re
from datetime import timedelta
from typing import Any

import pytest
from pypdf import PdfReader
from tests import photos
from tests.conftest import OpenCore
from tests.http.people import ACCORD
from tests.http.visitors import Page, Visitor, visitor

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.work import open_work
from repaircore.core import Core
from repaircore.external_settings import MailSettings
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import Invalid
from repaircore.messages.model import Channel
from repaircore.shops.model import MAX_LOGO_BYTES
from repaircore.testing.clock import EPOCH, FrozenClock
from repaircore_http.service import serve_core

NEW = "/console/visits/new"
BASIC = {"vin": ACCORD, "zip_code": "90210", "mileage": "84,000"}
LINES = {
    "lines.0.problem_identifier": "brake-pads-front",
    "lines.1.problem_identifier": "brake-rotors-front",
    "lines.2.kind": "fee",
    "lines.2.description": "Road test",
    "lines.2.price": "$25",
}
CUSTOMER = {"customer.name": "Grace Hopper", "customer.email": "grace@example.com", "notes": "Second note."}
SHOP = {
    "name": "Ada's Garage",
    "address": "1 Main St",
    "phone": "(217) 555-0142",
    "email": "service@example.com",
    "valid_days": "14",
    "terms": "Payment is due on pickup.",
}


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


@pytest.fixture
def customer(app: Any) -> Visitor:
    return Visitor(app.test_client())


def caller_of(core: Core, user: Visitor) -> Caller:
    return core.accounts.caller_for(user.email)


def create_visit(ada: Visitor, **fields: str) -> str:
    """Store a visit; return its number."""
    ada.get(NEW)
    answer = ada.post(NEW, {**BASIC, **LINES, **CUSTOMER, **fields})
    assert answer.status_code == 303, Page(answer.text).words
    return str(re.findall(r"/console/visits/(V-[\w-]+)", answer.headers["Location"])[0])


def version_of(page: Page) -> str:
    return page.value("version")


def act(user: Visitor, number: str, path: str, **fields: str) -> Any:
    page = user.page(f"/console/visits/{number}")
    return user.post(f"/console/visits/{number}/{path}", {"version": version_of(page), **fields})


def send_visit(ada: Visitor, number: str, **fields: str) -> str:
    """Send a visit; return the path of its link."""
    answer = act(ada, number, "send", **fields)
    assert answer.status_code == 303, Page(answer.text).words
    return str(re.findall(r"http://[^/<]+(/v/[\w-]{43})<", ada.get(f"/console/visits/{number}").text)[0])


def answer_fields(page: Page, *choices: str, name: str = "Grace Hopper", **more: str) -> dict[str, str]:
    fields = {f"line-{place}": choice for place, choice in enumerate(choices, start=1) if choice}
    return {"version": version_of(page), "name": name, **fields, **more}


# The form


def test_words_are_added_as_lines_one_by_one(ada: Visitor) -> None:
    ada.get(NEW)

    page = Page(ada.post(NEW, {**BASIC, "problem": "brake-pads-front", "step": "add"}).text)

    assert page.value("lines.0.problem_identifier") == "brake-pads-front"
    assert (page.value("vin"), page.value("mileage"), page.value("problem")) == (ACCORD, "84,000", "")
    offered = Page(ada.post(NEW, {**BASIC, "problem": "squeaky brakes", "step": "add"}).text)
    assert "Choose the repair that you mean." in offered.words
    assert offered.value("problem") == "squeaky brakes"
    chosen = {
        "problem": "squeaky brakes",
        "chosen_for": "squeaky brakes",
        "problem_identifier": "brake-pads-rear",
    }
    assert (
        Page(ada.post(NEW, {**chosen, "step": "add"}).text).value("lines.0.problem_identifier")
        == "brake-pads-rear"
    )


def test_custom_lines_are_added_and_removed(ada: Visitor) -> None:
    ada.get(NEW)

    page = Page(ada.post(NEW, {**LINES, "step": "own-part"}).text)

    assert page.value("lines.3.kind") == ""  # to be chosen
    removed = Page(ada.post(NEW, {**LINES, "step": "remove-0"}).text)
    assert removed.value("lines.0.problem_identifier") == "brake-rotors-front"
    assert removed.value("lines.1.description") == "Road test"
    assert "lines.2.description" not in [field.get("name") for field in removed.fields]


def test_saving_with_unmatched_words_is_rejected(ada: Visitor, core: Core) -> None:
    ada.get(NEW)

    page = Page(ada.post(NEW, {**BASIC, "problem": "zzzz"}).text)

    assert "No repair matches these words" in page.words
    assert not core.visits.page(caller_of(core, ada)).items


def test_every_bad_field_is_reported_and_kept(ada: Visitor) -> None:
    ada.get(NEW)
    bad = {
        "vin": "1HGCM82",
        "zip_code": "00000",
        "mileage": "many",
        "lines.0.kind": "fee",
        "lines.0.price": "-5",
        "lines.0.description": "x" * 201,
        "discount.percent": "200",
        "customer.email": "nobody",
        "valid_until": "soon",
        "sales_tax_percent": "99",
    }

    answer = ada.post(NEW, bad)

    assert answer.status_code == 422
    page = Page(answer.text)
    links = {
        fields["href"].removeprefix("#") for tag, fields in page.tags if tag == "a" and "#" in fields["href"]
    }
    assert set(bad) - {"lines.0.kind"} <= links
    assert [page.value(name) for name in ("vin", "mileage", "lines.0.price")] == ["1HGCM82", "many", "-5"]
    for message in (
        "Line 1: the price must be at least 0.",
        "Discount in % must not be greater than 100.",
        "ZIP code of the shop must be",
        "Customer’s e-mail must be",
    ):
        assert message in page.words, message
    assert not re.search(r"\b(lines|discount|shop[ _]supplies|customer)\.\w", page.words)


def test_repair_that_does_not_fit_can_be_estimated_anyway(ada: Visitor) -> None:
    ada.get(NEW)
    vehicle_fields = {
        "year": "2020",
        "make": "Tesla",
        "model": "Model 3",
        "zip_code": "90210",
        "lines.0.problem_identifier": "spark-plugs",
    }

    answer = ada.post(NEW, vehicle_fields)

    assert answer.status_code == 422
    assert "Estimate it anyway" in answer.text
    assert ada.post(NEW, {**vehicle_fields, "force": "true"}).status_code == 303


@pytest.mark.parametrize("odd", ['"><script>alert(1)</script>', "\ud83d", "x" * 20_000, "🚗", "{{ 7*7 }}"])
def test_odd_text_is_escaped_and_causes_no_server_error(ada: Visitor, odd: str) -> None:
    ada.get(NEW)
    names = [*BASIC, *LINES, *CUSTOMER, "year", "make", "model", "valid_until", "problem", "step", "version"]
    odd = odd.encode("utf-8", "replace").decode()

    answer = ada.post(NEW, dict.fromkeys(names, odd))

    assert answer.status_code in {200, 422}
    assert "<script>alert" not in answer.text
    assert "49" not in Page(answer.text).value("vin")


def test_url_fills_in_the_form(ada: Visitor) -> None:
    page = ada.page(
        f"{NEW}?vin={ACCORD}&zip=10001&problem=alternator&problem=nothing&problem=water-pump&problem=alternator"
    )

    assert (page.value("vin"), page.value("zip_code")) == (ACCORD, "10001")
    assert [page.value(f"lines.{n}.problem_identifier") for n in range(2)] == ["alternator", "water-pump"]


# The visit


def test_visit_page_shows_lines_savings_and_totals(ada: Visitor, core: Core) -> None:
    number = create_visit(ada, **{"discount.percent": "10", "shop_supplies.percent": "5"})

    words = ada.page(f"/console/visits/{number}").words

    visit = core.visits.get(number, caller_of(core, ada))
    total = visit.estimate.totals.total
    for part in (
        f"${total / 100:,.2f}",
        "Grace Hopper",
        "2003 Honda Accord",
        "Road test",
        "On its own",
        "Discount",
        "Sales tax",
        "Draft",
    ):
        assert part in words, part


def test_list_searches_and_filters(ada: Visitor) -> None:
    number = create_visit(ada)

    assert number in ada.page("/console/visits").words
    assert number in ada.page("/console/visits?search=grace&status=draft").words
    assert "No visits match." in ada.page("/console/visits?search=nobody").words
    assert "No visits match." in ada.page("/console/visits?status=sent").words
    assert ada.get("/console/visits?search=%F0%9F%9A%97").status_code == 200
    assert ada.get("/console/visits?status=odd").status_code == 422
    assert ada.get("/console/visits?colour=red").status_code == 422
    assert number in ada.get("/console/visits.csv?sort=-total").text


def test_visit_of_another_account_is_not_found(app: Any, ada: Visitor) -> None:
    number = create_visit(ada)
    eve = visitor(app.test_client(), "Eve")
    eve.get("/console/keys")

    for path in ("", "/edit", "/print", "/pdf"):
        assert eve.get(f"/console/visits/{number}{path}").status_code == 404
    for path in ("edit", "send", "revoke", "act", "invoice", "delete"):
        assert (
            eve.post(f"/console/visits/{number}/{path}", {"version": "1", "action": "cancel"}).status_code
            == 404
        )


def test_conflict_keeps_the_typed_values_and_can_be_saved(ada: Visitor, core: Core) -> None:
    number = create_visit(ada)
    page = ada.page(f"/console/visits/{number}/edit")
    stale = {**BASIC, **LINES, **CUSTOMER, "version": version_of(page), "notes": "Mine."}
    assert ada.post(f"/console/visits/{number}/edit", {**stale, "notes": "Theirs."}).status_code == 303

    answer = ada.post(f"/console/visits/{number}/edit", stale)

    assert answer.status_code == 409
    again = Page(answer.text)
    assert "Someone else changed this visit while you were working on it" in again.words
    assert "Mine." in again.words
    assert (
        ada.post(f"/console/visits/{number}/edit", {**stale, "version": version_of(again)}).status_code == 303
    )
    assert core.visits.get(number, caller_of(core, ada)).notes == "Mine."


def test_edit_without_changes_keeps_everything(ada: Visitor, core: Core) -> None:
    number = create_visit(
        ada,
        **{
            "discount.amount": "12.50",
            "shop_supplies.percent": "5",
            "shop_supplies.cap": "30",
            "no_sales_tax": "true",
            "lines.0.parts_tier": "oem",
        },
    )
    before = core.visits.get(number, caller_of(core, ada))
    page = ada.page(f"/console/visits/{number}/edit")
    fields = {
        field["name"]: field.get("value", "")
        for field in page.fields
        if field["tag"] == "input" and field.get("type") not in {"checkbox", "radio"} and "name" in field
    }

    assert (
        ada.post(
            f"/console/visits/{number}/edit",
            {
                **fields,
                "notes": "Second note.",
                "no_sales_tax": "true",
                "lines.0.parts_tier": "oem",
                "lines.2.kind": "fee",
            },
        ).status_code
        == 303
    )
    after = core.visits.get(number, caller_of(core, ada))
    assert (after.estimate, after.customer, after.notes, after.valid_until) == (
        before.estimate,
        before.customer,
        before.notes,
        before.valid_until,
    )


# The document


def test_pdf_and_print_view_show_the_whole_document(ada: Visitor) -> None:
    ada.get("/console/shop")
    ada.post("/console/shop", SHOP)
    number = create_visit(ada)

    words = ada.page(f"/console/visits/{number}/print").words
    answer = ada.client.get(f"/console/visits/{number}/pdf")

    for part in (
        "Ada's Garage",
        "Grace Hopper",
        ACCORD,
        "84,000 miles",
        "Road test",
        "Payment is due on pickup.",
        "Second note.",
    ):
        assert part in words, part
    assert (answer.status_code, answer.mimetype) == (200, "application/pdf")
    assert answer.data.startswith(b"%PDF-")
    assert answer.headers["Content-Disposition"] == f'inline; filename="{number}.pdf"'


# The link


def test_links_are_not_for_search_engines(ada: Visitor, customer: Visitor, core: Core) -> None:
    ada.get("/console/shop")
    ada.post("/console/shop", SHOP)
    logo = photos.png(photos.code("QR", "logo"))
    core.shops.set_logo(io.BytesIO(logo), caller_of(core, ada))
    path = send_visit(ada, create_visit(ada))

    responses = [customer.get(f"{path}{tail}") for tail in ("", "/logo", "/pdf")]

    assert [answer.status_code for answer in responses] == [200, 200, 200]
    assert {answer.headers["X-Robots-Tag"] for answer in responses} == {"noindex, nofollow"}


def test_link_shows_the_estimate_without_vin_customer_and_ids(ada: Visitor, customer: Visitor) -> None:
    ada.get("/console/shop")
    ada.post("/console/shop", SHOP)
    number = create_visit(ada)
    path = send_visit(ada, number)

    answer = customer.get(path)

    page = Page(answer.text)
    for part in (
        "Ada's Garage",
        "2003 Honda Accord",
        "Front Brake Pads",
        "Road test",
        "Payment is due on pickup.",
        "Approve everything",
    ):
        assert part in page.words, part
    for secret in (
        ACCORD,
        ACCORD[:11],
        "grace@",
        "Grace",
        "Second note.",
        "84,000",
        ada.email,
    ):
        assert secret not in answer.text, secret
    pdf = customer.client.get(f"{path}/pdf")
    printed = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf.data)).pages)
    assert "2003 Honda Accord" in printed
    for secret in (ACCORD, ACCORD[:11], "grace@", "Grace Hopper", "Second note.", "84,000"):
        assert secret not in printed, secret
    assert '<meta name="robots" content="noindex, nofollow">' in answer.text


def test_customer_answers_by_line_and_changes_their_mind(ada: Visitor, customer: Visitor, core: Core) -> None:
    number = create_visit(ada)
    path = send_visit(ada, number)

    first = customer.post(
        path, answer_fields(customer.page(path), "approved", "declined", "asked", **{"note-3": "What for?"})
    )
    assert first.status_code == 303
    words = ada.page(f"/console/visits/{number}").words
    for part in ("Partly approved", "Approved", "Declined", "What for?", "Customer answered"):
        assert part in words, part

    page = customer.page(path)
    customer.post(path, answer_fields(page, "approved", "approved", "approved", name="G. Hopper"))

    visit = core.visits.get(number, caller_of(core, ada))
    assert visit.status == "approved"
    assert [line.decision.name for line in visit.lines if line.decision] == [
        "Grace Hopper",
        "G. Hopper",
        "G. Hopper",
    ]
    steps = [step for step in core.visits.timeline(visit) if step.action == "answer"]
    assert [(step.actor, (step.detail or {})["name"]) for step in steps] == [
        ("customer", "Grace Hopper"),
        ("customer", "G. Hopper"),
    ]


def test_one_button_approves_all_lines(ada: Visitor, customer: Visitor, core: Core) -> None:
    number = create_visit(ada)
    path = send_visit(ada, number)

    customer.post(path, answer_fields(customer.page(path), "declined", all="approved"))

    assert core.visits.get(number, caller_of(core, ada)).status == "approved"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "The name field"),
        ({"name": "x" * 121}, "The name field"),
        ({"line-1": "asked"}, "Write your question."),
        ({"line-1": "odd", "line-2": "", "line-3": ""}, "Approve or decline at least one line"),
        ({"version": "0"}, "This estimate changed"),
        ({"version": "x"}, "This estimate changed"),
    ],
)
def test_invalid_answer_is_shown_again_with_its_error(
    ada: Visitor, customer: Visitor, fields: dict[str, str], sentence: str
) -> None:
    path = send_visit(ada, create_visit(ada))

    answer = customer.post(
        path, {**answer_fields(customer.page(path), "approved", "declined", name="Bo"), **fields}
    )

    assert answer.status_code in {409, 422}
    page = Page(answer.text)
    assert sentence in page.words
    assert page.value("name") == fields.get("name", "Bo")


def test_answer_to_a_changed_estimate_is_a_conflict(ada: Visitor, customer: Visitor, core: Core) -> None:
    number = create_visit(ada)
    path = send_visit(ada, number)
    page = customer.page(path)
    customer.post(path, answer_fields(page, "approved", "approved", "approved"))

    answer = customer.post(path, answer_fields(page, "declined", "declined", "declined"))

    assert answer.status_code == 409
    assert "This estimate changed after you opened it." in Page(answer.text).words
    assert core.visits.get(number, caller_of(core, ada)).status == "approved"


def test_answer_without_the_form_token_is_rejected(ada: Visitor, customer: Visitor) -> None:
    path = send_visit(ada, create_visit(ada))
    page = customer.page(path)

    assert customer.post(path, answer_fields(page, "approved"), token="0" * 64).status_code == 403
    assert (
        customer.post(
            path, answer_fields(page, "approved"), headers={"Origin": "https://evil.example"}
        ).status_code
        == 403
    )


def test_no_answers_after_the_work_begins(ada: Visitor, customer: Visitor) -> None:
    number = create_visit(ada)
    path = send_visit(ada, number)
    page = customer.page(path)
    customer.post(path, answer_fields(page, all="approved"))
    open_page = customer.page(path)
    assert act(ada, number, "act", action="begin").status_code == 303

    answer = customer.post(path, answer_fields(open_page, "declined", "declined", "declined"))

    assert answer.status_code == 409
    assert "The work on your vehicle has begun." in Page(answer.text).words
    assert "Send my answers" not in customer.get(path).text


def test_guessed_changed_and_ended_links_are_not_found(ada: Visitor, customer: Visitor) -> None:
    number = create_visit(ada)
    path = send_visit(ada, number)
    assert customer.get(path).status_code == 200
    last = "A" if path[-1] != "A" else "B"
    for wrong in (
        "/v/",
        "/v/x",
        f"/v/{'A' * 43}",
        path[:-2] + last + path[-1],
        path + "A",
        f"/v/{number}",
        "/v/%00",
        f"{path}/x",
    ):
        assert customer.get(wrong).status_code == 404, wrong

    assert act(ada, number, "revoke").status_code == 303
    for tail in ("", "/logo", "/pdf"):
        assert customer.get(path + tail).status_code == 404
    assert customer.post(path, {"name": "Bo"}).status_code == 404
    again = send_visit(ada, number)
    assert again != path
    assert act(ada, number, "act", action="cancel").status_code == 303
    assert customer.get(again).status_code == 404


def test_link_expires_with_the_estimate(ada: Visitor, customer: Visitor, clock: FrozenClock) -> None:
    path = send_visit(ada, create_visit(ada, valid_until="2026-01-10"))
    clock.advance(timedelta(days=9))  # from the second of January; in Hawaii it is still the tenth
    assert customer.get(path).status_code == 200

    clock.advance(timedelta(days=1))

    assert customer.get(path).status_code == 404


def test_link_is_closed_while_the_estimate_is_changed(ada: Visitor, customer: Visitor) -> None:
    number = create_visit(ada)
    path = send_visit(ada, number)
    page = ada.page(f"/console/visits/{number}/edit")

    ada.post(f"/console/visits/{number}/edit", {**BASIC, **LINES, "version": version_of(page)})

    assert customer.get(path).status_code == 404
    assert send_visit(ada, number) == path
    assert customer.get(path).status_code == 200


def test_expired_estimate_is_not_sent(ada: Visitor, clock: FrozenClock) -> None:
    number = create_visit(ada, valid_until="2026-01-03")
    page = ada.page(f"/console/visits/{number}")
    clock.advance(timedelta(days=3))

    answer = ada.post(f"/console/visits/{number}/send", {"version": version_of(page)})

    assert answer.status_code == 409
    assert "This estimate was valid until January 3, 2026." in Page(answer.text).words


def test_send_mails_the_link_and_answers_mail_the_shop(open_core: OpenCore, database: Database) -> None:
    mail = MailSettings(url="smtp://127.0.0.1:25", sender="shop@example.com")
    app = serve_core(open_core(mail=mail))
    ada, customer = visitor(app.test_client(), "Ada"), Visitor(app.test_client())
    ada.get("/console/shop")
    ada.post("/console/shop", SHOP)
    number = create_visit(ada)
    assert "E-mail the link to grace@example.com" in ada.page(f"/console/visits/{number}").words

    path = send_visit(ada, number, by_mail="true")
    customer.post(
        path, answer_fields(customer.page(path), "approved", "declined", "asked", **{"note-3": "What\nfor?"})
    )

    with open_work(database, write=True) as work:
        to_customer, to_shop = (
            claimed.content for claimed in work.messages.claim(Channel.EMAIL, EPOCH, until=EPOCH, limit=9)
        )
    assert (to_customer.recipient, to_customer.subject) == (
        "grace@example.com",
        "Your estimate from Ada's Garage",
    )
    assert path in to_customer.body
    assert ACCORD not in to_customer.body
    assert to_shop.recipient == SHOP["email"]
    for line in (
        "Approved: Front Brake Pads",
        "Declined: Front Brake Rotors",
        "Question: Road test - What for?",
    ):
        assert line in to_shop.body, to_shop.body


def test_send_by_mail_needs_a_mail_server(ada: Visitor) -> None:
    number = create_visit(ada)

    answer = act(ada, number, "send", by_mail="true")

    assert answer.status_code == 422
    assert "This installation does not send e-mail." in Page(answer.text).words


def test_link_works_where_public_pages_are_closed(open_core: OpenCore) -> None:
    app = serve_core(open_core(public_pages=False))
    ada = visitor(app.test_client(), "Ada")

    path = send_visit(ada, create_visit(ada))

    assert Visitor(app.test_client()).get(path).status_code == 200


# The invoice


def test_approved_visit_becomes_an_invoice_once(app: Any, core: Core) -> None:
    root = visitor(app.test_client(), "Root", core=core)
    number = create_visit(root)
    path = send_visit(root, number)
    customer = Visitor(app.test_client())
    customer.post(path, answer_fields(customer.page(path), "approved", "declined", "approved"))
    page = root.page(f"/console/visits/{number}")
    for _ in range(2):
        assert (
            root.post(f"/console/visits/{number}/invoice", {"version": version_of(page)}).status_code == 303
        )

    visit = core.visits.get(number, caller_of(core, root))
    words = root.page(f"/console/visits/{number}/print").words
    assert visit.status == "invoiced"
    assert [line.description for line in visit.lines] == ["Brakes > Front Brake Pads", "Road test"]
    assert "Invoice" in words
    assert "Rotors" not in words
    assert "Invoices 1" in root.page("/console/admin/accuracy").words
    assert root.page("/console/admin/transactions").words.count("1.19 $") == 1


def test_visit_approved_by_phone_is_invoiced_with_all_lines(ada: Visitor, core: Core) -> None:
    number = create_visit(ada)
    assert act(ada, number, "approve", name=" ").status_code == 422
    assert act(ada, number, "approve", name="Grace, on the phone").status_code == 303
    assert act(ada, number, "act", action="begin").status_code == 303
    assert act(ada, number, "invoice").status_code == 303

    visit = core.visits.get(number, caller_of(core, ada))
    assert (visit.status, len(visit.lines)) == ("invoiced", 3)
    assert "Grace, on the phone" in ada.page(f"/console/visits/{number}").words


def test_invoice_of_a_non_admin_is_not_learned(app: Any, ada: Visitor, core: Core) -> None:
    number = create_visit(ada)
    act(ada, number, "approve", name="Grace")
    act(ada, number, "invoice")

    root = visitor(app.test_client(), "Root", core=core)
    assert core.visits.get(number, caller_of(core, ada)).status == "invoiced"
    assert "1.19 $" not in root.page("/console/admin/transactions").words


def test_invoice_has_the_figures_of_the_form(ada: Visitor, core: Core) -> None:
    number = create_visit(ada)
    act(ada, number, "approve", name="Grace")
    page = ada.page(f"/console/visits/{number}")
    assert "Different hours or parts than approved?" in page.words
    line = page.value("lines.1.line")

    figures = {"lines.1.labor_hours": "1.75", "lines.1.parts_total": "$1,084.20"}
    answer = act(ada, number, "invoice", **{"lines.0.line": "1", "lines.1.line": line, **figures})

    assert answer.status_code == 303, Page(answer.text).words
    rotors = core.visits.get(number, caller_of(core, ada)).lines[1]
    assert (rotors.hours, rotors.parts, rotors.approved is None) == (1.75, 1084_20, False)
    assert "Approved at $" in ada.page(f"/console/visits/{number}/print").words
    assert "Not as approved: Front Brake Rotors" in ada.page(f"/console/visits/{number}").words


def test_rejected_figures_are_shown_again(ada: Visitor, core: Core) -> None:
    number = create_visit(ada)
    act(ada, number, "approve", name="Grace")

    answer = act(
        ada,
        number,
        "invoice",
        **{
            "lines.0.line": "1",
            "lines.0.labor_hours": "two",
            "lines.1.line": "2",
            "lines.1.labor_rate": "-1",
        },
    )

    page = Page(answer.text)
    assert answer.status_code == 422
    assert (page.value("lines.0.labor_hours"), page.value("lines.1.labor_rate")) == ("two", "-1")
    assert "Hours of Front Brake Pads must be a number." in page.words
    assert "Rate of Front Brake Rotors" in page.words
    assert core.visits.get(number, caller_of(core, ada)).status == "approved"


def test_invoice_needs_an_approved_line(ada: Visitor) -> None:
    number = create_visit(ada)
    send_visit(ada, number)

    assert act(ada, number, "invoice").status_code == 409


def test_environments_have_separate_visits(ada: Visitor) -> None:
    number = create_visit(ada)
    ada.post("/console/environment", {"environment": Environment.TEST})

    assert ada.get(f"/console/visits/{number}").status_code == 404


# The shop


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"<svg><script>alert(1)</script></svg>", "The logo must be a complete PNG or JPEG"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 99, "The logo must be a complete PNG or JPEG"),
    ],
    ids=["svg", "half a png"],
)
def test_invalid_logo_gets_a_readable_error(ada: Visitor, content: bytes, sentence: str) -> None:
    ada.get("/console/shop")
    ada.post("/console/shop", SHOP)

    answer = ada.post("/console/shop/logo", {"logo": (io.BytesIO(content), "logo.png")})

    assert answer.status_code == 422
    assert sentence in Page(answer.text).words
    assert ada.get("/console/shop/logo").status_code == 404


def test_too_large_logo_is_rejected(ada: Visitor, core: Core) -> None:
    with pytest.raises(Invalid, match="must not be larger than 500 KB"):
        core.shops.set_logo(io.BytesIO(bytes(MAX_LOGO_BYTES + 1)), caller_of(core, ada))


def test_shop_is_filled_in_from_a_region(ada: Visitor, core: Core) -> None:
    region = core.facilities.create(
        CreateFacility(facility_name="Bo's Brakes", city="Springfield", zip_code="62701")
    )

    assert "Bo's Brakes" in ada.page("/console/shop?search=brakes").words
    page = ada.page(f"/console/shop?facility={region.id}")

    assert [page.value(name) for name in ("name", "zip_code", "facility_id")] == [
        "Bo's Brakes",
        "62701",
        str(region.id),
    ]
    for odd in ("0", "x", "9" * 30, "-1", "%00"):
        assert ada.get(f"/console/shop?facility={odd}&search={odd}").status_code in {200, 400}
