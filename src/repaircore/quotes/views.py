"""A checked quote as clients see it, over HTTP and on the command line."""

import math
from typing import TYPE_CHECKING, Any, Literal, Self

from repaircore.book.views import FitView, ProblemSummaryView
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.views import Count, Dollars, Percent, view
from repaircore.predictions.views import LaborRegionView
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteHints, QuoteLine, ReadQuote
from repaircore.quotes.comparison import (
    Difference,
    Factor,
    PriceAssessment,
    Reason,
    Verdict,
)
from repaircore.vehicle_facts.views import MechanicalFactsView, mechanical_fields

if TYPE_CHECKING:
    from repaircore.quotes.model import CheckedLine, CheckedQuote, MatchedLine, MatchedQuote


@view
class _QuotedVehicleNamesView:
    vin: str | None
    display_name: str
    make: str
    model: str
    year: int
    trim: str | None


@view
class QuotedVehicleView(MechanicalFactsView, _QuotedVehicleNamesView):
    """The vehicle of a quote."""

    @classmethod
    def of(cls, checked: "CheckedQuote") -> Self:
        """Return the view of a checked quote's vehicle."""
        about = checked.specs
        return cls(
            vin=checked.vin,
            display_name=about.display_name,
            make=about.make,
            model=about.model,
            year=about.year,
            trim=about.trim,
            **mechanical_fields(about.facts),
        )


@view
class QuotedPriceView:
    """The shop's price for a line; what the quote does not state is null."""

    total: Dollars
    parts_total: Dollars | None
    labor_hours: float | None
    labor_rate: Dollars | None

    @classmethod
    def of(cls, line: QuoteLine) -> Self:
        """Return the view of a line as the shop wrote it, in dollars."""
        return cls(
            total=dollars(line.total),
            parts_total=dollars_or_none(line.parts_total),
            labor_hours=line.labor_hours,
            labor_rate=dollars_or_none(line.labor_rate),
        )


@view
class ExpectedTotalView:
    """Eight out of ten invoices lie between ``low_total`` and ``high_total``."""

    low_total: Dollars
    average_total: Dollars
    high_total: Dollars


@view
class ExpectedLineView(ExpectedTotalView):
    """The expected price of a line; parts, hours and rate are null for charges."""

    parts_total: Dollars | None
    labor_hours: float | None
    labor_rate: Dollars | None
    sample_size: Count
    confidence: Percent | None
    aggregated_ai_average: Dollars | None

    @classmethod
    def of(cls, line: "CheckedLine", assessment: PriceAssessment) -> Self:
        """Return the view of a line's expected price, in dollars."""
        expected = line.expected
        return cls(
            **_range_fields(assessment),
            parts_total=None if expected is None else dollars(expected.parts),
            labor_hours=None if expected is None else expected.hours,
            labor_rate=None if expected is None else dollars(expected.rate),
            sample_size=line.sample_size,
            confidence=line.confidence,
            aggregated_ai_average=dollars_or_none(line.ai_average),
        )


@view
class VerdictReasonView:
    """The main factor behind a verdict and its amount, both null if unclear, and a sentence."""

    factor: Factor | None
    amount: Dollars | None
    text: str

    @classmethod
    def of(cls, reason: Reason) -> Self:
        """Return the view of a reason, in dollars."""
        return cls(factor=reason.factor, amount=dollars_or_none(reason.amount), text=reason.text)


@view
class QuoteDifferenceView:
    """A difference in hours, rate, parts, labor or other items, and its effect on the price."""

    factor: Factor
    quoted: float | None
    expected: float | None
    amount: Dollars

    @classmethod
    def of(cls, difference: Difference) -> Self:
        """Return the view of a difference: hours in hours, everything else in dollars."""
        unit = 1 if difference.factor is Factor.HOURS else 100
        return cls(
            factor=difference.factor,
            quoted=None if difference.quoted is None else round(difference.quoted / unit, 2),
            expected=None if difference.expected is None else round(difference.expected / unit, 2),
            amount=dollars(difference.amount),
        )


