"""The geometry of charts: pure arithmetic, everything in percent of the chart's width or height.

With percentages, a chart is as wide as its page while its text keeps its size.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from attrs import frozen

from repaircore.checkup.figures import Durations
from repaircore.kernel.money import Cents, PriceRange
from repaircore.kernel.wording import short_duration, whole_dollars
from repaircore.predictions.model import Figures, LocalFigures
from repaircore.predictions.past_predictions import HistoryEntry
from repaircore.predictions.track_record import AnsweredPrediction, Reliability
from repaircore.transactions.listing import MonthTotals
from repaircore.transactions.price_distribution import PriceColumn, PriceDistribution

_MARGIN: Final = 0.06
_NEAR: Final = 5
"""The percentage points by which the actual confidence may differ from the promised one."""

_MAX_POINTS: Final = 400
"""The maximum number of points; more would overlap."""


@frozen(kw_only=True)
class Mark:
    """A model's figure on the bar, marked with the model's letter."""

    letter: str
    amount: Cents
    at: float


@frozen(kw_only=True)
class Bar:
    """Low, average, high and the models' figures on one scale."""

    low: float
    average: float
    high: float
    marks: Sequence[Mark]

    @property
    def width(self) -> float:
        """Return the width of the range."""
        return round(self.high - self.low, 2)


def range_bar(figures: Figures) -> Bar:
    """Return a range and the models' figures on one scale that fits them all."""
    local = figures.local
    models = [("A", figures.model_a.average), ("B", figures.model_b.average)]
    amounts = [local.low, local.high, *(amount for _, amount in models if amount is not None)]
    least, most = min(amounts), max(amounts)
    reach = max(1, most - least) * (1 + 2 * _MARGIN)
    first = least - max(1, most - least) * _MARGIN

    def at(amount: Cents) -> float:
        return round(100 * (amount - first) / reach, 2)

    return Bar(
        low=at(local.low),
        average=at(local.average),
        high=at(local.high),
        marks=[
            Mark(letter=letter, amount=amount, at=at(amount))
            for letter, amount in models
            if amount is not None
        ],
    )


def share_of_range(local: LocalFigures | PriceRange) -> float:
    """Return where the average lies between low and high, as a percentage of their distance."""
    return round(100 * (local.average - local.low) / max(1, local.high - local.low), 2)


def amounts_bar(low: Cents, average: Cents, high: Cents) -> Bar:
    """Return a range on a scale that it fills, except for the margins."""
    reach = max(1, high - low) * (1 + 2 * _MARGIN)
    first = low - max(1, high - low) * _MARGIN
    ends = [round(100 * (amount - first) / reach, 2) for amount in (low, average, high)]
    return Bar(low=ends[0], average=ends[1], high=ends[2], marks=())


@frozen(kw_only=True)
class Column:
    """A column of a chart, with its label and its description."""

    label: str
    x: float
    width: float
    y: float
    height: float
    text: str


def columns(months: Sequence[MonthTotals], *, most: int = 36) -> Sequence[Column]:
    """Return a column for the total of each of the latest ``most`` months."""
    latest = months[-most:]
    tallest = max((month.total for month in latest), default=0) or 1
    slot = 100 / max(1, len(latest))
    return [
        Column(
            label=month.month,
            x=round(slot * number + slot * 0.15, 2),
            width=round(slot * 0.7, 2),
            y=round(100 - 100 * month.total / tallest, 2),
            height=round(100 * month.total / tallest, 2),
            text=f"{month.month}: {month.n:,} invoice{'s' * (month.n != 1)}, ${month.total / 100:,.0f}",
        )
        for number, month in enumerate(latest)
    ]


def columns_of(figures: Sequence[float]) -> Sequence[Column]:
    """Return a column for each figure, side by side, without descriptions: a table shows the figures."""
    tallest = max(figures, default=0) or 1
    slot = 100 / max(1, len(figures))
    return [
        Column(
            label="",
            x=round(slot * number + slot * 0.15, 2),
            width=round(slot * 0.7, 2),
            y=round(100 - 100 * figure / tallest, 2),
            height=round(100 * figure / tallest, 2),
            text="",
        )
        for number, figure in enumerate(figures)
    ]


