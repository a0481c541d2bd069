"""Complaints, and the advice that follows from them."""

from collections.abc import Iterable
from typing import Annotated, Final, Self

from attrs import evolve, frozen

from repaircore.book.model import Problem, Safety
from repaircore.complaints.mentions import Mentions
from repaircore.diagnosis.danger import DriverSafety, driver_safety, safe_to_drive
from repaircore.diagnosis.model import Candidate, Clues, Diagnosis, Finding, Reason, SymptomQuestion
from repaircore.diagnosis.reading import ReadComplaint
from repaircore.facilities.zip_code import ZipCode
from repaircore.kernel.money import PriceRange
from repaircore.kernel.rules import PlainText, Range
from repaircore.vehicle_facts.model import VehicleSpecs

NO_SUCH_ZIP: Final = "must be a US ZIP code that is in use"

OUTSIDE: Final = "This seems to be about a {}. The repairs are for cars and light trucks, so they are only a hint at what to look for."

NO_VEHICLE: Final = "This seems to be about a {}. Only cars and light trucks are covered here."
NORMAL_WATER: Final = (
    "Clear water that drips under the vehicle while the air conditioning runs is normal: it is moisture from the air. "
    "Have it checked only if it is colored or oily, or if the carpet gets wet."
)

_OUTSIDE: Final = 0.3
"""The factor that reduces the confidence for a kind of vehicle that the book does not cover."""


def note_on(mentions: Mentions) -> str | None:
    """Return a note if a complaint is about no fault, or about something that the book does not cover, or None."""
    if mentions.is_normal:
        return NORMAL_WATER
    if mentions.outside is None:
        return None
    return (NO_VEHICLE if mentions.is_no_vehicle else OUTSIDE).format(mentions.outside)


def confidence_for(candidate: Candidate, outside: str | None) -> float:
    """Return the confidence in a repair, in percent; ``outside`` is a kind of vehicle that the book does not cover."""
    return candidate.confidence if outside is None else round(_OUTSIDE * candidate.confidence, 1)


@frozen(kw_only=True)
class Complaint:
    """What is wrong in the owner's words, with the vehicle, the ZIP code, and the odometer reading in miles."""

    description: Annotated[str, PlainText(3, 2000, lines=True)]
    vin: str | None = None
    zip_code: ZipCode | None = None
    mileage: Annotated[int, Range(0, 2_000_000)] | None = None


@frozen(kw_only=True)
class Recommendation:
    """A repair that may be needed, with its reasons, and its price if a ZIP code was given.

    ``confidence`` is in percent, with one decimal; ``unexplained`` has the slugs of present symptoms
    that the repair does not explain.
    """

    problem: Problem
    confidence: float
    why: tuple[Reason, ...]
    safe_to_drive: Safety
    unexplained: tuple[str, ...] = ()
    price: PriceRange | None = None

    @classmethod
    def of(
        cls, candidate: Candidate, clues: Clues, concerns: Iterable[str], *, outside: str | None = None
    ) -> Self:
        """Return a candidate as a recommendation.

        ``concerns`` prevent an unrelated repair from being called safe to drive with; ``outside`` is a kind of vehicle
        that the book does not cover.
        """
        return cls(
            problem=candidate.problem,
            confidence=confidence_for(candidate, outside),
            why=candidate.reasons,
            safe_to_drive=safe_to_drive(candidate.problem, concerns),
            unexplained=candidate.unexplained(clues),
        )

    def stopped(self) -> Self:
        """Return the recommendation for a driver who is told to stop, which contradicts any other safety."""
        return evolve(self, safe_to_drive=Safety.NO)


@frozen(kw_only=True)
class Advice:
    """The likely repairs, likeliest first; they are a first guess unless ``enough``.

    ``question`` is the one whose answer would help most, or None if the diagnosis is sure enough or no question would
    help. ``understood`` is what was understood of the complaint. Prices are for ``vehicle``, or for a typical one if
    that is None. The actual repair can later be confirmed under ``reference``. ``answered`` has the symptoms that
    answers confirmed or denied.
    """

    recommendations: tuple[Recommendation, ...]
    question: SymptomQuestion | None
    understood: ReadComplaint
    diagnosis: Diagnosis
    vin: str | None = None
    vehicle: VehicleSpecs | None = None
    warnings: tuple[str, ...] = ()
    reference: str | None = None
    answered: tuple[Finding, ...] = ()

    @property
    def enough(self) -> bool:
        """Return whether the first repairs stand out, and the book covers the kind of vehicle."""
        mentions = self.understood.mentions
        return self.diagnosis.enough and mentions.outside is None and not mentions.is_normal

    def without_contradiction(self) -> Self:
        """Return the advice; if the driver is told to stop, no repair is called safe to drive with."""
        if not self.safety.stop_driving:
            return self
        return evolve(self, recommendations=tuple(each.stopped() for each in self.recommendations))

    @property
    def safety(self) -> DriverSafety:
        """Return the safety advice for the driver, whether or not the diagnosis is sure."""
        return driver_safety(
            self.answered,
            self.understood.dangers,
            ((each.confidence, each.problem.safe_to_drive) for each in self.recommendations),
            read=self.understood.stranded,
        )
