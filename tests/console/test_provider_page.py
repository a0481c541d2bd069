"""A towing business answers on a phone and completes a tow."""

from collections.abc import Callable

import pytest
from tests.console.chromium import Tab
from tests.contracts.dispatching import Town
from tests.contracts.partners import add_partner

from repaircore.core import Core
from repaircore.dispatch.model import RequestStatus
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.rides.model import RideKind, Status, Vehicle

pytestmark = [pytest.mark.long, pytest.mark.browser]


def dispatched_tow(town: Town) -> tuple[str, str]:
    """Dispatch a tow to a business; return its reference and the path of the business's link."""
    town.add_providers(1, environment=Environment.TEST)
    tow = town.create(
        vehicle=Vehicle(make="Honda", model="Civic", year="2015", color="blue", plate="8ABC123"),
        pickup_address="412 W 5th St, Los Angeles",
        dropoff_address="90 N Fair Oaks Ave, Pasadena",
        notes="It is in the garage, level 2. Clearance 6 ft 8.",
    )
    town.dispatch.run()
    (request,) = town.requests(tow.ref)
    return tow.ref, f"/p/{town.token(request)}"


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_business_takes_a_tow_from_the_message_to_its_end(
    open_tab: Callable[..., Tab], core: Core, *, scripts: bool
) -> None:
    town = Town.of(core, add_partner(core.storage.database), RideKind.TOW)
    ref, path = dispatched_tow(town)
    tab = open_tab(
        "phone",
        java_script_enabled=scripts,
        geolocation={"latitude": 34.06, "longitude": -118.24},
        permissions=["geolocation"],
    )
    page = tab.page
    tab.open(path)

    assert "near" not in tab.text()
    assert "412 W 5th St" not in tab.text()
    _check_page(tab, "provider-asked", scripts=scripts)
    page.get_by_label("In how many minutes can you be there?").fill("0")
    page.get_by_role("button", name="Make an offer").click()
    page.get_by_role("alert").wait_for()
    _check_page(tab, "provider-error", scripts=scripts)
    page.get_by_label("In how many minutes can you be there?").fill("25")
    page.get_by_role("button", name="Make an offer").click()
    page.get_by_text("You offered to be there in 25 minutes.").wait_for()
    _check_page(tab, "provider-offered", scripts=scripts)

    (request,) = town.requests(ref)
    town.rides.accept_offer(ref, request.provider_ref, town.partner)
    tab.open(path)
    page.get_by_text("You have the job.").wait_for()
    assert "412 W 5th St" in tab.text()
    assert "Ada" in tab.text()
    assert "Byron" not in tab.text()
    _check_page(tab, "provider-chosen", scripts=scripts)
    if scripts:
        page.get_by_role("button", name="Add my location").click()
        page.get_by_text("Your location was added.").wait_for()
    page.get_by_label("Minutes until you arrive").fill("18")
    page.get_by_role("button", name="I am on the way").click()
    page.get_by_text("You are on the way.").wait_for()
    assert (town.ride(ref).position is not None) == scripts
    page.get_by_role("button", name="I have arrived").click()
    page.get_by_role("button", name="Start the job").click()
    page.get_by_text("How did it end?").wait_for()
    _check_page(tab, "provider-working", scripts=scripts)
    page.get_by_role("button", name="Close the job").dblclick()
    page.get_by_role("heading", name="The job is closed").wait_for()
    _check_page(tab, "provider-done", scripts=scripts)

    assert town.ride(ref).status is Status.COMPLETED
    tab.open(path)
    assert "The job is closed" in tab.text()
    for private in ("412 W 5th St", "Fair Oaks", "Ada", "8ABC123", "+1202555"):
        assert private not in tab.page.content()


def test_a_business_sees_that_the_trip_was_changed_and_that_it_answered_too_late(
    open_tab: Callable[..., Tab], core: Core
) -> None:
    town = Town.of(core, add_partner(core.storage.database), RideKind.TOW)
    ref, path = dispatched_tow(town)
    tab = open_tab("phone")
    town.rides.update(ref, lambda _: {"dropoff": Point(34.4, -118.5)}, town.partner)
    town.dispatch.run()
    *_, request = town.requests(ref)
    tab.open(path)
    assert "The customer changed this job" in tab.text()
    _check_page(tab, "provider-replaced", scripts=True)
    tab.open(f"/p/{town.token(request)}")
    tab.page.get_by_text("If you already answered, please answer again.").wait_for()
    _check_page(tab, "provider-changed", scripts=True)
    with core.storage.transaction() as work:
        work.dispatch_requests.replace(request, request.after(RequestStatus.EXPIRED, at=core.clock()))
    tab.open(f"/p/{town.token(request)}")
    tab.page.get_by_text("The time to answer has passed.").wait_for()

    assert "Answer by" not in tab.text()
    assert tab.page.get_by_role("button").count() == 0
    _check_page(tab, "provider-late", scripts=True)
    tab.page.get_by_text("I can still do this job").click()
    tab.page.get_by_role("button", name="Make an offer").click()
    tab.page.get_by_text("You offered to be there in 30 minutes.").wait_for()


def test_a_business_declines_on_a_phone(open_tab: Callable[..., Tab], core: Core) -> None:
    town = Town.of(core, add_partner(core.storage.database), RideKind.TOW)
    ref, path = dispatched_tow(town)
    tab = open_tab("phone")
    tab.open(path)
    tab.page.get_by_label("Reason").select_option("Too far away")
    tab.page.get_by_role("button", name="Decline").click()
    tab.page.get_by_role("heading", name="You declined this job").wait_for()

    (request,) = town.requests(ref)
    assert (str(request.status), request.reason) == ("declined", "Too far away")


def _check_page(tab: Tab, name: str, *, scripts: bool) -> None:
    """Take a screenshot, and check the page for faults."""
    if scripts:
        tab.screenshot(name)
        assert tab.faults() == {}
