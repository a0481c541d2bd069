"""Fees set by law: what a state inspection costs, if one is required.

If the law sets a fee, that fee is the answer, whatever invoices and models say. Where no inspection is required, or
it is free, the ordinary estimate stays (shops also inspect cars that need no sticker), with a warning and the reason.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from attrs import evolve, field, frozen

from repaircore.kernel.money import Cents
from repaircore.kernel.wording import money
from repaircore.predictions.model import Figures, ModelFigures
from repaircore.pricing.aggregation import match
from repaircore.pricing.estimator import LocalEstimate, Outlook
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartLine
from repaircore.pricing.ranges import Distribution

NOT_REQUIRED_IN_STATE: Final = "not_required_in_state"
FREE_AT_STATE_STATIONS: Final = "free_at_state_stations"
_PREFIX: Final = 3
STEP: Final = "fee set by law"

_NARROWEST: Final = 0.01
_Z80: Final = 1.2815515655446004
_SURE: Final = 95
"""The confidence in a fee set by law, in percent: counties add fees of their own, and tables age."""


class FeeKind(StrEnum):
    """How a state's law regulates an inspection."""

    FIXED = "fixed"
    SHOP = "shop"
    FREE = "free"
    NONE = "none"


@frozen(kw_only=True)
class StatutoryFee:
    """A state's law on an inspection; ``0 < low <= price <= high`` in cents if it sets a fee.

    ``note`` is where and how often it applies, or "". ``year`` is the year of the table. ``areas`` are parts of the
    state with their own fees, by ZIP code or its first three digits.
    """

    kind: FeeKind
    state: str
    year: int
    price: Cents = 0
    low: Cents = 0
    high: Cents = 0
    note: str = ""
    areas: Mapping[str, "StatutoryFee"] = field(factory=dict, hash=False)

    def at(self, zip_code: str) -> "StatutoryFee":
        """Return the fee in the area of a ZIP code."""
        return self.areas.get(zip_code) or self.areas.get(zip_code[:_PREFIX], self)

    @property
    def text(self) -> str:
        """Return the law in a sentence."""
        note = f" ({self.note})" if self.note else ""
        match self.kind:
            case FeeKind.FIXED:
                return f"{self.state} sets the fee: {money(self.price)}{note}, as of {self.year}."
            case FeeKind.SHOP:
                return f"{self.state} requires this inspection{note} and lets stations set the price, as of {self.year}."
            case FeeKind.FREE:
                return (
                    f"{self.state} requires this inspection{note}, and its own stations do it for free, as of {self.year}; this is"
                    " what a private shop charges."
                )
            case FeeKind.NONE:
                return (
                    f"{self.state} does not require this inspection for ordinary cars{note}, as of {self.year}; this is what a shop"
                    " charges if you want one anyway."
                )


@frozen(kw_only=True)
class StatutoryFees:
    """The fees set by law, by the slug of the repair and then by the two letters of the state."""

    by_slug: Mapping[str, Mapping[str, StatutoryFee]]

    def find(self, slug: str, state: str, zip_code: str) -> StatutoryFee | None:
        """Return the law that applies at a ZIP code, or None if the repair or the state is not listed."""
        fee = self.by_slug.get(slug, {}).get(state)
        return None if fee is None else fee.at(zip_code)


_WARNINGS: Final = {FeeKind.NONE: NOT_REQUIRED_IN_STATE, FeeKind.FREE: FREE_AT_STATE_STATIONS}


def with_fee(figures: Figures, fee: StatutoryFee | None) -> Figures:
    """Replace the estimate with the fee if the law sets one; otherwise add the law, if any, to the explanation."""
    if fee is None:
        return figures
    step = _step(fee)
    if fee.kind is FeeKind.FIXED:
        return _fixed(figures, fee, step)
    warning = _WARNINGS.get(fee.kind)
    return evolve(
        figures,
        explanation=(step, *figures.explanation),
        warnings=(*figures.warnings, warning) if warning else figures.warnings,
    )


def fixed_estimate(estimate: LocalEstimate, fee: StatutoryFee) -> LocalEstimate:
    """Return the estimate of a repair whose price the law sets."""
    return evolve(
        estimate,
        low=fee.low,
        average=fee.price,
        high=fee.high,
        confidence=_SURE,
        basis=_basis(fee),
        labor_share=0.0,
        breakdown=_breakdown(fee, estimate.breakdown.labor_rate),
        steps=(_step(fee),),
    )


def fixed_outlook(outlook: Outlook, fee: StatutoryFee) -> Outlook:
    """Return the outlook around a fee set by law: eight out of ten prices lie between its low and high."""
    return evolve(
        outlook,
        labor_share=0.0,
        center=float(fee.price),
        spread=max(_NARROWEST, math.log(fee.high / fee.low) / (2 * _Z80)),
        errors=Distribution(cumulative=(), errors=None),
    )


def _basis(fee: StatutoryFee) -> tuple[Basis, ...]:
    return (Basis(level=None, name=f"the fee set by law in {fee.state}", invoices=0, weight=100.0),)


def _breakdown(fee: StatutoryFee, labor_rate: Cents) -> Breakdown:
    line = PartLine(name=f"Fee set by law ({fee.state})", unit_price=fee.price, quantity=1)
    return Breakdown(parts=(line,), labor_hours=0.0, labor_rate=labor_rate)


def _step(fee: StatutoryFee) -> ExplanationStep:
    return ExplanationStep(name=STEP, text=fee.text, value=fee.price / 100)


def _fixed(figures: Figures, fee: StatutoryFee, step: ExplanationStep) -> Figures:
    return evolve(
        figures,
        local=evolve(
            figures.local,
            low=fee.low,
            average=fee.price,
            high=fee.high,
            confidence=_SURE,
            basis=_basis(fee),
        ),
        breakdown=_breakdown(fee, figures.breakdown.labor_rate),
        model_a=_matched(figures.model_a, fee.price),
        model_b=_matched(figures.model_b, fee.price),
        match=None if figures.ai_average is None else match(figures.ai_average, fee.price),
        red_flag=False,
        red_flag_reason=None,
        explanation=(step,),
    )


def _matched(model: ModelFigures, price: Cents) -> ModelFigures:
    return model if model.average is None else evolve(model, match=match(model.average, price))