def price_columns(distribution: PriceDistribution) -> Sequence[Column]:
    """Return a column for each price range of a distribution, side by side."""
    tallest = max((column.share for column in distribution.columns), default=0) or 1
    slot = 100 / max(1, len(distribution.columns))
    return [
        Column(
            label=_bounds(column),
            x=round(slot * number + slot * 0.06, 2),
            width=round(slot * 0.88, 2),
            y=round(100 - 100 * column.share / tallest, 2),
            height=round(100 * column.share / tallest, 2),
            text=f"{_bounds(column)}: {column.share:.0%}",
        )
        for number, column in enumerate(distribution.columns)
    ]


def _bounds(column: PriceColumn) -> str:
    if column.low is None:
        return f"under {whole_dollars(column.high or 0)}"
    if column.high is None:
        return f"{whole_dollars(column.low)} or more"
    return f"{whole_dollars(column.low)} to {whole_dollars(column.high)}"


@frozen(kw_only=True)
class Pair:
    """A prediction in the history's chart: our figure and the models', joined by a line."""

    x: float
    local: float
    together: float | None
    flagged: bool
    text: str


def pairs(entries: Sequence[HistoryEntry]) -> tuple[Sequence[Pair], Sequence[tuple[float, Cents]]]:
    """Return the points of predictions, oldest first, on a scale from 0, and the ticks of the scale.

    ``entries`` are newest first.
    """
    amounts = [
        amount
        for entry in entries
        for amount in (entry.local_average, entry.ai_average)
        if amount is not None
    ]
    unit = tick_distance(max(amounts, default=1))
    top = unit * math.ceil(max(amounts, default=1) / unit)

    def y(amount: Cents) -> float:
        return round(100 - 100 * amount / top, 2)

    slot = 100 / max(1, len(entries))
    points = [
        Pair(
            x=round(slot * (number + 0.5), 2),
            local=y(entry.local_average),
            together=None if entry.ai_average is None else y(entry.ai_average),
            flagged=entry.red_flag,
            text=f"{'Red flag. ' if entry.red_flag else ''}{entry.problem_name}: ours ${entry.local_average / 100:,.2f}"
            + ("" if entry.ai_average is None else f", the models' ${entry.ai_average / 100:,.2f}"),
        )
        for number, entry in enumerate(reversed(entries))
    ]
    return points, [(y(amount), amount) for amount in range(0, top + 1, unit)]


def tick_distance(most: float) -> int:
    """Return a round distance that puts two to five ticks below ``most``."""
    rough = max(1.0, most / 4)
    power = 10 ** math.floor(math.log10(rough))
    return int(next(power * times for times in (1, 2, 5, 10) if power * times >= rough))


@frozen(kw_only=True)
class ReliabilityPoint:
    """Predictions of similar confidence, as a point in the reliability diagram.

    On the diagonal, the actual confidence is exactly the promised one.
    """

    x: float
    y: float
    near: bool
    text: str


def reliability(steps: Iterable[Reliability]) -> Sequence[ReliabilityPoint]:
    """Return the points of promised against actual confidence, both from 0 to 100%."""
    return [
        ReliabilityPoint(
            x=step.promised,
            y=round(100 - step.met, 2),
            near=abs(step.promised - step.met) <= _NEAR,
            text=f"{step.predictions:,} estimate{'s' * (step.predictions != 1)}: {step.promised:g}% promised, "
            f"{step.met:g}% met",
        )
        for step in steps
    ]


@frozen(kw_only=True)
class Dot:
    """A prediction against its invoice; ``inside`` means that the invoice lay in the range."""

    x: float
    y: float
    inside: bool
    text: str


@frozen(kw_only=True)
class Scatter:
    """Predictions against invoices, both on the same logarithmic scale, and its ticks."""

    dots: Sequence[Dot]
    ticks: Sequence[tuple[float, Cents]]


