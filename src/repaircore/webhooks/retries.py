"""When a delivery is tried again, and when no more."""

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final

from repaircore.webhooks.model import AttemptResult, DeliveryOutcome, DeliveryState, LeasedDelivery

DELAYS: Final = tuple(timedelta(seconds=one) for one in (5, 30, 120, 600, 1800, 3600, 10800))
"""The longest pauses after the first failures; the last one is repeated."""

GIVEN_UP_AFTER: Final = timedelta(days=3)
"""For so long a delivery is tried."""

DISABLED_AFTER: Final = timedelta(days=5)
"""After failures alone for so long, a subscription gets nothing any more."""

LONGEST_WAIT: Final = timedelta(hours=6)
"""For so long a subscriber may ask to be left alone."""

_SHORTEST: Final = timedelta(seconds=1)
_GONE: Final = "It answered 410: gone."
_FAILED: Final = "Every delivery failed for five days."


def outcome_of(due: LeasedDelivery, sent: AttemptResult, *, now: datetime, chance: float) -> DeliveryOutcome:
    """Judge an attempt; ``chance``, from 0 to 1, spreads those that failed together over the whole pause."""
    if sent.status is not None and HTTPStatus.OK <= sent.status < HTTPStatus.MULTIPLE_CHOICES:
        return DeliveryOutcome(state=DeliveryState.DELIVERED)
    if sent.status == HTTPStatus.GONE:
        return DeliveryOutcome(state=DeliveryState.DROPPED, disabled=_GONE)
    if due.failing_since is not None and now - due.failing_since >= DISABLED_AFTER:
        return DeliveryOutcome(state=DeliveryState.DEAD, disabled=_FAILED)
    again = now + _pause(due.attempts, sent.retry_after, chance)
    if again - due.created_at > GIVEN_UP_AFTER:
        return DeliveryOutcome(state=DeliveryState.DEAD)
    return DeliveryOutcome(state=DeliveryState.PENDING, due_at=again)


def _pause(failed_before: int, asked: float | None, chance: float) -> timedelta:
    spread = DELAYS[min(failed_before, len(DELAYS) - 1)] * chance
    wanted = timedelta(seconds=min(asked or 0.0, LONGEST_WAIT.total_seconds()))
    return max(_SHORTEST, spread, wanted)