@view
class AssessmentView:
    """The verdict on a price, its percentile, the reason, and the differences behind it."""

    percentile: Percent | None
    verdict: Verdict
    reason: VerdictReasonView
    differences: list[QuoteDifferenceView]


@view
class _CheckedLineStartView:
    kind: LineKind
    description: str | None
    parts: list[str]
    problem: ProblemSummaryView | None
    quoted: QuotedPriceView
    expected: ExpectedLineView | None


@view
class CheckedQuoteLineView(AssessmentView, _CheckedLineStartView):
    """A line of a checked quote: the shop's price, the expected price, the verdict, and questions for the shop."""

    suggestions: list[ProblemSummaryView]
    fit: FitView | None
    questions: list[str]

    @classmethod
    def of(cls, line: "CheckedLine") -> Self:
        """Return the view of a checked line."""
        problem, assessment = line.problem, line.assessment
        is_compared = line.kind is not LineKind.DISCOUNT and line.included_in is None
        return cls(
            kind=line.kind,
            description=line.line.description,
            parts=[*line.line.parts],
            problem=None if problem is None else ProblemSummaryView.of(problem),
            quoted=QuotedPriceView.of(line.line),
            expected=ExpectedLineView.of(line, assessment)
            if assessment is not None and is_compared
            else None,
            **_assessment_fields(line.assessment, line.unknown_because or ""),
            suggestions=[ProblemSummaryView.of(suggestion) for suggestion in line.suggestions],
            fit=None if problem is None else FitView.of(line.fit),
            questions=[*line.questions],
        )


@view
class _CheckedTotalStartView:
    headline: str
    total: Dollars
    compared_total: Dollars
    compared_lines: Count
    compared_share: Percent
    questioned_lines: Count
    excess: Dollars
    expected: ExpectedTotalView | None


@view
class CheckedQuoteTotalView(AssessmentView, _CheckedTotalStartView):
    """The verdict on the whole quote, which is never milder than that on its worst line.

    It is unknown if less than 80% of the sum could be compared and nothing is above the usual range. ``excess`` is how
    much the questioned lines exceed what eight out of ten pay.
    """

    questions: list[str]

    @classmethod
    def of(cls, checked: "CheckedQuote") -> Self:
        """Return the view of a checked quote as a whole."""
        whole = checked.whole
        price = whole.price
        return cls(
            headline=whole.headline,
            total=dollars(whole.total),
            compared_total=dollars(whole.compared),
            compared_lines=whole.compared_lines,
            compared_share=math.floor(1000 * whole.share) / 10,
            questioned_lines=whole.questioned,
            excess=dollars(whole.excess),
            expected=None if price is None else ExpectedTotalView(**_range_fields(price)),
            percentile=None if price is None else price.percentile,
            verdict=whole.verdict,
            reason=VerdictReasonView.of(whole.reason),
            differences=[]
            if price is None
            else [QuoteDifferenceView.of(difference) for difference in price.differences],
            questions=[*checked.questions],
        )


@view
class QuoteSumsView:
    """The stated sums of a quote's text.

    ``sums_meet`` is whether the lines add up to the stated sum, and ``difference`` is the stated sum minus that of the
    lines; both are null if no sum is stated.
    """

    subtotal: Dollars | None
    tax: Dollars | None
    total: Dollars | None
    sums_meet: bool | None
    difference: Dollars | None

    @classmethod
    def of(cls, read: ReadQuote) -> Self:
        """Return the view of the stated sums, in dollars."""
        return cls(
            subtotal=dollars_or_none(read.stated_subtotal),
            tax=dollars_or_none(read.stated_tax),
            total=dollars_or_none(read.stated_total),
            sums_meet=read.sums_meet,
            difference=dollars_or_none(read.difference),
        )


