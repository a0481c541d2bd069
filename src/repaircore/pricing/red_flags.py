"""Red flags: the models and the local history disagree by more than their usual errors."""

import math
from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.kernel.wording import signed

THRESHOLD: Final = 1.45
"""95% of sound figures are within this many standard errors, unless the installation's own history differs."""

_FALSE: Final = 0.04
"""The allowed share of past figures beyond the threshold; a few hundred figures show it to within a hundredth."""

_LEANS_ON: Final = 60
_RATIO = 1.25
_FLOOR = 0.01
_FEWEST: Final = 3
_FEWEST_OF_ALL: Final = 20
"""After this many invoices, the first refit has learned how far the book's prices are from this installation's."""

_NEXT: Final = "Check the vehicle and the repair first; if both are right, compare an itemized quote."
_NEXT_BY_BOOK: Final = "Check the vehicle and the repair first; if both are right, get an itemized quote before relying on either figure."
_WHOLE_DOLLARS_FROM: Cents = 100_00


@frozen(kw_only=True)
class Flag:
    """Whether the flag is raised, with the reason if it is, and a sentence for the explanation in any case.

    ``compared`` is whether there was enough to compare.
    """

    raised: bool
    reason: str | None
    text: str
    compared: bool = False


@frozen(kw_only=True)
class Evidence:
    """The number of invoices behind the local figure: of this repair, and of all repairs (at least as many)."""

    invoices: int
    of_all: int

    @property
    def is_enough(self) -> bool:
        """Return whether a model may be doubted: this repair has enough invoices, or all repairs together do."""
        return self.invoices >= _FEWEST or self.of_all >= _FEWEST_OF_ALL

    @property
    def words(self) -> str:
        """Return the source of the figure, in words."""
        if not self.invoices:
            return "the repair book"
        own = f"{self.invoices:,} local repair{'s' if self.invoices != 1 else ''}"
        return own if self.invoices >= _FEWEST else f"{own} and the repair book"

    @property
    def next_step(self) -> str:
        """Return what to do about a flag."""
        return _NEXT if self.invoices >= _FEWEST else _NEXT_BY_BOOK


def threshold_of(distances: Sequence[float]) -> float:
    """Return the threshold that at most 4% of past distances exceed; the initial 1.45 counts as 60 of them."""
    n = len(distances)
    if not n:
        return THRESHOLD
    found = sorted(distances)[min(n - 1, math.ceil((n + 1) * (1 - _FALSE)) - 1)]
    return (n * found + _LEANS_ON * THRESHOLD) / (n + _LEANS_ON)


def distance(local: Cents, ai: Cents, *, local_variance: float, ai_variance: float) -> float:
    """Return the distance between two figures, in standard errors."""
    return abs(math.log(ai / local)) / _usual(local_variance, ai_variance)


def flag(
    local: Cents,
    ai: Cents | None,
    *,
    local_variance: float,
    ai_variance: float,
    evidence: Evidence,
    threshold: float = THRESHOLD,
) -> Flag:
    """Flag the models' figure if it differs from the local one by more than a factor of 1.25 and ``threshold``.

    ``threshold`` is in standard errors. ``ai_variance`` is the variance of the models' figure before outliers were
    damped: it must not grow because they disagree with the local one. A local figure from few invoices, or from the
    book, has a large variance, so that only a larger difference raises a flag; with too few invoices (``Evidence``),
    none does.
    """
    if ai is None:
        return _none("No model gave a figure to compare with, so there is no red flag.")
    if not evidence.is_enough:
        return _none(
            f"We have {evidence.invoices} local invoices for this job and {evidence.of_all} in total; with fewer than "
            f"{_FEWEST} for a job and {_FEWEST_OF_ALL} in total, we raise no red flag, however far off the models are."
        )
    usual = _usual(local_variance, ai_variance)
    apart = distance(local, ai, local_variance=local_variance, ai_variance=ai_variance)
    text = (
        f"AI {_dollars(ai)} against {_dollars(local)} from {evidence.words} ({signed(ai / local - 1)}); "
        f"jobs like this normally vary by ±{100 * math.expm1(usual):.0f}%."
    )
    if apart > threshold and max(ai, local) > _RATIO * min(ai, local):
        reason = f"{text} {evidence.next_step}"
        return Flag(raised=True, reason=reason, text=reason, compared=True)
    return _none(f"{text} That is not a red flag.", compared=True)


def _usual(local_variance: float, ai_variance: float) -> float:
    return math.sqrt(local_variance + ai_variance + _FLOOR)


def _none(text: str, *, compared: bool = False) -> Flag:
    return Flag(raised=False, reason=None, text=text, compared=compared)


def _dollars(amount: Cents) -> str:
    return f"${amount / 100:,.0f}" if amount >= _WHOLE_DOLLARS_FROM else f"${amount / 100:,.2f}"
