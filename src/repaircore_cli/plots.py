"""Charts drawn with matplotlib, which is an extra: ``pip install 'repaircore[plots]'``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from repaircore.kernel.wording import counted

if TYPE_CHECKING:
    from repaircore.learning.ledger import PriceHistory
    from repaircore.predictions.history import AccuracyReport, ProblemAccuracy
    from repaircore.predictions.track_record import AnsweredPrediction
    from repaircore.transactions.price_history import MonthPaid, Paid


_KINDS: Final = (".png", ".svg", ".pdf")
_INK: Final = "#1f2937"
_FAINT: Final = "#9ca3af"
_OURS: Final = "#2563eb"
_MODELS: Final = "#f59e0b"
_MISSED: Final = "#dc2626"
_INCHES: Final = (12.0, 5.0)
_MOST_PROBLEMS: Final = 8
_LONGEST_NAME: Final = 34
_MOST_BARS: Final = 40
_UP_TO: Final = 0.99
"""The share of invoices to plot: the most expensive 1% would compress the rest of the chart."""


def require_plots(file: Path) -> None:
    """Check that a chart can be written to a file, before anything is computed for it.

    Raises:
        Invalid: on ``file``: its extension is not that of a supported format, or its folder does not exist.
        Unavailable: matplotlib is not installed.
    """
    from repaircore.kernel.errors import Invalid, Unavailable

    if file.suffix.lower() not in _KINDS:
        raise Invalid({"file": [f"The file name must end in one of: {', '.join(_KINDS)}."]})
    if not file.parent.is_dir():
        raise Invalid({"file": [f"The folder {file.parent} does not exist."]})
    if find_spec("matplotlib") is None:
        raise Unavailable("Charts require matplotlib. Run: pip install 'repaircore[plots]'")


def accuracy_plot(report: "AccuracyReport", file: Path) -> None:
    """Plot estimates against their invoices, and the median error by repair."""
    with _picture(file, (5, 4)) as (left, right):
        _pairs(left, report.answered)
        _errors(right, report.problems[:_MOST_PROBLEMS])
        share = report.overall.inside
        _title(
            left,
            "Estimated and paid",
            f"{counted(report.invoices, 'invoice')}, {share:g}% of them inside the range"
            if share is not None
            else "",
        )
        _title(right, "Half are off by at most", "percent of the invoice, by repair")


def paid_plot(history: "PriceHistory", paid: "Paid", file: Path) -> None:
    """Plot the prices paid for a repair: their distribution, and their trend by month."""
    with _picture(file, (1, 1)) as (left, right):
        _spread(left, history, paid)
        _trend(right, paid.months)
        on_make = f" on {history.make}" if history.make else ""
        _title(
            left,
            f"{history.problem.name}{on_make}",
            f"{counted(len(paid.totals), 'invoice')}: 80% between {_money(paid.low)} and {_money(paid.high)}",
        )
        _title(right, "By month", "what was paid")


@contextmanager
def _picture(file: Path, widths: Sequence[int]) -> "Iterator[Sequence[Any]]":
    """Yield two panels side by side, and write them to the file at the end of the block."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(
        {"text.parse_math": False}
    ):  # text between two dollar signs must not be read as a formula
        figure = Figure(figsize=_INCHES, dpi=144, layout="constrained", facecolor="white")
        panels = figure.subplots(1, 2, width_ratios=widths)
        yield panels
        for panel in panels:
            panel.spines[["top", "right"]].set_visible(False)
            panel.tick_params(colors=_INK, labelsize=9)
            panel.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=4)
        figure.savefig(file, format=file.suffix[1:].lower())


def _title(panel: Any, title: str, under: str) -> None:
    panel.set_title(title, loc="left", fontsize=12, fontweight="bold", color=_INK, pad=22 if under else 8)
    panel.text(0, 1.02, under, transform=panel.transAxes, fontsize=9, color=_INK)


def _money(cents: float) -> str:
    return f"${cents / 100:,.0f}"


def _in_dollars(*axes: Any) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    for axis in axes:
        axis.set_major_formatter(FuncFormatter(lambda dollars, _: f"${dollars:,.0f}"))
        axis.set_minor_formatter(NullFormatter())


