"""The errors of past estimates, counted in fixed bins.

An error is ln(actual) - ln(estimate), divided by the expected spread; the estimate is from before its invoice was
learned. The bins are narrow near 0 and wide far from it (even steps of asinh), so that 96 suffice for -27 to
+27 spreads.

Errors are stored in generations of at most 1,000, one row each, for every problem and for all problems together:

    environment, problem_id (0: all), generation -> counts      (``packed``: 96 unsigned 32-bit)

The latest three generations that are not empty are read: in the long run, the last 2,001 to 3,000 errors. An invoice's
row stores its bin and its generations, so it can be removed without a trace.
"""

import math
import struct
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from attrs import field, frozen

_HALF = 48
_STEPS = 12.0

BINS = 2 * _HALF

EDGES: tuple[float, ...] = tuple(math.sinh((i - _HALF) / _STEPS) for i in range(BINS + 1))
"""The edges of the bins, in spreads; bin i is from EDGES[i] to EDGES[i + 1]."""

START_ALPHA = 20_000
"""The share of invoices outside the range before anything is learned, in hundred-thousandths: two in ten."""

GENERATION = 1000
GENERATIONS_READ = 3
_FIRST_GENERATION = 20
_GROWTH = 1.5


def capacity(generation: int) -> int:
    """Return the number of errors that a generation holds."""
    return min(GENERATION, round(_FIRST_GENERATION * _GROWTH ** min(generation, 20)))


_LAYOUT = struct.Struct(f"<{BINS}I")


def bin_of(z: float) -> int:
    """Return the bin for an error of ``z`` spreads; the outermost bins include everything beyond them."""
    return max(0, min(BINS - 1, bisect_right(EDGES, z) - 1))


@frozen
class Tally:
    """The number of errors in each bin."""

    counts: tuple[int, ...] = field(default=(0,) * BINS)

    @property
    def w(self) -> int:
        """Return the total number of errors."""
        return sum(self.counts)

    def plus(self, number: int) -> "Tally":
        """Return the counts with one more error in bin ``number``."""
        return self._changed(number, 1)

    def minus(self, number: int) -> "Tally":
        """Return the counts with one error fewer in bin ``number``: the exact inverse of ``plus``."""
        return self._changed(number, -1)

    def _changed(self, number: int, by: int) -> "Tally":
        counts = list(self.counts)
        counts[number] += by
        return Tally(tuple(counts))

    @classmethod
    def merged(cls, tallies: Iterable["Tally"]) -> "Tally":
        """Return the sum of the tallies."""
        columns = [tally.counts for tally in tallies]
        return cls(tuple(map(sum, zip(*columns, strict=True)))) if columns else cls()

    def packed(self) -> bytes:
        """Return the counts as 96 little-endian unsigned 32-bit integers."""
        return _LAYOUT.pack(*self.counts)

    @classmethod
    def unpacked(cls, data: bytes) -> "Tally":
        """Return the tally that ``packed`` wrote."""
        return cls(_LAYOUT.unpack(data))


NO_ERRORS = Tally()


@frozen(kw_only=True)
class Surprise:
    """The error of an estimate, as stored with the invoice that revealed it.

    ``generation`` and ``generation_of_all`` are the rows that count it, for its problem and for all problems;
    ``alpha_step`` is what it added to the share of invoices outside the range, in grains.
    """

    bin: int
    generation: int
    generation_of_all: int
    alpha_step: int


def generation_for(newest: int, tally: Tally) -> int:
    """Return the generation that counts the next error: the newest one, or the next one if that is full."""
    return newest + 1 if tally.w >= capacity(newest) else newest


def latest(generations: Sequence[Tally]) -> Tally:
    """Return the sum of the latest generations that are not empty; ``generations`` must be newest first."""
    return Tally.merged([tally for tally in generations if any(tally.counts)][:GENERATIONS_READ])
