"""Predictions as clients see them, over HTTP and on the command line."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self
from uuid import UUID

from repaircore.book.fit import FitOutcome
from repaircore.book.views import FitView, ProblemSummaryView
from repaircore.facilities.rates import RateBasis
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.views import UNSET, Count, Dollars, Percent, UnsetType, view
from repaircore.predictions.model import (
    EstimatedRegion,
    EstimatedVehicle,
    Figures,
    LocalFigures,
    MemorySource,
    ModelFigures,
    Prediction,
    TierFigures,
)
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartLine, PartsTier
from repaircore.transactions.levels import Level
from repaircore.vehicle_facts.views import MechanicalFactsView, mechanical_fields
from repaircore.vehicles.matching import MatchSource
from repaircore.vehicles.vin import mask_tail

if TYPE_CHECKING:
    from repaircore.vehicles.matching import Match
    from repaircore.vehicles.model import Vehicle


@view
class EstimateBasisView:
    """A level of the history that an estimate rests on; ``level`` is null for the book and for other installations."""

    level: Level | None
    name: str
    invoices: Count
    weight: float

    @classmethod
    def of(cls, basis: Basis) -> Self:
        """Return the view of a level with its weight."""
        return cls(level=basis.level, name=basis.name, invoices=basis.invoices, weight=basis.weight)


@view
class LocalPredictionView:
    """The estimate from the history of past repairs; ``confidence`` is from 0 to 100."""

    average_total_estimate: Dollars
    low_total_estimate: Dollars
    high_total_estimate: Dollars
    sample_size: Count
    effective_sample_size: float
    confidence: Percent
    basis: list[EstimateBasisView]

    @classmethod
    def of(cls, local: LocalFigures) -> Self:
        """Return the view of the local estimate, in dollars."""
        return cls(
            average_total_estimate=dollars(local.average),
            low_total_estimate=dollars(local.low),
            high_total_estimate=dollars(local.high),
            sample_size=local.sample_size,
            effective_sample_size=round(local.effective_sample_size, 2),
            confidence=local.confidence,
            basis=[EstimateBasisView.of(basis) for basis in local.basis],
        )


@view
class ModelPredictionView:
    """The estimate of a model; if the model is unavailable, its figures are null and there is a reason."""

    ai_average_estimate: Dollars | None
    match_percentage: Percent | None
    source: str
    unavailable_reason: str | UnsetType = UNSET

    @classmethod
    def of(cls, model: ModelFigures) -> Self:
        """Return the view of a model's figure, in dollars, or the reason for its absence."""
        reason = model.unavailable_reason
        return cls(
            ai_average_estimate=dollars_or_none(model.average),
            match_percentage=model.match,
            source=model.source,
            unavailable_reason=UNSET if reason is None else reason,
        )


@view
class BreakdownPartView:
    """A part in the breakdown, with its unit price, quantity and total."""

    name: str
    unit_price: Dollars
    quantity: Count
    total_price: Dollars

    @classmethod
    def of(cls, line: PartLine) -> Self:
        """Return the view of a line, in dollars."""
        return cls(
            name=line.name,
            unit_price=dollars(line.unit_price),
            quantity=line.quantity,
            total_price=dollars(line.total),
        )


@view
class RepairBreakdownView:
    """The itemized estimate; its lines add up to ``total_estimate`` to the cent."""

    source: str
    parts: list[BreakdownPartView]
    estimated_labor_hours: float
    labor_rate: Dollars
    total_labor_cost: Dollars
    total_parts_cost: Dollars
    total_estimate: Dollars

    @classmethod
    def of(cls, breakdown: Breakdown) -> Self:
        """Return the view of a breakdown, in dollars."""
        parts, labor = breakdown.parts_total, breakdown.labor_total
        return cls(
            source=breakdown.source,
            parts=[BreakdownPartView.of(line) for line in breakdown.parts],
            estimated_labor_hours=breakdown.labor_hours,
            labor_rate=dollars(breakdown.labor_rate),
            total_labor_cost=dollars(labor),
            total_parts_cost=dollars(parts),
            total_estimate=dollars(parts + labor),
        )


@view
class _VehicleNamesView:
    id: UUID
    vin: str | None
    display_name: str
    make: str
    model: str
    year: int
    trim: str | None


