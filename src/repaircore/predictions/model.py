"""Predictions: the question, the cached answer, and what each caller gets."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.facilities.zip_code import ZipCode
from repaircore.kernel.callers import Environment
from repaircore.kernel.facts import NO_FACTS, VehicleFacts
from repaircore.kernel.money import Cents
from repaircore.kernel.rules import Length, PlainText, Range, YearRange
from repaircore.kernel.wording import money
from repaircore.predictions.price_adjustment import adjusted_amount, adjusted_breakdown, adjusted_range
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartsTier

if TYPE_CHECKING:
    from repaircore.vehicles.matching import Match

# Mileage bands: part of the cache key, and sent to price models; no local price depends on them.

BAND = 25_000
"""The width of a mileage band, in miles."""


def mileage_band(miles: int | None) -> int | None:
    """Return the number of a mileage's band, counted from 0; an unknown mileage is a separate band (None)."""
    return None if miles is None else max(0, miles) // BAND


def band_middle(band: int | None) -> int | None:
    """Return the mileage in the middle of a band, or None for the band of unknown mileages."""
    return None if band is None else band * BAND + BAND // 2


# The age of a cached answer.

CACHE_LIFETIME = timedelta(days=3)
"""How long an answer is cached."""

PARTIAL_CACHE_LIFETIME = timedelta(seconds=30)
"""How long an answer that lacks a model is cached: no longer than a circuit breaker stays open,
so that the first request after it closes computes the answer again.
"""


def remaining(computed_at: datetime, expires_at: datetime, now: datetime) -> float:
    """Return the percentage of an answer's lifetime that is left, to two decimals.

    It falls linearly from 100 to 0. If the clock was set back, it stays at 100.
    """
    age = (now - computed_at) / (expires_at - computed_at)
    return round(100 * min(1.0, max(0.0, 1 - age)), 2)


ADJUSTMENT_STEP: Final = "price adjustment"
"""The name of the explanation step about the operator's price adjustment."""


_NAME: Final = PlainText(1, 100)


@frozen(kw_only=True)
class PredictByVin:
    """A request for a prediction on a vehicle identified by its VIN; ``mileage`` is the odometer reading.

    ``force`` estimates the repair even if it does not fit; ``parts_tier`` chooses the grade of the parts.
    """

    vin: str
    zip_code: ZipCode
    problem_identifier: str
    mileage: Annotated[int, Range(0, 2_000_000)] | None = None
    parts_tier: str | None = None
    force: bool = False


@frozen(kw_only=True)
class PredictBySpecs:
    """A request for a prediction on a vehicle identified by year, make and model."""

    year: Annotated[int, YearRange(1900, 2100)]
    make: Annotated[str, _NAME]
    model: Annotated[str, _NAME]
    zip_code: ZipCode
    problem_identifier: str
    trim: Annotated[str, Length(0, 100)] | None = None
    engine: Annotated[str, Length(0, 100)] | None = None
    parts_tier: str | None = None
    force: bool = False


@frozen(kw_only=True)
class Question:
    """The cache key of an answer.

    ``vehicle_key`` is the VIN's first 11 characters, the vehicle's id, or the whole VIN if a record describes that
    single vehicle. ``vin`` is the whole VIN of the request: if it has such a record, only that record's answer counts.
    """

    environment: Environment
    vehicle_key: str
    problem_id: int
    zip_code: str
    mileage_band: int | None
    vin: str | None = None
    parts_tier: PartsTier | None = None


class MemorySource(StrEnum):
    """Whether the answer was computed now or comes from the cache."""

    FRESH = "fresh"
    CACHED = "cached"


@frozen(kw_only=True)
class EstimatedVehicle:
    """The vehicle of a prediction. ``vin`` has the first 11 characters of its VIN, or is None if that is unknown."""

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
class EstimatedProblem:
    """The repair of a prediction."""

    id: int
    slug: str
    display_name: str


@frozen(kw_only=True)
class EstimatedRegion:
    """The place of a prediction, and the cost of an hour of labor there (cents), with its source in words."""

    zip_code: str
    state: str
    labor_rate: Cents
    labor_rate_source: str
    labor_rate_text: str


