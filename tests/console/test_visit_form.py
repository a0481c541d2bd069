"""The visit form in Chromium with 200 lines, by text, buttons and keyboard, on a desktop and on a phone."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.console.chromium import SIZES, Tab

from repaircore.core import Core
from repaircore.kernel.callers import Caller
from repaircore.visits.model import MOST_LINES, Visit
from repaircore.visits.requests import CreateVisit

pytestmark = [pytest.mark.long, pytest.mark.browser]

VIN = "1HGCM82633A004352"
EMAIL, PASSWORD = "ada@example.com", "correct horse"


@pytest.fixture
def ada(core: Core) -> Caller:
    core.accounts.create_user(name="Ada", email=EMAIL, password=PASSWORD)
    return core.accounts.caller_for(EMAIL)


def create_visit(core: Core, caller: Caller, lines: list[dict[str, Any]], **fields: Any) -> Visit:
    request = {"vin": VIN, "zip_code": "90210", "lines": lines, **fields}
    return core.visits.create(core.visits.parse(request, CreateVisit), caller)


def fees(count: int) -> list[dict[str, Any]]:
    return [{"kind": "fee", "description": f"Fee {place}", "price": place} for place in range(1, count + 1)]


def listed_lines(tab: Tab) -> list[str]:
    """Return the repairs and descriptions of the lines, in order."""
    found: list[str] = tab.page.locator("#form-lines > li").evaluate_all(
        """(lines) => lines.map((line, place) => {
          const field = (name) => line.querySelector(`[name="lines.${place}.${name}"]`)?.value;
          return field("problem_identifier") || field("description");
        })"""
    )
    return found


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_two_hundred_lines_are_added_moved_and_saved_without_loss(
    open_tab: Callable[..., Tab], core: Core, ada: Caller, size: str
) -> None:
    visit = create_visit(core, ada, fees(MOST_LINES - 4))
    tab = open_tab(size)
    tab.log_in(EMAIL, PASSWORD)
    tab.open(f"/console/visits/{visit.number}/edit")
    page = tab.page
    words = page.get_by_role("combobox", name="Add a repair")
    for typed, name in {"front brakes": "Front Brake Pads", "R&R alt": "Alternator Replacement"}.items():
        words.press_sequentially(typed)
        page.locator("#offers li", has_text=name).first.click()
        page.locator("#lines-status", has_text=f"{name}: added as line").wait_for(state="attached")
        assert words.input_value() == ""
    for place in (MOST_LINES - 2, MOST_LINES - 1):
        page.get_by_role("button", name="Add a fee").click()
        page.locator(f'[id="lines.{place}.description"]:focus').wait_for()
        page.keyboard.type("Last one")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.type("5")
    assert page.get_by_text("A visit has at most 200 lines.").is_visible()
    assert not words.is_visible()
    page.get_by_role("button", name="Move Brakes › Front Brake Pads up").click()
    page.get_by_role("button", name="Remove Fee 1", exact=True).click()
    assert words.is_visible()
    expected = [
        *(f"Fee {place}" for place in range(2, 196)),
        *("brake-pads-front", "Fee 196", "alternator", "Last one", "Last one"),
    ]
    assert listed_lines(tab) == expected
    tab.screenshot(f"visit-form-{size}-199", whole=False)
    assert tab.faults() == {}

    page.get_by_role("button", name="Save the changes").click()
    page.get_by_text("The estimate was saved.").wait_for()
    assert all(f"Fee {place} " in tab.text() for place in range(2, 197))
    saved = core.visits.get(visit.number, ada)
    tab.open(f"/console/visits/{visit.number}/edit")
    assert listed_lines(tab) == expected
    page.get_by_role("button", name="Save the changes").click()
    page.get_by_text("The estimate was saved.").wait_for()
    assert core.visits.get(visit.number, ada).estimate == saved.estimate


@pytest.mark.usefixtures("ada")
def test_lines_are_written_by_the_keyboard_alone(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    tab.log_in(EMAIL, PASSWORD)
    tab.open(f"/console/visits/new?vin={VIN}&zip=90210")
    page, keys = tab.page, tab.page.keyboard
    page.locator("#problem").focus()
    for typed in ("front brake pads", "squeaky brakes"):
        keys.type(typed)
        page.locator("#offers li").first.wait_for()
        keys.press("ArrowDown")
        if typed == "squeaky brakes":
            keys.press("ArrowDown")
        keys.press("Enter")
        page.locator("#lines-status", has_text="added as line").wait_for(state="attached")
        assert page.evaluate("document.activeElement.id") == "problem"
    # Text without a choice from the list: the possible meanings follow below.
    keys.type("noise when turning")
    page.locator("#offers li").first.wait_for()
    keys.press("Escape")
    keys.press("Enter")
    page.get_by_role("group", name="Which one is it?").wait_for()
    tab.screenshot("visit-form-which", whole=False)
    assert tab.faults() == {}
    page.get_by_role("radio").first.focus()
    keys.press("Space")
    keys.press("Enter")
    page.locator("#form-lines > li").nth(2).wait_for()
    before = listed_lines(tab)
    page.locator("#down-0").focus()
    keys.press("Enter")
    keys.press("Enter")
    assert listed_lines(tab) == [before[1], before[2], before[0]]
    assert page.evaluate("document.activeElement.id") == "up-2"
    page.locator("#remove-1").focus()
    keys.press("Space")
    assert listed_lines(tab) == [before[1], before[0]]
    assert page.evaluate("document.activeElement.id") == "remove-1"
    page.locator("#vin").focus()
    keys.press("Enter")  # which must not press a button that loses the input
    assert page.locator("#vin").input_value() == VIN
    page.get_by_role("button", name="Save the estimate").focus()
    keys.press("Enter")
    page.get_by_text("The estimate was saved.").wait_for()


@pytest.mark.usefixtures("ada")
def test_what_is_typed_while_a_line_is_added_stays(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    tab.log_in(EMAIL, PASSWORD)
    tab.open("/console/visits/new")
    page, keys = tab.page, tab.page.keyboard
    page.locator("#problem").focus()
    for words in ("alternator", "water pump", "thermostat"):
        keys.type(words)
        keys.press("Enter")
    keys.type("radia")
    page.locator("#form-lines > li").nth(1).wait_for()
    page.locator("#lines-status", has_text="added as line").wait_for(state="attached")

    assert page.locator("#problem").input_value().endswith("radia")


@pytest.mark.parametrize("size", SIZES)
def test_second_writer_reads_both_versions(
    open_tab: Callable[..., Tab], core: Core, ada: Caller, size: str
) -> None:
    lines = [{"problem_identifier": "brake-pads-front"}, *fees(2)]
    visit = create_visit(core, ada, lines, customer={"name": "Grace Hopper"}, notes="First.")
    tab, other = open_tab(size), open_tab()
    for each in (tab, other):
        each.log_in(EMAIL, PASSWORD)
        each.open(f"/console/visits/{visit.number}/edit")
    other.page.get_by_label("Price each").first.fill("80")
    other.page.get_by_role("button", name="Remove Fee 2").click()
    other.page.get_by_role("button", name="Save the changes").click()
    other.page.get_by_text("The estimate was saved.").wait_for()

    page = tab.page
    page.get_by_label("Notes on the estimate").fill("Mine.")
    page.get_by_role("button", name="Save the changes").click()

    page.get_by_role("heading", name="Someone else changed this visit").wait_for()
    tab.screenshot(f"visit-conflict-{size}")
    assert tab.faults() == {}
    assert tab.missing_focus_rings() == []
    assert "Notes on the estimate Mine. First." in tab.text()
    page.get_by_role("button", name="Save the changes").click()
    page.get_by_text("The estimate was saved.").wait_for()
    after = core.visits.get(visit.number, ada)
    assert (after.notes, [line.description for line in after.lines][1:]) == ("Mine.", ["Fee 1", "Fee 2"])


def test_form_does_the_same_without_a_script(open_tab: Callable[..., Tab], core: Core, ada: Caller) -> None:
    visit = create_visit(core, ada, fees(MOST_LINES - 2))
    tab = open_tab("phone", java_script_enabled=False)
    page = tab.page
    tab.log_in(EMAIL, PASSWORD)
    tab.open(f"/console/visits/{visit.number}/edit")
    page.get_by_label("Add a repair").fill("R&R alt")
    page.get_by_label("Add a repair").press("Enter")
    page.get_by_label("Alternator Replacement").check()
    page.get_by_role("button", name="Add the chosen repair").click()
    page.locator(".line-number", has_text="199").wait_for()
    page.get_by_role("button", name="Add a part").click()
    page.locator(".line-number", has_text="200").wait_for()  # the reloaded page
    page.get_by_label("What it is").last.fill("Clips")
    page.get_by_label("Price each").last.fill("3")
    page.locator("#up-199").click()
    assert page.locator(":focus").get_attribute("id") == "up-198"
    page.get_by_role("button", name="Save the changes").click()
    page.get_by_text("The estimate was saved.").wait_for()
    lines = [line.description for line in core.visits.get(visit.number, ada).lines]
    assert len(lines) == MOST_LINES
    assert lines[-2] == "Clips"
    assert "Alternator" in lines[-1]
