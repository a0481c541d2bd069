"""Only admins operate webhooks, checked in the use cases because embedding applications call them directly."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from repaircore.core import Core
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden
from repaircore.webhooks.operations import WebhookOperations

USER = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SESSION)
DAY = datetime(2026, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    "operate",
    [
        lambda webhooks: webhooks.list_all(caller=USER),
        lambda webhooks: webhooks.list_attempts(caller=USER),
        lambda webhooks: webhooks.replay("evt_none", USER),
        lambda webhooks: webhooks.replay_between(DAY, caller=USER),
    ],
)
def test_users_cannot_operate_webhooks(core: Core, operate: Callable[[WebhookOperations], object]) -> None:
    with pytest.raises(Forbidden):
        operate(core.webhook_operations)
