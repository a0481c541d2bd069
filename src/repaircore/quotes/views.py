"""A checked quote as it is told outside: the HTTP body's ``data`` and the command line's ``--json``."""

from typing import TYPE_CHECKING, Any, TypeAlias

from repaircore.kernel.money import Cents, dollars_or_none
from repaircore.quotes.comparison import (
    Difference,
    Expected,
    Factor,
    PriceAssessment,
    QuoteLine,
    Reason,
    Verdict,
)
from repaircore.vehicle_facts.views import facts_shape

if TYPE_CHECKING:
    from repaircore.book.model import Problem
    from repaircore.quotes.model import CheckedLine, CheckedQuote


Wire: TypeAlias = dict[str, Any]


def checked_as_wire(checked: "CheckedQuote") -> Wire:
    """Give the whole answer; money in dollars with two decimals."""
    about = checked.specs
    return {
        "currency": "USD",
        "vehicle": {
            "vin": checked.vin,
            "display_name": about.display_name,
            "make": about.make,
            "model": about.model,
            "year": about.year,
            "trim": about.trim,
            **facts_shape(about.facts),
        },
        "region": {
            "zip_code": checked.zip_code,
            "state": checked.state,
            "labor_rate": checked.rate.rate / 100,
            "labor_rate_source": checked.rate.basis,
            "labor_rate_text": checked.rate.text,
        },
        "lines": [_line(line) for line in checked.lines],
        "whole": _whole(checked),
        "warnings": [*checked.warnings],
    }


def _line(checked: "CheckedLine") -> Wire:
    return {
        "description": checked.line.description,
        "problem": None if checked.problem is None else _problem(checked.problem),
        "quoted": _quoted(checked.line),
        "expected": None if checked.expected is None else _expected(checked),
        **_standing(checked.standing, checked.unknown_because or ""),
        "suggestions": [_problem(problem) for problem in checked.suggestions],
        "fit": None
        if checked.problem is None
        else {"outcome": checked.fit.outcome, "reason": checked.fit.reason},
    }


def _problem(problem: "Problem") -> Wire:
    return {"id": problem.id, "slug": problem.slug, "display_name": problem.display_name}


def _quoted(line: QuoteLine) -> Wire:
    return {
        "total": line.total / 100,
        "parts_total": dollars_or_none(line.parts_total),
        "labor_hours": line.labor_hours,
        "labor_rate": dollars_or_none(line.labor_rate),
    }


def _expected(checked: "CheckedLine") -> Wire:
    expected = checked.expected
    assert isinstance(expected, Expected)  # noqa: S101 - the caller has looked
    return {
        **_range(expected.low, expected.average, expected.high),
        "parts_total": expected.parts / 100,
        "labor_hours": expected.hours,
        "labor_rate": expected.rate / 100,
        "sample_size": checked.sample_size,
        "confidence": checked.confidence,
        "aggregated_ai_average": dollars_or_none(checked.ai_average),
    }


def _range(low: Cents, average: Cents, high: Cents) -> Wire:
    return {"low_total": low / 100, "average_total": average / 100, "high_total": high / 100}


def _whole(checked: "CheckedQuote") -> Wire:
    compared = [line.line.total for line in checked.compared]
    whole = checked.whole
    return {
        "total": sum(line.line.total for line in checked.lines) / 100,
        "compared_total": sum(compared) / 100,
        "compared_lines": len(compared),
        "expected": None if whole is None else _range(whole.low, whole.average, whole.high),
        **_standing(whole, "No line could be compared."),
    }


def _standing(standing: PriceAssessment | None, otherwise: str) -> Wire:
    if standing is None:
        reason = Reason(factor=None, amount=None, text=otherwise)
        return {
            "percentile": None,
            "verdict": Verdict.UNKNOWN.value,
            "reason": _reason(reason),
            "differences": [],
        }
    return {
        "percentile": standing.percentile,
        "verdict": standing.verdict.value,
        "reason": _reason(standing.reason),
        "differences": [_difference(one) for one in standing.differences],
    }


def _reason(reason: Reason) -> Wire:
    return {
        "factor": None if reason.factor is None else reason.factor.value,
        "amount": dollars_or_none(reason.amount),
        "text": reason.text,
    }


def _difference(one: Difference) -> Wire:
    hours = one.factor is Factor.HOURS
    return {
        "factor": one.factor.value,
        "quoted": _figure(one.quoted, hours=hours),
        "expected": _figure(one.expected, hours=hours),
        "amount": one.amount / 100,
    }


def _figure(value: float | None, *, hours: bool) -> float | None:
    return None if value is None else round(value if hours else value / 100, 2)
