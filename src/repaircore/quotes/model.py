"""A checked quote."""

from attrs import frozen

from repaircore.book.fit import FITS, Fit, FitOutcome
from repaircore.book.model import Problem
from repaircore.facilities.rates import RegionRate
from repaircore.kernel.money import Cents
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine, ReadQuote
from repaircore.quotes.comparison import Expected, PriceAssessment
from repaircore.quotes.counts import EngineCount
from repaircore.quotes.together import JointPrice
from repaircore.quotes.whole import AssessedLine, WholeAssessment
from repaircore.vehicle_facts.model import VehicleSpecs


@frozen(kw_only=True)
class MatchedLine:
    """A line with its kind and the repair that it clearly names; ``suggestions`` are possible repairs, best first."""

    line: QuoteLine
    kind: LineKind
    problem: Problem | None = None
    suggestions: tuple[Problem, ...] = ()


@frozen(kw_only=True)
class MatchedQuote:
    """A parsed quote, with the repairs that its lines name."""

    read: ReadQuote
    lines: tuple[MatchedLine, ...]


@frozen(kw_only=True)
class CheckedLine:
    """A line of a quote and how it compares.

    ``problem`` is None if the description does not clearly name one repair; ``suggestions`` are those that it may mean.
    Without an ``assessment`` the verdict is unknown, and ``unknown_because`` says why. ``ai_average`` is the models' figure
    in cents if the same question is cached. ``outside`` means that the book does not cover the vehicle. ``expected`` is the
    price of the repair by itself, ``joint`` the price together with the quote's other repairs; charges have neither.
    ``engine_count`` is set if the line names another number of parts than the engine has.
    """

    line: QuoteLine
    kind: LineKind = LineKind.REPAIR
    problem: Problem | None = None
    suggestions: tuple[Problem, ...] = ()
    expected: Expected | None = None
    joint: JointPrice | None = None
    sample_size: int = 0
    confidence: int | None = None
    assessment: PriceAssessment | None = None
    unknown_because: str | None = None
    ai_average: Cents | None = None
    fit: Fit = FITS
    outside: bool = False
    engine_count: EngineCount | None = None
    questions: tuple[str, ...] = ()

    @property
    def assessed(self) -> AssessedLine:
        """Return the line as input to the assessment of the whole quote."""
        return AssessedLine(
            line=self.line,
            assessment=self.assessment,
            expected=self.expected,
            joint=self.joint,
            cannot_be=self.fit.reason
            if self.fit.outcome is FitOutcome.DOES_NOT_FIT and self.expected is None
            else None,
        )


@frozen(kw_only=True)
class CheckedQuote:
    """A quote and how its lines compare; ``vin`` is None if the vehicle was described by year, make and model."""

    vin: str | None
    specs: VehicleSpecs
    zip_code: str
    state: str
    rate: RegionRate
    lines: tuple[CheckedLine, ...]
    whole: WholeAssessment
    questions: tuple[str, ...]
    warnings: tuple[str, ...]
    read: ReadQuote | None = None

    @property
    def compared(self) -> tuple[CheckedLine, ...]:
        """Return the lines that could be compared."""
        return tuple(line for line in self.lines if line.assessment is not None)
