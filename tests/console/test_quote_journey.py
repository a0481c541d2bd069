"""From the front page to the verdict on a quote, without an account: by text, photo, keyboard, and without scripts."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests import papers
from tests.console.chromium import SIZES, Tab

pytestmark = [pytest.mark.long, pytest.mark.browser]

QUOTE = (
    ("Front brake pads & rotors", "", "", "", "$1,279.00"),
    *papers.QUOTE[1:],
)
TEXT = "\n".join(" ".join(filter(None, row)) for row in QUOTE)


def _headline(tab: Tab) -> str:
    return str(tab.page.locator("#verdict").inner_text())


def _open_form(tab: Tab) -> None:
    """Follow the link on the front page, the first interaction."""
    tab.open("/")
    link = tab.page.get_by_role("main").get_by_role("link", name="quote")
    if link.count() == 0:  # the menu has one, too
        menu = tab.page.locator("summary", has_text="Menu")
        if menu.is_visible():
            menu.click()
        link = tab.page.get_by_role("banner").get_by_role("link", name="Check a quote")
    link.locator("visible=true").first.click()
    tab.page.wait_for_url("**/quote")


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("scripts", [True, False])
def test_owner_comes_to_a_verdict_within_five_interactions(
    open_tab: Callable[..., Tab], size: str, *, scripts: bool
) -> None:
    tab = open_tab(size, java_script_enabled=scripts)
    page = tab.page

    _open_form(tab)
    page.get_by_label("VIN").first.fill(papers.VIN)
    page.get_by_label("ZIP code").fill("90210")
    page.get_by_label("The quote").fill(TEXT)
    page.get_by_role("button", name="Check the quote").click()

    page.locator("#verdict").wait_for()
    assert "1 line to question" in _headline(tab)
    assert page.locator(".quote-lines > li").count() == 5
    assert page.locator(".edit-lines > li").count() == 5
    if scripts:
        tab.screenshot(f"quote-{size}")
        assert tab.faults() == {}


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_owner_comes_to_a_verdict_from_a_photo(
    open_tab: Callable[..., Tab], tmp_path: Path, size: str
) -> None:
    photo = tmp_path / "quote.jpg"
    printed = papers.printed_quote([papers.HEADER, *QUOTE, ("TOTAL", "", "", "", "$2,178.77")])
    papers.photographed(printed, degrees=2.0).save(photo)
    tab = open_tab(size)
    page = tab.page

    _open_form(tab)
    page.get_by_label("ZIP code").fill("90210")
    page.get_by_label("photo or PDF").set_input_files(photo)
    page.get_by_role("button", name="Check the quote").click()

    page.locator("#verdict").wait_for()
    assert "1 line to question" in _headline(tab)
    assert "2003 Honda Accord" in tab.text()  # by the VIN in the photo
    assert page.locator(".edit-lines > li").count() == 5


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("scripts", [True, False])
def test_owner_says_which_repair_a_line_is_with_one_press(
    open_tab: Callable[..., Tab], size: str, *, scripts: bool
) -> None:
    tab = open_tab(size, java_script_enabled=scripts)
    page = tab.page
    tab.open("/quote")
    page.get_by_label("VIN").first.fill(papers.VIN)
    page.get_by_label("ZIP code").fill("90210")
    page.get_by_label("The quote").fill("Brake pads 283.00\nFront rotors and pads 450.00\nOil change 89.99")
    page.get_by_role("button", name="Check the quote").click()
    page.locator("#verdict").wait_for()
    if scripts:
        tab.screenshot(f"quote-which-{size}")
        assert tab.faults() == {}

    page.get_by_role("button", name="Brake pads: Front Brake Pads", exact=True).click()

    page.get_by_text("Front Brake Pads are part of Front Brake Rotors and Pads").first.wait_for()
    assert "1 line to question" in _headline(tab)
    if scripts:
        tab.screenshot(f"quote-twice-{size}")


def test_owner_corrects_a_line_shares_the_result_and_deletes_the_link(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page = tab.page
    tab.open("/quote")
    page.get_by_label("The quote").fill(f"VIN {papers.VIN}\nBeverly Hills, CA 90210\n{TEXT}")
    page.get_by_role("button", name="Check the quote").click()
    page.get_by_role("group", name="Line 1").get_by_label("Total").fill("579.00")
    page.get_by_role("button", name="Check again").click()
    page.locator("#verdict").wait_for()
    assert "to question" not in _headline(tab)

    page.get_by_role("button", name="Remove line 5").click()
    page.locator("#verdict").wait_for()
    assert page.locator(".edit-lines > li").count() == 4

    page.get_by_role("button", name="Create a link").click()
    address, deletion = (
        urlsplit(str(page.locator(name).get_attribute("href"))).path
        for name in ("#share-link", "#deletion-link")
    )
    friend = open_tab("phone")
    friend.open(address)
    assert "2003 Honda Accord" in friend.text()
    assert papers.VIN not in friend.page.content()
    tab.open(deletion)
    page.get_by_role("button", name="Delete it").click()
    page.get_by_text("The link was deleted.").wait_for()
    friend.page.reload()
    assert "This link does not exist or is no longer valid." in friend.text()


def test_quote_is_checked_by_the_keyboard_alone(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page = tab.page
    tab.open("/quote")

    page.get_by_label("The quote").focus()
    page.keyboard.insert_text(TEXT)
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("90210")
    page.keyboard.press("Shift+Tab")  # the summary of year, make and model
    page.keyboard.press("Shift+Tab")
    page.keyboard.type(papers.VIN)
    page.keyboard.press("Enter")

    page.locator("#verdict").wait_for()
    assert "1 line to question" in _headline(tab)
    page.get_by_role("group", name="Line 1").get_by_label("Total").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("579")
    page.keyboard.press("Enter")
    page.get_by_text("Fair").first.wait_for()
    assert "to question" not in _headline(tab)
    assert page.locator(".edit-lines > li").count() == 5


@pytest.mark.parametrize("size", SIZES)
def test_every_page_of_a_quote_can_be_read_and_used(open_tab: Callable[..., Tab], size: str) -> None:
    tab = open_tab(size)
    page = tab.page

    def check(name: str) -> None:
        tab.screenshot(f"{size}-{name}")
        assert tab.faults() == {}, name
        assert tab.missing_focus_rings() == [], name

    tab.open("/quote")
    check("quote-form")
    page.get_by_text("No VIN?").click()
    page.get_by_role("button", name="Check the quote").click()
    page.get_by_role("alert").wait_for()
    check("quote-form-wrong")
    page.get_by_label("VIN").first.fill(papers.VIN)
    page.get_by_label("ZIP code").fill("90210")
    page.get_by_label("The quote").fill(TEXT + "\nAir freshener vanilla $12.00\nTotal $3,000.00\n")
    page.get_by_role("button", name="Check the quote").click()
    page.locator("#verdict").wait_for()
    check("quote-result")
    page.get_by_role("button", name="Add a line").click()
    page.locator(".edit-lines > li").nth(6).wait_for()
    page.get_by_role("group", name="Line 1").get_by_label("Total").fill("a lot")
    page.get_by_role("button", name="Check again").click()
    page.get_by_role("alert").wait_for()
    check("quote-lines-wrong")
    page.get_by_role("group", name="Line 1").get_by_label("Total").fill("1279")
    page.get_by_role("button", name="Check again").click()
    page.locator("#verdict").wait_for()
    page.get_by_role("button", name="Create a link").click()
    page.locator("#share-link").wait_for()
    check("quote-link")
    address, deletion = (
        urlsplit(str(page.locator(name).get_attribute("href"))).path
        for name in ("#share-link", "#deletion-link")
    )
    tab.open(address)
    check("quote-shared")
    tab.open(deletion)
    check("quote-delete")