def scatter(answered: Iterable[AnsweredPrediction]) -> Scatter:
    """Return the newest predictions against what was paid; amounts that are not positive are left out."""
    positive = [prediction for prediction in answered if prediction.average > 0 and prediction.paid > 0]
    plotted = positive[-_MAX_POINTS:]
    amounts = [amount for prediction in plotted for amount in (prediction.average, prediction.paid)]
    least, most = math.log(min(amounts, default=1_00) * 0.8), math.log(max(amounts, default=1_000_00) * 1.25)

    def at(amount: Cents) -> float:
        return round(100 * (math.log(amount) - least) / (most - least), 2)

    dots = [
        Dot(
            x=at(prediction.average),
            y=round(100 - at(prediction.paid), 2),
            inside=prediction.low <= prediction.paid <= prediction.high,
            text=f"Estimated ${prediction.average / 100:,.2f}, paid ${prediction.paid / 100:,.2f}",
        )
        for prediction in plotted
    ]
    powers = range(math.floor(least / math.log(10)), math.ceil(most / math.log(10)) + 1)
    round_amounts = [times * 10**power for power in powers if power >= 0 for times in (1, 2, 5)]
    return Scatter(
        dots=dots,
        ticks=[(at(amount), amount) for amount in round_amounts if least <= math.log(amount) <= most],
    )


@frozen(kw_only=True)
class QuoteBar:
    """The usual range (low, average and high) and the quoted price on one scale."""

    low: float
    average: float
    high: float
    quoted: float

    @property
    def width(self) -> float:
        """Return the width of the range."""
        return round(self.high - self.low, 2)


def quote_bar(quoted: Cents, low: Cents, average: Cents, high: Cents) -> QuoteBar:
    """Return a range and a quoted price on one scale that fits both."""
    least, most = min(low, quoted), max(high, quoted)
    margin = max(1, most - least) * _MARGIN
    reach = max(1, most - least) + 2 * margin

    def at(amount: Cents) -> float:
        return round(100 * (amount - least + margin) / reach, 2)

    return QuoteBar(low=at(low), average=at(average), high=at(high), quoted=at(quoted))


@frozen(kw_only=True)
class Queue:
    """A queue: its length, also as a share of the longest queue, and how many seconds its oldest item has been due."""

    name: str
    number: int
    share: float
    oldest: float


def queues(lengths: Iterable[tuple[str, float, float]]) -> list[Queue]:
    """Return queues on one scale.

    ``lengths`` has the name and the length of each queue, and how many seconds its oldest item has been due.
    """
    found = [*lengths]
    longest = max((number for _, number, _ in found), default=0) or 1
    return [
        Queue(name=name, number=round(number), share=round(100 * number / longest, 2), oldest=oldest)
        for name, number, oldest in found
    ]


def duration_columns(durations: Durations) -> Sequence[Column]:
    """Return a column for each range of durations that occurred, or that lies between two that did."""
    least, counts = 0.0, []
    within = 0
    for bound, total in durations.buckets:
        counts.append((least, bound, total - within))
        least, within = bound, total
    used = [number for number, (_, _, count) in enumerate(counts) if count]
    shown = counts[used[0] : used[-1] + 1] if used else []
    tallest = max((count for _, _, count in shown), default=0) or 1
    slot = 100 / max(1, len(shown))
    return [
        Column(
            label=_seconds_between(low, high),
            x=round(slot * number + slot * 0.06, 2),
            width=round(slot * 0.88, 2),
            y=round(100 - 100 * count / tallest, 2),
            height=round(100 * count / tallest, 2),
            text=f"{_seconds_between(low, high)}: {count:,}",
        )
        for number, (low, high, count) in enumerate(shown)
    ]


def _seconds_between(low: float, high: float) -> str:
    if math.isinf(high):
        return f"over {short_duration(low)}"
    return f"up to {short_duration(high)}"
