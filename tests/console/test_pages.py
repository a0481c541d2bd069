"""Every page on a desktop, on a phone and in dark mode has no accessibility or layout faults."""

from collections.abc import Callable, Sequence

import pytest
from attrs import evolve
from tests.console.chromium import SIZES, Tab
from tests.installations import VIN, sale
from tests.reports import report
from tests.sampling import everything_is_wanted

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import Role
from repaircore.predictions.model import PredictByVin
from repaircore.transactions.model import TransactionPart

pytestmark = [pytest.mark.long, pytest.mark.browser]

PUBLIC_PAGES = (
    "/repairs",
    "/repairs?q=squeaky+brakes",
    "/repairs?q=qqqqzzzz",
    "/repairs/brake-pads-front",
    "/repairs/timing-belt",
    "/diagnose",
    "/v/nothing",
    "/p/nothing",
)
PAGES = (
    "/quote",
    "/console",
    "/console/keys",
    "/console/visits",
    "/console/visits/new?problem=alternator&problem=brake-pads-front",
    "/console/garage",
    "/console/garage/add",
    "/console/garage/sums",
    "/console/garage/settings",
    "/console/shop?search=garage",
    "/console/account",
    "/console/history",
    "/console/history/red-flags",
    "/console/links",
    "/console/admin/transactions",
    "/console/admin/transactions/1",
    "/console/admin/import",
    "/console/admin/accuracy",
    "/console/admin/regions",
    "/console/admin/regions/new",
    "/console/admin/regions/1",
    "/console/admin/repairs",
    "/console/admin/repairs/brake-pads-front",
    "/console/partner",
    "/console/partner/jobs",
    "/console/partner/webhooks",
    "/console/partner/keys",
    "/console/partner/statements",
    "/console/admin/partners",
    "/console/admin/prices",
    "/console/admin/webhooks",
    "/console/admin/health",
    "/console/admin/jobs",
    "/console/tasks",
    "/console/batch",
    "/console/admin/import/review",
    "/console/admin/figures",
    "/console/admin/users",
    "/console/admin/users?search=nobody",
    "/console/admin/users/new",
    "/console/admin/users/1",
    "/console/admin/audit",
    "/console/admin/backups",
    "/console/admin/settings",
    "/console/nothing",
)


@pytest.fixture
def root(core: Core) -> str:
    """Return the e-mail of an admin with records on every page."""
    core.accounts.create_user(name="Root", email="root@example.com", password="correct horse")
    core.accounts.set_role("root@example.com", Role.ADMIN)
    caller = core.accounts.caller_for("root@example.com")
    core.accounts.create_key(name="my shop", environment="test", caller=caller)
    core.partners.create("Ada's Rides", "live")
    core.partner_members.add("Ada's Rides", "root@example.com")
    core.facilities.create(CreateFacility(facility_name="Ada's Garage", zip_code="90210", avg_labor_rate=145))
    for number, slug in enumerate(("brake-pads-front", "alternator", "water-pump", "spark-plugs")):
        request = PredictByVin(vin=VIN, zip_code="90210", problem_identifier=slug, mileage=60_000 + number)
        core.shared_estimates.share(core.predictions.predict(request, caller), caller)
        core.transactions.record(sale(core))
    core.shared_quotes.share(report(), caller)
    return "root@example.com"


@pytest.mark.every_variant
@pytest.mark.parametrize("size", SIZES)
def test_every_page_can_be_read_and_used(open_tab: Callable[..., Tab], root: str, size: str) -> None:
    tab = open_tab(size)
    for path in ("/console/login", "/console/register"):
        tab.open(path)
        assert tab.faults() == {}, path
        assert tab.missing_focus_rings() == [], path
    for path in _in_turn(PUBLIC_PAGES, size):
        tab.open(path)
        tab.screenshot(f"{size}{path.translate(str.maketrans('/?', '--'))}")
        assert tab.faults() == {}, path
        assert tab.missing_focus_rings() == [], path
    tab.log_in(root, "correct horse")
    for path in _in_turn(PAGES, size):
        tab.open(path)
        tab.screenshot(f"{size}{path.replace('/', '-')}")
        assert tab.faults() == {}, path
        assert tab.missing_focus_rings() == [], path
    tab.open("/console")
    tab.page.locator(".entry a").first.click()
    tab.page.wait_for_url("**/console/estimates/*")
    tab.screenshot(f"{size}-estimate")
    if size == "phone":
        tab.screenshot("console-phone", whole=False)
    assert tab.faults() == {}
    lines = tab.page.get_by_role("group", name="What you pay for")
    assert lines.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0, "a price is out of sight"


def _in_turn(paths: Sequence[str], size: str) -> Sequence[str]:
    """Return the pages to open at a size: every other one, so that each is opened at two or three of the five sizes.

    If everything is wanted, it is all of them.
    """
    turn = [*SIZES].index(size)
    return [path for at, path in enumerate(paths) if everything_is_wanted() or (at + turn) % 2 == 0]