def _pairs(panel: Any, answered: "Sequence[AnsweredPrediction]") -> None:
    inside = [prediction for prediction in answered if prediction.low <= prediction.paid <= prediction.high]
    outside = [
        prediction for prediction in answered if not prediction.low <= prediction.paid <= prediction.high
    ]
    for these, color, label in ((inside, _OURS, "inside the range"), (outside, _MISSED, "outside")):
        panel.scatter(
            [prediction.average / 100 for prediction in these],
            [prediction.paid / 100 for prediction in these],
            s=14,
            alpha=0.6,
            linewidths=0,
            color=color,
            label=f"{label} ({len(these):,})",
        )
    amounts = [
        amount / 100
        for prediction in answered
        for amount in (prediction.average, prediction.paid)
        if amount > 0
    ]
    if amounts:
        ends = (min(amounts) * 0.8, max(amounts) * 1.25)
        panel.plot(ends, ends, color=_FAINT, linewidth=1, zorder=0)
        panel.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    panel.set_xlabel("estimated", color=_INK)
    panel.set_ylabel("paid", color=_INK)
    _in_dollars(panel.xaxis, panel.yaxis)
    _plain_ticks(panel.xaxis, panel.yaxis)


def _plain_ticks(*axes: Any) -> None:
    from matplotlib.ticker import LogLocator

    for axis in axes:
        axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))


def _errors(panel: Any, problems: "Sequence[ProblemAccuracy]") -> None:
    places = range(len(problems))
    ours = [problem.accuracy.local.median_error or 0 for problem in problems]
    models = [problem.accuracy.together.median_error or 0 for problem in problems]
    panel.barh([place - 0.2 for place in places], ours, height=0.36, color=_OURS, label="our estimate")
    panel.barh([place + 0.2 for place in places], models, height=0.36, color=_MODELS, label="both models")
    panel.set_yticks(list(places), [_named(problem) for problem in problems])
    panel.invert_yaxis()
    panel.xaxis.set_major_formatter("{x:g}%")


def _named(problem: "ProblemAccuracy") -> str:
    name = problem.display_name.rpartition(" > ")[2]
    return f"{name[: _LONGEST_NAME - 1]}…" if len(name) > _LONGEST_NAME else name


def _spread(panel: Any, history: "PriceHistory", paid: "Paid") -> None:
    shown = paid.totals[: max(1, int(len(paid.totals) * _UP_TO) + 1)]
    bars = max(1, min(_MOST_BARS, round(len(shown) ** 0.5)))
    panel.hist([total / 100 for total in shown], bins=bars, color=_OURS, alpha=0.35)
    panel.axvspan(
        history.problem.low / 100,
        history.problem.high / 100,
        color=_FAINT,
        alpha=0.18,
        linewidth=0,
        label=f"repair book {_money(history.problem.low)} to {_money(history.problem.high)}",
        zorder=0,
    )
    for amount, style, label in (
        (paid.low, ":", "low"),
        (paid.average, "-", "average"),
        (paid.high, ":", "high"),
    ):
        line = f"{label} {_money(amount)}"
        panel.axvline(amount / 100, color=_INK, linestyle=style, linewidth=1.4, label=line)
    panel.set_ylabel("invoices", color=_INK)
    _in_dollars(panel.xaxis)


def _trend(panel: Any, months: "Sequence[MonthPaid]") -> None:
    from matplotlib import dates

    days: list[Any] = [month.month for month in months]
    panel.fill_between(
        days,
        [month.low / 100 for month in months],
        [month.high / 100 for month in months],
        color=_OURS,
        alpha=0.15,
        linewidth=0,
        label="80% of them",
    )
    panel.plot(
        days,
        [month.middle / 100 for month in months],
        color=_OURS,
        linewidth=1.6,
        marker="o",
        markersize=3,
        label="the middle invoice",
    )
    panel.set_ylim(bottom=0)
    locator: Any = dates.AutoDateLocator
    formatter: Any = dates.ConciseDateFormatter
    places = locator()
    panel.xaxis.set_major_locator(places)
    panel.xaxis.set_major_formatter(formatter(places))
    _in_dollars(panel.yaxis)
