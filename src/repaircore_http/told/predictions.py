"""Predictions, what became of them, and quotes that are held against them."""

from datetime import datetime
from typing import Annotated, Literal, NotRequired, TypedDict
from uuid import UUID

from repaircore.book.fit import FitOutcome
from repaircore.facilities.rates import RateBasis
from repaircore.kernel.rules import Length
from repaircore.kernel.views import Count, Dollars, Percent
from repaircore.predictions.model import MemorySource
from repaircore.predictions.ratings import COMMENT_LONGEST, Rating
from repaircore.pricing.model import PartsTier
from repaircore.quotes.comparison import Factor, Verdict
from repaircore.transactions.evidence import Level
from repaircore.vehicles.matching import MatchSource
from repaircore_http.told.envelopes import ProblemNamed, Success
from repaircore_http.told.vehicles import MechanicalFacts


class EstimateBasis(TypedDict):
    """A level of the history that an estimate rests on; ``level`` is null for what is no history."""

    level: Level | None
    name: str
    invoices: Count
    weight: float


class LocalPrediction(TypedDict):
    """What the history of past repairs says; ``confidence`` from 0 to 100."""

    average_total_estimate: Dollars
    low_total_estimate: Dollars
    high_total_estimate: Dollars
    sample_size: Count
    effective_sample_size: float
    confidence: Percent
    basis: list[EstimateBasis]


class ModelPrediction(TypedDict):
    """What a model says; one that does not answer has null figures and says why."""

    ai_average_estimate: Dollars | None
    match_percentage: Percent | None
    source: str
    unavailable_reason: NotRequired[str]


class BreakdownPart(TypedDict):
    """A line of parts."""

    name: str
    unit_price: Dollars
    quantity: Count
    total_price: Dollars


class RepairBreakdown(TypedDict):
    """What the estimate is made of; its lines add up to ``total_estimate`` to the cent."""

    source: str
    parts: list[BreakdownPart]
    estimated_labor_hours: float
    labor_rate: Dollars
    total_labor_cost: Dollars
    total_parts_cost: Dollars
    total_estimate: Dollars


class VehicleEstimated(MechanicalFacts):
    """The vehicle of a prediction."""

    id: UUID
    vin: str | None
    display_name: str
    make: str
    model: str
    year: int
    trim: str | None


class LaborRegion(TypedDict):
    """Where the repair is made, and what an hour costs there."""

    zip_code: str
    state: str
    labor_rate: Dollars
    labor_rate_source: RateBasis
    labor_rate_text: str


class ExplanationStep(TypedDict):
    """A step of the estimate that can be checked by hand."""

    step: str
    text: str
    value: float | None


class Fit(TypedDict):
    """Whether a repair fits a vehicle; ``reason`` says why not, or what is not known."""

    outcome: FitOutcome
    reason: str | None


class TierEstimated(TypedDict):
    """What the repair costs with parts of one grade, and the percentage of invoices that have it at the vehicle's age."""

    tier: PartsTier
    parts_total: Dollars
    total: Dollars
    share: Percent


class _Figures(TypedDict):
    red_flag: bool
    red_flag_reason: str | None
    match_percentage: Percent | None
    aggregated_ai_average: Dollars | None
    local_prediction: LocalPrediction
    model_a_prediction: ModelPrediction
    model_b_prediction: ModelPrediction
    repair_breakdown: RepairBreakdown
    currency: Literal["USD"]
    vehicle: VehicleEstimated
    problem: ProblemNamed
    region: LaborRegion
    explanation: list[ExplanationStep]
    fit: Fit
    parts_tier: PartsTier | None
    parts_tiers: list[TierEstimated]
    warnings: list[str]


class _Remembered(Success):
    session_id: UUID
    memory_source: MemorySource
    memory_decay_remaining: Percent
    memory_expires_at: datetime


class Prediction(_Remembered, _Figures):
    """What a repair will cost."""


class VehicleUsed(TypedDict):
    """The vehicle that specs led to; the end of its VIN is masked."""

    id: UUID
    vin: str | None
    display_name: str


class VehicleMatch(TypedDict):
    """How specs led to a vehicle."""

    source: MatchSource
    matched_count: Count
    vehicle_used: VehicleUsed


class PredictionBySpecs(_Remembered, _Figures):
    """What a repair will cost on a vehicle that was told by year, make and model."""

    vehicle_match: VehicleMatch


class PredictionListed(TypedDict):
    """A past prediction."""

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


class Linked(TypedDict):
    """A prediction and the customer's e-mail."""

    session_id: UUID
    email: str


class FeedbackListed(TypedDict):
    """What a user thinks of a prediction."""

    id: int
    rating: Rating
    comment: Annotated[str, Length(0, COMMENT_LONGEST)] | None
    created_at: datetime


class FeedbackKept(FeedbackListed):
    """A rating as it is kept."""

    prediction_history_id: int


class FeedbackStatistics(TypedDict):
    """What was said of a prediction; ``feedback_score`` is the share of good ones in percent, 0 without any."""

    session_id: UUID
    total_feedbacks: Count
    good_count: Count
    wrong_count: Count
    feedback_score: Percent
    feedbacks: list[FeedbackListed]


class VehicleQuoted(MechanicalFacts):
    """The vehicle of a quote."""

    vin: str
    display_name: str
    make: str
    model: str
    year: int
    trim: str | None


class Quoted(TypedDict):
    """What the shop asks for."""

    total: Dollars
    parts_total: Dollars | None
    labor_hours: float | None
    labor_rate: Dollars | None


class ExpectedTotal(TypedDict):
    """Eight of ten invoices lie between ``low_total`` and ``high_total``."""

    low_total: Dollars
    average_total: Dollars
    high_total: Dollars


class ExpectedLine(ExpectedTotal):
    """What is expected of a line."""

    parts_total: Dollars
    labor_hours: float
    labor_rate: Dollars
    sample_size: Count
    confidence: Percent
    aggregated_ai_average: Dollars | None


class VerdictReason(TypedDict):
    """What a verdict is owed to most."""

    factor: Factor | None
    amount: Dollars | None
    text: str


class QuoteDifference(TypedDict):
    """How hours, rate or parts differ, and what it comes to."""

    factor: Factor
    quoted: float | None
    expected: float | None
    amount: Dollars


class _Standing(TypedDict):
    percentile: Percent | None
    verdict: Verdict
    reason: VerdictReason
    differences: list[QuoteDifference]


class QuoteLineChecked(_Standing):
    """A line of the quote, and where it lies in what is expected."""

    description: str | None
    problem: ProblemNamed | None
    quoted: Quoted
    expected: ExpectedLine | None
    suggestions: list[ProblemNamed]
    fit: Fit | None


class QuoteWhole(_Standing):
    """The quote as a whole, as far as it could be compared."""

    total: Dollars
    compared_total: Dollars
    compared_lines: Count
    expected: ExpectedTotal | None


class QuoteChecked(TypedDict):
    """Whether a quote is fair."""

    currency: Literal["USD"]
    vehicle: VehicleQuoted
    region: LaborRegion
    lines: list[QuoteLineChecked]
    whole: QuoteWhole
    warnings: list[str]
