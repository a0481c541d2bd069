"""What is learned step by step: a dear shop's first invoices, a history from nothing on, and what a refit does to ranges."""

from collections.abc import Sequence
from statistics import fmean
from typing import Final

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from bench.quality.product import Product, opened
from bench.quality.scores import pinball
from bench.quality.worlds import LEARNED, WORLDS, Jobs, Law, World
from bench.table import tell
from repaircore.core import Core
from repaircore.kernel.callers import Environment

Floats = NDArray[np.float64]

SHOP: Final = (0, 5, 20, 100, 400, 2_100)
HISTORY: Final = (0, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
_ONE_DEAR: Final = World(
    name="one dear", text="one shop charges 30% more", dear_shops=1 / WORLDS["dear"].shops
)
_SHOP_OPENS: Final = 48.0
_NEXT: Final = 200
_MONTH: Final = 1.0


@frozen(kw_only=True)
class Point:
    """How good estimates of the next month's invoices are after so many: ``bias`` is the mean of ln(figure/middle) by the law.

    ``median_error`` and ``coverage`` in percent, ``width`` the median of ln(high/low).
    """

    series: str
    invoices: int
    bias: float
    median_error: float
    pinball: float
    coverage: float
    width: float


@frozen(kw_only=True)
class Refitted:
    """What the nightly jobs after one import of ``invoices`` did to ranges: the widest and narrowest after/before of ln(high/low).

    An import refits as it goes, so that its last refit may leave the night nothing to do. ``since_unfitted`` are the widest and the narrowest
    against ranges by the same invoices with nothing fitted to them at all.
    """

    invoices: int
    widest: float
    narrowest: float
    middle: float
    since_unfitted: tuple[float, float] = (1.0, 1.0)


def shop(seed: int, *, others: int, counts: Sequence[int] = SHOP) -> list[Point]:
    """Let a shop at +30% open after ``others`` invoices of other shops, and see how soon it is known."""
    law = Law(_ONE_DEAR, seed)
    (dear,) = law.dear_shops
    before = law.jobs(others + others // 10, last=_SHOP_OPENS)
    before = before.take(np.flatnonzero(before.shop != dear)[:others])
    series = f"a shop at +30%, {others:,} invoices of others before" if others else "a shop at +30%, alone"
    past = law.jobs(max(SHOP), first=_SHOP_OPENS, last=LEARNED, shop=dear)
    with opened(law, seed=seed) as product:
        product.move_to(_SHOP_OPENS)
        product.bring_in(before, law.charged(before), named="others")
        product.nightly()
        return _points(product, past, counts, series=series, shop=dear, opens=_SHOP_OPENS)


def history(seed: int, *, counts: Sequence[int] = HISTORY) -> list[Point]:
    """Let a history grow from nothing."""
    law = Law(WORLDS["foreign"], seed)
    # As many a month, however far it is followed.
    past = law.jobs(max(*counts, *HISTORY), last=LEARNED)
    with opened(law, seed=seed) as product:
        return _points(product, past, counts, series="history", shop=None, opens=0.0)


def averaged(runs: Sequence[Sequence[Point]]) -> list[Point]:
    """Give the mean of several runs, stage by stage: a single shop's first repairs are few of each kind."""
    return [
        evolve(
            stage[0],
            bias=fmean(point.bias for point in stage),
            median_error=fmean(point.median_error for point in stage),
            pinball=fmean(point.pinball for point in stage),
            coverage=fmean(point.coverage for point in stage),
            width=fmean(point.width for point in stage),
        )
        for stage in zip(*runs, strict=True)
    ]


def refitted(seed: int, *, invoices: int = 10_000) -> Refitted:
    """Import one file, and compare ranges before and after the nightly jobs."""
    law = Law(WORLDS["foreign"], seed)
    past, asked = law.jobs(invoices, last=LEARNED), law.jobs(_NEXT, first=LEARNED)
    with opened(law, seed=seed) as product:
        product.move_to(LEARNED)
        product.bring_in(past, law.charged(past))
        before = _widths(product.ranges(asked))
        unfit(product.core)
        unfitted = _widths(product.ranges(asked))
        product.nightly()
        after = _widths(product.ranges(asked))
    ratios, since = after / before, after / unfitted
    return Refitted(
        invoices=invoices,
        widest=float(ratios.max()),
        narrowest=float(ratios.min()),
        middle=float(np.median(ratios)),
        since_unfitted=(float(since.max()), float(since.min())),
    )


def unfit(core: Core) -> None:
    """Forget what refits found, as if none had ever been."""
    with core.storage.transaction() as work:
        work.fits.save(Environment.LIVE, dict.fromkeys(work.fits.variances(Environment.LIVE)))


def _points(
    product: Product, past: Jobs, counts: Sequence[int], *, series: str, shop: int | None, opens: float
) -> list[Point]:
    law, points, known, now = product.law, [], 0, opens
    charges = law.charged(past)
    # The same repairs are asked for at every stage, so that nothing but what was learned differs.
    asked = law.jobs(_NEXT, first=0.0, last=_MONTH, shop=shop)
    for count in counts:
        tell(f"{series}: {count:,} invoices")
        some = np.arange(known, count)
        if count > known:
            now = float(past.month[count - 1])
            product.move_to(now)
            product.bring_in(past.take(some), charges.take(some), named=f"to {count}")
            product.nightly()
        known = count
        coming = evolve(asked, month=now + asked.month)
        points.append(_point(series, count, product.ranges(coming), law.quantiles(coming)[:, 1], law, coming))
    return points


def _point(series: str, count: int, predicted: Floats, middle: Floats, law: Law, coming: Jobs) -> Point:  # noqa: PLR0917 - what is compared with what
    paid = law.charged(coming, gross_errors=0.0).total
    low, average, high = predicted.T
    return Point(
        series=series,
        invoices=count,
        bias=float(np.mean(np.log(average / middle))),
        median_error=100 * float(np.median(np.abs(average / paid - 1))),
        pinball=pinball(predicted, paid),
        coverage=100 * float(np.mean((low <= paid) & (paid <= high))),
        width=float(np.median(np.log(high / low))),
    )


def _widths(predicted: Floats) -> Floats:
    return np.asarray(np.log(predicted[:, 2] / predicted[:, 0]))
