"""A checked quote as clients see it, over HTTP and at the command line."""

from typing import TYPE_CHECKING, Any, Literal, Self

from repaircore.book.views import FitView, ProblemSummaryView
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.views import Count, Dollars, Percent, view
from repaircore.predictions.views import LaborRegionView
from repaircore.quotes.comparison import (
    Difference,
    Expected,
    Factor,
    PriceAssessment,
    Reason,
    Verdict,
)
from repaircore.quotes.quote import QuoteLine
from repaircore.vehicle_facts.views import MechanicalFactsView, mechanical_fields

if TYPE_CHECKING:
    from repaircore.quotes.model import CheckedLine, CheckedQuote


@view
class _QuotedVehicleNamesView:
    vin: str
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
        """Return the vehicle of a checked quote."""
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
    """The shop's price."""

    total: Dollars
    parts_total: Dollars | None
    labor_hours: float | None
    labor_rate: Dollars | None

    @classmethod
    def of(cls, line: QuoteLine) -> Self:
        """Return a line as the shop wrote it, in dollars."""
        return cls(
            total=dollars(line.total),
            parts_total=dollars_or_none(line.parts_total),
            labor_hours=line.labor_hours,
            labor_rate=dollars_or_none(line.labor_rate),
        )


@view
class ExpectedTotalView:
    """Eight of ten invoices lie between ``low_total`` and ``high_total``."""

    low_total: Dollars
    average_total: Dollars
    high_total: Dollars


@view
class ExpectedLineView(ExpectedTotalView):
    """The expected price of a line."""

    parts_total: Dollars
    labor_hours: float
    labor_rate: Dollars
    sample_size: Count
    confidence: Percent
    aggregated_ai_average: Dollars | None

    @classmethod
    def of(cls, line: "CheckedLine", expected: Expected) -> Self:
        """Return what is expected of a line, in dollars."""
        return cls(
            **_range_fields(expected),
            parts_total=dollars(expected.parts),
            labor_hours=expected.hours,
            labor_rate=dollars(expected.rate),
            sample_size=line.sample_size,
            confidence=line.confidence,
            aggregated_ai_average=dollars_or_none(line.ai_average),
        )


@view
class VerdictReasonView:
    """The factor that explains most of a verdict."""

    factor: Factor | None
    amount: Dollars | None
    text: str

    @classmethod
    def of(cls, reason: Reason) -> Self:
        """Return a reason, in dollars."""
        return cls(factor=reason.factor, amount=dollars_or_none(reason.amount), text=reason.text)


@view
class QuoteDifferenceView:
    """A difference in hours, rate or parts, and its effect on the price."""

    factor: Factor
    quoted: float | None
    expected: float | None
    amount: Dollars

    @classmethod
    def of(cls, difference: Difference) -> Self:
        """Return a difference: hours as hours, everything else in dollars."""
        unit = 1 if difference.factor is Factor.HOURS else 100
        return cls(
            factor=difference.factor,
            quoted=None if difference.quoted is None else round(difference.quoted / unit, 2),
            expected=None if difference.expected is None else round(difference.expected / unit, 2),
            amount=dollars(difference.amount),
        )


@view
class AssessmentView:
    """The position of a price in the expected range."""

    percentile: Percent | None
    verdict: Verdict
    reason: VerdictReasonView
    differences: list[QuoteDifferenceView]


@view
class _CheckedLineStartView:
    description: str | None
    problem: ProblemSummaryView | None
    quoted: QuotedPriceView
    expected: ExpectedLineView | None


@view
class CheckedQuoteLineView(AssessmentView, _CheckedLineStartView):
    """A line of the quote, and where it lies in what is expected."""

    suggestions: list[ProblemSummaryView]
    fit: FitView | None

    @classmethod
    def of(cls, line: "CheckedLine") -> Self:
        """Return a checked line."""
        problem, expected = line.problem, line.expected
        return cls(
            description=line.line.description,
            problem=None if problem is None else ProblemSummaryView.of(problem),
            quoted=QuotedPriceView.of(line.line),
            expected=None if expected is None else ExpectedLineView.of(line, expected),
            **_assessment_fields(line.assessment, line.unknown_because or ""),
            suggestions=[ProblemSummaryView.of(suggestion) for suggestion in line.suggestions],
            fit=None if problem is None else FitView.of(line.fit),
        )


@view
class _CheckedTotalStartView:
    total: Dollars
    compared_total: Dollars
    compared_lines: Count
    expected: ExpectedTotalView | None


@view
class CheckedQuoteTotalView(AssessmentView, _CheckedTotalStartView):
    """The quote as a whole, as far as it could be compared."""

    @classmethod
    def of(cls, checked: "CheckedQuote") -> Self:
        """Return the whole of a checked quote."""
        whole, compared = checked.whole, checked.compared
        return cls(
            total=dollars(sum(line.line.total for line in checked.lines)),
            compared_total=dollars(sum(line.line.total for line in compared)),
            compared_lines=len(compared),
            expected=None if whole is None else ExpectedTotalView(**_range_fields(whole)),
            **_assessment_fields(whole, NOTHING_COMPARED),
        )


@view
class CheckedQuoteView:
    """Whether a quote is fair."""

    currency: Literal["USD"] = "USD"
    vehicle: QuotedVehicleView
    region: LaborRegionView
    lines: list[CheckedQuoteLineView]
    whole: CheckedQuoteTotalView
    warnings: list[str]

    @classmethod
    def of(cls, checked: "CheckedQuote") -> Self:
        """Return a checked quote, in dollars."""
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
            warnings=[*checked.warnings],
        )


NOTHING_COMPARED = "None of the lines could be compared."


def _range_fields(price: Expected | PriceAssessment) -> dict[str, float]:
    return {
        "low_total": dollars(price.low),
        "average_total": dollars(price.average),
        "high_total": dollars(price.high),
    }


def _assessment_fields(assessment: PriceAssessment | None, unknown_because: str) -> dict[str, Any]:
    """Return the fields of ``AssessmentView``; without an assessment the verdict is unknown, for the reason given."""
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
