"""Check a shop's quote, without storing anything or calling a model."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import asdict, evolve, frozen

from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem
from repaircore.facilities.rates import RegionRate
from repaircore.facilities.sales_taxes import SalesTaxes
from repaircore.job_matching.repair_match import RepairMatcher
from repaircore.kernel.callers import LOCAL, Caller, owner_of
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.kernel.rules import sentence
from repaircore.kernel.types import Clock, Lazy
from repaircore.predictions.compute import OUTSIDE_BOOK, Computation, LocalAnswer, fit_warnings
from repaircore.predictions.model import Question
from repaircore.predictions.ports import OpenWork, PredictionCache
from repaircore.predictions.price_adjustment import adjusted_estimate
from repaircore.pricing.model import Breakdown
from repaircore.quote_text.kinds import LineKind, names_only_fitting
from repaircore.quote_text.model import QuoteLine, ReadQuote
from repaircore.quote_text.reader import read_quote
from repaircore.quotes.charges import UsualCharges, assess_charge, basis
from repaircore.quotes.comparison import Expected, PriceAssessment, assess
from repaircore.quotes.counts import (
    CountMismatch,
    count_factor,
    count_mismatch,
    for_count,
    with_count_mismatch,
)
from repaircore.quotes.line_match import LineMatcher, SearchRepairs
from repaircore.quotes.model import CheckedLine, CheckedQuote, MatchedLine, MatchedQuote
from repaircore.quotes.questions import MOST_QUESTIONS, about_misfit, line_questions, whole_questions
from repaircore.quotes.quote import MOST_LINES, CheckQuote, Quote, ReadQuoteText
from repaircore.quotes.resurfacing import is_resurfaced, with_resurfacing, with_resurfacing_note
from repaircore.quotes.text_match import core_words, known_repairs
from repaircore.quotes.together import QuotedJob, included_in, joint_prices
from repaircore.quotes.validation import QuoteLookups, quote_errors
from repaircore.quotes.whole import assess_whole
from repaircore.structuring import structure, structure_partially
from repaircore.vehicle_facts.model import Factors, VehicleSpecs
from repaircore.vehicle_facts.overlap import OverlapFacts, OverlapTable, overlap_facts
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import FULL_VIN_LENGTH
from repaircore.vehicles.service import Vehicles

_NO_TIRES: Final = "Mounting and balancing without the price of the tires is not compared."
_NO_LINES: Final = "has no line with a readable price"


@frozen(kw_only=True)
class _Vehicle:
    """The vehicle of a quote, and its key in the cache of answers."""

    specs: VehicleSpecs
    factors: Factors
    key: str
    vin: str | None
    warnings: tuple[str, ...] = ()


@frozen(kw_only=True)
class QuoteChecks:
    """Use cases for quotes: reading their text, and checking their prices."""

    open_read: OpenWork
    cache: PredictionCache
    vehicles: Lazy[Vehicles]
    computation: Lazy[Computation]
    problems: Lazy[Sequence[Problem]]
    repair_matcher: Lazy[RepairMatcher]
    search: SearchRepairs
    taxes: Lazy[SalesTaxes]
    usual: Lazy[UsualCharges]
    overlaps: Lazy[OverlapTable]
    clock: Clock

    def check(self, quote: Quote, caller: Caller = LOCAL) -> CheckedQuote:
        """Compare each line, and the whole quote, with the usual prices in the area.

        Raises:
            Invalid: one or more fields are invalid; errors in lines have names such as ``lines.0.total``.
            ProblemDoesNotFit: a line has the id or slug of a repair that the vehicle cannot have, and ``force`` is not
                set.
            VehicleNotFound: the VIN is unknown.
            NoVehicleForSpecs: no such model was sold that year.
            Unavailable: the database, or the only decoder that could know the VIN, is not responding.
        """
        self.parse(_plain(quote))
        vehicle = self._vehicle(quote)
        line_matcher = self._line_matcher()
        matched = [line_matcher.match_for(line, vehicle.specs.profile) for line in quote.lines]
        if not quote.force:
            self._require_fits(quote, vehicle.specs)
        numbers = {line.problem.id for line in matched if line.problem is not None}
        code = quote.zip_code[:5]
        place, rate, answers = self.computation().local(caller.environment, code, vehicle.specs, numbers)
        with self.open_read() as work:
            percent = work.adjustment.get()
        compared = [
            self._compared(line, answers, vehicle, percent, quote, code=code, caller=caller)
            for line in matched
        ]
        facts = overlap_facts(vehicle.specs, vehicle.factors)
        checked = _priced_together(
            [self._with_charge(line, compared, rate=rate, state=place.state) for line in compared],
            self.overlaps(),
            facts,
        )
        whole = assess_whole([line.assessed for line in checked])
        kinds = [
            (
                line.line,
                line.kind,
                None if line.problem is None or line.assessed.is_charged_twice else line.problem.slug,
            )
            for line in checked
        ]
        return CheckedQuote(
            vin=vehicle.vin,
            specs=vehicle.specs,
            zip_code=code,
            state=place.state,
            rate=rate,
            lines=checked,
            whole=whole,
            questions=whole_questions(kinds, whole.verdict, quote.read),
            warnings=(*vehicle.warnings, *_fit_warnings(checked)),
            read=quote.read,
        )

    def read(self, text: str) -> MatchedQuote:
        """Return the lines of a quote's text with the repairs that they name, without checking the prices.

        Raises:
            Invalid: ``text`` is empty or too long, or has more lines than a quote may have.
        """
        found = self.read_text({"text": text})
        return MatchedQuote(read=found, lines=tuple(map(self._line_matcher().match, found.lines)))

    def read_text(self, data: Mapping[str, Any]) -> ReadQuote:
        """Parse the text in a JSON object of the form ``ReadQuoteText``.

        Raises:
            Invalid: ``text`` is missing, empty or too long, or has too many lines.
        """
        found = read_quote(structure(ReadQuoteText, data).text, known_repairs(self.problems()))
        if len(found.lines) > MOST_LINES:
            raise Invalid(
                {"text": [sentence("text", f"must not have more than {MOST_LINES} lines with prices")]}
            )
        return found

    def parse(self, data: Mapping[str, Any]) -> Quote:
        """Parse a JSON object of the form ``CheckQuote``, with money in dollars.

        Raises:
            Invalid: one or more fields are invalid; errors in lines have names such as ``lines.0.total``.
        """
        good, errors = structure_partially(CheckQuote, data)
        lookups = QuoteLookups(
            is_zip_in_use=self.computation().is_zip_in_use, find_problem_id=self.cache.find_problem_id
        )
        errors = {**quote_errors(data, good, lookups), **errors}
        read = None
        if good.get("text") is not None and "text" not in errors:
            read, of_text = self._read_partially(good["text"])
            errors |= of_text
        if errors:
            raise Invalid(errors)
        return structure(CheckQuote, data).quote(read)

    def _read_partially(self, text: str) -> tuple[ReadQuote | None, dict[str, list[str]]]:
        try:
            read = self.read_text({"text": text})
        except Invalid as invalid:
            return None, {name: [*texts] for name, texts in invalid.fields.items()}
        return read, {} if read.lines else {"text": [sentence("text", _NO_LINES)]}

    def _vehicle(self, quote: Quote) -> _Vehicle:
        if quote.vin is not None:
            vin = vins.normalize(quote.vin)
            warnings = ("vin_check_digit",) if vins.has_wrong_check_digit(vin) else ()
            decoded = self.vehicles().decode(vin)
            factors = self.computation().factors_of(decoded)
            return _Vehicle(specs=decoded, factors=factors, key=vin[:11], vin=vin, warnings=warnings)
        specs = quote.specs
        if specs is None:
            raise LookupError(quote)
        match = self.vehicles().find_match(**asdict(specs))
        return _Vehicle(
            specs=match.vehicle.specs,
            factors=self.computation().factors_of(match.vehicle.specs),
            key=match.vehicle.answer_key,
            vin=None,
            warnings=() if match.is_trim_known else ("trim_unknown",),
        )

    def _line_matcher(self) -> LineMatcher:
        return LineMatcher(
            problems=self.problems(),
            repair_matcher=self.repair_matcher(),
            search=self.search,
            find_problem_id=self.cache.find_problem_id,
        )

    def _require_fits(self, quote: Quote, about: VehicleSpecs) -> None:
        """Require that each repair given by id fits the vehicle; descriptions are not checked: they may be misread."""
        for line in quote.lines:
            if line.problem_identifier is not None:
                problem_id = self.cache.find_problem_id(line.problem_identifier)
                if problem_id is not None:
                    self.computation().require_fit(problem_id, about)

    def _compared(
        self,
        matched: MatchedLine,
        answers: Mapping[int, LocalAnswer],
        vehicle: _Vehicle,
        percent: float,
        quote: Quote,
        *,
        code: str,
        caller: Caller,
    ) -> CheckedLine:
        """Compare a line with its repair; charges, and lines without a repair, are not compared yet."""
        line, problem = matched.line, matched.problem
        if problem is None:
            because = None if matched.kind is not LineKind.REPAIR else _unclear(matched)
            return CheckedLine(
                line=line,
                kind=matched.kind,
                suggestions=tuple(
                    suggestion for suggestion in matched.suggestions if _may_fit(suggestion, vehicle.specs)
                ),
                unknown_because=because,
            )
        cached = self._cached_ai_average(problem.id, vehicle, zip_code=code, caller=caller)
        checked = _checked(line, answers[problem.id], vehicle, percent, ai_average=cached, force=quote.force)
        if checked.is_fitting_alone:
            return CheckedLine(line=line, unknown_because=_NO_TIRES)
        if (quote.read is not None or line.kind is None) and checked.is_bare_part:
            return CheckedLine(line=line, kind=LineKind.PART)
        return evolve(checked, kind=matched.kind)

    def _with_charge(
        self, checked: CheckedLine, lines: Sequence[CheckedLine], *, rate: RegionRate, state: str
    ) -> CheckedLine:
        """Return a line with its questions; charges are also assessed."""
        usual = self.usual()
        if checked.assessment is None and checked.problem is None:
            of = basis(
                [(line.line, line.kind, _parts_share(line)) for line in lines],
                rate=rate.rate,
                state=state,
                tax=self.taxes().find(state),
                slugs=frozenset(line.problem.slug for line in lines if line.problem is not None),
            )
            assessment = assess_charge(checked.line, checked.kind, usual, of)
            because = None if assessment is not None else checked.unknown_because or _uncompared(checked.kind)
            checked = evolve(checked, assessment=assessment, unknown_because=because)
        return evolve(checked, questions=_questions(checked, usual))

    def _cached_ai_average(
        self, problem_id: int, vehicle: _Vehicle, *, zip_code: str, caller: Caller
    ) -> Cents | None:
        question = Question(
            environment=caller.environment,
            vehicle_key=vehicle.key,
            problem_id=problem_id,
            zip_code=zip_code,
            mileage_band=None,
            vin=vehicle.vin if vehicle.vin is not None and len(vehicle.vin) == FULL_VIN_LENGTH else None,
        )
        cached = self.cache.find(question, owner_id=owner_of(caller), now=self.clock())
        return None if cached is None else cached.adjusted.ai_average


def _plain(quote: Quote) -> dict[str, Any]:
    """Return a quote as plain JSON values."""
    data = asdict(CheckQuote.of(quote), value_serializer=_plain_value)
    return {name: value for name, value in data.items() if value is not None}


def _plain_value(_owner: object, _field: object, value: Any) -> Any:
    return value.value if isinstance(value, LineKind) else value


def _questions(checked: CheckedLine, usual: UsualCharges) -> tuple[str, ...]:
    if checked.assessed.is_misfit:
        return (about_misfit(checked.line),)
    found = line_questions(checked.line, checked.kind, checked.assessment, usual)
    return (
        found
        if checked.count_mismatch is None
        else (checked.count_mismatch.question, *found)[:MOST_QUESTIONS]
    )


def _may_fit(problem: Problem, about: VehicleSpecs) -> bool:
    return check_fit(problem, about.profile).outcome is not FitOutcome.DOES_NOT_FIT


def _unclear(matched: MatchedLine) -> str:
    words = (matched.line.description or "").strip()
    if matched.names_several:
        return f"“{words}” names several repairs at one price, which we do not compare."
    if names_only_fitting(words):
        return _NO_TIRES
    if matched.is_diesels_own:
        return (
            f"We do not have a price for “{words}” on a diesel, whose part differs from a gasoline engine's."
        )
    return f"We could not tell which repair “{words}” is."


def _uncompared(kind: LineKind) -> str:
    if kind is LineKind.PART:
        return "This seems to be a part without its labor, which is not compared: parts differ in brand and grade."
    return "We do not know what is usual here."


def _parts_share(checked: CheckedLine) -> float | None:
    expected = checked.expected
    return None if expected is None else expected.parts / expected.average


def _checked(
    line: QuoteLine,
    answer: LocalAnswer,
    vehicle: _Vehicle,
    percent: float,
    *,
    ai_average: Cents | None,
    force: bool,
) -> CheckedLine:
    found = check_fit(answer.problem, vehicle.specs.profile)
    if found.outcome is FitOutcome.DOES_NOT_FIT and not force:
        return CheckedLine(line=line, problem=answer.problem, unknown_because=found.reason, fit=found)
    words = line.description or ""
    odd = count_mismatch(words, line.parts, answer.problem, vehicle.specs, vehicle.factors)
    priced = _priced_count(answer)
    factor = (
        count_factor(words, line.parts, answer.problem, priced) if odd is None else odd.factor(answer.problem)
    )
    expected = for_count(_expected(answer, percent), factor) if factor != 1 else _expected(answer, percent)
    is_turned = is_resurfaced((words, *line.parts), answer.problem)
    expected = with_resurfacing(expected) if is_turned else expected
    assessment = _with_count(assess(line, expected), factor, priced, odd)
    return CheckedLine(
        line=line,
        problem=answer.problem,
        expected=expected,
        sample_size=answer.estimate.sample_size,
        confidence=answer.estimate.confidence,
        assessment=with_resurfacing_note(assessment) if is_turned else assessment,
        count_mismatch=odd,
        ai_average=ai_average,
        fit=found,
        outside=answer.outside is not None,
    )


def _priced_count(answer: LocalAnswer) -> int | None:
    """Return how many of the repair's first part its price on this vehicle is for, or None if that is unknown."""
    first = answer.problem.parts[0].name if answer.problem.parts else None
    found = (item.quantity for item in answer.estimate.breakdown.parts if item.name == first)
    count = next(found, None)
    return None if count is None or count != round(count) or count < 1 else round(count)


