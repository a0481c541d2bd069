"""A partner's member in Chromium adds and tests a webhook, opens a job and replaces the keys, on a phone and a desktop."""

from collections.abc import Callable

import pytest
from tests.console.chromium import Tab
from tests.contracts.dispatching import Town

from repaircore.core import Core
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.rides.model import RideKind

pytestmark = [pytest.mark.long, pytest.mark.browser]

NAME, PASSWORD = "Roadside Inc", "correct horse"


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_member_walks_through_the_pages_of_the_partner(
    open_tab: Callable[..., Tab], core: Core, size: str
) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password=PASSWORD)
    created = core.partners.create(NAME, "live")
    core.partner_members.add(NAME, "ada@example.com")
    own = PartnerCaller(partner_id=created.partner.id, environment=Environment.LIVE)
    ride = Town.of(core, own, RideKind.TOW).create(partner_reference="claim 7")
    tab = open_tab(size)
    page = tab.page
    tab.log_in("ada@example.com", PASSWORD)
    tab.open("/console/partner")
    page.get_by_role("heading", name="Overview").wait_for()
    _check_page(tab, f"partner-overview-{size}")

    page.get_by_role("navigation", name="Partner").get_by_role("link", name="Webhooks").click()
    page.get_by_label("Address").fill("https://example.com/hooks")
    page.get_by_role("button", name="Add the webhook").click()
    page.get_by_text("Copy the secret now.").wait_for()
    _check_page(tab, f"partner-webhooks-{size}")
    page.get_by_role("link", name="https://example.com/hooks").click()
    page.get_by_role("button", name="Send a test event").click()
    page.get_by_text("A test event is on its way.").wait_for()
    page.get_by_role("button", name="Replay").click()
    page.get_by_text("The event is being sent again.").wait_for()
    _check_page(tab, f"partner-webhook-{size}")

    page.get_by_role("navigation", name="Partner").get_by_role("link", name="Jobs").click()
    page.get_by_label("Show").select_option("Tows")
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_text("your reference claim 7").wait_for()
    _check_page(tab, f"partner-jobs-{size}")
    page.get_by_role("link", name="Flatbed tow").click()
    page.get_by_role("heading", name="Timeline").wait_for()
    assert ride.ref in tab.text()
    _check_page(tab, f"partner-job-{size}")

    page.get_by_role("navigation", name="Partner").get_by_role("link", name="Statements").click()
    page.get_by_text("No charges or refunds in this month.").wait_for()
    _check_page(tab, f"partner-statements-{size}")
    page.get_by_role("navigation", name="Partner").get_by_role("link", name="Keys").click()
    page.get_by_label("Also end the open sessions now").check()
    page.get_by_role("button", name="Replace the keys").click()
    page.get_by_text("Copy the secret key now.").wait_for()
    _check_page(tab, f"partner-keys-{size}")


def _check_page(tab: Tab, name: str) -> None:
    """Take a screenshot, and check the page for faults."""
    tab.screenshot(name)
    assert tab.faults() == {}
    assert tab.missing_focus_rings() == []
