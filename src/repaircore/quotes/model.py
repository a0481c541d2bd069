"""A checked quote."""

from attrs import frozen

from repaircore.book.fit import FITS, Fit
from repaircore.book.model import Problem
from repaircore.facilities.rates import RegionRate
from repaircore.kernel.money import Cents
from repaircore.quotes.comparison import Expected, PriceAssessment
from repaircore.quotes.quote import QuoteLine
from repaircore.vehicle_facts.model import VehicleSpecs


@frozen(kw_only=True)
class CheckedLine:
    """A line of a quote and how it compares.

    ``problem`` is None when the description does not clearly name one repair; ``suggestions`` are those that it may mean.
    Without an ``assessment`` the verdict is unknown, and ``unknown_because`` says why. ``ai_average`` is the models' figure
    where the same question is cached, in cents. ``outside`` says that the book does not cover such a vehicle.
    """

    line: QuoteLine
    problem: Problem | None = None
    suggestions: tuple[Problem, ...] = ()
    expected: Expected | None = None
    sample_size: int = 0
    confidence: int = 0
    assessment: PriceAssessment | None = None
    unknown_because: str | None = None
    ai_average: Cents | None = None
    fit: Fit = FITS
    outside: bool = False


@frozen(kw_only=True)
class CheckedQuote:
    """A quote and how its lines compare; ``whole`` assesses the lines that could be compared, as one price."""

    vin: str
    specs: VehicleSpecs
    zip_code: str
    state: str
    rate: RegionRate
    lines: tuple[CheckedLine, ...]
    whole: PriceAssessment | None
    warnings: tuple[str, ...]

    @property
    def compared(self) -> tuple[CheckedLine, ...]:
        """Return the lines that could be compared."""
        return tuple(line for line in self.lines if line.assessment is not None)
