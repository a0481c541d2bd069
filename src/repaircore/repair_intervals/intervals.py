"""When a repair is needed again: how long it held on vehicles like this one.

The times from one repair to the next are gathered from the history, together with those of repairs that
still hold: leaving these out would make everything look short-lived while the history is young. The book
enters as twenty repairs of its own. What is left of a hundred repairs after a time is reckoned as Kaplan and
Meier (1958) do; how much longer a make, a model or this very car holds is a factor, shrunk toward 1 while little is known.

Times are months or miles alike: the rules do not care.
"""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from operator import neg
from typing import Final, NamedTuple

from attrs import frozen

BOOK_COUNTS_AS: Final = 20
"""The book enters as so many repairs."""

LEVELS: Final = ("make", "model", "car")
"""What vehicles share, from the widest to the car itself."""

_LEANS_ON: Final = (12.0, 12.0, 2.0)
"""A make's, a model's and a car's own times count half from so many on: cars differ the most."""

_LOW: Final = 0.1
_HIGH: Final = 0.9
_SHORTEST: Final = 1e-3


@frozen
class VehicleScope:
    """What a vehicle shares with others, from the widest to the car itself; None is not known."""

    make: Hashable | None = None
    model: Hashable | None = None
    car: Hashable | None = None

    def path(self) -> tuple[Hashable | None, ...]:
        """Give a key for each level; below an unknown level nothing is known."""
        model = None if self.make is None or self.model is None else (self.make, self.model)
        return (self.make, model, self.car)


class HoldTime(NamedTuple):
    """How long a repair held: until the next one, or, when ``ended`` is False, until now at least.

    A plain tuple, for there may be many.
    """

    time: float
    kin: VehicleScope
    ended: bool = True


@frozen(kw_only=True)
class DueTimes:
    """When the repair is due, counted from when it was made: 10, 50 and 90 % are due by then."""

    low: float
    middle: float
    high: float


@frozen(kw_only=True)
class ScopeStep:
    """What the repairs of a vehicle's own make, model or car change.

    ``seen`` of them ended; they count for ``weight`` (0 to 1) beside the wider level, and make it ``times`` as long.
    """

    level: str
    seen: int
    weight: float
    times: float


@frozen(kw_only=True)
class SurvivalCurve:
    """What is left of the repairs as time goes by: ``times`` ascending, and the share that still holds after each.

    ``factor`` is how much longer than others this vehicle's repairs hold, ``sample`` how many repairs were
    seen to end, and ``own`` how many of them on the same make, model and car; ``steps`` make up the factor.
    """

    times: Sequence[float]
    left: Sequence[float]
    factor: float
    sample: int
    own: tuple[int, int, int]
    steps: Sequence[ScopeStep] = ()

    def due(self, elapsed: float = 0.0) -> DueTimes:
        """Say when the repair is due, knowing that it has held for ``elapsed`` already."""
        still = self._left_after(elapsed)
        return DueTimes(
            low=max(elapsed, self._time_of(still * (1 - _LOW))),
            middle=max(elapsed, self._time_of(still * 0.5)),
            high=max(elapsed, self._time_of(still * (1 - _HIGH))),
        )

    def share_due(self, elapsed: float) -> float:
        """Give the share of such repairs that are due by then."""
        return 1.0 - self._left_after(elapsed)

    def _left_after(self, elapsed: float) -> float:
        place = bisect_right(self.times, elapsed / self.factor)
        # Something always holds a little longer than everything that was seen.
        return max(self.left[place - 1] if place else 1.0, self.left[-2] / 2 if len(self.left) > 1 else 0.5)

    def _time_of(self, share: float) -> float:
        """Give the first time after which no more than a share is left."""
        place = bisect_left(self.left, -share, key=neg)
        return self.times[min(place, len(self.times) - 1)] * self.factor


def book_times(interval: float, shape: float) -> tuple[float, ...]:
    """Give the book's twenty repairs: Weibull's quantiles around a median of ``interval``.

    ``shape`` is 3 for what wears (most hold about as long), 1 for what fails by chance.
    """
    scale = interval / math.log(2) ** (1 / shape)
    shares = ((i + 0.5) / BOOK_COUNTS_AS for i in range(BOOK_COUNTS_AS))
    return tuple(scale * (-math.log(1 - share)) ** (1 / shape) for share in shares)


