"""A fleet manager pastes VINs and sees what is due and what it costs, on a desktop and on a phone."""

from collections.abc import Callable

import pytest
from tests.console.chromium import Tab

from repaircore.core import Core

pytestmark = [pytest.mark.long, pytest.mark.browser]

VINS = (
    *("1HGCM82633A004352", "5YJ3E1EA7JF053140", "1FT7W2B60GEB96643", "1FTFW1E50JKC66708"),
    *("JTDKN3DU5A0000015", "3C63RRGL8GG000001"),
)


@pytest.fixture
def manager(core: Core) -> str:
    """Return the e-mail of a fleet manager."""
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    return "ada@example.com"


@pytest.mark.parametrize(("size", "scripts"), [("desktop", True), ("phone", True), ("phone", False)])
def test_fleet_manager_sees_what_is_due_and_what_it_costs(  # noqa: PLR0915 - a journey
    open_tab: Callable[..., Tab], manager: str, size: str, *, scripts: bool
) -> None:
    tab = open_tab(size, java_script_enabled=scripts)
    name, page = f"garage-{size}", tab.page

    def check(view: str) -> None:
        tab.screenshot(f"{name}-{view}")
        assert tab.faults() == {}, view
        assert tab.missing_focus_rings() == [], view

    tab.open("/console/login")
    page.get_by_label("E-mail").fill(manager)
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Log in").click()

    tab.open("/console/garage")
    check("empty")
    page.get_by_role("link", name="Add vehicles").first.click()
    page.get_by_label("VINs").fill("\n".join((*VINS, "1HG")))
    page.get_by_label("ZIP code").first.fill("60601")
    page.get_by_label("Department").fill("Sales")
    check("add")
    page.get_by_role("button", name="Add", exact=True).first.click()
    page.get_by_role("heading", name="6 vehicles added").wait_for()
    assert page.get_by_text("A VIN has 17 characters; this one has 3.").is_visible()
    check("added")

    page.get_by_role("link", name="Go to the garage").click()
    page.get_by_text("6 vehicles.").wait_for()
    check("list")
    page.get_by_role("link", name="2018 Tesla Model 3").click()
    page.get_by_role("heading", name="Services", exact=True).wait_for()
    assert page.get_by_text("Oil Change").count() == 0
    check("electric")

    page.get_by_label("Miles", exact=True).first.fill("42,000")
    page.get_by_role("button", name="Add the reading").click()
    page.get_by_text("The odometer reading was added.").wait_for()
    page.get_by_label("Miles", exact=True).first.fill("41,000")
    page.get_by_role("button", name="Add the reading").click()
    page.get_by_text("The odometer would run backward.").first.wait_for()
    check("backwards")

    page.get_by_label("Nickname").fill("The quiet one")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="The quiet one").wait_for()

    page.get_by_text("Record another service…").click()
    page.get_by_role("button", name="Record", exact=True).click()
    page.get_by_text("The service was recorded.").wait_for()
    check("vehicle")

    page.get_by_role("link", name="Garage", exact=True).last.click()
    page.get_by_role("link", name="Costs and due services").click()
    page.get_by_role("heading", name="The next twelve months").wait_for()
    check("sums")
    page.get_by_role("link", name="Settings").last.click()
    page.get_by_label("E-mail me when a service is due").check()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The settings were saved.").wait_for()
    check("settings")
