"""Quotes: the repairs that their lines name, and how the lines compare with the usual prices."""

from typing import Final

from attrs import evolve, frozen

from repaircore.book.fit import FITS, Fit, FitOutcome
from repaircore.book.model import Problem
from repaircore.facilities.rates import RegionRate
from repaircore.kernel.money import Cents
from repaircore.quote_text.kinds import LineKind, is_operation, names_only_fitting
from repaircore.quote_text.model import QuoteLine, ReadQuote
from repaircore.quotes.comparison import Expected, PriceAssessment, Reason, Verdict
from repaircore.quotes.counts import CountMismatch
from repaircore.quotes.questions import MOST_QUESTIONS
from repaircore.quotes.together import JointPrice
from repaircore.quotes.whole import AssessedLine, WholeAssessment
from repaircore.vehicle_facts.model import VehicleSpecs

_LEAST_WITH_LABOR: Final = 0.4
"""Below this share of a repair's low price, a line that names no work is for a part alone."""
_TIRES: Final = frozenset({"tire-replacement-set", "tire-replacement-single"})
_COVERED: Final = "This is compared together with another line of the quote."


@frozen(kw_only=True)
class MatchedLine:
    """A line with its kind and the repair that it clearly names; ``suggestions`` are possible repairs, best first.

    If it ``names_several`` repairs at one price, those are the suggestions. ``is_diesels_own`` means that the vehicle has
    its own kind of the part, for which the book has no price.
    """

    line: QuoteLine
    kind: LineKind
    problem: Problem | None = None
    suggestions: tuple[Problem, ...] = ()
    names_several: bool = False
    is_diesels_own: bool = False


@frozen(kw_only=True)
class MatchedQuote:
    """A parsed quote, with the repairs that its lines name."""

    read: ReadQuote
    lines: tuple[MatchedLine, ...]


@frozen(kw_only=True)
class CheckedLine:
    """A line of a quote, and how its price compares with the usual price.

    ``problem`` is None if the description does not clearly name one repair; ``suggestions`` are those that it may mean.
    Without an ``assessment``, the verdict is unknown, and ``unknown_because`` says why. ``ai_average`` is the models'
    figure in cents if the same question is cached. ``outside`` means that the book does not cover the vehicle.
    ``expected`` is the price of the repair by itself, and ``joint`` the price together with the quote's other repairs;
    charges have neither. ``included_in`` is the repair on another line whose price includes this part.
    ``count_mismatch`` is set if the line states a different number of parts than the vehicle has.
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
    count_mismatch: CountMismatch | None = None
    included_in: str | None = None
    questions: tuple[str, ...] = ()

    def with_joint_price(self, joint: JointPrice) -> "CheckedLine":
        """Return the line with its joint price; the verdict on a line that is charged twice is at least high.

        A line that is covered by the price of another one looks low by itself, but counts as fair.
        """
        questions = (*joint.questions, *self.questions)[:MOST_QUESTIONS]
        line, assessment = evolve(self, joint=joint, questions=questions), self.assessment
        if assessment is None or (joint.charged_twice is None and joint.expected is not None):
            return line
        if joint.charged_twice is not None:
            is_high = assessment.verdict.is_above
            text = f"{joint.charged_twice} {assessment.reason.text}" if is_high else joint.charged_twice
            return line.with_verdict(assessment.verdict if is_high else Verdict.HIGH, text)
        if assessment.verdict is not Verdict.LOW:
            return line
        return evolve(line, questions=()).with_verdict(Verdict.FAIR, _COVERED)

    def included_with(self, name: str) -> "CheckedLine":
        """Return the line as a part that a repair's price already includes: it is compared with a price of 0."""
        reason = Reason(factor=None, amount=None, text=f"Our price for {name} includes this.")
        nothing = PriceAssessment(
            low=0, average=0, high=0, percentile=None, verdict=Verdict.FAIR, reason=reason, differences=()
        )
        return evolve(self, assessment=nothing, included_in=name, suggestions=(), questions=())

    def with_verdict(self, verdict: Verdict, text: str) -> "CheckedLine":
        """Return the line with another verdict, with ``text`` as the reason.

        Raises:
            LookupError: the line has no assessment.
        """
        if self.assessment is None:
            raise LookupError(self)
        reason = Reason(factor=None, amount=None, text=text)
        return evolve(self, assessment=evolve(self.assessment, verdict=verdict, reason=reason))

    @property
    def is_bare_part(self) -> bool:
        """Return whether the line names a part but no work, and is too cheap for labor: "trans pan gasket 34.00"."""
        return (
            self.expected is not None
            and self.line.problem_identifier is None
            and self.line.labor_hours is None
            and self.line.total < _LEAST_WITH_LABOR * self.expected.low
            and not is_operation(self.line.description or "")
        )

    @property
    def is_fitting_alone(self) -> bool:
        """Return whether the line is too cheap for the tires that it mounts: "mount and balance 4 tires 128.00"."""
        return (
            self.problem is not None
            and self.expected is not None
            and self.line.problem_identifier is None
            and self.problem.slug in _TIRES
            and self.line.total < self.expected.low
            and names_only_fitting(self.line.description or "")
        )

    @property
    def assessed(self) -> AssessedLine:
        """Return the line as input to the assessment of the whole quote."""
        return AssessedLine(
            line=self.line,
            assessment=self.assessment,
            expected=self.expected,
            joint=self.joint,
            has_wrong_count=self.count_mismatch is not None and self.count_mismatch.is_more,
            misfit_reason=self.fit.reason
            if self.fit.outcome is FitOutcome.DOES_NOT_FIT and self.expected is None
            else None,
        )


@frozen(kw_only=True)
class CheckedQuote:
    """A quote, compared with the usual prices; ``vin`` is None if the vehicle was given by year, make and model."""

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
