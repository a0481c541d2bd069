"""Results of tools that no endpoint has in this form: short, since an agent reads each word."""

from collections.abc import Sequence
from typing import Literal, Self

from repaircore.book.fit import FitOutcome
from repaircore.book.views import FitView, ProblemSummaryView
from repaircore.diagnosis.consultation import Consultation, Reply
from repaircore.diagnosis.views import DriverSafetyView, RecommendationView
from repaircore.kernel.money import dollars
from repaircore.kernel.views import Count, Dollars, Percent, view
from repaircore.predictions.model import WARNING_TEXTS, Prediction
from repaircore.predictions.views import BreakdownPartView, TierEstimateView
from repaircore.problems.fusion import SearchHit
from repaircore.problems.views import SearchHitView
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.views import MechanicalFactsView, mechanical_fields
from repaircore.vehicles import vin as vins


@view
class RepairEstimateView:
    """What a repair costs: eight of ten invoices lie between ``low_total`` and ``high_total``.

    ``confidence`` is in percent; ``invoices`` is how many local ones the figure rests on. ``red_flag_reason`` says why the
    figure should be questioned, null when it should not.
    """

    currency: Literal["USD"] = "USD"
    reference: str
    vehicle: str
    problem: ProblemSummaryView
    zip_code: str
    low_total: Dollars
    average_total: Dollars
    high_total: Dollars
    confidence: Percent
    invoices: Count
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
        """Return the essence of a prediction, in dollars."""
        figures = prediction.figures
        local, breakdown = figures.local, figures.breakdown
        return cls(
            reference=str(prediction.session_id),
            vehicle=figures.vehicle.display_name,
            problem=ProblemSummaryView.of(figures.problem),
            zip_code=figures.region.zip_code,
            low_total=dollars(local.low),
            average_total=dollars(local.average),
            high_total=dollars(local.high),
            confidence=local.confidence,
            invoices=local.sample_size,
            labor_hours=breakdown.labor_hours,
            labor_rate=dollars(breakdown.labor_rate),
            labor_total=dollars(breakdown.labor_total),
            parts_total=dollars(breakdown.parts_total),
            parts=[BreakdownPartView.of(line) for line in breakdown.parts],
            parts_tiers=[TierEstimateView.of(tier) for tier in figures.parts_tiers],
            fit=FitView(outcome=FitOutcome(figures.fit.outcome), reason=figures.fit.reason),
            red_flag_reason=figures.red_flag_reason,
            warnings=[WARNING_TEXTS.get(warning, warning) for warning in prediction.warnings],
        )


@view
class ConsultationQuestionView:
    """The question whose answer would help most; send its ``id`` with yes, no or unsure in ``answers``."""

    id: str
    text: str
    why: str


@view
class AnsweredQuestionView:
    """A question that was answered."""

    id: str
    text: str
    reply: Reply


@view
class ConsultationView:
    """The likely repairs, the likeliest first; ``enough`` is false for a first guess. Danger comes first.

    ``unread`` are words without a meaning here.
    """

    safety: DriverSafetyView
    enough: bool
    nothing_read: bool
    recommendations: list[RecommendationView]
    question: ConsultationQuestionView | None
    answered: list[AnsweredQuestionView]
    understood: list[str]
    unread: list[str]
    codes: list[str]
    vehicle: str | None

    @classmethod
    def of(cls, consulted: Consultation) -> Self:
        """Return a consultation."""
        question, vehicle = consulted.question, consulted.vehicle
        return cls(
            safety=DriverSafetyView.of(consulted.safety),
            enough=consulted.enough,
            nothing_read=consulted.is_blank,
            recommendations=[RecommendationView.of(each) for each in consulted.recommendations],
            question=None
            if question is None
            else ConsultationQuestionView(id=question.id, text=question.text, why=question.why),
            answered=[
                AnsweredQuestionView(id=each.symptom, text=each.text, reply=each.reply)
                for each in consulted.answered
            ],
            understood=[*consulted.understood],
            unread=[*consulted.unread],
            codes=[*consulted.codes],
            vehicle=None if vehicle is None else vehicle.display_name,
        )


@view
class _VehicleNamesView:
    display_name: str
    year: int
    make: str
    model: str
    trim: str | None


@view
class DescribedVehicleView(MechanicalFactsView, _VehicleNamesView):
    """A vehicle; ``vin_check_digit_holds`` is null without a whole VIN, false when the VIN is probably mistyped."""

    vin_check_digit_holds: bool | None

    @classmethod
    def of(cls, specs: VehicleSpecs, vin: str | None) -> Self:
        """Return a vehicle that was found by a VIN, or by year, make and model."""
        is_whole = vin is not None and len(vins.normalize(vin)) == max(vins.LENGTHS)
        return cls(
            display_name=specs.display_name,
            year=specs.year,
            make=specs.make,
            model=specs.model,
            trim=specs.trim,
            **mechanical_fields(specs.facts),
            vin_check_digit_holds=vins.check_digit_holds(vins.normalize(vin)) if is_whole and vin else None,
        )


@view
class RepairsFoundView:
    """The repairs that a search found, the best match first."""

    repairs: list[SearchHitView]

    @classmethod
    def of(cls, found: Sequence[SearchHit]) -> Self:
        """Return the hits of a search."""
        return cls(repairs=[SearchHitView.of(hit) for hit in found])