@view
class EstimatedVehicleView(MechanicalFactsView, _VehicleNamesView):
    """The vehicle of a prediction."""

    @classmethod
    def of(cls, vehicle: EstimatedVehicle, *, is_masked: bool = False) -> Self:
        """Return the view of a vehicle; ``is_masked`` hides the tail of its VIN."""
        vin = vehicle.vin
        return cls(
            id=vehicle.id,
            vin=mask_tail(vin) if is_masked and vin is not None else vin,
            display_name=vehicle.display_name,
            make=vehicle.make,
            model=vehicle.model,
            year=vehicle.year,
            trim=vehicle.trim,
            **mechanical_fields(vehicle.facts),
        )


@view
class LaborRegionView:
    """The place of the repair, and its labor rate."""

    zip_code: str
    state: str
    labor_rate: Dollars
    labor_rate_source: RateBasis
    labor_rate_text: str

    @classmethod
    def of(cls, region: EstimatedRegion) -> Self:
        """Return the view of a region, in dollars."""
        return cls(
            zip_code=region.zip_code,
            state=region.state,
            labor_rate=dollars(region.labor_rate),
            labor_rate_source=RateBasis(region.labor_rate_source),
            labor_rate_text=region.labor_rate_text,
        )


@view
class ExplanationStepView:
    """A step of the estimate that can be checked by hand."""

    step: str
    text: str
    value: float | None

    @classmethod
    def of(cls, step: ExplanationStep) -> Self:
        """Return the view of a step."""
        return cls(step=step.name, text=step.text, value=step.value)


@view
class TierEstimateView:
    """The price with parts of one grade, and the percentage of invoices that have it at the vehicle's age."""

    tier: PartsTier
    parts_total: Dollars
    total: Dollars
    share: Percent

    @classmethod
    def of(cls, tier: TierFigures) -> Self:
        """Return the view of the prices of a grade, in dollars."""
        return cls(
            tier=tier.tier,
            parts_total=dollars(tier.parts_total),
            total=dollars(tier.total),
            share=tier.share,
        )


@view
class FiguresView:
    """The part of a prediction that is the same for every caller, as long as it is cached."""

    red_flag: bool
    red_flag_reason: str | None
    match_percentage: Percent | None
    aggregated_ai_average: Dollars | None
    local_prediction: LocalPredictionView
    model_a_prediction: ModelPredictionView
    model_b_prediction: ModelPredictionView
    repair_breakdown: RepairBreakdownView
    currency: Literal["USD"] = "USD"
    vehicle: EstimatedVehicleView
    problem: ProblemSummaryView
    region: LaborRegionView
    explanation: list[ExplanationStepView]
    fit: FitView
    parts_tier: PartsTier | None
    parts_tiers: list[TierEstimateView]

    @classmethod
    def of(cls, figures: Figures, *, is_masked: bool = False) -> Self:
        """Return the view of figures; ``is_masked`` hides the tail of the VIN from a caller who did not send it."""
        return cls(
            red_flag=figures.red_flag,
            red_flag_reason=figures.red_flag_reason,
            match_percentage=figures.match,
            aggregated_ai_average=dollars_or_none(figures.ai_average),
            local_prediction=LocalPredictionView.of(figures.local),
            model_a_prediction=ModelPredictionView.of(figures.model_a),
            model_b_prediction=ModelPredictionView.of(figures.model_b),
            repair_breakdown=RepairBreakdownView.of(figures.breakdown),
            vehicle=EstimatedVehicleView.of(figures.vehicle, is_masked=is_masked),
            problem=ProblemSummaryView.of(figures.problem),
            region=LaborRegionView.of(figures.region),
            explanation=[ExplanationStepView.of(step) for step in figures.explanation],
            fit=FitView(outcome=FitOutcome(figures.fit.outcome), reason=figures.fit.reason),
            parts_tier=figures.parts_tier,
            parts_tiers=[TierEstimateView.of(tier) for tier in figures.parts_tiers],
        )


@view
class SessionView:
    """The part of a prediction before the figures: the session, and how long the answer stays cached."""

    success: Literal[True] = True
    session_id: UUID
    memory_source: MemorySource
    memory_decay_remaining: Percent
    memory_expires_at: datetime


@view
class WarningsView:
    """The part of a prediction after the figures: its warnings."""

    warnings: list[str]


@view
class PredictionView(WarningsView, FiguresView, SessionView):
    """The predicted price of a repair."""


