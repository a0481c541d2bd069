"""Diagnoses as clients see them, over HTTP and on the command line."""

from collections.abc import Iterable
from typing import Final, Literal, Self

from repaircore.book.model import Safety, Urgency
from repaircore.book.views import ProblemSummaryView
from repaircore.diagnosis.advice import Advice, Recommendation, note_on
from repaircore.diagnosis.danger import Danger, DriverSafety
from repaircore.diagnosis.model import OpenQuestion, Reason, SymptomQuestion
from repaircore.diagnosis.reading import ReadComplaint
from repaircore.kernel.money import PriceRange, dollars
from repaircore.kernel.traits import Powertrain
from repaircore.kernel.views import UNSET, Dollars, Percent, UnsetType, view
from repaircore.vehicle_facts.model import VehicleSpecs

FIRST_GUESS: Final = "This is a first guess. Answer the question for a better one."
ONLY_A_GUESS: Final = "This is a first guess. A shop can inspect the vehicle."


NOTHING_READ: Final = (
    "Nothing in the description points to a repair: these are only the most common ones. Describe in English what the vehicle"
    " does, when, and where it comes from, or give its trouble codes."
)


@view
class SafetyWarningView:
    """A danger, and what to do about it."""

    danger: Danger
    text: str


@view
class DriverSafetyView:
    """Whether the driver should stop, and why; ``towing`` is advice for a vehicle that cannot be driven to a shop."""

    stop_driving: bool
    warnings: list[SafetyWarningView]
    towing: str | None

    @classmethod
    def of(cls, safety: DriverSafety) -> Self:
        """Return the view of safety advice."""
        return cls(
            stop_driving=safety.stop_driving,
            warnings=[SafetyWarningView(danger=each.danger, text=each.text) for each in safety.warnings],
            towing=safety.towing,
        )


@view
class ReasonView:
    """A reason for or against a repair; ``weight`` is in bits."""

    text: str
    weight: float

    @classmethod
    def list_of(cls, reasons: Iterable[Reason]) -> list[Self]:
        """Return the views of reasons, with rounded weights."""
        return [cls(text=reason.text, weight=round(reason.weight, 2)) for reason in reasons]


@view
class ExpectedPriceView:
    """What the repair costs in the ZIP code."""

    currency: Literal["USD"] = "USD"
    low_total_estimate: Dollars
    average_total_estimate: Dollars
    high_total_estimate: Dollars

    @classmethod
    def of(cls, price: PriceRange) -> Self:
        """Return the view of a price range, in dollars."""
        return cls(
            low_total_estimate=dollars(price.low),
            average_total_estimate=dollars(price.average),
            high_total_estimate=dollars(price.high),
        )


@view
class SuspectView:
    """A repair that may be needed, how likely that is in percent, and whether it is safe to drive."""

    problem: ProblemSummaryView
    confidence: Percent
    why: list[ReasonView]
    urgency: Urgency
    safe_to_drive: Safety


@view
class RecommendationView(SuspectView):
    """A repair that is likely needed, the symptoms it does not explain, and its estimate if a ZIP code is given."""

    unexplained: list[str]
    estimate: ExpectedPriceView | UnsetType = UNSET

    @classmethod
    def of(cls, recommendation: Recommendation) -> Self:
        """Return the view of a recommendation."""
        problem, price = recommendation.problem, recommendation.price
        return cls(
            problem=ProblemSummaryView.of(problem),
            confidence=recommendation.confidence,
            why=ReasonView.list_of(recommendation.why),
            urgency=problem.urgency,
            safe_to_drive=recommendation.safe_to_drive,
            unexplained=[*recommendation.unexplained],
            estimate=UNSET if price is None else ExpectedPriceView.of(price),
        )


@view
class SymptomQuestionView:
    """A question about a symptom, whose slug is its id, and why it is asked."""

    id: str
    text: str
    options: list[str]
    why: str

    @classmethod
    def of(cls, question: OpenQuestion | SymptomQuestion) -> Self:
        """Return the view of a question."""
        return cls(id=question.id, text=question.text, options=[*question.options], why=question.why)


@view
class SymptomsView:
    """What was understood: slugs of symptoms, and trouble codes."""

    present: list[str]
    absent: list[str]
    codes: list[str]


@view
class UnderstoodView(SymptomsView):
    """What was understood of the description; ``unread`` has the words that were not understood."""

    unread: list[str]
    mileage: int | None
    powertrain: Powertrain | None
    year: int | None

    @classmethod
    def of(cls, complaint: ReadComplaint) -> Self:
        """Return the view of what was understood of a complaint."""
        return cls(
            present=[finding.symptom for finding in complaint.findings if finding.present],
            absent=[finding.symptom for finding in complaint.findings if not finding.present],
            codes=[*complaint.codes],
            unread=[*complaint.unread],
            mileage=complaint.mentions.mileage,
            powertrain=complaint.mentions.powertrain,
            year=complaint.mentions.year,
        )


@view
class DiagnosedVehicleView:
    """The diagnosed vehicle."""

    vin: str | None
    display_name: str
    year: int
    make: str
    model: str

    @classmethod
    def of(cls, vin: str | None, specs: VehicleSpecs) -> Self:
        """Return the view of a vehicle."""
        return cls(
            vin=vin, display_name=specs.display_name, year=specs.year, make=specs.make, model=specs.model
        )


@view
class DiagnosisView:
    """The likely repairs, and the question that would help most; ``enough`` is false for a first guess."""

    success: Literal[True] = True
    reference: str | None
    enough: bool
    message: str | None
    safety: DriverSafetyView
    recommendations: list[RecommendationView]
    question: SymptomQuestionView | None
    understood: UnderstoodView
    vehicle: DiagnosedVehicleView | None
    warnings: list[str]

    @classmethod
    def of(cls, advice: Advice) -> Self:
        """Return the view of advice, and of how the complaint was understood."""
        question, vehicle = advice.question, advice.vehicle
        return cls(
            reference=advice.reference,
            enough=advice.enough,
            message=certainty_note(advice),
            safety=DriverSafetyView.of(advice.safety),
            recommendations=[RecommendationView.of(each) for each in advice.recommendations],
            question=None if question is None else SymptomQuestionView.of(question),
            understood=UnderstoodView.of(advice.understood),
            vehicle=None if vehicle is None else DiagnosedVehicleView.of(advice.vin, vehicle),
            warnings=[*advice.warnings],
        )


def certainty_note(advice: Advice) -> str | None:
    """Return the note on an uncertain diagnosis, or None for a certain one."""
    if advice.enough:
        return None
    note = note_on(advice.understood.mentions)
    if note is not None:
        return note
    if not any(recommendation.why for recommendation in advice.recommendations):
        return NOTHING_READ
    return ONLY_A_GUESS if advice.question is None else FIRST_GUESS
