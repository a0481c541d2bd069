"""Checking a shop's quote: nothing is stored, and no model is called."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from attrs import asdict, frozen

from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem
from repaircore.kernel.callers import LOCAL, Caller, owner_of
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.kernel.rules import FieldErrors, sentence
from repaircore.kernel.types import Clock, Lazy
from repaircore.predictions.compute import OUTSIDE_BOOK, Computation, LocalAnswer, fit_warnings
from repaircore.predictions.model import Question
from repaircore.predictions.ports import OpenWork, PredictionCache
from repaircore.predictions.price_adjustment import adjusted_breakdown, adjusted_range
from repaircore.predictions.validation import NO_SUCH_PROBLEM, validate_vin, validate_zip
from repaircore.quotes.comparison import Expected, assess, assess_together
from repaircore.quotes.model import CheckedLine, CheckedQuote
from repaircore.quotes.quote import CheckQuote, Quote, QuoteLine
from repaircore.quotes.text_match import find_match
from repaircore.structuring import structure, structure_partially
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import FULL_VIN_LENGTH
from repaircore.vehicles.service import Vehicles

SearchRepairs: TypeAlias = Callable[[str], Sequence[Problem]]
"""List the repairs that some words may mean, best first."""

_SUGGESTIONS: Final = 3


@frozen(kw_only=True)
class QuoteChecks:
    """The use case of checking a quote."""

    read: OpenWork
    cache: PredictionCache
    vehicles: Lazy[Vehicles]
    computation: Lazy[Computation]
    search: SearchRepairs
    clock: Clock

    def check(self, quote: Quote, caller: Caller = LOCAL) -> CheckedQuote:
        """Compare each line, and the whole, with what such repairs cost there.

        Raises:
            Invalid: with every bad field, those of lines as ``lines.0.total``.
            ProblemDoesNotFit: a line names a repair that the vehicle cannot have, and ``force`` is not set.
            VehicleNotFound: the VIN is unknown.
            Unavailable: the database, or the only decoder that could know the VIN, does not answer.
        """
        self.parse(asdict(CheckQuote.of(quote)))
        code, vin = quote.zip_code[:5], vins.normalize(quote.vin)
        about = self.vehicles().decode(vin)
        matches = [self._match(line) for line in quote.lines]
        if not quote.force:
            self._require_fits(quote, about)
        place, rate, answers = self.computation().local(
            caller.environment, code, about, {number for number, _ in matches if number is not None}
        )
        with self.read() as work:
            percent = work.adjustment.get()
        models = {
            problem_id: self._cached_ai_average(problem_id, vin=vin, zip_code=code, caller=caller)
            for problem_id in answers
        }
        checked = tuple(
            _unmatched(line, suggestions)
            if problem_id is None
            else _checked(
                line, answers[problem_id], about, percent, ai_average=models[problem_id], force=quote.force
            )
            for line, (problem_id, suggestions) in zip(quote.lines, matches, strict=True)
        )
        return CheckedQuote(
            vin=vin,
            specs=about,
            zip_code=code,
            state=place.state,
            rate=rate,
            lines=checked,
            whole=assess_together(
                [(line.line, line.expected) for line in checked if line.expected is not None]
            ),
            warnings=(
                *(("vin_check_digit",) if vins.has_wrong_check_digit(vin) else ()),
                *_fit_warnings(checked),
            ),
        )

    def parse(self, data: Mapping[str, Any]) -> Quote:
        """Return the quote in a JSON object as ``CheckQuote`` describes it, money in dollars.

        Raises:
            Invalid: with every bad field, those of lines as ``lines.0.total``.
        """
        good, errors = structure_partially(CheckQuote, data)
        errors = {**self._lookup_errors(**{**good, "lines": data.get("lines")}), **errors}
        if errors:
            raise Invalid(errors)
        return structure(CheckQuote, data).quote()

    def _lookup_errors(
        self,
        *,
        vin: str | None = None,
        zip_code: str | None = None,
        lines: object = None,
        **_: object,
    ) -> FieldErrors:
        """Return what look-ups and several fields together tell of a quote; absent fields are not checked.

        ``lines`` are as they were sent: one bad field does not hide what is wrong with the others.
        """
        errors: FieldErrors = {}
        if vin is not None and (of_vin := validate_vin(vin)):
            errors["vin"] = of_vin
        if zip_code is not None and (of_zip := validate_zip(zip_code, self.computation().is_zip_in_use)):
            errors["zip_code"] = of_zip
        for number, line in enumerate(lines if isinstance(lines, list) else ()):
            for name, predicate in self._line_errors(line) if isinstance(line, dict) else ():
                path = f"lines.{number}.{name}"
                errors[path] = [sentence(path, predicate)]
        return errors

    def _line_errors(self, line: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        identifier, description = line.get("problem_identifier"), line.get("description")
        if identifier is None and description is None:
            yield "problem_identifier", "or a description is required"
        if isinstance(identifier, str) and self.cache.find_problem_id(identifier) is None:
            yield "problem_identifier", NO_SUCH_PROBLEM
        if isinstance(description, str) and not description.strip():
            yield "description", "must not be empty"
        parts, total = line.get("parts_total"), line.get("total")
        if isinstance(parts, int | float) and isinstance(total, int | float) and parts > total:
            yield "parts_total", "must not be greater than the total"

    def _match(self, line: QuoteLine) -> tuple[int | None, tuple[Problem, ...]]:
        """Return the repair of a line by its id; None, with suggestions, when its description is not clear."""
        if line.problem_identifier is not None:
            return self.cache.find_problem_id(line.problem_identifier), ()
        candidates = self.search(line.description or "")
        match = find_match(line.description or "", candidates)
        return (None, tuple(candidates[:_SUGGESTIONS])) if match is None else (match.id, ())

    def _require_fits(self, quote: Quote, about: VehicleSpecs) -> None:
        """Require that the vehicle can have each repair that a line names; a description may be misread and refuses nothing."""
        for line in quote.lines:
            if line.problem_identifier is not None:
                problem_id = self.cache.find_problem_id(line.problem_identifier)
                if problem_id is not None:
                    self.computation().require_fit(problem_id, about)

    def _cached_ai_average(self, problem_id: int, *, vin: str, zip_code: str, caller: Caller) -> Cents | None:
        question = Question(
            environment=caller.environment,
            vehicle_key=vin[:11],
            problem_id=problem_id,
            zip_code=zip_code,
            mileage_band=None,
            vin=vin if len(vin) == FULL_VIN_LENGTH else None,
        )
        cached = self.cache.find(question, owner_id=owner_of(caller), now=self.clock())
        return None if cached is None else cached.adjusted.ai_average


def _unmatched(line: QuoteLine, suggestions: tuple[Problem, ...]) -> CheckedLine:
    because = f"We could not tell which repair “{(line.description or '').strip()}” is."
    return CheckedLine(line=line, suggestions=suggestions, unknown_because=because)


def _checked(
    line: QuoteLine,
    answer: LocalAnswer,
    about: VehicleSpecs,
    percent: float,
    *,
    ai_average: Cents | None,
    force: bool,
) -> CheckedLine:
    found = check_fit(answer.problem, about.profile)
    if found.outcome is FitOutcome.DOES_NOT_FIT and not force:
        return CheckedLine(line=line, problem=answer.problem, unknown_because=found.reason, fit=found)
    expected = _expected(answer, percent)
    return CheckedLine(
        line=line,
        problem=answer.problem,
        expected=expected,
        sample_size=answer.estimate.sample_size,
        confidence=answer.estimate.confidence,
        assessment=assess(line, expected),
        ai_average=ai_average,
        fit=found,
        outside=answer.outside is not None,
    )


def _fit_warnings(lines: Sequence[CheckedLine]) -> Sequence[str]:
    warnings = [warning for line in lines for warning in fit_warnings(line.fit)]
    return [*dict.fromkeys([*warnings, *(OUTSIDE_BOOK for line in lines if line.outside)])]


def _expected(answer: LocalAnswer, percent: float) -> Expected:
    estimate = answer.estimate
    breakdown = adjusted_breakdown(estimate.breakdown, percent) if percent else estimate.breakdown
    low, average, high = adjusted_range(estimate.low, breakdown, estimate.high, percent)
    return Expected(
        low=low,
        average=average,
        high=high,
        hours=breakdown.labor_hours,
        rate=breakdown.labor_rate,
        parts=breakdown.parts_total,
        center=answer.outlook.center * (1 + percent / 100),
        spread=answer.outlook.spread,
        errors=answer.outlook.errors,
    )
