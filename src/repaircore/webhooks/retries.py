"""The delays between delivery attempts, and the rules for giving up."""

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final

from repaircore.webhooks.model import AttemptResult, DeliveryOutcome, DeliveryState, LeasedDelivery

DELAYS: Final = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 1800, 3600, 10800))
"""The maximum delays after the first failures; the last delay repeats."""

RETRY_PERIOD: Final = timedelta(days=3)
"""How long a delivery is retried."""

FEWEST_ATTEMPTS: Final = 12
"""The minimum number of attempts before giving up, whatever the clock says.

The clock may have jumped, or no worker may have run for days. Subscribers that request the longest pause every time get
this many attempts within the period.
"""

MOST_ATTEMPTS: Final = 100
"""The maximum number of attempts, in case a clock that was set back prolongs the period; three days take about 50."""

PAUSE: Final = timedelta(minutes=10)
"""The delay before retrying a delivery that could not be attempted."""

PAUSED_FOR: Final = timedelta(days=30)
"""The age at which a delivery that cannot be attempted is abandoned."""

DISABLED_AFTER: Final = timedelta(days=5)
"""How long a subscription may fail without a success before it is disabled."""

LONGEST_RETRY_AFTER: Final = timedelta(hours=6)
"""The longest Retry-After that is honored."""

_SHORTEST: Final = timedelta(seconds=1)
LATEST_DUE: Final = LONGEST_RETRY_AFTER
"""The longest time from now until a retry is due, unless a fast clock scheduled the retry."""

_GONE: Final = "The endpoint returned 410 Gone."
_FAILED: Final = "Every delivery failed for five days."


def next_outcome(
    delivery: LeasedDelivery, result: AttemptResult, *, now: datetime, chance: float
) -> DeliveryOutcome:
    """Return the next state of a delivery; ``chance`` (0 to 1) spreads out the retries of simultaneous failures."""
    if result.status is not None and HTTPStatus.OK <= result.status < HTTPStatus.MULTIPLE_CHOICES:
        return DeliveryOutcome(state=DeliveryState.DELIVERED)
    if result.status == HTTPStatus.GONE:
        return DeliveryOutcome(state=DeliveryState.DROPPED, disabled=_GONE)
    if not result.was_sent:
        return _paused(delivery, now)
    was_tried = delivery.attempts >= FEWEST_ATTEMPTS
    if was_tried and delivery.failing_since is not None and now - delivery.failing_since >= DISABLED_AFTER:
        return DeliveryOutcome(state=DeliveryState.DEAD, disabled=_FAILED)
    due_at = now + _delay(delivery.attempts, result.retry_after, chance)
    is_late = due_at - delivery.created_at > RETRY_PERIOD
    if (was_tried and is_late) or delivery.attempts >= MOST_ATTEMPTS:
        return DeliveryOutcome(state=DeliveryState.DEAD)
    return DeliveryOutcome(state=DeliveryState.PENDING, due_at=due_at)


def _paused(delivery: LeasedDelivery, now: datetime) -> DeliveryOutcome:
    if now - delivery.created_at > PAUSED_FOR:
        return DeliveryOutcome(state=DeliveryState.DEAD)
    return DeliveryOutcome(state=DeliveryState.PENDING, due_at=now + PAUSE)


def _delay(failures: int, retry_after: float | None, chance: float) -> timedelta:
    spread = DELAYS[min(failures, len(DELAYS) - 1)] * chance
    requested = timedelta(seconds=min(retry_after or 0.0, LONGEST_RETRY_AFTER.total_seconds()))
    return max(_SHORTEST, spread, requested)
