"""Red flags: the models and the local history disagree by more than their usual errors."""

import math
from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.kernel.wording import signed

THRESHOLD: Final = 1.45
"""The standard errors that 95 % of sound figures stay within, until the installation's own history says otherwise."""

_FALSE: Final = 0.05
_LEANS_ON: Final = 60
_RATIO = 1.25
_FLOOR = 0.01
_FEWEST = 3
_NEXT: Final = "Check the vehicle and the repair first; if both are right, compare an itemized quote."
_WHOLE_DOLLARS_FROM: Cents = 100_00


@frozen(kw_only=True)
class Flag:
    """Whether the flag is raised, with the reason, and a sentence for the explanation in any case.

    ``compared`` tells that there was enough to compare.
    """

    raised: bool
    reason: str | None
    text: str
    compared: bool = False


def threshold_of(distances: Sequence[float]) -> float:
    """Return the threshold that one in twenty past distances exceed; 1.45 counts as 60 of them."""
    n = len(distances)
    if not n:
        return THRESHOLD
    found = sorted(distances)[min(n - 1, math.ceil((n + 1) * (1 - _FALSE)) - 1)]
    return (n * found + _LEANS_ON * THRESHOLD) / (n + _LEANS_ON)


def distance(local: Cents, ai: Cents, *, local_variance: float, ai_variance: float) -> float:
    """Return the distance of two figures, in standard errors."""
    return abs(math.log(ai / local)) / _usual(local_variance, ai_variance)


def flag(
    local: Cents,
    ai: Cents | None,
    *,
    local_variance: float,
    ai_variance: float,
    invoices: int,
    threshold: float = THRESHOLD,
) -> Flag:
    """Compare the models' figure with the local one: beyond 1.25 times, and beyond the threshold in standard errors.

    ``ai_variance`` is that of the models' figure before one that lies far off was damped: doubt must not grow because they
    disagree with us. ``invoices`` are those of this repair; fewer than three are too few to doubt a model by.
    """
    if ai is None:
        return _none("No model gave a figure to compare with, so there is no red flag.")
    if invoices < _FEWEST:
        return _none(
            f"We have {invoices} local invoices of this job; below {_FEWEST} we raise no red flag, "
            "however far the models are."
        )
    usual = _usual(local_variance, ai_variance)
    apart = distance(local, ai, local_variance=local_variance, ai_variance=ai_variance)
    text = (
        f"AI {_dollars(ai)} against {_dollars(local)} from {invoices:,} local repairs ({signed(ai / local - 1)}); "
        f"jobs like this normally vary by ±{100 * math.expm1(usual):.0f} %."
    )
    if apart > threshold and max(ai, local) > _RATIO * min(ai, local):
        reason = f"{text} {_NEXT}"
        return Flag(raised=True, reason=reason, text=reason, compared=True)
    return _none(f"{text} That is no red flag.", compared=True)


def _usual(local_variance: float, ai_variance: float) -> float:
    return math.sqrt(local_variance + ai_variance + _FLOOR)


def _none(text: str, *, compared: bool = False) -> Flag:
    return Flag(raised=False, reason=None, text=text, compared=compared)


def _dollars(amount: Cents) -> str:
    return f"${amount / 100:,.0f}" if amount >= _WHOLE_DOLLARS_FROM else f"${amount / 100:,.2f}"
