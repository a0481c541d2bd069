"""A mechanic answers an appointment on a phone, with and without scripts."""

from collections.abc import Callable

import pytest
from tests.console.chromium import Tab
from tests.contracts.appointments import a_mechanic, book_next_slot
from tests.contracts.partners import add_partner

from repaircore.appointments.model import Response
from repaircore.appointments.validation import VehicleInput
from repaircore.core import Core

pytestmark = [pytest.mark.long, pytest.mark.browser]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_mechanic_accepts_and_declines_on_a_phone(
    open_tab: Callable[..., Tab], core: Core, *, scripts: bool
) -> None:
    caller = add_partner(core.storage.database)
    garage = a_mechanic(core, services="brakes (90 min, $189.50)", hours="mon-sun 00:00-24:00")
    booked = book_next_slot(
        core,
        caller,
        garage,
        service="brakes",
        vehicle=VehicleInput(year=2018, make="Honda", model="Civic"),
        address="412 W 5th St, Columbus",
        description="It squeaks.",
    )
    tab = open_tab("phone", java_script_enabled=scripts)
    page = tab.page
    tab.open(f"/m/{core.mechanic_responses.links.token(booked.ref)}")

    assert "412 W 5th St, Columbus" in tab.text()
    _check_page(tab, "mechanic-asked", scripts=scripts)
    page.get_by_role("button", name="Accept").click()
    page.get_by_text("You accepted this appointment.").wait_for()
    assert page.get_by_role("link", name="Call +1310555").is_visible()
    _check_page(tab, "mechanic-accepted", scripts=scripts)
    page.get_by_text("I cannot do it after all").click()
    page.get_by_label("Reason").select_option("I am closed then")
    page.get_by_role("button", name="Decline").click()
    page.get_by_text("You declined this appointment.").wait_for()
    _check_page(tab, "mechanic-declined", scripts=scripts)
    found, _ = core.appointments.get(booked.ref, caller)

    assert (found.response, found.response_reason) == (Response.DECLINED, "I am closed then")
    core.appointments.cancel(booked.ref, caller)
    page.reload()
    page.get_by_text("This appointment was canceled.").wait_for()
    for private in ("Ada", "412 W 5th St", "Civic", "It squeaks."):
        assert private not in page.content()
    _check_page(tab, "mechanic-cancelled", scripts=scripts)


def _check_page(tab: Tab, name: str, *, scripts: bool) -> None:
    """Take a screenshot, and check the page for faults."""
    if scripts:
        tab.screenshot(name)
        assert tab.faults() == {}
