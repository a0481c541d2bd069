"""Predictions, their history, ratings and accuracy as clients see them, over HTTP and at the command line."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self
from uuid import UUID

from typing_extensions import override

from repaircore.book.fit import FitOutcome
from repaircore.book.views import FitView, ProblemSummaryView
from repaircore.facilities.rates import RateBasis
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.rules import Length
from repaircore.kernel.views import UNSET, Count, Dollars, Percent, UnsetType, view
from repaircore.predictions.model import (
    EstimatedRegion,
    EstimatedVehicle,
    Figures,
    HistoryEntry,
    LocalFigures,
    MemorySource,
    ModelFigures,
    Prediction,
    TierFigures,
)
from repaircore.predictions.ratings import COMMENT_LONGEST, Feedback, Rating, Statistics
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartLine, PartsTier
from repaircore.transactions.evidence import Level
from repaircore.vehicle_facts.views import MechanicalFactsView, mechanical_fields
from repaircore.vehicles.matching import MatchSource
from repaircore.vehicles.vin import mask_tail

if TYPE_CHECKING:
    from repaircore.predictions.accuracy import AccuracyReport, ProblemAccuracy
    from repaircore.predictions.track_record import Accuracy, Reliability, Score
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
        """Return a level with its weight."""
        return cls(level=basis.level, name=basis.name, invoices=basis.invoices, weight=basis.weight)


@view
class LocalPredictionView:
    """What the history of past repairs says; ``confidence`` from 0 to 100."""

    average_total_estimate: Dollars
    low_total_estimate: Dollars
    high_total_estimate: Dollars
    sample_size: Count
    effective_sample_size: float
    confidence: Percent
    basis: list[EstimateBasisView]

    @classmethod
    def of(cls, local: LocalFigures) -> Self:
        """Return the local estimate, in dollars."""
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
    """What a model says; one that did not answer has null figures and says why."""

    ai_average_estimate: Dollars | None
    match_percentage: Percent | None
    source: str
    unavailable_reason: str | UnsetType = UNSET

    @classmethod
    def of(cls, model: ModelFigures) -> Self:
        """Return a model's figure, in dollars, or why there is none."""
        reason = model.unavailable_reason
        return cls(
            ai_average_estimate=dollars_or_none(model.average),
            match_percentage=model.match,
            source=model.source,
            unavailable_reason=UNSET if reason is None else reason,
        )


@view
class BreakdownPartView:
    """A line of parts."""

    name: str
    unit_price: Dollars
    quantity: Count
    total_price: Dollars

    @classmethod
    def of(cls, line: PartLine) -> Self:
        """Return a line, in dollars."""
        return cls(
            name=line.name,
            unit_price=dollars(line.unit_price),
            quantity=line.quantity,
            total_price=dollars(line.total),
        )


@view
class RepairBreakdownView:
    """What the estimate is made of; its lines add up to ``total_estimate`` to the cent."""

    source: str
    parts: list[BreakdownPartView]
    estimated_labor_hours: float
    labor_rate: Dollars
    total_labor_cost: Dollars
    total_parts_cost: Dollars
    total_estimate: Dollars

    @classmethod
    def of(cls, breakdown: Breakdown) -> Self:
        """Return a breakdown, in dollars."""
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
        """Return a vehicle; ``is_masked`` hides the tail of its VIN."""
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
    """Where the repair is made, and what an hour of labor costs there."""

    zip_code: str
    state: str
    labor_rate: Dollars
    labor_rate_source: RateBasis
    labor_rate_text: str

    @classmethod
    def of(cls, region: EstimatedRegion) -> Self:
        """Return a region, in dollars."""
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
        """Return a step."""
        return cls(step=step.name, text=step.text, value=step.value)


@view
class TierEstimateView:
    """What the repair costs with parts of one grade, and the percentage of invoices that have it at the vehicle's age."""

    tier: PartsTier
    parts_total: Dollars
    total: Dollars
    share: Percent

    @classmethod
    def of(cls, tier: TierFigures) -> Self:
        """Return the prices with a grade, in dollars."""
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
        """Return figures; ``is_masked`` hides the tail of the VIN from a caller who did not send it."""
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
    """The part of a prediction after the figures."""

    warnings: list[str]


@view
class PredictionView(WarningsView, FiguresView, SessionView):
    """What a repair will cost."""


@view
class VehicleUsedView:
    """The vehicle that specs led to; the end of its VIN is masked."""

    id: UUID
    vin: str | None
    display_name: str

    @classmethod
    def of(cls, vehicle: "Vehicle") -> Self:
        """Return a vehicle, its VIN masked."""
        return cls(
            id=vehicle.id,
            vin=None if vehicle.vin is None else mask_tail(vehicle.vin),
            display_name=vehicle.display_name,
        )


@view
class VehicleMatchView:
    """How specs led to a vehicle."""

    source: MatchSource
    matched_count: Count
    vehicle_used: VehicleUsedView

    @classmethod
    def of(cls, match: "Match") -> Self:
        """Return a match."""
        return cls(
            source=match.source, matched_count=match.count, vehicle_used=VehicleUsedView.of(match.vehicle)
        )


@view
class MatchedSessionView(SessionView):
    """A session with the vehicle that specs led to."""

    vehicle_match: VehicleMatchView


@view
class PredictionBySpecsView(WarningsView, FiguresView, MatchedSessionView):
    """What a repair will cost on a vehicle that was named by year, make and model."""


def prediction_view(prediction: Prediction) -> PredictionView | PredictionBySpecsView:
    """Return a whole answer; with ``vehicle_match`` when specs led to the vehicle."""
    fields: dict[str, Any] = {
        **vars(session_view(prediction)),
        **vars(FiguresView.of(prediction.figures, is_masked=prediction.match is not None)),
        **vars(warnings_view(prediction)),
    }
    return PredictionView(**fields) if prediction.match is None else PredictionBySpecsView(**fields)


