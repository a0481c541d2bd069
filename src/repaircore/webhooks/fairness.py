"""Who is served next, so that nobody who is slow or dead keeps the others waiting.

A subscriber can hold a place for as long as an attempt may take. So each has few places; those that failed last share
a quarter of all, and no partner has more than half.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.webhooks.model import Due, Waiting

__all__ = ["AT_ONCE", "Busy", "shares"]

AT_ONCE: Final = 2
"""So many deliveries are made to one subscriber at once; one to who failed last."""


@frozen(kw_only=True)
class Busy:
    """What is being delivered now."""

    total: int
    failing: int
    by_subscription: Mapping[int, int]
    by_partner: Mapping[int, int]

    @classmethod
    def of(cls, flying: Iterable[Due]) -> "Busy":
        """Count."""
        known = list(flying)
        return cls(
            total=len(known),
            failing=sum(one.failing for one in known),
            by_subscription=Counter(one.subscription_id for one in known),
            by_partner=Counter(one.partner_id for one in known),
        )


def shares(waiting: Sequence[Waiting], busy: Busy, places: int) -> Mapping[int, int]:
    """Say how many more deliveries each waiting subscription gets now, the first of them first served."""
    free = places - busy.total
    for_failing = max(1, places // 4) - busy.failing
    partners = Counter(busy.by_partner)
    most_of_partner = max(1, places // 2)
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