def _with_count(
    assessment: PriceAssessment, factor: float, priced: int | None, odd: CountMismatch | None
) -> PriceAssessment:
    """Return the assessment, stating the count of parts if it differs from the book's or the vehicle's."""
    if odd is not None:
        return with_count_mismatch(assessment, odd)
    if factor == 1 or priced is None:
        return assessment
    count = round(factor * priced)
    text = f"For {count}: {assessment.reason.text}"
    return evolve(assessment, reason=evolve(assessment.reason, text=text))


def _priced_together(
    lines: Sequence[CheckedLine], table: OverlapTable, facts: OverlapFacts
) -> tuple[CheckedLine, ...]:
    """Return lines with their joint prices; lines that are charged twice are questioned."""
    jobs = {place: job for place, line in enumerate(lines) if (job := _quoted_job(line)) is not None}
    found = dict(zip(jobs, joint_prices([*jobs.values()], table, facts), strict=True))
    return tuple(
        line.with_joint_price(found[place]) if place in found else _included(line, [*jobs.values()])
        for place, line in enumerate(lines)
    )


def _included(checked: CheckedLine, jobs: Sequence[QuotedJob]) -> CheckedLine:
    """Return a line, marked as part of the repair on another line if that includes it."""
    is_open = checked.problem is None and checked.kind in {LineKind.REPAIR, LineKind.PART}
    name = included_in(checked.line.description or "", jobs) if is_open else None
    return checked if name is None else checked.included_with(name)


