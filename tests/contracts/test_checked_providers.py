"""The checkup counts the providers that no enabled channel reaches."""

from typing import Any

import pytest
from attrs import evolve
from tests.contracts.dispatching import Town
from tests.contracts.partners import add_partner

from repaircore.adapters.sql.engine.health import SqlDatabaseHealth
from repaircore.core import Core
from repaircore.external_settings import MailSettings
from repaircore.kernel.callers import Environment
from repaircore.messages.model import Channel
from repaircore.providers.model import OfferMode
from repaircore.rides.model import RideKind

WEBHOOK, EMAIL, SMS = Channel.WEBHOOK, Channel.EMAIL, Channel.SMS


@pytest.mark.parametrize(
    ("channels", "unreachable"),
    [({WEBHOOK}, 2), ({WEBHOOK, EMAIL}, 0), ({WEBHOOK, SMS}, 0), ({WEBHOOK, EMAIL, SMS}, 0)],
)
@pytest.mark.parametrize("kind", [*RideKind])
def test_asked_providers_without_an_enabled_channel_are_counted(
    core: Core, kind: RideKind, channels: set[Channel], unreachable: int
) -> None:
    town = Town.of(core, add_partner(core.storage.database, environment=Environment.LIVE), kind)
    town.add_providers(2)
    town.add_providers(1, offers=OfferMode.AUTOMATIC, since=2)
    town.add_providers(1, environment=Environment.TEST, since=3)

    assert SqlDatabaseHealth(core.storage).asked_providers(channels) == (2, unreachable)


@pytest.mark.parametrize(
    "settings", [{}, {"mail": MailSettings(url="smtp://127.0.0.1:1", sender="desk@example.com")}]
)
def test_doctor_says_what_to_enable(core: Core, settings: dict[str, Any]) -> None:
    town = Town.of(core, add_partner(core.storage.database, environment=Environment.LIVE), RideKind.TOW)
    town.add_providers(2)
    checkup = evolve(core.checkup, settings=evolve(core.checkup.settings, **settings))
    (found,) = [each for each in checkup.examine().findings if each.name == "providers"]

    if settings:
        assert (found.value, found.wrong) == ("2 make offers only on request", None)
    else:
        assert found.value == "2 make offers only on request, but 2 of them cannot be reached"
        assert "REPAIRCORE_SMTP_URL" in str(found.wrong)
