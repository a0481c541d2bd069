"""The one table that all benchmarks print: what · yardstick · ratio · goal."""

import time
from collections.abc import Callable, Iterable

from attrs import frozen


@frozen
class Row:
    """``ratio`` is what was measured, divided by its yardstick; ``goal`` is what it should be, in words."""

    what: str
    yardstick: str
    ratio: float
    goal: str


def print_table(rows: Iterable[Row]) -> None:
    cells = [("what", "yardstick", "ratio", "goal")]
    cells += [(row.what, row.yardstick, f"{row.ratio:.2f}", row.goal) for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(4)]
    for line in cells:
        print(" · ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def interleaved(*actions: Callable[[], object], rounds: int, times: int) -> list[float]:
    """Give the least seconds that one call of each action took, the actions taking turns.

    The machine's speed swings within the hour; what takes turns is slowed alike.
    """
    best = [float("inf")] * len(actions)
    for _ in range(rounds):
        for i, action in enumerate(actions):
            start = time.perf_counter()
            for _ in range(times):
                action()
            best[i] = min(best[i], (time.perf_counter() - start) / times)
    return best