def _quoted_job(checked: CheckedLine) -> QuotedJob | None:
    problem, expected = checked.problem, checked.expected
    if problem is None or expected is None or checked.line.total <= 0:
        return None
    return QuotedJob(
        line=checked.line,
        slug=problem.slug,
        name=problem.name,
        core=core_words(problem),
        expected=expected,
    )


def _fit_warnings(lines: Sequence[CheckedLine]) -> Sequence[str]:
    warnings = [warning for line in lines for warning in fit_warnings(line.fit)]
    return [*dict.fromkeys([*warnings, *(OUTSIDE_BOOK for line in lines if line.outside)])]


def _expected(answer: LocalAnswer, percent: float) -> Expected:
    estimate = adjusted_estimate(answer.estimate, percent)
    return Expected(
        low=estimate.low,
        average=estimate.average,
        high=estimate.high,
        hours=estimate.breakdown.labor_hours,
        rate=estimate.breakdown.labor_rate,
        parts=estimate.breakdown.parts_total,
        center=answer.outlook.center * (1 + percent / 100),
        spread=answer.outlook.spread,
        errors=answer.outlook.errors,
        items=_items(estimate.breakdown),
    )


def _items(breakdown: Breakdown) -> dict[str, Cents]:
    found: dict[str, Cents] = {}
    for item in breakdown.parts:
        found[item.name] = found.get(item.name, 0) + item.total
    return found
