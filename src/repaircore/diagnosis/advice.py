"""A complaint, and the advice that follows from it."""

from typing import Annotated, Final

from attrs import frozen

from repaircore.book.model import Problem, Safety
from repaircore.diagnosis.danger import DriverSafety, driver_safety
from repaircore.diagnosis.model import Diagnosis, Reason, SymptomQuestion
from repaircore.diagnosis.reading import ReadComplaint
from repaircore.facilities.zip_code import ZipCode
from repaircore.kernel.money import PriceRange
from repaircore.kernel.rules import PlainText, Range
from repaircore.vehicle_facts.model import VehicleSpecs

NO_SUCH_ZIP: Final = "must be a US ZIP code that is in use"


@frozen(kw_only=True)
class Complaint:
    """What is wrong, in the owner's words; with the vehicle, the place and the odometer in miles."""

    description: Annotated[str, PlainText(3, 2000, lines=True)]
    vin: str | None = None
    zip_code: ZipCode | None = None
    mileage: Annotated[int, Range(0, 2_000_000)] | None = None


@frozen(kw_only=True)
class Recommendation:
    """A repair that may be needed: how likely, why, and what it will cost where that was asked.

    ``confidence`` is the probability in percent, with one decimal; ``unexplained`` are the symptoms, by their slugs, that are
    there and that it does not explain.
    """

    problem: Problem
    confidence: float
    why: tuple[Reason, ...]
    safe_to_drive: Safety
    unexplained: tuple[str, ...] = ()
    price: PriceRange | None = None


@frozen(kw_only=True)
class Advice:
    """The repairs to think of, the likeliest first; where they do not stand out they are a first guess.

    ``question`` is the one whose answer would tell most, None when it is sure enough or none tells anything.
    ``understood`` is what was read in the complaint. Prices are those of ``vehicle``, or of a typical one
    when that is None. ``reference`` is what the repair that follows is confirmed under.
    """

    recommendations: tuple[Recommendation, ...]
    question: SymptomQuestion | None
    understood: ReadComplaint
    diagnosis: Diagnosis
    vin: str | None = None
    vehicle: VehicleSpecs | None = None
    warnings: tuple[str, ...] = ()
    reference: str | None = None

    @property
    def enough(self) -> bool:
        """Return whether the first repairs stand out; else they are a first guess."""
        return self.diagnosis.enough

    @property
    def safety(self) -> DriverSafety:
        """What the driver must know, however sure the diagnosis is."""
        return driver_safety(
            (),
            self.understood.dangers,
            ((one.confidence, one.problem.safe_to_drive) for one in self.recommendations),
            read=self.understood.stranded,
        )
