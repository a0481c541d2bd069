"""The phone numbers on the pages of drivers, mechanics and customers, with a working and with a failing gateway."""

from collections.abc import Callable, Iterator

import pytest
from tests.console.chromium import Tab
from tests.contracts.appointments import a_mechanic, book_next_slot
from tests.contracts.dispatching import Town, caller_of
from tests.contracts.partners import add_partner
from tests.http.numbers import FAILING, GIVES, NUMBER, PATH, with_gateway

from repaircore.core import Core
from repaircore.dispatch.requests import MakeOffer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.rides.model import RideKind
from repaircore.testing.upstream import Behavior, MisbehavingUpstream

pytestmark = [pytest.mark.long, pytest.mark.browser]


@pytest.fixture
def gateway() -> Iterator[MisbehavingUpstream]:
    with MisbehavingUpstream() as upstream:
        yield upstream


@pytest.fixture
def settings(gateway: MisbehavingUpstream) -> dict[str, str]:
    return {"SMS_MASKING_URL": gateway.url + PATH, "SMS_MASKING_FALLBACK": "hidden"}


@pytest.mark.every_variant
@pytest.mark.parametrize(
    ("behavior", "number"),
    [(GIVES, NUMBER), (FAILING["hangs"][0], None), (FAILING["refuses"][0], None)],
    ids=["with a number", "hanging", "refusing"],
)
def test_a_phone_offers_the_masked_number_or_none(
    open_tab: Callable[..., Tab],
    core: Core,
    gateway: MisbehavingUpstream,
    behavior: Behavior,
    number: str | None,
) -> None:
    gateway.behave(PATH, behavior)
    core = with_gateway(core, gateway, hides_phones=True)
    caller = add_partner(core.storage.database)
    job, shared = _accept_tow(core, caller)
    appointment = _book_appointment(core, caller)
    tab = open_tab("phone")

    tab.open(job)
    tab.page.get_by_text("You have the job.").wait_for()
    assert _linked_number(tab) == number
    assert "+1202555" not in tab.page.content()
    tab.screenshot("provider-masked")
    assert tab.faults() == {}
    tab.open(shared)
    assert _linked_number(tab) is None
    tab.open(appointment)
    assert _linked_number(tab) is None
    tab.page.get_by_role("button", name="Accept").click()
    tab.page.get_by_text("You accepted this appointment.").wait_for()
    # The server masks phones of the test environment with made-up numbers, without the gateway.
    assert (_linked_number(tab) or "").startswith("+1500555")
    assert "+1310555" not in tab.page.content()
    tab.screenshot("mechanic-masked")
    assert tab.faults() == {}


def _accept_tow(core: Core, caller: PartnerCaller) -> tuple[str, str]:
    """Let a business accept a tow; return the paths of its page and of the tracking page."""
    town = Town.of(core, caller, RideKind.TOW)
    (business,) = town.add_providers(1, environment=Environment.TEST)
    tow = town.create()
    town.dispatch.run()
    (request,) = town.requests(tow.ref)
    town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=25), caller_of(request))
    town.rides.accept_offer(tow.ref, business, caller)
    shared = core.tracking.share(RideKind.TOW, tow.ref, caller)
    return f"/p/{town.token(request)}", shared.address.removeprefix(core.settings.public_url)


def _book_appointment(core: Core, caller: PartnerCaller) -> str:
    """Book an appointment; return the path of the mechanic's page."""
    garage = a_mechanic(core, hours="mon-sun 00:00-24:00", phone="(614) 555-0142")
    booked = book_next_slot(core, caller, garage)
    return f"/m/{core.mechanic_responses.links.token(booked.ref)}"


def _linked_number(tab: Tab) -> str | None:
    """Return the number of the page's phone link, None if it has none."""
    links = tab.page.locator("a[href^='tel:']")
    return (links.get_attribute("href") or "").removeprefix("tel:") if links.count() else None
