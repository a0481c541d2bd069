"""A prediction: the question, what is remembered of its answer, and what one asker gets."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.facts import NO_FACTS, VehicleFacts
from repaircore.kernel.money import Cents
from repaircore.kernel.wording import money
from repaircore.predictions.price_adjustment import adjusted_amount, adjusted_breakdown, adjusted_range
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartsTier

if TYPE_CHECKING:
    from repaircore.vehicles.matching import Match
from datetime import timedelta

# Bands of mileage. They keep remembered predictions apart and inform price models; no local price moves.


BAND = 25_000
"""Miles in a band."""


def mileage_band(miles: int | None) -> int | None:
    """Give the number of the band, from 0; an unknown mileage is a band of its own (None)."""
    return None if miles is None else max(0, miles) // BAND


def band_middle(band: int | None) -> int | None:
    """Give the miles in the middle of a band, None of the unknown."""
    return None if band is None else band * BAND + BAND // 2


# How much of a remembered prediction is left.


KEPT = timedelta(days=3)
"""For so long the same question has the same answer."""

KEPT_PARTIAL = timedelta(minutes=5)
"""For so long an answer is kept that a model had no part in: soon it is worth asking again."""


def remaining(computed_at: datetime, expires_at: datetime, now: datetime) -> float:
    """Give what is left in percent, two decimals: 100 at first, falling evenly to 0 at expiry.

    A clock that was set back leaves 100.
    """
    age = (now - computed_at) / (expires_at - computed_at)
    return round(100 * min(1.0, max(0.0, 1 - age)), 2)


ADJUSTMENT: Final = "price adjustment"
"""The name of the step that tells of the operator's percentage; there is none without one."""


@frozen(kw_only=True)
class Ask:
    """What a caller wants to know, as they wrote it: VIN, ZIP code, problem id or slug, odometer in miles.

    ``force`` asks for the estimate of a repair that does not fit; ``parts_tier`` chooses the grade of the parts.
    """

    vin: str
    zip_code: str
    problem_identifier: str
    mileage: int | None = None
    parts_tier: str | None = None
    force: bool = False


@frozen(kw_only=True)
class Specs:
    """The same question for a vehicle that is told by year, make and model."""

    year: int
    make: str
    model: str
    zip_code: str
    problem_identifier: str
    trim: str | None = None
    engine: str | None = None
    parts_tier: str | None = None
    force: bool = False


@frozen(kw_only=True)
class Question:
    """What an answer is remembered for.

    ``vehicle_key`` is the VIN's first 11 characters, the whole VIN of a record that is one vehicle's alone, or the
    vehicle's id. ``vin`` is the whole VIN that was asked about: where such a record exists, it alone answers.
    """

    environment: Environment
    vehicle_key: str
    problem_id: int
    zip_code: str
    mileage_band: int | None
    vin: str | None = None
    parts_tier: PartsTier | None = None


class MemorySource(StrEnum):
    """Whether the answer was computed now or is remembered."""

    FRESH = "fresh"
    CACHED = "cached"


@frozen(kw_only=True)
class VehicleNamed:
    """The vehicle of a prediction. ``vin`` is the stored mask, None when none is known."""

    id: UUID
    vin: str | None
    display_name: str
    make: str
    model: str
    year: int
    trim: str | None
    engine: str | None
    facts: VehicleFacts = NO_FACTS


@frozen(kw_only=True)
class ProblemNamed:
    """The repair of a prediction."""

    id: int
    slug: str
    display_name: str


@frozen(kw_only=True)
class RegionNamed:
    """Where, and what an hour of labor costs there (cents), with the reason in words."""

    zip_code: str
    state: str
    labor_rate: Cents
    labor_rate_source: str
    labor_rate_text: str


@frozen(kw_only=True)
class LocalFigures:
    """The local estimate without its lines (see ``model.LocalEstimate``)."""

    low: Cents
    average: Cents
    high: Cents
    sample_size: int
    effective_sample_size: float
    confidence: int
    basis: tuple[Basis, ...]


@frozen(kw_only=True)
class ModelFigures:
    """What one model said; without a figure, the reason."""

    average: Cents | None
    match: float | None
    source: str
    unavailable_reason: str | None


@frozen(kw_only=True)
class FitFigures:
    """Whether the repair fits the vehicle: ``fits``, ``does_not_fit`` or ``unknown``, and why (``problems.fit``)."""

    outcome: str = "fits"
    reason: str | None = None


FITS: Final = FitFigures()


@frozen(kw_only=True)
class TierFigures:
    """What the repair costs with parts of one grade; ``share`` of the invoices of such a vehicle have it, in percent."""

    tier: PartsTier
    parts_total: Cents
    total: Cents
    share: float


