"""Estimate how long a repair lasts on vehicles like a given one.

The samples are the times from one repair to the next, and the times that repairs have held so far (censored times):
without the latter, everything would look short-lived while the history is young. The book counts as twenty repairs. The
survival curve is the product-limit estimate of Kaplan and Meier (1958); a factor for the make, the model and the car,
shrunk toward 1 while little is known, stretches it.

Times may be in months or in miles; the rules are the same.
"""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from operator import neg
from typing import Final, NamedTuple

from attrs import frozen

BOOK_COUNTS_AS: Final = 20
"""The number of repairs that the book counts as."""

LEVELS: Final = ("make", "model", "car")
"""The levels of vehicles, from the widest to the car itself."""

_SHRINKAGE: Final = (12.0, 12.0, 2.0)
"""With this many samples, a make, a model or a car gets a weight of one half; cars differ the most."""

_LOW: Final = 0.1
_HIGH: Final = 0.9
_SHORTEST: Final = 1e-3


@frozen
class VehicleScope:
    """The levels of a vehicle, from the widest to the car itself; unknown ones are None."""

    make: Hashable | None = None
    model: Hashable | None = None
    car: Hashable | None = None

    def path(self) -> tuple[Hashable | None, ...]:
        """Return a key for each level, or None if it is unknown; a model is unknown if its make is."""
        model = None if self.make is None or self.model is None else (self.make, self.model)
        return (self.make, model, self.car)


class HoldTime(NamedTuple):
    """How long a repair held: until the next one, or at least until now if ``ended`` is False.

    It is a plain tuple because there may be many.
    """

    time: float
    scope: VehicleScope
    ended: bool = True


@frozen(kw_only=True)
class DueTimes:
    """The times after a repair by which 10%, 50% and 90% of repairs are due."""

    low: float
    middle: float
    high: float


@frozen(kw_only=True)
class ScopeStep:
    """The effect of a make's, a model's or a car's own repairs.

    ``count`` of them ended. They get a ``weight`` (0 to 1) against the wider level, and multiply the time by
    ``factor``.
    """

    level: str
    count: int
    weight: float
    factor: float


@frozen(kw_only=True)
class SurvivalCurve:
    """The share of repairs that still hold (``left``) after each of the ascending ``times``.

    ``factor`` is how many times longer repairs hold on this vehicle than on others, and ``steps`` are its parts by
    level. ``sample`` is the number of repairs that ended, and ``own`` how many of them were on the same make, the same
    model and the same car.
    """

    times: Sequence[float]
    left: Sequence[float]
    factor: float
    sample: int
    own: tuple[int, int, int]
    steps: Sequence[ScopeStep] = ()

    def due(self, elapsed: float = 0.0) -> DueTimes:
        """Return when the repair is due, given that it has already held for ``elapsed``."""
        still = self._left_after(elapsed)
        return DueTimes(
            low=max(elapsed, self._time_of(still * (1 - _LOW))),
            middle=max(elapsed, self._time_of(still * 0.5)),
            high=max(elapsed, self._time_of(still * (1 - _HIGH))),
        )

    def share_due(self, elapsed: float) -> float:
        """Return the share of repairs (0 to 1) that are due by ``elapsed``."""
        return 1.0 - self._left_after(elapsed)

    def _left_after(self, elapsed: float) -> float:
        place = bisect_right(self.times, elapsed / self.factor)
        # Assume that some repairs hold longer than any in the sample.
        return max(self.left[place - 1] if place else 1.0, self.left[-2] / 2 if len(self.left) > 1 else 0.5)

    def _time_of(self, share: float) -> float:
        """Return the first time after which no more than ``share`` is left."""
        place = bisect_left(self.left, -share, key=neg)
        return self.times[min(place, len(self.times) - 1)] * self.factor


def book_times(interval: float, shape: float) -> tuple[float, ...]:
    """Return the times of the book's twenty repairs: quantiles of a Weibull distribution with the median ``interval``.

    ``shape`` is 3 for wear (most hold about equally long), and 1 for random failures.
    """
    scale = interval / math.log(2) ** (1 / shape)
    shares = ((i + 0.5) / BOOK_COUNTS_AS for i in range(BOOK_COUNTS_AS))
    return tuple(scale * (-math.log(1 - share)) ** (1 / shape) for share in shares)


