"""Share the delivery slots fairly, so that slow or dead subscribers do not delay the others.

A subscriber can occupy a slot for as long as an attempt may take. So each has few slots, and gets more only while it
responds quickly; failing subscriptions share a quarter of all slots, and no partner or account gets more than half. A
slow delivery gives up its slot and continues without one, so that even if many subscribers stop responding at once,
they delay the others only briefly.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.webhooks.model import LeasedDelivery, PendingSubscription

PER_SUBSCRIPTION: Final = 2
"""How many concurrent deliveries a subscription may have; while it fails, it may have only one."""

PER_QUICK_SUBSCRIPTION: Final = 8
"""How many concurrent deliveries a subscription may have while its subscriber responds quickly.

With more than one, deliveries continue while the result of another is being recorded.
"""

SLOTS: Final = 32
"""How many concurrent deliveries a worker makes, not counting slow ones."""

MOST_IN_FLIGHT: Final = 128
"""How many concurrent deliveries a worker makes, including slow ones."""


@frozen(kw_only=True)
class InFlight:
    """Counts of the deliveries in flight; at least ``slow`` of them are slow."""

    total: int
    slow: int
    failing: int
    by_subscription: Mapping[int, int]
    by_owner: Mapping[str, int]

    @classmethod
    def of(cls, flying: Iterable[LeasedDelivery], *, slow: int = 0) -> "InFlight":
        """Return the counts of the given deliveries."""
        deliveries = list(flying)
        return cls(
            total=len(deliveries),
            slow=slow,
            failing=sum(each.failing for each in deliveries),
            by_subscription=Counter(each.subscription_id for each in deliveries),
            by_owner=Counter(each.owner for each in deliveries),
        )


def shares(
    pending: Sequence[PendingSubscription], busy: InFlight, quick: Collection[int] = ()
) -> Mapping[int, int]:
    """Return how many more deliveries each pending subscription gets now; subscriptions listed first are served first.

    ``quick`` are the subscriptions whose last delivery was quick and that have no slow delivery in flight.
    """
    free = min(SLOTS - (busy.total - busy.slow), MOST_IN_FLIGHT - busy.total)
    for_failing = SLOTS // 4 - busy.failing
    owners = Counter(busy.by_owner)
    most_of_owner = SLOTS // 2
    granted: dict[int, int] = {}
    for subscription in pending:
        allowed = _most(subscription, quick) - busy.by_subscription.get(subscription.subscription_id, 0)
        share = min(allowed, free, most_of_owner - owners[subscription.owner])
        if subscription.failing:
            share = min(share, for_failing)
        if share <= 0:
            continue
        granted[subscription.subscription_id] = share
        owners[subscription.owner] += share
        free -= share
        for_failing -= share if subscription.failing else 0
    return granted


def _most(subscription: PendingSubscription, quick: Collection[int]) -> int:
    if subscription.failing:
        return 1
    return PER_QUICK_SUBSCRIPTION if subscription.subscription_id in quick else PER_SUBSCRIPTION
