"""Low, average, high: from how far off past estimates were."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import NormalDist

from attrs import frozen

from repaircore.transactions.tally import BINS, EDGES, START_ALPHA, Tally

__all__ = [
    "CLIP",
    "START_ALPHA",
    "STEERING",
    "Alpha",
    "Distribution",
    "alpha_step",
    "distribution",
    "learned_since",
]

Alpha = int
"""The share of invoices that the range leaves out, in hundred-thousandths."""

_LOWEST: Alpha = 2_000
_HIGHEST: Alpha = 60_000
_HIT: Alpha = 100  # .005 · .2
_MISS: Alpha = -400  # .005 · (.2 - 1)
_WHOLE = 100_000

STEERING = 20
"""So many invoices of a batch move alpha: all are judged by one range, so that none tells what the others' steps did to it."""

_SKEW = 0.2
"""The middle lies no further out than the mean, unless by less than this: so far the two differ by the errors' shape."""

CLIP = 3.0
"""A residual counts no further from the expected than so many spreads."""

_ROOT_COUNTS_AS = 15
_NORMAL_COUNTS_AS = 40
_NORMAL = NormalDist()
_CENTERS = tuple((a + b) / 2 for a, b in pairwise(EDGES))
_COUNTED = tuple(max(-CLIP, min(CLIP, center)) for center in _CENTERS)
_NORMAL_SHARES = tuple(_NORMAL.cdf(b) - _NORMAL.cdf(a) for a, b in pairwise(EDGES))


def alpha_step(*, missed: bool) -> Alpha:
    """Say what one more invoice adds to alpha, so that the long-run coverage stays at 80 %.

    Adaptive conformal inference (Gibbs and Candès 2021): ``alpha += .005·(.2 - miss)``. The step is stored
    with the invoice, so that it can be taken out again; it does not depend on alpha, and so leaves the sum
    of the others' steps. Alpha itself may wander out of its bounds: ``Distribution.bounds`` minds them.
    """
    return _MISS if missed else _HIT


@frozen(kw_only=True)
class Distribution:
    """How errors are distributed, in spreads: ``cumulative`` has one entry for each of ``EDGES``.

    ``errors`` is the number of errors that it weighs like; None means the normal distribution, for
    want of any error.
    """

    cumulative: Sequence[float]
    errors: float | None

    def quantile(self, p: float) -> float:
        """Give the error (in spreads) that a share ``p`` of the errors stays below."""
        if self.errors is None:
            return _NORMAL.inv_cdf(p) if p != 0.5 else 0.0  # noqa: PLR2004 - the middle is exactly 0
        i = max(0, min(BINS - 1, bisect_right(self.cumulative, p) - 1))
        below, above = self.cumulative[i], self.cumulative[i + 1]
        share = (p - below) / (above - below) if above > below else 0.5
        return EDGES[i] + (EDGES[i + 1] - EDGES[i]) * min(1.0, max(0.0, share))

    def share_below(self, z: float) -> float:
        """Give the share of errors that are smaller than ``z`` spreads."""
        if self.errors is None:
            return _NORMAL.cdf(z)
        i = bisect_right(EDGES, z) - 1
        if i < 0 or i >= BINS:
            return 0.0 if i < 0 else 1.0
        below, above = self.cumulative[i], self.cumulative[i + 1]
        return below + (above - below) * (z - EDGES[i]) / (EDGES[i + 1] - EDGES[i])

    def bounds(self, alpha: Alpha) -> tuple[float, float, float]:
        """Give low, middle and high, in spreads; ``alpha`` is left out, half of it on each side.

        No less than .02 and no more than .6 is left out, wherever ``alpha`` went. Ranks are taken as (n + 1)·p (split conformal), so that few errors widen the range.
        """
        tail = max(_LOWEST, min(_HIGHEST, alpha)) / _WHOLE / 2
        if self.errors is not None:
            tail = max(tail - (0.5 - tail) / self.errors, 0.5 / self.errors)
        middle = self._middle()
        return min(middle, self.quantile(tail)), middle, max(middle, self.quantile(1 - tail))

    def _middle(self) -> float:
        # Errors that were made while a price was being learned are not of one kind: where the first ones are the
        # most, the median is what was, and the mean alone knows how much of it is left.
        median = self.quantile(0.5)
        if self.errors is None or abs(median) <= _SKEW:
            return median
        mean = sum(
            (above - below) * center
            for (below, above), center in zip(pairwise(self.cumulative), _CENTERS, strict=True)
        )
        return min(median, max(mean, _SKEW)) if median > 0 else max(median, min(mean, -_SKEW))

    def share_within(self, ratio: float, *, spread: float, middle: float) -> float:
        """Give the share of errors that leave the actual price within ``ratio`` (.25) of the estimate."""
        up = self.share_below(middle + math.log1p(ratio) / spread)
        return up - self.share_below(middle + math.log1p(-ratio) / spread)