def survival_curve(book: Sequence[float], past: Iterable[HoldTime], scope: VehicleScope) -> SurvivalCurve:
    """Return the survival curve of a repair on a vehicle.

    Each time is first divided by the factor of its own vehicle, computed without that time; the result is multiplied by
    the factor of this vehicle.
    """
    sample = [hold for hold in past if hold.time > 0]
    factors = Factors(hold for hold in sample if hold.ended)
    ended = sorted([*book, *(hold.time / factors.without(hold) for hold in sample if hold.ended)])
    censored = sorted(hold.time / factors.of(hold.scope) for hold in sample if not hold.ended)
    times, left = _product_limit(ended, censored)
    return SurvivalCurve(
        times=times,
        left=left,
        factor=factors.of(scope),
        sample=sum(hold.ended for hold in sample),
        own=factors.counts(scope),
        steps=factors.steps(scope),
    )


def _product_limit(ended: Sequence[float], censored: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return the times at which repairs ended, and the share left after each (Kaplan and Meier 1958)."""
    times: list[float] = []
    left: list[float] = []
    share, at_risk, gone = 1.0, len(ended) + len(censored), 0
    for place, time in enumerate(ended):
        while gone < len(censored) and censored[gone] < time:
            gone += 1
        share *= 1 - 1 / (at_risk - place - gone)
        if times and times[-1] == time:
            left[-1] = share
        else:
            times.append(time)
            left.append(share)
    return times, left


class Factors:
    """How much longer repairs hold on a make, a model and a car, computed from sums of logarithms by level."""

    def __init__(self, ended: Iterable[HoldTime]) -> None:
        self._n: dict[Hashable, int] = defaultdict(int)
        self._sum: dict[Hashable, float] = defaultdict(float)
        for hold in ended:
            y = math.log(max(hold.time, _SHORTEST))
            for key in ((), *_keys(hold.scope)):
                self._n[key] += 1
                self._sum[key] += y

    def of(self, scope: VehicleScope) -> float:
        """Return the factor of a vehicle, or 1 if nothing is known about it."""
        return math.exp(self._shift(_keys(scope), 0, 0.0))

    def without(self, hold: HoldTime) -> float:
        """Return the factor of a sample's vehicle, computed without that sample."""
        return math.exp(self._shift(_keys(hold.scope), 1, math.log(max(hold.time, _SHORTEST))))

    def counts(self, scope: VehicleScope) -> tuple[int, int, int]:
        """Return the numbers of ended repairs on the make, on the model and on the car."""
        make, model, car = (
            self._n.get((level, key), 0) if key is not None else 0 for level, key in enumerate(scope.path())
        )
        return make, model, car

    def steps(self, scope: VehicleScope) -> Sequence[ScopeStep]:
        """Return the effect of each level on the factor of a vehicle, leaving out levels without repairs."""
        found: list[ScopeStep] = []
        before, keys = 0.0, _keys(scope)
        for place, (level, key) in enumerate(keys):
            if n := self._n.get((level, key), 0):
                after = self._shift(keys[: place + 1], 0, 0.0)
                weight = n / (n + _SHRINKAGE[level])
                found.append(
                    ScopeStep(level=LEVELS[level], count=n, weight=weight, factor=math.exp(after - before))
                )
                before = after
        return found

    def _shift(self, keys: Sequence[tuple[int, Hashable]], excluded: int, y: float) -> float:
        n = self._n.get((), 0) - excluded
        if n <= 0:
            return 0.0
        start = mean = (self._sum[()] - excluded * y) / n
        for key in keys:
            n = self._n.get(key, 0) - excluded
            if n > 0:
                own = (self._sum[key] - excluded * y) / n
                mean += n / (n + _SHRINKAGE[key[0]]) * (own - mean)
        return mean - start


def _keys(scope: VehicleScope) -> list[tuple[int, Hashable]]:
    return [(level, key) for level, key in enumerate(scope.path()) if key is not None]
