"""The one table that all benchmarks print: what · yardstick · ratio · goal · met.

Every figure is a ratio to a yardstick that runs in the same benchmark, the two taking turns: the machine's
speed swings within the hour, and what takes turns is slowed alike.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence

from attrs import frozen


@frozen
class Ratio:
    """The median of some ratios, with the quartiles on both sides of it."""

    median: float
    low: float
    high: float

    @property
    def text(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f}-{self.high:.2f})"


@frozen
class Row:
    """``ratio`` is what was measured, divided by its yardstick; it should be ``goal`` at most.

    Without a goal it is there to compare with.
    """

    what: str
    yardstick: str
    ratio: Ratio
    goal: float | None = None

    @property
    def aim(self) -> str:
        return "-" if self.goal is None else f"≤ {self.goal:g}"

    @property
    def met(self) -> str:
        if self.goal is None:
            return "-"
        return "yes" if self.ratio.median <= self.goal else "no"


def exactly(ratio: float) -> Ratio:
    """Give a ratio that does not swing."""
    return Ratio(ratio, ratio, ratio)


def ratio_of(measured: Sequence[float], yardstick: Sequence[float]) -> Ratio:
    """Compare what was measured round by round with the yardstick of the same round."""
    ratios = [mine / theirs for mine, theirs in zip(measured, yardstick, strict=True)]
    if len(ratios) == 1:
        return exactly(ratios[0])
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Ratio(median, low, high)


def print_table(rows: Iterable[Row]) -> None:
    cells = [("what", "yardstick", "ratio (quartiles)", "goal", "met")]
    cells += [(row.what, row.yardstick, row.ratio.text, row.aim, row.met) for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    for line in cells:
        print(" · ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def tell(text: str) -> None:
    """Show progress, beside the table."""
    print(text, file=sys.stderr, flush=True)


def timed(action: Callable[[], object], times: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Give the seconds that one call took, of ``times`` in a row."""
    start = clock()
    for _ in range(times):
        action()
    return (clock() - start) / times


def interleaved(
    *actions: Callable[[], object],
    rounds: int,
    times: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[list[float]]:
    """Give for each action the seconds that a call took in each round, the actions taking turns.

    What only computes is best timed with ``time.process_time``, which other processes do not disturb.
    """
    taken: list[list[float]] = [[] for _ in actions]
    for _ in range(rounds):
        for i, action in enumerate(actions):
            taken[i].append(timed(action, times, clock))
    return taken