@view
class VehicleUsedView:
    """The vehicle that the specs were matched to; the end of its VIN is masked."""

    id: UUID
    vin: str | None
    display_name: str

    @classmethod
    def of(cls, vehicle: "Vehicle") -> Self:
        """Return the view of a vehicle, with its VIN masked."""
        return cls(
            id=vehicle.id,
            vin=None if vehicle.vin is None else mask_tail(vehicle.vin),
            display_name=vehicle.display_name,
        )


@view
class VehicleMatchView:
    """The vehicle that specs were matched to."""

    source: MatchSource
    matched_count: Count
    vehicle_used: VehicleUsedView

    @classmethod
    def of(cls, match: "Match") -> Self:
        """Return the view of a match."""
        return cls(
            source=match.source, matched_count=match.count, vehicle_used=VehicleUsedView.of(match.vehicle)
        )


@view
class MatchedSessionView(SessionView):
    """A session with the vehicle that the specs were matched to."""

    vehicle_match: VehicleMatchView


@view
class PredictionBySpecsView(WarningsView, FiguresView, MatchedSessionView):
    """The predicted price of a repair on a vehicle given by year, make and model."""


def prediction_view(prediction: Prediction) -> PredictionView | PredictionBySpecsView:
    """Return the view of a prediction, with ``vehicle_match`` if specs were matched to a vehicle."""
    fields: dict[str, Any] = {
        **vars(session_view(prediction)),
        **vars(FiguresView.of(prediction.figures, is_masked=prediction.match is not None)),
        **vars(warnings_view(prediction)),
    }
    return PredictionView(**fields) if prediction.match is None else PredictionBySpecsView(**fields)


def session_view(prediction: Prediction) -> SessionView:
    """Return the view of the part of a prediction before the figures."""
    fields: dict[str, Any] = {
        "session_id": prediction.session_id,
        "memory_source": prediction.source,
        "memory_decay_remaining": prediction.remaining,
        "memory_expires_at": prediction.expires_at,
    }
    if prediction.match is None:
        return SessionView(**fields)
    return MatchedSessionView(**fields, vehicle_match=VehicleMatchView.of(prediction.match))


def warnings_view(prediction: Prediction) -> WarningsView:
    """Return the view of the part of a prediction after the figures."""
    return WarningsView(warnings=[*prediction.warnings])


@view
class PredictionSummaryView:
    """The summary of a prediction: eight out of ten invoices lie between ``low_total`` and ``high_total``.

    ``confidence`` is in percent; ``sample_size`` is the number of local invoices that the figure rests on.
    ``red_flag_reason`` says why the figure should be questioned, or is null if it need not be.
    """

    session_id: UUID
    currency: Literal["USD"] = "USD"
    vehicle: str
    problem: ProblemSummaryView
    zip_code: str
    low_total: Dollars
    average_total: Dollars
    high_total: Dollars
    confidence: Percent
    sample_size: Count
    labor_hours: float
    labor_rate: Dollars
    labor_total: Dollars
    parts_total: Dollars
    parts: list[BreakdownPartView]
    parts_tiers: list[TierEstimateView]
    fit: FitView
    red_flag_reason: str | None
    warnings: list[str]

    @classmethod
    def of(cls, prediction: Prediction) -> Self:
        """Return the summary of a prediction, in dollars."""
        figures = prediction.figures
        local, breakdown = figures.local, figures.breakdown
        return cls(
            session_id=prediction.session_id,
            vehicle=figures.vehicle.display_name,
            problem=ProblemSummaryView.of(figures.problem),
            zip_code=figures.region.zip_code,
            low_total=dollars(local.low),
            average_total=dollars(local.average),
            high_total=dollars(local.high),
            confidence=local.confidence,
            sample_size=local.sample_size,
            labor_hours=breakdown.labor_hours,
            labor_rate=dollars(breakdown.labor_rate),
            labor_total=dollars(breakdown.labor_total),
            parts_total=dollars(breakdown.parts_total),
            parts=[BreakdownPartView.of(line) for line in breakdown.parts],
            parts_tiers=[TierEstimateView.of(tier) for tier in figures.parts_tiers],
            fit=FitView(outcome=FitOutcome(figures.fit.outcome), reason=figures.fit.reason),
            red_flag_reason=figures.red_flag_reason,
            warnings=[*prediction.warnings],
        )


@view
class PriceAdjustmentView:
    """The percentage by which every returned price is adjusted."""

    percent: float
