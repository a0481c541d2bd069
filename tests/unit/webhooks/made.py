"""A delivery that is due."""

from datetime import UTC, datetime

from repaircore.kernel.callers import Environment
from repaircore.webhooks.model import LeasedDelivery

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)

DUE = LeasedDelivery(
    id=1,
    subscription_id=1,
    owner="partner 1",
    failing=False,
    environment=Environment.TEST,
    event_id="evt_1",
    payload="{}",
    url="https://example.com/",
    sealed="",
    previous_sealed=None,
    previous_until=None,
    failing_since=None,
    attempts=0,
    created_at=NOW,
    holder="me",
)
