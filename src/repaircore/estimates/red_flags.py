"""When the models and the local history disagree by more than both usually err."""

import math

from attrs import frozen

from repaircore.estimates.explanation import signed
from repaircore.kernel.money import Cents

__all__ = ["Flag", "flag"]

_Z = 2.0
_RATIO = 1.25
_FLOOR = 0.01
_FEWEST = 3
_WHOLE_DOLLARS_FROM: Cents = 100_00


@frozen(kw_only=True)
class Flag:
    """Whether to look twice, the reason when so, and a sentence for the explanation in any case."""

    raised: bool
    reason: str | None
    text: str


def flag(local: Cents, ai: Cents | None, *, local_variance: float, ai_variance: float, invoices: int) -> Flag:
    """Compare the models' figure with the local one: beyond 1.25 times, and beyond two standard errors.

    ``invoices`` are those of this repair; fewer than three are too few to doubt a model by.
    """
    if ai is None:
        return _none("No model gave a figure to compare with, so there is no red flag.")
    if invoices < _FEWEST:
        return _none(
            f"We have {invoices} local invoices of this job; below {_FEWEST} we raise no red flag, "
            "however far the models are."
        )
    usual = math.sqrt(local_variance + ai_variance + _FLOOR)
    distance = abs(math.log(ai / local))
    told = (
        f"AI {_dollars(ai)} against {_dollars(local)} from {invoices:,} local repairs ({signed(ai / local - 1)}); "
        f"jobs like this normally vary by ±{100 * math.expm1(usual):.0f} %."
    )
    if distance > _Z * usual and max(ai, local) > _RATIO * min(ai, local):
        return Flag(raised=True, reason=told, text=told)
    return _none(f"{told} That is no red flag.")


def _none(text: str) -> Flag:
    return Flag(raised=False, reason=None, text=text)


def _dollars(amount: Cents) -> str:
    return f"${amount / 100:,.0f}" if amount >= _WHOLE_DOLLARS_FROM else f"${amount / 100:,.2f}"