def session_view(prediction: Prediction) -> SessionView:
    """Return the part of an answer before the figures."""
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
    """Return the part of an answer after the figures."""
    return WarningsView(warnings=[*prediction.warnings])


# Past predictions and their ratings


@view
class PastPredictionView:
    """A past prediction; its figures are those that were computed, without any price adjustment."""

    id: int
    session_id: UUID
    vin: str | None
    problem_name: str
    red_flag: bool
    red_flag_reason: str | None
    match_percentage: Percent | None
    local_average_estimate: Dollars
    ai_average_estimate: Dollars | None
    feedbacks_count: Count
    good_feedbacks_count: Count
    created_at: datetime

    @classmethod
    def of(cls, entry: HistoryEntry) -> Self:
        """Return an entry of the history, in dollars."""
        return cls(
            id=entry.id,
            session_id=entry.session_id,
            vin=entry.vin,
            problem_name=entry.problem_name,
            red_flag=entry.red_flag,
            red_flag_reason=entry.red_flag_reason,
            match_percentage=entry.match,
            local_average_estimate=dollars(entry.local_average),
            ai_average_estimate=dollars_or_none(entry.ai_average),
            feedbacks_count=entry.feedbacks,
            good_feedbacks_count=entry.good_feedbacks,
            created_at=entry.created_at,
        )


@view
class FeedbackView:
    """What a user thinks of a prediction."""

    id: int
    rating: Rating
    comment: Annotated[str, Length(0, COMMENT_LONGEST)] | None
    created_at: datetime

    @classmethod
    def of(cls, feedback: Feedback) -> Self:
        """Return a rating."""
        return cls(
            id=feedback.id,
            rating=feedback.rating,
            comment=feedback.comment,
            created_at=feedback.created_at,
        )


@view
class SubmittedFeedbackView(FeedbackView):
    """A rating that was just submitted, and the prediction that it is of."""

    prediction_history_id: int

    @classmethod
    @override
    def of(cls, feedback: Feedback) -> Self:
        """Return a rating with its prediction."""
        return cls(**vars(FeedbackView.of(feedback)), prediction_history_id=feedback.prediction_id)


@view
class FeedbackStatisticsView:
    """All ratings of a prediction; ``feedback_score`` is the share of good ones in percent, 0 without any."""

    session_id: UUID
    total_feedbacks: Count
    good_count: Count
    wrong_count: Count
    feedback_score: Percent
    feedbacks: list[FeedbackView]

    @classmethod
    def of(cls, statistics: Statistics) -> Self:
        """Return statistics with the newest ratings."""
        return cls(
            session_id=statistics.session_id,
            total_feedbacks=statistics.total,
            good_count=statistics.good,
            wrong_count=statistics.wrong,
            feedback_score=statistics.score,
            feedbacks=[FeedbackView.of(feedback) for feedback in statistics.latest],
        )


# How predictions compare with what was paid


@view
class ScoreView:
    """How some figures compare with their invoices; errors in percent of the invoice."""

    pairs: Count
    median_error: float | None
    median_bias: float | None

    @classmethod
    def of(cls, score: "Score") -> Self:
        """Return a score."""
        return cls(pairs=score.pairs, median_error=score.median_error, median_bias=score.median_bias)


@view
class LocalScoreView(ScoreView):
    """How our figure compares with its invoices; ``inside_range`` is the percentage of them that lie in the range."""

    inside_range: float | None


@view
class ScoresView:
    """The scores of our figure, of each model and of both models together."""

    local: LocalScoreView
    model_a: ScoreView
    model_b: ScoreView
    aggregated_ai: ScoreView


@view
class _ProblemInvoicesView:
    id: int
    slug: str
    display_name: str
    invoices: Count


@view
class ProblemAccuracyView(ScoresView, _ProblemInvoicesView):
    """The accuracy of one repair's predictions."""

    @classmethod
    def of(cls, problem: "ProblemAccuracy") -> Self:
        """Return a repair's scores."""
        return cls(
            id=problem.id,
            slug=problem.slug,
            display_name=problem.display_name,
            invoices=problem.invoices,
            **vars(_scores(problem.accuracy)),
        )


@view
class ReliabilityView:
    """Predictions of like confidence: what they promised and what was met, in percent."""

    predictions: Count
    promised: Percent
    met: Percent

    @classmethod
    def of(cls, step: "Reliability") -> Self:
        """Return a step of confidence."""
        return cls(predictions=step.predictions, promised=step.promised, met=step.met)


@view
class AccuracyReportView:
    """How past predictions compare with the invoices that name them."""

    environment: Environment
    invoices: Count
    overall: ScoresView
    reliability: list[ReliabilityView]
    problems: list[ProblemAccuracyView]

    @classmethod
    def of(cls, report: "AccuracyReport") -> Self:
        """Return a report."""
        return cls(
            environment=report.environment,
            invoices=report.invoices,
            overall=_scores(report.overall),
            reliability=[ReliabilityView.of(step) for step in report.reliability],
            problems=[ProblemAccuracyView.of(problem) for problem in report.problems],
        )


def _scores(accuracy: "Accuracy") -> ScoresView:
    local = ScoreView.of(accuracy.local)
    return ScoresView(
        local=LocalScoreView(**vars(local), inside_range=accuracy.inside),
        model_a=ScoreView.of(accuracy.model_a),
        model_b=ScoreView.of(accuracy.model_b),
        aggregated_ai=ScoreView.of(accuracy.together),
    )


@view
class PriceAdjustmentView:
    """The percentage that every returned price is moved by."""

    percent: float