@frozen(kw_only=True)
class Figures:
    """Everything that is remembered of an answer, before any price adjustment. Money is in cents.

    ``partial`` tells that a model did not answer, which is why it is remembered for minutes only. ``parts_tier`` is
    the grade of parts that the figures are of; None for a repair without graded parts, which has no ``parts_tiers``.
    ``doubt`` is the variance of our figure (ln) that the models' was compared with it by; None where none was.
    """

    vehicle: VehicleNamed
    problem: ProblemNamed
    region: RegionNamed
    local: LocalFigures
    breakdown: Breakdown
    model_a: ModelFigures
    model_b: ModelFigures
    ai_average: Cents | None
    match: float | None
    red_flag: bool
    red_flag_reason: str | None
    explanation: tuple[ExplanationStep, ...]
    warnings: tuple[str, ...]
    partial: bool
    fit: FitFigures = FITS
    parts_tier: PartsTier | None = None
    parts_tiers: tuple[TierFigures, ...] = ()
    doubt: float | None = None

    def adjusted(self, percent: float) -> "Figures":
        """Move every money figure by the operator's percentage; match and red flag stay.

        The lines define the average, so it is their sum after the adjustment as well. The words about the
        rate and the explanation keep the figures that were computed; its last step tells of the adjustment.
        """
        if percent == 0:
            return self
        breakdown = adjusted_breakdown(self.breakdown, percent)
        low, average, high = adjusted_range(self.local.low, breakdown, self.local.high, percent)
        return evolve(
            self,
            region=evolve(self.region, labor_rate=adjusted_amount(self.region.labor_rate, percent)),
            local=evolve(self.local, low=low, average=average, high=high),
            breakdown=breakdown,
            model_a=_adjusted_model(self.model_a, percent),
            model_b=_adjusted_model(self.model_b, percent),
            ai_average=None if self.ai_average is None else adjusted_amount(self.ai_average, percent),
            explanation=(*self.explanation, _adjustment_step(self.local.average, average, percent)),
            parts_tiers=tuple(
                _adjusted_tier(one, breakdown, self.parts_tier, percent) for one in self.parts_tiers
            ),
        )


def _adjustment_step(before: Cents, after: Cents, percent: float) -> ExplanationStep:
    moved = f"{'+' if percent > 0 else '−'}{abs(percent):g} %"
    text = f"The operator moves every price by {moved}: {money(before)} becomes {money(after)}."
    return ExplanationStep(name=ADJUSTMENT, text=text, value=after / 100)


def _adjusted_tier(
    tier: TierFigures, breakdown: Breakdown, chosen: PartsTier | None, percent: float
) -> TierFigures:
    if tier.tier is chosen:  # the lines' own sum, to the cent
        return evolve(tier, parts_total=breakdown.parts_total, total=breakdown.total)
    return evolve(
        tier,
        parts_total=adjusted_amount(tier.parts_total, percent),
        total=adjusted_amount(tier.total, percent),
    )


def _adjusted_model(model: ModelFigures, percent: float) -> ModelFigures:
    return model if model.average is None else evolve(model, average=adjusted_amount(model.average, percent))


@frozen(kw_only=True)
class Answer:
    """An answer as it is kept, for whoever asks the same before it expires."""

    id: UUID
    figures: Figures
    computed_at: datetime
    expires_at: datetime


@frozen(kw_only=True)
class CachedAnswer:
    """A remembered answer as one asker finds it.

    ``session_id`` is theirs, None when they never asked before; ``adjusted`` are the figures moved by
    the price adjustment in force now.
    """

    id: UUID
    figures: Figures
    computed_at: datetime
    expires_at: datetime
    session_id: UUID | None
    adjusted: Figures


@frozen(kw_only=True)
class Prediction:
    """What a caller gets. ``figures`` are adjusted; ``warnings`` are machine-readable words.

    ``match`` tells how specs led to the vehicle, None when a VIN did.
    """

    session_id: UUID
    source: MemorySource
    computed_at: datetime
    expires_at: datetime
    now: datetime
    figures: Figures
    warnings: tuple[str, ...]
    match: "Match | None" = None

    @property
    def remaining(self) -> float:
        """Give what is left of the memory in percent: 100 when fresh, 0 at expiry."""
        return remaining(self.computed_at, self.expires_at, self.now)


# Past predictions as they are listed.


RED_FLAGS_LISTED: Final = 50


@frozen(kw_only=True)
class HistoryEntry:
    """A line of the history. Money is in cents, as it was computed: no price adjustment is in it.

    ``vin`` is what was asked for; where year, make and model led to the vehicle it is that vehicle's, its
    tail masked, or None when none is known. ``vehicle_name`` is its year, make and model. ``problem_name`` is ``Parent > Child``.
    """

    id: int
    session_id: UUID
    vin: str | None
    vehicle_name: str | None = None
    problem_name: str
    red_flag: bool
    red_flag_reason: str | None
    match: float | None
    local_average: Cents
    ai_average: Cents | None
    feedbacks: int
    good_feedbacks: int
    created_at: datetime


@frozen(kw_only=True)
class PastPrediction:
    """A prediction as others refer to it. Money is in cents, as it was computed."""

    id: int
    session_id: UUID
    problem_id: int
    vehicle_id: UUID
    vin: str | None
    low: Cents
    average: Cents
    high: Cents


@frozen(kw_only=True)
class PastPredictionRecord:
    """A past prediction as it is kept: its line, what was asked, and the answer as long as that is kept.

    ``vin`` is what was asked for, None where year, make and model led to the vehicle. The answer may have expired.
    """

    entry: HistoryEntry
    vin: str | None
    zip_code: str
    problem_slug: str
    mileage: int | None
    answer: Answer | None


@frozen(kw_only=True)
class PastPredictionDetail:
    """A past prediction that somebody looks at again.

    ``prediction`` is the whole answer as it is told now, None once it is remembered no longer: then ``asked.entry``
    has what is left of it.
    """

    asked: PastPredictionRecord
    prediction: Prediction | None
