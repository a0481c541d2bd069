"""A shop's quote with what was found out about it."""

from attrs import frozen

from repaircore.book.fit import FITS, Fit
from repaircore.book.model import Problem
from repaircore.facilities.rates import RegionRate
from repaircore.kernel.money import Cents
from repaircore.quotes.comparison import Expected, PriceAssessment, QuoteLine
from repaircore.vehicle_facts.model import VehicleSpecs


@frozen(kw_only=True)
class CheckedLine:
    """A line with what was found out.

    ``problem`` None is a repair that the words do not surely mean; ``suggestions`` are what they may mean.
    Without a ``standing`` the verdict is unknown, and ``unknown_because`` says why. ``ai_average`` is what the
    models said when they were asked within the last three days, in cents. ``outside`` tells that the book was not made
    for such a vehicle.
    """

    line: QuoteLine
    problem: Problem | None = None
    suggestions: tuple[Problem, ...] = ()
    expected: Expected | None = None
    sample_size: int = 0
    confidence: int = 0
    standing: PriceAssessment | None = None
    unknown_because: str | None = None
    ai_average: Cents | None = None
    fit: Fit = FITS
    outside: bool = False


@frozen(kw_only=True)
class CheckedQuote:
    """A whole quote with what was found out; ``whole`` judges the lines that could be compared, as one price."""

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
        """Give the lines that could be compared."""
        return tuple(line for line in self.lines if line.standing is not None)
