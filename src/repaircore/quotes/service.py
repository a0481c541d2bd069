"""Checking a shop's quote: nothing is kept, and no model is asked."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from attrs import fields, frozen

from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem
from repaircore.facilities.zip_code import zip5
from repaircore.kernel.callers import LOCAL, Caller, owner_of
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.kernel.types import Clock, Lazy
from repaircore.predictions import validation
from repaircore.predictions.compute import OUTSIDE_BOOK, Compute, LocalAnswer, fit_warnings
from repaircore.predictions.model import Question
from repaircore.predictions.ports import OpenWork, PredictionCache
from repaircore.predictions.price_adjustment import adjusted_breakdown, adjusted_range
from repaircore.quotes.comparison import (
    MOST_LINES,
    Expected,
    Quote,
    QuoteLine,
    judged,
    together,
    validate_line,
)
from repaircore.quotes.model import CheckedLine, CheckedQuote
from repaircore.quotes.text_match import surely_meant
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import FULL_VIN_LENGTH
from repaircore.vehicles.service import Vehicles

FindRepairs: TypeAlias = Callable[[str], Sequence[Problem]]
"""Find the repairs that some words may mean, best first."""

_SUGGESTED: Final = 3


@frozen(kw_only=True)
class QuoteChecks:
    """The use case of a quote."""

    read: OpenWork
    memory: PredictionCache
    vehicles: Lazy[Vehicles]
    computing: Lazy[Compute]
    find: FindRepairs
    clock: Clock

    def check(self, quote: Quote, caller: Caller = LOCAL) -> CheckedQuote:
        """Compare each line, and the whole, with what we would expect to pay there.

        Raises:
            Invalid: every bad field is named, those of lines as ``lines.0.total``.
            ProblemDoesNotFit: a line names a repair that the vehicle cannot have, and ``force`` is not set.
            VehicleNotFound: nobody knows the VIN.
            Unavailable: the database, or the only decoder that could know the VIN, does not answer.
        """
        lines = [_fields(line) for line in quote.lines]
        told = self.validate(vin=quote.vin, zip_code=quote.zip_code, lines=lines)
        code, vin = zip5(quote.zip_code), vins.normalize(quote.vin)
        if told or code is None:
            raise Invalid(told)
        about = self.vehicles().decode(vin)
        meant = [self._meant(line) for line in quote.lines]
        if not quote.force:
            self._require_fits(quote, about)
        place, rate, answers = self.computing().local(
            caller.environment, code, about, {problem_id for problem_id, _ in meant if problem_id is not None}
        )
        with self.read() as work:
            percent = work.adjustment.get()
        models = {
            problem_id: self._models_said(problem_id, vin=vin, zip_code=code, caller=caller)
            for problem_id in answers
        }
        checked = tuple(
            _unmatched(line, suggestions)
            if problem_id is None
            else _checked(
                line, answers[problem_id], about, percent, ai_average=models[problem_id], force=quote.force
            )
            for line, (problem_id, suggestions) in zip(quote.lines, meant, strict=True)
        )
        return CheckedQuote(
            vin=vin,
            specs=about,
            zip_code=code,
            state=place.state,
            rate=rate,
            lines=checked,
            whole=together([(one.line, one.expected) for one in checked if one.expected is not None]),
            warnings=(
                *(("vin_check_digit",) if vins.has_wrong_check_digit(vin) else ()),
                *_fit_warnings(checked),
            ),
        )

    def validate(
        self,
        *,
        vin: str | None = None,
        zip_code: str | None = None,
        lines: Sequence[Mapping[str, Any] | None] | None = None,
    ) -> dict[str, list[str]]:
        """Name what is wrong with a quote; what is None, in a line as well, and a line that is None, is not judged."""
        return dict(self._faults(vin, zip_code, lines))

    def _faults(
        self, vin: str | None, zip_code: str | None, lines: Sequence[Mapping[str, Any] | None] | None
    ) -> Iterator[tuple[str, list[str]]]:
        if vin is not None and validation.validate_vin(vin):
            yield "vin", validation.validate_vin(vin)
        if zip_code is not None:
            told = validation.validate_zip(zip_code)
            code = zip5(zip_code)
            if code is not None and not self.computing().knows_zip(code):
                told = [validation.NO_SUCH_ZIP]
            if told:
                yield "zip_code", told
        if lines is not None and not 1 <= len(lines) <= MOST_LINES:
            yield "lines", [f"The lines field must have between 1 and {MOST_LINES} items."]
        for number, line in enumerate((lines or ())[:MOST_LINES]):
            for name, predicate in ({} if line is None else self._validate_line(line)).items():
                path = f"lines.{number}.{name}"
                yield path, [f"The {path.replace('_', ' ')} field {predicate}."]

    def _validate_line(self, line: Mapping[str, Any]) -> dict[str, str]:
        told = validate_line(**line)
        identifier = line.get("problem_identifier")
        if identifier is not None and self.memory.problem_id(str(identifier)) is None:
            told["problem_identifier"] = "must be the id or the slug of a repair"
        return told

    def _meant(self, line: QuoteLine) -> tuple[int | None, tuple[Problem, ...]]:
        if line.problem_identifier is not None:
            return self.memory.problem_id(line.problem_identifier), ()
        candidates = self.find(line.description or "")
        sure = surely_meant(line.description or "", candidates)
        return (None, tuple(candidates[:_SUGGESTED])) if sure is None else (sure.id, ())

    def _require_fits(self, quote: Quote, about: VehicleSpecs) -> None:
        """Require that the vehicle can have each repair that a line names; words may be misunderstood and refuse nothing."""
        for line in quote.lines:
            if line.problem_identifier is not None:
                problem_id = self.memory.problem_id(line.problem_identifier)
                if problem_id is not None:
                    self.computing().require_fit(problem_id, about)

    def _models_said(self, problem_id: int, *, vin: str, zip_code: str, caller: Caller) -> Cents | None:
        question = Question(
            environment=caller.environment,
            vehicle_key=vin[:11],
            problem_id=problem_id,
            zip_code=zip_code,
            mileage_band=None,
            vin=vin if len(vin) == FULL_VIN_LENGTH else None,
        )
        found = self.memory.recall(question, owner_id=owner_of(caller), now=self.clock())
        return None if found is None else found.adjusted.ai_average


def _fields(line: QuoteLine) -> dict[str, Any]:
    return {field.name: getattr(line, field.name) for field in fields(QuoteLine)}


def _unmatched(line: QuoteLine, suggestions: tuple[Problem, ...]) -> CheckedLine:
    because = f"No repair of the book is surely what is meant by “{(line.description or '').strip()}”."
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
        standing=judged(line, expected),
        ai_average=ai_average,
        fit=found,
        outside=answer.outside is not None,
    )


def _fit_warnings(lines: Sequence[CheckedLine]) -> Sequence[str]:
    found = [warning for line in lines for warning in fit_warnings(line.fit)]
    return [*dict.fromkeys([*found, *(OUTSIDE_BOOK for line in lines if line.outside)])]


def _expected(answer: LocalAnswer, percent: float) -> Expected:
    estimate = answer.estimate
    moved = adjusted_breakdown(estimate.breakdown, percent) if percent else estimate.breakdown
    low, average, high = adjusted_range(estimate.low, moved, estimate.high, percent)
    return Expected(
        low=low,
        average=average,
        high=high,
        hours=moved.labor_hours,
        rate=moved.labor_rate,
        parts=moved.parts_total,
        center=answer.outlook.center * (1 + percent / 100),
        spread=answer.outlook.spread,
        errors=answer.outlook.errors,
    )
