"""The public distribution of the prices paid for a repair, which does not identify any invoice or shop."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.kernel.money import Cents

ShopPayment: TypeAlias = tuple[int, Cents]
"""The id of a shop, and what was paid for a repair there."""

LEAST_INVOICES: Final = 20
LEAST_SHOPS: Final = 3

_MOST_OF_ONE_SHOP: Final = 0.5
_COLUMN_INVOICES: Final = 3
_COLUMN_SHOPS: Final = 2
_MOST_COLUMNS: Final = 8
_LEAST_COLUMNS: Final = 3
_TAIL: Final = 0.1
_ROUNDED_TO: Final = 10_00


@frozen(kw_only=True)
class PriceColumn:
    """The share (0 to 1) of invoices from ``low`` up to, but not including, ``high``; None means no limit."""

    low: Cents | None
    high: Cents | None
    share: float


@frozen(kw_only=True)
class PriceDistribution:
    """The prices paid, in columns; eight out of ten are between ``low`` and ``high``.

    ``low``, ``middle`` (the median) and ``high`` are rounded to ten dollars. A column with too few invoices or shops
    has a share of 0.
    """

    invoices: int
    shops: int
    low: Cents
    middle: Cents
    high: Cents
    columns: Sequence[PriceColumn]


def distribution_of(payments: Iterable[ShopPayment]) -> PriceDistribution | None:
    """Return the distribution of payments, or None if it might reveal single invoices or a single shop."""
    paid = sorted(payments, key=lambda payment: payment[1])
    by_shop = Counter(shop for shop, _ in paid)
    if len(paid) < LEAST_INVOICES or len(by_shop) < LEAST_SHOPS:
        return None
    if max(by_shop.values()) > _MOST_OF_ONE_SHOP * len(paid):
        return None
    low, middle, high = (_rounded(paid, share) for share in (_TAIL, 0.5, 1 - _TAIL))
    columns = _columns(paid, _edges(low, high))
    if len(columns) < _LEAST_COLUMNS:
        return None
    return PriceDistribution(
        invoices=len(paid), shops=len(by_shop), low=low, middle=middle, high=high, columns=columns
    )


def _rounded(paid: Sequence[ShopPayment], share: float) -> Cents:
    """Return a quantile, rounded to ten dollars because the exact value might be the price of a single invoice."""
    return round(paid[round(share * (len(paid) - 1))][1] / _ROUNDED_TO) * _ROUNDED_TO


def _edges(low: Cents, high: Cents) -> list[Cents]:
    """Return the round amounts that separate the columns."""
    step = _step(max(1, high - low))
    first = math.floor(low / step) * step
    last = math.ceil(high / step) * step
    return list(range(first, max(last, first + step) + 1, step))


def _step(reach: Cents) -> Cents:
    rough = max(_ROUNDED_TO, reach / _MOST_COLUMNS)
    power = 10 ** math.floor(math.log10(rough))
    return int(next(power * times for times in (1, 2, 5, 10) if power * times >= rough))


def _columns(paid: Sequence[ShopPayment], edges: list[Cents]) -> Sequence[PriceColumn]:
    """Return the columns between and beyond the edges; end columns with too few invoices are merged inward."""
    while edges and not _is_enough(payment for payment in paid if payment[1] < edges[0]):
        edges = edges[1:]
    while edges and not _is_enough(payment for payment in paid if payment[1] >= edges[-1]):
        edges = edges[:-1]
    if not edges:
        return ()
    within: list[list[ShopPayment]] = [[] for _ in range(len(edges) + 1)]
    for payment in paid:
        within[bisect_right(edges, payment[1])].append(payment)
    shares = (len(inside) / len(paid) if _is_enough(inside) else 0.0 for inside in within)
    return [
        PriceColumn(low=low, high=high, share=share)
        for (low, high), share in zip(pairwise([None, *edges, None]), shares, strict=True)
    ]


def _is_enough(payments: Iterable[ShopPayment]) -> bool:
    shops = [shop for shop, _ in payments]
    return len(shops) >= _COLUMN_INVOICES and len(set(shops)) >= _COLUMN_SHOPS
