"""Price ranges (low, average and high) from the errors of past estimates."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from statistics import NormalDist

from attrs import frozen

from repaircore.transactions.tally import BINS, EDGES, START_ALPHA, Tally

Alpha = int
"""The share of invoices outside the range, in hundred-thousandths."""

_LOWEST: Alpha = 2_000
_HIGHEST: Alpha = 60_000
_HIT: Alpha = 40  # .002 · .2
_MISS: Alpha = -160  # .002 · (.2 - 1)
_WHOLE = 100_000

_SKEW = 0.3
"""The largest shift of the median, in normal spreads: beyond it, the errors reflect the past more than their shape."""

_SKEW_LEANS_ON = 100
"""The number of errors at which their median counts half."""

CLIP = 3.0
"""Residuals are clipped to this many spreads."""

REVIEW = 3.5
"""A modified z beyond this marks an invoice for review (Iglewicz and Hoaglin 1993)."""

_MOST_OUTLIERS = 0.1
_FEWEST_OUTLIERS = 0.002
"""A smaller share moves a range by less than its own uncertainty; most histories have no more."""

_ROOT_COUNTS_AS = 15
_NORMAL_COUNTS_AS = 40
_NORMAL = NormalDist()
_QUARTILE = _NORMAL.inv_cdf(0.75)
_STEPS = 50
"""Normal distributions are cached for spreads 2% apart."""


@lru_cache(maxsize=1024)
def _normal_shares(step: int) -> tuple[float, ...]:
    """Return the shares of a normal distribution in each bin, for a spread of ``exp(step / _STEPS)``."""
    normal = NormalDist(0, math.exp(step / _STEPS))
    return tuple(normal.cdf(b) - normal.cdf(a) for a, b in pairwise(EDGES))


def alpha_step(*, missed: bool, aside: bool = False) -> Alpha:
    """Return how far an invoice moves alpha to keep long-run coverage at 80%; zero if it is set ``aside``.

    Adaptive conformal inference (Gibbs and Candès 2021): ``alpha += .002·(.2 - miss)``. The step is stored with the
    invoice so that it can be undone; it does not depend on alpha, so undoing it does not affect other steps. Alpha
    itself may leave its bounds: ``Distribution.bounds`` clamps it.
    """
    if aside:
        return 0
    return _MISS if missed else _HIT


@frozen(kw_only=True)
class Distribution:
    """A distribution of errors, in units of ``Variances.scale``: ``cumulative`` has one entry for each of ``EDGES``.

    ``errors`` is the number of independent errors that it is worth; None means a normal distribution with the spread
    ``normal``, because there are no errors yet. ``made`` counts the real errors, without the assumed ones. ``crowded``
    tells whether there are more outliers than are left out.
    """

    cumulative: Sequence[float]
    errors: float | None
    made: float = 0.0
    normal: float = 1.0
    crowded: bool = False

    def quantile(self, p: float) -> float:
        """Return the quantile of the errors (in spreads) for a share ``p``."""
        if self.errors is None:
            return self.normal * _NORMAL.inv_cdf(p) if p != 0.5 else 0.0  # noqa: PLR2004 - the middle is exactly 0
        return _quantile(self.cumulative, p)

    def share_below(self, z: float) -> float:
        """Return the share of errors that are smaller than ``z`` spreads."""
        if self.errors is None:
            return _NORMAL.cdf(z / self.normal)
        i = bisect_right(EDGES, z) - 1
        if i < 0 or i >= BINS:
            return 0.0 if i < 0 else 1.0
        below, above = self.cumulative[i], self.cumulative[i + 1]
        return below + (above - below) * (z - EDGES[i]) / (EDGES[i + 1] - EDGES[i])

    def bounds(self, alpha: Alpha, middle: float | None = None) -> tuple[float, float, float]:
        """Return the low, middle and high of the range that leaves out ``alpha``, half on each side, in spreads.

        Alpha is clamped to .02 to .6. Ranks are taken as (n + 1)·p (split conformal), so that few errors widen the
        range. Callers with many alphas pass ``middle()``, which is the same for all of them.
        """
        tail = max(_LOWEST, min(_HIGHEST, alpha)) / _WHOLE / 2
        if self.errors is not None:
            tail = max(tail - (0.5 - tail) / self.errors, 0.5 / self.errors)
        middle = self.middle() if middle is None else middle
        return min(middle, self.quantile(tail)), middle, max(middle, self.quantile(1 - tail))

    def calibration(self, low: float, high: float) -> float:
        """Return the width of a range (in spreads) relative to the range that leaves out 20% of all past errors."""
        first, _, last = self.bounds(START_ALPHA)
        return (high - low) / (last - first)

    def middle(self) -> float:
        """Return the median, in spreads, shrunk to what it predicts for future errors."""
        # Errors from before a price was learned do not recur.
        most = _SKEW * self.normal
        found = self.quantile(0.5)
        median = math.copysign(max(0.0, min(abs(found), 2 * most - abs(found))), found)
        return median if self.errors is None else median * self.made / (self.made + _SKEW_LEANS_ON)

    def share_within(self, ratio: float, *, spread: float, middle: float) -> float:
        """Return the share of errors with which the estimate is within ``ratio`` (.25) of the actual price."""
        up = self.share_below(middle - math.log1p(-ratio) / spread)
        return up - self.share_below(middle - math.log1p(ratio) / spread)


def distribution(here: Tally, everywhere: Tally, *, normal: float = 1.0) -> Distribution:
    """Mix the errors of the problem with those of all problems, which count as 15 errors.

    Those of all problems are in turn mixed with a normal distribution with the spread ``normal``, which counts as 40.
    """
    w, w_all = here.w, everywhere.w
    if not w_all:
        return Distribution(cumulative=(), errors=None, normal=normal)
    root = _ROOT_COUNTS_AS / ((w_all + _NORMAL_COUNTS_AS) * (w + _ROOT_COUNTS_AS))
    expected, own = root * _NORMAL_COUNTS_AS, 1 / (w + _ROOT_COUNTS_AS)
    assumed = _normal_shares(round(_STEPS * math.log(normal)))
    shares = [
        own * h + root * e + expected * n
        for h, e, n in zip(here.counts, everywhere.counts, assumed, strict=True)
    ]
    cumulative, crowded = _without_outliers(shares)
    return Distribution(
        cumulative=cumulative,
        crowded=crowded,
        errors=_weighs_like(w, w_all + _NORMAL_COUNTS_AS),
        made=w + _ROOT_COUNTS_AS * w_all / (w_all + _NORMAL_COUNTS_AS),
        normal=normal,
    )


def _without_outliers(shares: Iterable[float]) -> tuple[Sequence[float], bool]:
    """Return the cumulative shares without outliers, up to a tenth of all, and whether there are more than that.

    Outliers are errors that mark an invoice for review.
    """
    found = list(accumulate(shares, initial=0.0))
    quarter, middle, three = (_quantile(found, p) for p in (0.25, 0.5, 0.75))
    reach = REVIEW / _QUARTILE * max((three - quarter) / 2, 1e-9)
    first = max(0, bisect_right(EDGES, middle - reach) - 1)
    last = min(BINS, bisect_left(EDGES, middle + reach))
    below, above = found[first], found[last]
    far = 1 - (above - below)
    if far < _FEWEST_OUTLIERS:
        return found, False
    stays = max(0.0, 1 - _MOST_OUTLIERS / far)
    per = 1 / (above - below + stays * far)
    head = stays * per
    cut = below * (per - head)
    shares_below = [share * head for share in found[:first]]
    shares_between = [share * per - cut for share in found[first:last]]
    shares_above = [1 - head + share * head for share in found[last:]]
    return shares_below + shares_between + shares_above, stays > 0


def _quantile(cumulative: Sequence[float], p: float) -> float:
    i = max(0, min(BINS - 1, bisect_right(cumulative, p) - 1))
    below, above = cumulative[i], cumulative[i + 1]
    share = (p - below) / (above - below) if above > below else 0.5
    return EDGES[i] + (EDGES[i + 1] - EDGES[i]) * min(1.0, max(0.0, share))


def _weighs_like(own: int, behind: int) -> float:
    # Kish's effective sample size: own errors weigh 1 each; the root's 15 are spread over all errors behind it.
    return (own + _ROOT_COUNTS_AS) ** 2 / (own + _ROOT_COUNTS_AS**2 / behind)