def learned_since(here: Tally, *, invoices: int, book: float) -> float:
    """Say how much of the errors the cells have taken in since they were made, 0 to 1, in whole hundredths.

    ``book`` is what the book still counts in the estimate: the rest is what ``invoices`` (of the problem)
    taught, and the errors have the part in that which their number has. Hundredths, so that an import
    works few distributions out for many vehicles; upward, since an error that is learned from must not
    be added once more.
    """
    if not invoices:
        return 0.0
    return min(1.0, math.ceil(round(100 * (1 - book) * min(1.0, here.w / invoices), 6)) / 100)


def distribution(here: Tally, everywhere: Tally, *, learned: float = 0.0) -> Distribution:
    """Mix the errors of the problem with those of all problems, which count as 15 errors.

    Those of all problems are themselves mixed with the normal distribution, which counts as 40.
    ``learned`` (``learned_since``) is how much of their mean is in the estimate by now: by so much both are
    moved back, and only what is left is told as an error.
    """
    w, w_all = here.w, everywhere.w
    if not w_all:
        return Distribution(cumulative=(), errors=None)
    root = _ROOT_COUNTS_AS / ((w_all + _NORMAL_COUNTS_AS) * (w + _ROOT_COUNTS_AS))
    normal, own = root * _NORMAL_COUNTS_AS, 1 / (w + _ROOT_COUNTS_AS)
    shares = (
        own * h + root * e + normal * n
        for h, e, n in zip(_left(here, learned), _left(everywhere, learned), _NORMAL_SHARES, strict=True)
    )
    cumulative = list(accumulate(shares, initial=0.0))
    return Distribution(cumulative=cumulative, errors=_weighs_like(w, w_all + _NORMAL_COUNTS_AS))


def _left(tally: Tally, learned: float) -> Sequence[float]:
    """Move errors back by what was learned from them: no further than a residual counts in the cells."""
    shift = learned * _mean_counted(tally) if learned else 0.0
    if not shift:
        return tally.counts
    cumulative = list(accumulate(tally.counts, initial=0))
    moved = [0.0, *(_count_below(cumulative, edge + shift) for edge in EDGES[1:-1]), float(cumulative[-1])]
    return [above - below for below, above in pairwise(moved)]


def _mean_counted(tally: Tally) -> float:
    w = tally.w
    return sum(count * z for count, z in zip(tally.counts, _COUNTED, strict=True)) / w if w else 0.0


def _count_below(cumulative: Sequence[int], z: float) -> float:
    i = bisect_right(EDGES, z) - 1
    if i < 0 or i >= BINS:
        return 0.0 if i < 0 else cumulative[-1]
    return cumulative[i] + (cumulative[i + 1] - cumulative[i]) * (z - EDGES[i]) / (EDGES[i + 1] - EDGES[i])


def _weighs_like(own: int, behind: int) -> float:
    # Kish: own errors weigh 1 each, the 15 of the root are spread over all that stand behind it.
    return (own + _ROOT_COUNTS_AS) ** 2 / (own + _ROOT_COUNTS_AS**2 / behind)
