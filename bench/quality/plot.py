"""A drawing of what is learned step by step; the extra ``plots`` brings what draws it."""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from bench.quality.stages import Point

_INK: Final = "#1f2937"
_FAINT: Final = "#9ca3af"
_COLORS: Final = ("#2563eb", "#f59e0b")
_PROMISED: Final = 80


def draw(points: Sequence[Point], path: Path) -> None:
    """Draw error, coverage and bias against the number of invoices; the file's ending says in which form."""
    figure = Figure(figsize=(10, 3.4), layout="constrained")
    error, held, bias = figure.subplots(1, 3)
    for series, of_series in groupby(points, key=lambda one: one.series):
        some = list(of_series)
        counts = [max(1, point.invoices) for point in some]
        error.plot(counts, [point.median_error for point in some], marker="o", label=series)
        held.plot(counts, [point.coverage for point in some], marker="o")
        bias.plot(counts, [point.bias for point in some], marker="o")
    held.axhline(80, color="gray", linestyle=":")
    bias.axhline(0, color="gray", linestyle=":")
    for axes, title in (
        (error, "median error, %"),
        (held, "invoices in the 80% range, %"),
        (bias, "mean ln(figure / truth)"),
    ):
        axes.set(xscale="log", title=title, xlabel="invoices learned from")
        axes.grid(alpha=0.3)
    error.legend(fontsize=7)
    figure.savefig(path)


def draw_learning(measured: Mapping[str, Any], folder: Path) -> None:
    """Draw what ``python -m bench learning`` measured: one SVG for each part that has a picture."""
    # The same figures make the same file.
    with mpl.rc_context({"svg.hashsalt": "learning", "font.size": 10, "text.color": _INK}):
        for name, draw_part in (("history", _history), ("shop", _shop), ("refit", _refit)):
            if name in measured:
                figure = draw_part(measured[name])
                figure.savefig(folder / f"learning-{name}.svg", metadata={"Date": None})


def _history(points: Sequence[Mapping[str, Any]]) -> Figure:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    error, held = figure.subplots(1, 2)
    counts = [point["invoices"] for point in points]
    error.plot(counts, [point["median_error"] for point in points], marker="o", color=_COLORS[0])
    error.set(title="Half of the estimates are off by more than this", ylabel="% of what was paid")
    error.set_ylim(bottom=0)
    held.plot(counts, [point["coverage"] for point in points], marker="o", color=_COLORS[0])
    _promise(held)
    for axes in (error, held):
        axes.set_xscale("symlog", linthresh=20, linscale=0.4)
        axes.set_xlim(-2, 1.3 * counts[-1])
        _counted(axes, [0, 20, 100, 500, 2_000, 20_000], "invoices learned from")
    return figure


def _shop(points: Sequence[Mapping[str, Any]]) -> Figure:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    bias, held = figure.subplots(1, 2)
    for color, (series, of_series) in zip(_COLORS, groupby(points, key=itemgetter("series")), strict=False):
        some = list(of_series)
        counts = [point["invoices"] for point in some]
        label = series.removeprefix("a shop at +30%, ")
        bias.plot(
            counts, [100 * math.expm1(point["bias"]) for point in some], marker="o", color=color, label=label
        )
        held.plot(counts, [point["coverage"] for point in some], marker="o", color=color)
    bias.axhline(0, color=_FAINT, linestyle="--", linewidth=1)
    bias.set(title="Estimates too high (+) or too low (−)", ylabel="% on average")
    bias.legend(frameon=False)
    _promise(held)
    for axes in (bias, held):
        _counted(axes, [0, 20, 50, 75, 100], "invoices of the shop")
    return figure


def _refit(found: Sequence[Mapping[str, Any]]) -> Figure:
    (one,) = found
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    widths, held = figure.subplots(1, 2, width_ratios=(3, 2))
    before, after = ([100 * math.expm1(w / 2) for w in one[name]] for name in ("before", "after"))
    most = 1.05 * max(*before, *after)
    widths.plot([0, most], [0, most], color=_FAINT, linestyle="--", linewidth=1)
    widths.scatter(before, after, s=12, alpha=0.5, color=_COLORS[0], linewidths=0)
    widths.set(
        title="Each dot is an estimate's range (± %)",
        xlabel="before the refit, by the book's spread",
        ylabel="after it, by what invoices showed",
        xlim=(0, most),
        ylim=(0, most),
        aspect="equal",
    )
    bars = held.bar(
        ["before", "after"], [one["held_before"], one["held_after"]], color=[_FAINT, _COLORS[0]], width=0.55
    )
    held.bar_label(bars, fmt="%.0f %%")
    held.axhline(_PROMISED, color=_INK, linestyle="--", linewidth=1)
    held.set(title="Next invoices inside the range", ylim=(0, 105), ylabel="%")
    for axes in (widths, held):
        _bare(axes)
    return figure


def _promise(axes: Axes) -> None:
    axes.axhline(_PROMISED, color=_INK, linestyle="--", linewidth=1, label="promised")
    axes.legend(frameon=False, loc="lower right")
    axes.set(title="Next invoices inside the range", ylabel="%", ylim=(50, 100))


def _counted(axes: Axes, ticks: Sequence[int], label: str) -> None:
    axes.set_xticks(ticks)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda count, _: f"{count:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(label)
    axes.grid(axis="y", alpha=0.3)
    _bare(axes)


def _bare(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