@pytest.mark.parametrize("size", ["phone", "dark", "forced"])
def test_what_invoices_made_of_estimates_can_be_seen(
    open_tab: Callable[..., Tab], core: Core, root: str, size: str
) -> None:
    caller = core.accounts.caller_for(root)
    for number in range(24):
        problem = core.problems.get(
            ("brake-pads-front", "alternator", "water-pump", "spark-plugs")[number % 4]
        )
        request = PredictByVin(
            vin=VIN, zip_code="90210", problem_identifier=problem.slug, mileage=70_000 + number
        )
        result = core.predictions.predict(request, caller)
        paid = result.figures.local.average * (60 + number * 37 % 100) // 100
        parts = (TransactionPart(name="Parts", unit_price=paid // 2, quantity=1),)
        rate = paid - paid // 2
        answer = evolve(sale(core), problem_id=problem.id, session_id=result.session_id, parts=parts)
        core.transactions.record(evolve(answer, labor_hours=1.0, labor_rate=rate))
    tab = open_tab(size)
    tab.log_in(root, "correct horse")
    tab.open("/console/admin/accuracy")
    assert "Invoices 24" in tab.text()
    chart = tab.page.locator(".chart-area")
    assert chart.locator(".inside").count() > 0
    assert chart.locator(".outside").count() > 0
    tab.screenshot(f"console-{size}-accuracy", whole=False)
    assert tab.faults() == {}
    assert tab.missing_focus_rings() == []


def test_page_that_is_hard_to_see_is_found(open_tab: Callable[..., Tab], root: str) -> None:
    tab = open_tab()
    tab.log_in(root, "correct horse")
    tab.open("/console/history")
    tab.page.evaluate("""() => {
      document.querySelector("main a").style.color = "#999";
      document.querySelector("main svg .tick").style.fill = "#999";
      document.querySelector("main svg .point").style.fill = document.querySelector("main svg .point").style.stroke = "#ddd";
      document.querySelector("summary").style.cssText = "border: 1px solid #ddd";
      document.querySelector(".switch button").style.outline = "none";
    }""")
    found = tab.faults()
    assert sorted(found) == ["axe rules", "low contrast edges", "low contrast text"]
    assert all(text.startswith("color-contrast: ") for text in found["axe rules"])
    assert len(found["low contrast text"]) == 2
    assert len(tab.missing_focus_rings()) == 1


@pytest.mark.parametrize("scripts", [True, False])
def test_form_that_is_wrong_can_be_read_on_a_phone(
    open_tab: Callable[..., Tab], root: str, *, scripts: bool
) -> None:
    tab = open_tab("phone", java_script_enabled=scripts)
    tab.log_in(root, "correct horse")
    page = tab.page
    page.get_by_label("VIN", exact=True).fill("1HGCM82")
    page.get_by_label("Repair").first.fill("squeaky brakes")
    page.get_by_label("ZIP code").fill("00000")
    page.get_by_role("button", name="Estimate").click()
    page.get_by_role("alert").wait_for()
    assert page.title() == "Error: Estimate · repaircore"
    assert page.locator(":focus").get_attribute("role") == "alert"
    if scripts:
        tab.screenshot("phone-wrong")
        assert tab.faults() == {}
    page.get_by_role("link", name="A VIN has 11 or 17 characters").click()
    assert page.locator(":focus").get_attribute("id") == "vin"


def test_menu_of_a_phone_opens_and_leads_on(open_tab: Callable[..., Tab], root: str) -> None:
    tab = open_tab("phone")
    tab.log_in(root, "correct horse")
    tab.page.get_by_text("Menu", exact=True).click()
    tab.screenshot("phone-menu", whole=False)
    assert tab.faults() == {}
    tab.page.get_by_role("link", name="Transactions").click()
    tab.page.get_by_role("heading", name="Transactions").wait_for()


def test_what_is_deleted_is_asked_about_first(open_tab: Callable[..., Tab], root: str) -> None:
    tab = open_tab()
    tab.log_in(root, "correct horse")
    tab.open("/console/keys")
    page = tab.page
    assert not page.get_by_role("button", name="Delete this key").is_visible()
    page.get_by_text("Delete…").click()
    page.get_by_role("button", name="Delete this key").click()
    page.get_by_text("The key was deleted.").wait_for()
    assert "You do not have any keys yet." in tab.text()


def test_copying_a_secret_is_announced_or_its_failure(open_tab: Callable[..., Tab], root: str) -> None:
    tab = open_tab(permissions=["clipboard-read", "clipboard-write"])
    tab.log_in(root, "correct horse")
    tab.open("/console/keys")
    page = tab.page
    page.get_by_label("Name", exact=True).fill("another shop")
    page.get_by_role("button", name="Create a key").click()
    page.get_by_role("button", name="Copy").first.click()
    page.get_by_role("button", name="Copied").wait_for()
    secret = page.locator("#secret-key").inner_text()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    assert page.locator("#copied").inner_text() == "Secret key: copied."
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); }")
    page.get_by_role("button", name="Copied").click()
    page.get_by_role("button", name="Copy it manually").wait_for()
    assert "blocked copying" in page.locator("#copied").inner_text()
    assert page.evaluate("getSelection().toString()") == secret
    assert tab.faults() == {}
