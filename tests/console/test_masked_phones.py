"""Which number a driver, a mechanic and whoever follows a job can tap on a phone, with a gateway and with one that fails."""

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
    behind: Core,
    gateway: MisbehavingUpstream,
    behavior: Behavior,
    number: str | None,
) -> None:
    gateway.behave(PATH, behavior)
    core = with_gateway(behind, gateway, hides_phones=True)
    caller = add_partner(core.storage.database)
    job, shared = _accepted_tow(core, caller)
    appointment = _booked(core, caller)
    tab = open_tab("phone")

    tab.open(job)
    tab.page.get_by_text("You have the job.").wait_for()
    assert _callable(tab) == number
    assert "+1202555" not in tab.page.content()
    tab.picture("provider-masked")
    assert tab.faults() == {}
    tab.open(shared)
    assert _callable(tab) is None
    tab.open(appointment)
    assert _callable(tab) is None
    tab.page.get_by_role("button", name="Accept").click()
    tab.page.get_by_text("You accepted this appointment.").wait_for()
    # The server's own partners are of the test environment, whose numbers are made up without the gateway.
    assert (_callable(tab) or "").startswith("+1500555")
    assert "+1310555" not in tab.page.content()
    tab.picture("mechanic-masked")
    assert tab.faults() == {}


def _accepted_tow(core: Core, caller: PartnerCaller) -> tuple[str, str]:
    """Have a business take a tow; return the paths of its page, and of the one to share."""
    town = Town.of(core, caller, RideKind.TOW)
    (business,) = town.add_providers(1, environment=Environment.TEST)
    tow = town.create()
    town.dispatch.run()
    (request,) = town.requests(tow.ref)
    town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=25), caller_of(request))
    town.rides.accept_offer(tow.ref, business, caller)
    shared = core.tracking.share(RideKind.TOW, tow.ref, caller)
    return f"/p/{town.token(request)}", shared.address.removeprefix(core.settings.public_url)


def _booked(core: Core, caller: PartnerCaller) -> str:
    """Book an appointment; return the path of the mechanic's page."""
    garage = a_mechanic(core, hours="mon-sun 00:00-24:00", phone="(614) 555-0142")
    booked = book_next_slot(core, caller, garage)
    return f"/m/{core.mechanic_responses.links.token(booked.ref)}"


def _callable(tab: Tab) -> str | None:
    """Return the number that the page calls when it is tapped; None where it has none."""
    links = tab.page.locator("a[href^='tel:']")
    return (links.get_attribute("href") or "").removeprefix("tel:") if links.count() else None
