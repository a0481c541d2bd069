"""What was measured, as tables: to read as they are printed, and in Markdown for the page that is kept."""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from attrs import asdict, fields, frozen

from bench.quality.goals import misses
from bench.quality.runs import Result
from bench.quality.scores import Score
from bench.quality.stages import Point, Refitted
from bench.quality.worlds import WORLDS

_METHODS: Final = (
    "method", "MAE $", "median %", "pinball", "80% holds", "width", "bias", "confidence", "met", "flags false", "found", "s",
)  # fmt: skip
_POINTS: Final = ("after", "bias", "median %", "pinball", "80% holds", "width")

_HEAD: Final = """# How good estimates are

`python -m bench quality` makes invoices up whose truth is known, lets the product and other methods learn from the same ones, and compares what
they estimate with the sound invoices of the six months after. The product learns through its own use cases: an import, the nightly jobs, and predictions on
the day of each repair; its last invoices answer predictions that it made. `--keep` writes this page. Needs the dependency group `quality`
(scikit-learn, LightGBM), which the product never imports.

- **MAE $**: the mean of what the middle figure is off. **median %**: half of the figures are off by at most so much of what was paid.
- **pinball**: the mean loss of the 10, 50 and 90% quantiles of ln cost; the smaller the better. It is the one figure that judges middle and range together.
- **80% holds**: how many of the invoices the nominal 80% range holds. **width**: the median of ln(high/low). **bias**: the median of ln(figure/paid).
- **confidence** is what the product stated on average, **met** how many figures came within 25% of the invoice.
- **flags**: two models that know the truth up to 15% are asked beside; in half of the cases they are 2.2 times too high or too low. False are red flags
  of the others, found are those of these.
- **s**: seconds of learning and of all estimates, other programs being at work on the machine.

The other methods get all prices brought to one level by the product's own price index; their ranges are calibrated by the last fifth of the invoices (split
conformal). The **oracle** knows the law that the invoices were drawn from, so that only noise is left. Of 800 repairs, a share of 80% swings by ±1.4 points from seed to seed, of 200 by ±2.8.

After 200 invoices a range is calibrated by some 130 errors, and a few repairs are most of what comes: the share that it holds then swings by ±5 points from
seed to seed. A red flag cannot find more than our own figure knows: with a threshold that knew the truth, 5% false, some 92% of the bad figures
could be found after 200 invoices in the world "foreign", 84% in "sparse" and "errors", 68% in "unrelated" ([measured](../decisions/red-flags.md)).
"""


@frozen(kw_only=True)
class Measured:
    """Everything that a run found."""

    results: Sequence[Result] = ()
    points: Sequence[Point] = ()
    refits: Sequence[Refitted] = ()


def lines(measured: Measured) -> Iterator[str]:
    """Give all tables, in Markdown that reads well as it is."""
    for world, of_world in groupby(measured.results, key=lambda one: one.world):
        yield (
            f"## {world.capitalize()}: {WORLDS[world].text}"
            if world in WORLDS
            else f"## Real invoices: {world}"
        )
        yield ""
        for result in of_world:
            yield f"{result.size:,} invoices, seed {result.seed}, {result.scores[0].tested:,} repairs estimated:"
            yield ""
            yield from _table([_METHODS, *map(_method, result.scores)])
            yield ""
    for series, of_series in groupby(measured.points, key=lambda one: one.series):
        yield f"## Step by step: {series}"
        yield ""
        yield from _table([_POINTS, *map(_stage, of_series)])
        yield ""
    for one in measured.refits:
        yield f"## An import of {one.invoices:,} invoices, then the nightly jobs"
        yield ""
        yield (
            f"ln(high/low) after, divided by before: {one.widest:.2f} at most, {one.narrowest:.2f} at least, "
            f"{one.middle:.2f} in the middle. Against the same invoices with nothing fitted to them: "
            f"{one.since_unfitted[0]:.2f} at most, {one.since_unfitted[1]:.2f} at least."
        )
        yield ""
    short = [*misses(measured.results, measured.points, measured.refits)]
    yield "## What falls short"
    yield ""
    yield from (f"- {text}" for text in short or ["Nothing of what was measured."])


def page(measured: Measured, *, day: str, machine: str) -> str:
    """Give the page that is kept."""
    return "\n".join((_HEAD, f"Measured on {day}: {machine}.", "", *lines(measured), ""))


def csv_text(points: Sequence[Point]) -> str:
    """Give the points as CSV."""
    text = io.StringIO()
    table = csv.DictWriter(text, [one.name for one in fields(Point)], lineterminator="\n")
    table.writeheader()
    table.writerows(asdict(point) for point in points)
    return text.getvalue()


def _method(one: Score) -> tuple[str, ...]:
    return (
        one.method,
        f"{one.mae:.1f}",
        f"{one.median_error:.1f}",
        f"{one.pinball:.4f}",
        f"{one.coverage:.1f}",
        f"{one.width:.2f}",
        f"{one.bias:+.3f}",
        *(_or_dash(value) for value in (one.stated, one.met, one.flags_false, one.flags_found, one.seconds)),
    )


def _stage(one: Point) -> tuple[str, ...]:
    return (
        f"{one.invoices:,}",
        f"{one.bias:+.3f}",
        f"{one.median_error:.1f}",
        f"{one.pinball:.4f}",
        f"{one.coverage:.1f}",
        f"{one.width:.2f}",
    )


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield _line(rows[0], widths)
    yield (
        "|"
        + "|".join("-" * (width + 1) + ":" if i else "-" * (width + 2) for i, width in enumerate(widths))
        + "|"
    )
    yield from (_line(row, widths) for row in rows[1:])


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        cell.rjust(width) if i else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return f"| {' | '.join(padded)} |"


def _or_dash(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.1f}"
