"""Wiring of webhooks: subscriptions and deliveries."""

import os
import time
from random import random
from typing import TYPE_CHECKING

from repaircore.adapters.crypto.vault import FernetSecrets
from repaircore.adapters.delivery.webhooks import HttpSender
from repaircore.adapters.sql.claims import is_alive, this_process
from repaircore.webhooks.delivery import Deliveries
from repaircore.webhooks.dispatch import Dispatcher
from repaircore.webhooks.operations import WebhookOperations
from repaircore.webhooks.service import Webhooks

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.webhooks.ports import SecretVault, Sender


def webhooks(core: "Core") -> Webhooks:
    """Wire the webhook subscriptions of partners and accounts."""
    return Webhooks(
        transaction=core.storage.transaction,
        read=core.storage.read,
        vault=core.webhook_secrets,
        random=os.urandom,
        new_id=core.new_id,
        clock=core.clock,
    )


def webhook_secrets(core: "Core") -> "SecretVault":
    """Wire the vault of webhook secrets."""
    return FernetSecrets.of([core.secret])


def deliveries(core: "Core") -> Deliveries:
    """Wire event delivery by workers."""
    return Deliveries(
        transaction=core.storage.transaction,
        read=core.storage.read,
        vault=core.webhook_secrets,
        sender=_sender(core),
        holder=this_process,
        is_alive=is_alive,
        chance=random,
        clock=core.clock,
    )


def _sender(core: "Core") -> "Sender":
    sender = HttpSender(clock=core.clock)
    if not core.settings.metrics:
        return sender
    from repaircore.adapters.metrics.webhooks import MeasuredSender

    return MeasuredSender(sender, core.meter)


def dispatcher(core: "Core") -> Dispatcher:
    """Wire the worker that makes due deliveries."""
    return Dispatcher(deliveries=core.deliveries, seconds=time.monotonic)


def webhook_operations(core: "Core") -> WebhookOperations:
    """Wire the management of all webhooks by operators."""
    return WebhookOperations(
        transaction=core.storage.transaction,
        read=core.storage.read,
        deliveries=core.deliveries,
        new_id=core.new_id,
        clock=core.clock,
        days=core.settings.keep.webhooks,
    )
