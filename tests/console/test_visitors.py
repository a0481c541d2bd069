"""From the front page to an estimate without an account: on a desktop, on a phone, by keyboard, without scripts."""

from collections.abc import Callable

import pytest
from tests.console.chromium import SIZES, Tab

pytestmark = [pytest.mark.long, pytest.mark.browser]

VIN = "1HGCM82633A004352"
PAGES = (
    "/",
    "/estimate",
    "/estimate?year=2015&make=Toyota&model=Camry&problem=alternator&zip_code=43215",
    "/estimate?year=2020&make=Tesla&model=Model 3&problem=spark-plugs&zip_code=90210",
    "/estimate?year=2020&make=Tesla&model=Model 3&problem=spark-plugs&zip_code=90210&force=true",
    "/estimate?year=x&make=a&model=b&problem=brakes&zip_code=0",
)


@pytest.mark.parametrize("size", SIZES)
def test_page_without_account_can_be_read_and_used(open_tab: Callable[..., Tab], size: str) -> None:
    tab = open_tab(size)
    for number, path in enumerate(PAGES):
        tab.open(path)
        tab.screenshot(f"visitor-{size}-{number}")
        assert tab.faults() == {}, path
        assert tab.missing_focus_rings() == [], path
    tab.open(PAGES[2])
    tab.page.get_by_text("How this was computed").click()
    tab.screenshot(f"visitor-{size}-computed")
    assert tab.faults() == {}


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_stranger_comes_from_the_front_page_to_an_estimate(open_tab: Callable[..., Tab], size: str) -> None:
    tab = open_tab(size)
    page = tab.page
    tab.open("/")
    assert "A sample estimate" in tab.text()
    page.get_by_role("link", name="What will it cost?").click()
    page.get_by_label("VIN", exact=True).fill(VIN)
    page.get_by_text("2003 Honda Accord").wait_for()
    page.get_by_role("combobox", name="Repair").press_sequentially("squeky brak")
    page.get_by_role("option", name="Front Brake Pads").click()
    page.get_by_label("ZIP code").fill("90210")
    page.get_by_role("button", name="Estimate").click()
    page.get_by_role("heading", name="Front Brake Pads").wait_for()

    assert VIN not in page.url
    assert "Eight out of ten invoices" in tab.text()
    tab.screenshot(f"visitor-{size}-estimate")
    assert tab.faults() == {}
    page.locator("main").get_by_role("link", name="Create an account").click()
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url("**/console?*")
    page.get_by_role("button", name="Estimate").click()
    page.wait_for_url("**/console/estimates/*")
    assert "2003 Honda Accord" in tab.text()


def test_estimate_is_reached_by_the_keyboard_alone(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    keyboard = tab.page.keyboard
    tab.open("/estimate")
    tab.page.get_by_label("VIN", exact=True).focus()
    keyboard.press("Tab")
    keyboard.press("Enter")  # opens the fields that replace a VIN
    for text in ("2015", "Toyota", "Camry", "2.5L"):
        keyboard.press("Tab")
        keyboard.type(text)
    keyboard.press("Tab")
    keyboard.type("alternator")
    tab.page.get_by_role("option").first.wait_for()
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    keyboard.press("Tab")
    keyboard.type("43215")
    keyboard.press("Enter")
    tab.page.wait_for_url("**/estimate?*")

    assert "2015 Toyota Camry" in tab.text()
    assert "Alternator Replacement" in tab.text()


def test_estimate_is_reached_without_scripts(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab("phone", java_script_enabled=False)
    page = tab.page
    tab.open("/")
    page.get_by_role("link", name="What will it cost?").click()
    page.get_by_text("No VIN?").click()
    page.get_by_label("Year").fill("2015")
    page.get_by_label("Make").fill("Toyota")
    page.get_by_role("button", name="List makes, models and engines").click()
    page.get_by_label("Model").fill("Camry")
    page.get_by_label("Repair").first.fill("brakes")
    page.get_by_label("ZIP code").fill("43215")
    page.get_by_role("button", name="Estimate", exact=True).click()
    page.get_by_text("Front Brake Pads").click()
    page.get_by_role("button", name="Estimate", exact=True).click()
    page.wait_for_url("**/estimate?*")

    assert "2015 Toyota Camry" in tab.text()
    assert not page.get_by_role("button", name="Print").is_visible()