@view
class QuoteHintsView:
    """Hints in a quote's text about the vehicle and the place."""

    vin: str | None
    zip_code: str | None
    odometer: int | None
    vehicle: str | None

    @classmethod
    def of(cls, hints: QuoteHints) -> Self:
        """Return the view of the hints."""
        return cls(vin=hints.vin, zip_code=hints.zip_code, odometer=hints.odometer, vehicle=hints.vehicle)


@view
class ReadQuoteLineView:
    """A line as it was read, to be corrected and sent for checking. ``problem`` is null if its words are unclear."""

    kind: LineKind
    description: str | None
    parts: list[str]
    total: Dollars
    parts_total: Dollars | None
    labor_hours: float | None
    labor_rate: Dollars | None
    problem: ProblemSummaryView | None
    suggestions: list[ProblemSummaryView]

    @classmethod
    def of(cls, matched: "MatchedLine") -> Self:
        """Return the view of a line, in dollars."""
        line, problem = matched.line, matched.problem
        return cls(
            kind=matched.kind,
            description=line.description,
            parts=[*line.parts],
            total=dollars(line.total),
            parts_total=dollars_or_none(line.parts_total),
            labor_hours=line.labor_hours,
            labor_rate=dollars_or_none(line.labor_rate),
            problem=None if problem is None else ProblemSummaryView.of(problem),
            suggestions=[ProblemSummaryView.of(suggestion) for suggestion in matched.suggestions],
        )


@view
class ReadQuoteView:
    """A quote's text as it was read, to be corrected and checked; ``unread`` has lines whose amounts were not used."""

    currency: Literal["USD"] = "USD"
    lines: list[ReadQuoteLineView]
    sums: QuoteSumsView
    hints: QuoteHintsView
    unread: list[str]

    @classmethod
    def of(cls, matched: "MatchedQuote") -> Self:
        """Return the view of a parsed quote."""
        return cls(
            lines=[ReadQuoteLineView.of(line) for line in matched.lines],
            sums=QuoteSumsView.of(matched.read),
            hints=QuoteHintsView.of(matched.read.hints),
            unread=[*matched.read.unread],
        )


@view
class CheckedQuoteView:
    """Whether a quote is fair; ``unread`` has the lines of its text whose amounts were not used."""

    currency: Literal["USD"] = "USD"
    vehicle: QuotedVehicleView
    region: LaborRegionView
    lines: list[CheckedQuoteLineView]
    whole: CheckedQuoteTotalView
    sums: QuoteSumsView | None
    unread: list[str]
    warnings: list[str]

    @classmethod
    def of(cls, checked: "CheckedQuote") -> Self:
        """Return the view of a checked quote, in dollars."""
        return cls(
            vehicle=QuotedVehicleView.of(checked),
            region=LaborRegionView(
                zip_code=checked.zip_code,
                state=checked.state,
                labor_rate=dollars(checked.rate.rate),
                labor_rate_source=checked.rate.basis,
                labor_rate_text=checked.rate.text,
            ),
            lines=[CheckedQuoteLineView.of(line) for line in checked.lines],
            whole=CheckedQuoteTotalView.of(checked),
            sums=None if checked.read is None else QuoteSumsView.of(checked.read),
            unread=[] if checked.read is None else [*checked.read.unread],
            warnings=[*checked.warnings],
        )


def _range_fields(price: PriceAssessment) -> dict[str, float]:
    return {
        "low_total": dollars(price.low),
        "average_total": dollars(price.average),
        "high_total": dollars(price.high),
    }


def _assessment_fields(assessment: PriceAssessment | None, unknown_because: str) -> dict[str, Any]:
    """Return the fields of ``AssessmentView``; without an assessment, the verdict is unknown for the given reason."""
    if assessment is None:
        return {
            "percentile": None,
            "verdict": Verdict.UNKNOWN,
            "reason": VerdictReasonView(factor=None, amount=None, text=unknown_because),
            "differences": [],
        }
    return {
        "percentile": assessment.percentile,
        "verdict": assessment.verdict,
        "reason": VerdictReasonView.of(assessment.reason),
        "differences": [QuoteDifferenceView.of(difference) for difference in assessment.differences],
    }
