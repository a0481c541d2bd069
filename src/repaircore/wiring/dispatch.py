"""Wiring of dispatch: requests to providers, and the providers' links, keys and answers."""

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from repaircore.adapters.crypto.installation import derived
from repaircore.adapters.lookups.areas import NearestAreas
from repaircore.dispatch.keys import ProviderKeys
from repaircore.dispatch.links import Links, WebhookSecrets
from repaircore.dispatch.notices import MessageNotices
from repaircore.dispatch.requests import ProviderRequests
from repaircore.dispatch.service import Dispatch
from repaircore.dispatch.waves import WavePlan
from repaircore.rides.model import RideKind
from repaircore.rides.service import Rides
from repaircore.sandbox.service import Sandbox

if TYPE_CHECKING:
    from repaircore.core import Core

_AREAS = NearestAreas()
"""Names the area at a point; one instance per process, because it caches the list of ZIP codes."""


def dispatch(core: "Core") -> Dispatch:
    """Wire the background work of dispatch."""
    return Dispatch(
        transaction=core.storage.transaction,
        read=core.storage.read,
        rides=_rides(core),
        notices=MessageNotices(
            channels_in=core.messages.channels_in,
            seal=lambda ref: core.webhook_secrets.seal(core.provider_webhook_secrets.secret(ref)),
        ),
        links=Links(secret=derived(core.secret, "links of providers"), public_url=core.settings.public_url),
        area_at=_AREAS,
        plan=WavePlan(
            sizes=core.settings.dispatch_waves, wait=timedelta(seconds=core.settings.dispatch_wave_seconds)
        ),
        new_id=core.new_id,
        clock=core.clock,
    )


def provider_requests(core: "Core") -> ProviderRequests:
    """Wire the use cases for providers."""
    return ProviderRequests(
        transaction=core.storage.transaction,
        read=core.storage.read,
        rides=_rides(core),
        stop_requests={RideKind.MOBILE: core.drivers.stop, RideKind.TOW: core.businesses.stop},
        area_at=_AREAS,
        clock=core.clock,
    )


def sandbox(core: "Core") -> Sandbox:
    """Wire the sandbox, in which partners control providers of the test environment."""
    return Sandbox(rides=_rides(core))


def provider_keys(core: "Core") -> ProviderKeys:
    """Wire providers' API keys."""
    return ProviderKeys(
        transaction=core.storage.transaction, read=core.storage.read, random=os.urandom, clock=core.clock
    )


def webhook_secrets(core: "Core") -> WebhookSecrets:
    """Wire the secrets that sign providers' webhooks."""
    return WebhookSecrets(root=derived(core.secret, "webhooks of providers"))


def _rides(core: "Core") -> Mapping[RideKind, Rides]:
    return {RideKind.MOBILE: core.rides, RideKind.TOW: core.tows}
