"""What estimates should reach, and whether they do."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from bench.quality.runs import Result
from bench.quality.scores import Score
from bench.quality.stages import Point, Refitted

_TIE: Final = 1.01
_LEAST_HELD, _MOST_HELD = 78.0, 82.0
_CONFIDENCE: Final = 5.0
_FALSE_FLAGS: Final = 5.0
_FOUND_FLAGS: Final = 92.0
_BIAS_BY_20: Final = 0.05
_BIAS_BY_100: Final = 0.02
_SHOP_HELD: Final = (72.0, 90.0)
_WIDER: Final = 1.1


def misses(results: Sequence[Result], points: Sequence[Point], refits: Sequence[Refitted]) -> Iterator[str]:
    """Say in a sentence each what falls short."""
    for result in results:
        others = [
            one for one in result.scores if not one.method.startswith("product") and one.method != "oracle"
        ]
        for mine in result.scores:
            if mine.method.startswith("product"):
                where = f"{result.world}, {result.size:,} invoices, seed {result.seed}, {mine.method}"
                yield from (f"{where}: {text}" for text in _of_method(mine, others))
    for point in points:
        yield from (f"{point.series}, after {point.invoices:,}: {text}" for text in _of_shop(point))
    for one in refits:
        widest = max(one.widest, one.since_unfitted[0])
        if widest > _WIDER:
            yield f"after {one.invoices:,} invoices and the nightly jobs a range is {widest:.2f} times as wide as before"


def _of_method(mine: Score, others: Sequence[Score]) -> Iterator[str]:
    by_mae, by_loss = (min(others, key=key) for key in (lambda one: one.mae, lambda one: one.pinball))
    if mine.mae > by_mae.mae * _TIE:
        yield f"MAE ${mine.mae:.1f}, {by_mae.method} ${by_mae.mae:.1f}"
    if mine.pinball > by_loss.pinball * _TIE:
        yield f"pinball loss {mine.pinball:.4f}, {by_loss.method} {by_loss.pinball:.4f}"
    if not _LEAST_HELD <= mine.coverage <= _MOST_HELD:
        yield f"the 80% range holds {mine.coverage:.1f}%"
    if abs(mine.stated - mine.met) > _CONFIDENCE:
        yield f"confidence {mine.stated:.1f}, met {mine.met:.1f}"
    if mine.flags_false > _FALSE_FLAGS:
        yield f"{mine.flags_false:.1f}% false red flags"
    if mine.flags_found < _FOUND_FLAGS:
        yield f"{mine.flags_found:.1f}% of bad figures found"


def _of_shop(point: Point) -> Iterator[str]:
    if not point.series.startswith("a shop") or point.invoices < 20:
        return
    goal = _BIAS_BY_20 if point.invoices < 100 else _BIAS_BY_100
    if not math.fabs(point.bias) <= goal:
        yield f"bias {point.bias:+.3f}, goal ±{goal}"
    low, high = _SHOP_HELD
    if not low <= point.coverage <= high:
        yield f"the 80% range holds {point.coverage:.1f}%, goal {low:.0f} to {high:.0f}"