def holding(book: Sequence[float], past: Iterable[HoldTime], kin: VehicleScope) -> SurvivalCurve:
    """Reckon how long a repair holds on a vehicle.

    Each time is first divided by the factor of the vehicle that it was seen on, leaving that time itself out
    of account; what comes out is multiplied by this vehicle's.
    """
    seen = [one for one in past if one.time > 0]
    factors = Factors(one for one in seen if one.ended)
    ended = sorted([*book, *(one.time / factors.without(one) for one in seen if one.ended)])
    held = sorted(one.time / factors.of(one.kin) for one in seen if not one.ended)
    times, left = _product_limit(ended, held)
    return SurvivalCurve(
        times=times,
        left=left,
        factor=factors.of(kin),
        sample=sum(one.ended for one in seen),
        own=factors.seen(kin),
        steps=factors.steps(kin),
    )


def _product_limit(ended: Sequence[float], held: Sequence[float]) -> tuple[list[float], list[float]]:
    """Give the times at which repairs ended, and what is left after each (Kaplan and Meier 1958)."""
    times: list[float] = []
    left: list[float] = []
    share, at_risk, gone = 1.0, len(ended) + len(held), 0
    for place, time in enumerate(ended):
        while gone < len(held) and held[gone] < time:
            gone += 1
        share *= 1 - 1 / (at_risk - place - gone)
        if times and times[-1] == time:
            left[-1] = share
        else:
            times.append(time)
            left.append(share)
    return times, left


class Factors:
    """How much longer repairs hold on a make, a model, a car: sums of logarithms, level by level."""

    def __init__(self, ended: Iterable[HoldTime]) -> None:
        self._n: dict[Hashable, int] = defaultdict(int)
        self._sum: dict[Hashable, float] = defaultdict(float)
        for one in ended:
            y = math.log(max(one.time, _SHORTEST))
            for key in ((), *_keys(one.kin)):
                self._n[key] += 1
                self._sum[key] += y

    def of(self, kin: VehicleScope) -> float:
        """Give the factor of a vehicle; 1 when nothing is known of it."""
        return math.exp(self._shift(_keys(kin), 0, 0.0))

    def without(self, one: HoldTime) -> float:
        """Give the factor of the vehicle that a time was seen on, as if that time had not been seen."""
        return math.exp(self._shift(_keys(one.kin), 1, math.log(max(one.time, _SHORTEST))))

    def seen(self, kin: VehicleScope) -> tuple[int, int, int]:
        """Count what was seen of the make, the model and the car."""
        make, model, car = (
            self._n.get((level, key), 0) if key is not None else 0 for level, key in enumerate(kin.path())
        )
        return make, model, car

    def steps(self, kin: VehicleScope) -> Sequence[ScopeStep]:
        """Say what each level does to the factor of a vehicle; those of which nothing was seen are left out."""
        found: list[ScopeStep] = []
        before, keys = 0.0, _keys(kin)
        for place, (level, key) in enumerate(keys):
            if n := self._n.get((level, key), 0):
                after = self._shift(keys[: place + 1], 0, 0.0)
                weight = n / (n + _LEANS_ON[level])
                found.append(
                    ScopeStep(level=LEVELS[level], seen=n, weight=weight, times=math.exp(after - before))
                )
                before = after
        return found

    def _shift(self, keys: Sequence[tuple[int, Hashable]], but: int, y: float) -> float:
        n = self._n.get((), 0) - but
        if n <= 0:
            return 0.0
        start = mean = (self._sum[()] - but * y) / n
        for key in keys:
            n = self._n.get(key, 0) - but
            if n > 0:
                own = (self._sum[key] - but * y) / n
                mean += n / (n + _LEANS_ON[key[0]]) * (own - mean)
        return mean - start


def _keys(kin: VehicleScope) -> list[tuple[int, Hashable]]:
    return [(level, key) for level, key in enumerate(kin.path()) if key is not None]
