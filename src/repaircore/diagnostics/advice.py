"""What follows from a complaint."""

from attrs import frozen

from repaircore.diagnostics.danger import DriverSafety, driver_safety
from repaircore.diagnostics.model import Diagnosis, Reason, SymptomQuestion
from repaircore.diagnostics.reading import Read
from repaircore.kernel.money import PriceRange
from repaircore.problems.model import Problem
from repaircore.vehicles.model import Decoded

__all__ = ["Advice", "Recommendation"]


@frozen(kw_only=True)
class Recommendation:
    """A repair that may be needed: how likely, why, and what it will cost where that was asked.

    ``confidence`` is the probability in percent, with one decimal.
    """

    problem: Problem
    confidence: float
    why: tuple[Reason, ...]
    price: PriceRange | None = None


@frozen(kw_only=True)
class Advice:
    """The repairs to think of, the likeliest first; none when there is not enough information.

    ``question`` is the one whose answer would tell most, None when it is sure enough or none tells anything.
    ``understood`` is what was read in the complaint. Prices are those of ``vehicle``, or of a typical one
    when that is None.
    """

    recommendations: tuple[Recommendation, ...]
    question: SymptomQuestion | None
    understood: Read
    diagnosis: Diagnosis
    vin: str | None = None
    vehicle: Decoded | None = None
    warnings: tuple[str, ...] = ()

    @property
    def enough(self) -> bool:
        """Tell whether there was enough information."""
        return self.diagnosis.enough

    @property
    def safety(self) -> DriverSafety:
        """What the driver must know, whether or not there was enough information."""
        return driver_safety(
            self.understood.findings,
            self.understood.dangers,
            ((one.confidence, one.problem.safe_to_drive) for one in self.recommendations),
        )
