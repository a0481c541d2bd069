"""What a page shows of an estimate, whether it was stored or not."""

from collections.abc import Sequence

from attrs import frozen

from repaircore.kernel.engine_names import facts_line
from repaircore.predictions.model import ADJUSTMENT_STEP, WARNING_TEXTS, Figures
from repaircore.predictions.service import DOES_NOT_FIT
from repaircore_http.console.charts import Bar, range_bar, share_of_range

_ABOUT_FIT = frozenset({"problem_does_not_fit_vehicle", "fit_unknown"})
"""The warnings that have their own notice, which shows the reason."""

_NEAR_LOW, _NEAR_HIGH = 20, 80
"""The percentages of the bar below and above which centered text would overflow it."""


@frozen(kw_only=True)
class ShownFigures:
    """The figures of an estimate, with what its page says about them.

    ``average_at`` is where the average lies between low and high, in percent, and ``anchor`` is the point
    of its text (start, middle or end) that lies there; ``bar`` has the models' figures as well.
    """

    figures: Figures
    mechanics: str | None
    warnings: Sequence[str]
    is_misfit: bool
    average_at: float
    anchor: str
    bar: Bar
    adjustment: str | None


def anchor_at(share: float) -> str:
    """Return the anchor (start, middle or end) with which text at this percentage of the bar stays on it."""
    return "start" if share < _NEAR_LOW else "end" if share > _NEAR_HIGH else "middle"


def shown_figures(figures: Figures, warnings: Sequence[str]) -> ShownFigures:
    """Return what a page shows of the given figures; ``warnings`` are the codes of their warnings."""
    vehicle = figures.vehicle
    average_at = share_of_range(figures.local)
    adjustments = (step.text for step in figures.explanation if step.name == ADJUSTMENT_STEP)
    return ShownFigures(
        figures=figures,
        mechanics=facts_line(vehicle.facts) or vehicle.engine,
        warnings=[WARNING_TEXTS.get(code, code) for code in warnings if code not in _ABOUT_FIT],
        is_misfit=figures.fit.outcome == DOES_NOT_FIT,
        average_at=average_at,
        anchor=anchor_at(average_at),
        bar=range_bar(figures),
        adjustment=next(adjustments, None),
    )
