"""Visitors on the pages of repairs and diagnoses: with a mouse, by keyboard, on a phone, without scripts."""

from collections.abc import Callable

import pytest
from tests.console.chromium import SIZES, Tab

pytestmark = [pytest.mark.long, pytest.mark.browser]

CIVIC = {"year": "2015", "make": "Honda", "model": "Civic"}


def fill(tab: Tab, **fields: str) -> None:
    for name, text in fields.items():
        tab.page.locator(f"#{name}").fill(text)


def check(tab: Tab, name: str) -> None:
    tab.screenshot(name)
    assert tab.faults() == {}, name
    assert tab.missing_focus_rings() == [], name


@pytest.mark.parametrize("size", SIZES)
def test_stranger_finds_out_what_is_wrong_and_what_it_costs(open_tab: Callable[..., Tab], size: str) -> None:
    tab = open_tab(size)
    page = tab.page
    tab.open("/diagnose")
    fill(tab, words="Car overheats and steam comes out of the hood, sweet smell", zip_code="98101", **CIVIC)
    page.get_by_role("button", name="Find out").click()
    page.get_by_role("heading", name="Stop driving").wait_for()
    check(tab, f"public-{size}-danger")
    first = page.locator(".question h2").inner_text()
    page.get_by_role("button", name="No", exact=True).click()
    page.get_by_label(first).wait_for()
    check(tab, f"public-{size}-answered")
    page.get_by_role("button", name="Stop asking").click()
    page.get_by_role("button", name="Ask me more").wait_for()
    page.get_by_role("button", name="Estimate it").first.click()
    page.get_by_role("heading", name="On your 2015 Honda Civic").wait_for()
    check(tab, f"public-{size}-price")


@pytest.mark.parametrize("size", ["desktop", "phone", "dark"])
def test_wrong_form_can_be_read(open_tab: Callable[..., Tab], size: str) -> None:
    tab = open_tab(size)
    for path, button in (("/diagnose", "Find out"), ("/repairs/alternator", "Get the price")):
        tab.open(path)
        fill(tab, year="20x5", zip_code="1")
        tab.page.get_by_role("button", name=button).click()
        tab.page.get_by_role("alert").wait_for()

        assert tab.page.title().startswith("Error: ")
        assert tab.page.locator(":focus").get_attribute("role") == "alert"
        check(tab, f"public-{size}-wrong{path.replace('/', '-')}")


def test_words_without_a_meaning_and_codes_can_be_read(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab("phone")
    for fields in ({"words": "mi carro no prende"}, {"codes": "P0301, P0171, U0100"}):
        tab.open("/diagnose")
        fill(tab, **fields)
        tab.page.get_by_role("button", name="Find out").click()
        tab.page.get_by_role("heading", name="What may be wrong").wait_for()
        check(tab, f"public-{'-'.join(fields)}")


def test_diagnosis_needs_neither_scripts_nor_a_mouse(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(java_script_enabled=False)
    page = tab.page
    tab.open("/repairs")
    page.locator("#q").focus()
    page.keyboard.type("squeaky brakes")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Front Brake Pads").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Find out whether this is your problem").focus()
    page.keyboard.press("Enter")
    page.locator("#words").focus()
    page.keyboard.type("squeals when I brake")
    for _ in range(2):
        page.keyboard.press("Tab")
    for text in CIVIC.values():
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("60614")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Likely repairs").wait_for()
    page.get_by_role("button", name="Yes", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Your answers").wait_for()

    assert "2015 Honda Civic · 60614" in page.inner_text("main")
