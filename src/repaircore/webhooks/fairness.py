"""Who is served next, so that nobody who is slow or dead keeps the others waiting.

A subscriber can hold a place for as long as an attempt may take. So each has few places; those that failed last share
a quarter of all, and no partner has more than half. Whoever takes long gives its place up to another and goes on beside,
so that even many who fall silent at once keep nobody waiting for longer than that takes to show.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.webhooks.model import LeasedDelivery, PendingSubscription

AT_ONCE: Final = 2
"""So many deliveries are made to one subscriber at once; one to who failed last."""


PLACES: Final = 32
"""So many deliveries a worker makes at once, beside those that take long."""

MOST: Final = 128
"""So many it makes at once in all."""


@frozen(kw_only=True)
class InFlight:
    """What is being delivered now; ``slow`` of them, or more, take long."""

    total: int
    slow: int
    failing: int
    by_subscription: Mapping[int, int]
    by_partner: Mapping[int, int]

    @classmethod
    def of(cls, flying: Iterable[LeasedDelivery], *, slow: int = 0) -> "InFlight":
        """Count."""
        known = list(flying)
        return cls(
            total=len(known),
            slow=slow,
            failing=sum(one.failing for one in known),
            by_subscription=Counter(one.subscription_id for one in known),
            by_partner=Counter(one.partner_id for one in known),
        )


def shares(waiting: Sequence[PendingSubscription], busy: InFlight) -> Mapping[int, int]:
    """Say how many more deliveries each waiting subscription gets now, the first of them first served."""
    free = min(PLACES - (busy.total - busy.slow), MOST - busy.total)
    for_failing = PLACES // 4 - busy.failing
    partners = Counter(busy.by_partner)
    most_of_partner = PLACES // 2
    given: dict[int, int] = {}
    for one in waiting:
        allowed = (1 if one.failing else AT_ONCE) - busy.by_subscription.get(one.subscription_id, 0)
        share = min(allowed, free, most_of_partner - partners[one.partner_id])
        if one.failing:
            share = min(share, for_failing)
        if share <= 0:
            continue
        given[one.subscription_id] = share
        partners[one.partner_id] += share
        free -= share
        for_failing -= share if one.failing else 0
    return given
