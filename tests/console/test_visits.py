"""A service writer estimates three jobs, sends the estimate, has it approved on a phone, and invoices it."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from tests.console.chromium import SIZES, Tab

from repaircore.core import Core
from repaircore.kernel.callers import Role
from repaircore.shops.model import SaveShop
from repaircore.visits.requests import CreateVisit

pytestmark = [pytest.mark.long, pytest.mark.browser]

VIN = "1HGCM82633A004352"
JOBS = ("brake-pads-front", "brake-rotors-front", "alternator")


@pytest.fixture
def writer(core: Core) -> str:
    """Return the e-mail of a service writer."""
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    core.accounts.set_role("ada@example.com", Role.ADMIN)
    return "ada@example.com"


def _link(tab: Tab) -> str:
    return urlsplit(str(tab.page.locator("#visit-link").inner_text())).path


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_service_writer_gets_from_a_vin_to_an_invoice(  # noqa: PLR0915 - a journey
    open_tab: Callable[..., Tab], writer: str, size: str, *, scripts: bool
) -> None:
    tab = open_tab(size, java_script_enabled=scripts)
    name, page = f"visit-{size}", tab.page
    tab.open("/console/login")
    page.get_by_label("E-mail").fill(writer)
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Log in").click()

    tab.open("/console/shop")
    page.get_by_label("Name", exact=True).fill("Ada's Garage")
    page.get_by_label("Address").fill("1 Main St\nBeverly Hills, CA 90210")
    page.get_by_label("ZIP code", exact=False).first.fill("90210")
    page.get_by_label("Phone").fill("(310) 555-0142")
    page.get_by_label("Terms").fill("Payment is due on pickup. 12 months or 12,000 miles on parts and labor.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The shop was saved.").wait_for()

    tab.open("/console/visits/new")
    page.get_by_label("VIN").first.fill(VIN)
    page.get_by_label("Mileage").fill("84,000")
    for place, job in enumerate(JOBS):
        page.get_by_label("Add a repair").fill(job)
        page.get_by_role("button", name="Add", exact=True).click()
        page.locator(f'input[name="lines.{place}.problem_identifier"]').wait_for(state="attached")
    page.get_by_label("Name").fill("Grace Hopper")
    page.get_by_label("E-mail").fill("grace@example.com")
    if scripts:
        tab.screenshot(f"{name}-form")
        assert tab.faults() == {}
        assert tab.missing_focus_rings() == []
    page.get_by_role("button", name="Save the estimate").click()
    page.get_by_text("The estimate was saved.").wait_for()
    assert "Done in one visit" in tab.text()

    page.get_by_role("button", name="Send", exact=True).click()
    page.locator("#visit-link").wait_for()
    if scripts:
        tab.screenshot(f"{name}-sent")
        assert tab.faults() == {}
        assert tab.missing_focus_rings() == []
    number = page.url.partition("?")[0]
    link = _link(tab)

    phone = open_tab("phone", java_script_enabled=scripts)
    phone.open(link)
    assert VIN not in phone.page.content()
    for place, choice in enumerate(("Approve", "Decline", "Ask")):
        phone.page.locator("fieldset.answers").nth(place).get_by_label(choice).check()
    phone.page.get_by_label("Your question").last.fill("Can it wait?")
    phone.page.get_by_label("Your name").fill("Grace Hopper")
    if scripts:
        phone.screenshot("visit-approval")
        assert phone.faults() == {}
        assert phone.missing_focus_rings() == []
    phone.page.get_by_role("button", name="Send my answers").click()
    phone.page.get_by_text("has your answers").wait_for()

    tab.page.goto(number)
    for words in ("Partly approved", "Can it wait?", "Customer answered"):
        assert words in tab.text()
    page.get_by_role("button", name="Start the work").click()
    page.get_by_text("The work has started.").wait_for()
    page.get_by_role("button", name="Create the invoice").click()
    page.get_by_text("The invoice is ready.").wait_for()
    if scripts:
        tab.screenshot(f"{name}-invoiced")
        assert tab.faults() == {}
    page.get_by_role("link", name="Print").click()
    page.get_by_role("heading", name="Invoice").wait_for()
    assert "Alternator" not in tab.text()
    tab.open("/console/admin/accuracy")
    assert "Invoices 1" in tab.text()


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_a_visit_can_be_read_and_used(
    open_tab: Callable[..., Tab], core: Core, writer: str, size: str
) -> None:
    caller = core.accounts.caller_for(writer)
    core.shops.save(SaveShop(name="Ada's Garage", terms="Payment is due on pickup."), caller)
    request = {
        "vin": VIN,
        "zip_code": "90210",
        "lines": [{"problem_identifier": job} for job in JOBS],
        "customer": {"name": "Grace Hopper"},
        "discount": {"percent": 10},
        "shop_supplies": {},
        "notes": "Second note.",
    }
    visit = core.visits.create(core.visits.parse(request, CreateVisit), caller)
    sent = core.documents.send(visit.number, caller, version=visit.version, by_mail=False)
    tab = open_tab(size)
    tab.log_in(writer, "correct horse")
    pages = {
        "list": "/console/visits",
        "detail": f"/console/visits/{visit.number}",
        "edit": f"/console/visits/{visit.number}/edit",
        "print": f"/console/visits/{visit.number}/print",
        "shop": "/console/shop",
        "shared": urlsplit(sent.link).path,
    }
    for name, path in pages.items():
        tab.open(path)
        tab.screenshot(f"visits-{size}-{name}")
        assert tab.faults() == {}, path
        assert tab.missing_focus_rings() == [], path


def test_customer_answers_by_the_keyboard_alone(
    open_tab: Callable[..., Tab], core: Core, writer: str
) -> None:
    caller = core.accounts.caller_for(writer)
    request = {"vin": VIN, "zip_code": "90210", "lines": [{"problem_identifier": job} for job in JOBS[:2]]}
    visit = core.visits.create(core.visits.parse(request, CreateVisit), caller)
    sent = core.documents.send(visit.number, caller, version=visit.version, by_mail=False)
    tab = open_tab()
    tab.open(urlsplit(sent.link).path)
    keys = tab.page.keyboard
    keys.press("Tab")
    keys.press("Space")
    keys.press("Tab")
    keys.press("Space")
    keys.press("ArrowRight")
    keys.press("Tab")
    keys.type("Grace Hopper")
    keys.press("Enter")
    tab.page.get_by_text("Thank you.").wait_for()

    after = core.visits.get(visit.number, caller)
    assert [line.decision.choice for line in after.lines if line.decision] == ["approved", "declined"]