@frozen(kw_only=True)
class LocalFigures:
    """The local estimate without its lines (see ``pricing.estimator.LocalEstimate``)."""

    low: Cents
    average: Cents
    high: Cents
    sample_size: int
    effective_sample_size: float
    confidence: int
    basis: tuple[Basis, ...]


@frozen(kw_only=True)
class ModelFigures:
    """The figure of one model, or the reason why there is none."""

    average: Cents | None
    match: float | None
    source: str
    unavailable_reason: str | None


@frozen(kw_only=True)
class FitFigures:
    """Whether the repair fits the vehicle: ``fits``, ``does_not_fit`` or ``unknown``, and why (``book.fit``)."""

    outcome: str = "fits"
    reason: str | None = None


FITS: Final = FitFigures()


@frozen(kw_only=True)
class TierFigures:
    """The price of the repair with parts of one grade; ``share`` is the percentage of invoices that have it."""

    tier: PartsTier
    parts_total: Cents
    total: Cents
    share: float


@frozen(kw_only=True)
class Figures:
    """Everything that is cached for an answer, before any price adjustment. Money is in cents.

    ``partial`` means that a model did not respond, so that the answer is cached only for seconds. ``parts_tier`` is
    the grade of parts in the figures, or None for a repair without graded parts, which has no ``parts_tiers``.
    ``doubt`` is the variance (ln) of the local figure if the models' figure was compared with it, else None.
    """

    vehicle: EstimatedVehicle
    problem: EstimatedProblem
    region: EstimatedRegion
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
        """Return the figures with every amount adjusted by the operator's percentage; match and red flag stay the same.

        The lines define the average, so it is also their sum after the adjustment. The sentence about the
        labor rate and the explanation keep the computed figures; a final step about the adjustment is added.
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
                _adjusted_tier(tier, breakdown, self.parts_tier, percent) for tier in self.parts_tiers
            ),
        )


def _adjustment_step(before: Cents, after: Cents, percent: float) -> ExplanationStep:
    change = f"{'+' if percent > 0 else '−'}{abs(percent):g}%"
    text = f"All prices are adjusted by {change}: {money(before)} becomes {money(after)}."
    return ExplanationStep(name=ADJUSTMENT_STEP, text=text, value=after / 100)


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
    """An answer, cached for all callers with the same question until it expires."""

    id: UUID
    figures: Figures
    computed_at: datetime
    expires_at: datetime


@frozen(kw_only=True)
class CachedAnswer:
    """A cached answer as one caller finds it.

    ``session_id`` is the caller's, or None if they have not asked before; ``adjusted`` has the figures with the current
    price adjustment applied.
    """

    id: UUID
    figures: Figures
    computed_at: datetime
    expires_at: datetime
    session_id: UUID | None
    adjusted: Figures


@frozen(kw_only=True)
class Prediction:
    """A prediction as returned to a caller. ``figures`` are adjusted; ``warnings`` are machine-readable codes.

    ``match`` describes how the request's specs were matched to a vehicle; it is None if the request had none.
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
        """The percentage of the answer's lifetime that is left: 100 when fresh, 0 at expiry."""
        return remaining(self.computed_at, self.expires_at, self.now)


WARNING_TEXTS: Final[Mapping[str, str]] = {
    "vin_check_digit": "The VIN's check digit is wrong: one of its characters may be mistyped.",
    "problem_does_not_fit_vehicle": "This repair does not fit this vehicle.",
    "trim_unknown": "We do not know this trim: the figures are for the model in general.",
    "fit_unknown": "We do not know whether this repair fits this vehicle.",
    "outside_book": "The repair book does not cover this kind of vehicle: the figures are rough.",
    "not_required_in_state": "This state does not require this inspection: the price is what a shop charges if you want one anyway.",
    "free_at_state_stations": "The state's own stations do this inspection for free: the price is what a private shop charges.",
}
"""Prediction warnings as sentences for people, by code."""
