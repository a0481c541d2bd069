"""Sort jobs: those sure enough to learn from, those that await a decision, and those that are not repairs."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import PartKind, Problem
from repaircore.book.oil_changes import usual_oil_change
from repaircore.invoice_files.model import key_of
from repaircore.job_matching.model import SURE, Match, Outcome
from repaircore.job_matching.repair_match import OIL_UNSAID, RepairMatcher
from repaircore.kernel.money import Cents
from repaircore.quote_text.shop_words import significant_words
from repaircore.quotes.counts import OTHER_COUNT, count_factor
from repaircore.shop_tables.jobs import CREDIT, NO_PRICE
from repaircore.shop_tables.model import Job
from repaircore.transactions.file_cells import BadCell
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import Vehicle

_PRICE_FROM: Final = 0.4
_PRICE_TO: Final = 2.5
"""The lowest and highest plausible prices, as multiples of the book's low and high for a mid-size car.

Differences between vehicles and places do not explain prices outside this range.
"""

_PARTS_MATTER: Final = 2_000
_LABOR_MATTERS: Final = 0.5
_LONGEST_MODEL: Final = 5
_ONE_CYLINDER: Final = re.compile(r"#\s?\d\b|\bcyl\w*\.?\s*#?\d\b", re.IGNORECASE)
_SOME_WHEELS: Final = re.compile(
    r"\b(?:one|two|three|1|2|3)\s+(?:\w+\s+)?(?:wheels?|tires?)\b", re.IGNORECASE
)
_BOTH_SIDES: Final = re.compile(
    r"\b(?:lf|lr|l|lt|lh|left)\s*(?:&|and|/|\+|,)\s*(?:rf|rr|r|rt|rh|right)\b", re.IGNORECASE
)

FAR: Final = "The price is far from the usual range of ${low:,.0f} to ${high:,.0f}."
NO_LABOR: Final = "The line has no labor, but the repair needs some."
NO_PARTS: Final = "The line has no parts, but the repair needs some."

VehicleOf = Callable[[str | tuple[str, str, str, str]], Vehicle]
"""Find a vehicle by the first 11 characters of a VIN, or by year, make, model and trim; raise BadCell if unknown."""


@frozen(kw_only=True)
class SortedJob:
    """A job, with its vehicle stated as in our own format, and its match, or None if the job is left out."""

    job: Job
    match: Match | None


class JobSorter:
    """Sorts jobs by their text, vehicles and prices, and by earlier decisions."""

    def __init__(
        self,
        matcher: RepairMatcher,
        problems: Sequence[Problem],
        *,
        vehicle: VehicleOf,
        decisions: Mapping[str, int | None],
    ) -> None:
        self._matcher = matcher
        self._by_slug = {problem.slug: problem for problem in problems}
        self._by_id = {problem.id: problem for problem in problems}
        self._vehicle = vehicle
        self._decisions = decisions

    def sort(self, job: Job) -> SortedJob:
        """Return a job with its match.

        Raises:
            BadCell: the vehicle is unknown, or the file names a repair that does not exist.
        """
        if NO_PRICE in job.doubts or CREDIT in job.doubts:
            return SortedJob(job=job, match=None)
        job, vehicle = self._with_vehicle(job)
        if job.problem:
            return SortedJob(job=job, match=self._stated(job))
        key = key_of(job.text)
        if key in self._decisions:
            number = self._decisions[key]
            if number is None:
                return SortedJob(job=job, match=None)
            found = self._decided(job, number, vehicle)
        else:
            found = self._checked(job, vehicle)
            if not found.is_repair:
                return SortedJob(job=job, match=None)
        return SortedJob(job=job, match=found)

    def _stated(self, job: Job) -> Match:
        text = job.problem.strip()
        problem = self._by_slug.get(text) or (self._by_id.get(int(text)) if text.isdecimal() else None)
        if problem is None:
            raise BadCell(
                f"There is no repair {text[:60]!r}. Enter an id or a slug from `repaircore problems list`."
            )
        return Match(outcome=Outcome.SURE, slug=problem.slug, confidence=1.0)

    def _decided(self, job: Job, number: int, vehicle: Vehicle) -> Match:
        problem = self._by_id[number]
        found = Match(outcome=Outcome.SURE, slug=problem.slug, confidence=1.0, suggestions=(problem.slug,))
        doubt = next(iter(job.doubts), None) or _misfit(problem, vehicle)
        return _unsure(found, doubt) if doubt else found

    def _checked(self, job: Job, vehicle: Vehicle) -> Match:
        found = self._matcher.match(job.text, [part.name for part in job.parts])
        if found.reason == OIL_UNSAID:
            found = self._with_usual_oil(found, job, vehicle)
        if found.outcome is not Outcome.SURE or found.slug is None:
            return found
        problem = self._by_slug[found.slug]
        doubt = next(_doubts(job, problem, vehicle), None)
        return _unsure(found, doubt) if doubt else found

    def _with_usual_oil(self, found: Match, job: Job, vehicle: Vehicle) -> Match:
        """Return a sure match for the vehicle's usual oil change if the price fits it, else the given match."""
        slug = usual_oil_change(vehicle.specs.profile)
        total = _total(job)
        problem = None if slug is None else self._by_slug.get(slug)
        if problem is None or total is None or not problem.low <= total <= problem.high:
            return found
        shown = tuple(dict.fromkeys((problem.slug, *found.suggestions)))
        return evolve(
            found, outcome=Outcome.SURE, slug=problem.slug, confidence=SURE, reason=None, suggestions=shown
        )

    def _with_vehicle(self, job: Job) -> tuple[Job, Vehicle]:
        """Return a job and its vehicle, found by VIN or else by year, make and model.

        The model's last words are dropped until a vehicle is found.

        Raises:
            BadCell: the vehicle is unknown.
        """
        words = job.model.split()[:_LONGEST_MODEL]
        has_model = bool(job.year and job.make and words)
        errors = vins.validate(job.vin)
        if not errors:
            try:
                return job, self._vehicle(job.vin[:11])
            except BadCell:
                if not has_model:
                    raise
        elif not has_model:
            raise BadCell(*errors)
        failures: list[BadCell] = []
        for count in range(len(words), 0, -1):
            model, trim = " ".join(words[:count]), job.trim or " ".join(words[count:])
            try:
                vehicle = self._vehicle((job.year, job.make, model, trim))
            except BadCell as bad:
                failures.append(bad)
            else:
                return evolve(job, vin="" if errors else job.vin, model=model, trim=trim), vehicle
        raise failures[0]


def _unsure(found: Match, reason: str) -> Match:
    return Match(outcome=Outcome.UNSURE, confidence=0.5, reason=reason, suggestions=found.suggestions)


def _doubts(job: Job, problem: Problem, vehicle: Vehicle) -> Iterator[str]:
    """Yield reasons to doubt that a job is the repair that its text names."""
    yield from job.doubts
    misfit = _misfit(problem, vehicle)
    if misfit:
        yield misfit
    if _is_other_count(job, problem):
        yield OTHER_COUNT
    if job.labor == 0 and not job.hours and problem.labor_hours > _LABOR_MATTERS:
        yield NO_LABOR
    if job.parts_total == 0 and problem.parts_total > _PARTS_MATTER:
        yield NO_PARTS
    total = _total(job)
    if total is not None and not problem.low * _PRICE_FROM <= total <= problem.high * _PRICE_TO:
        yield FAR.format(low=problem.low / 100, high=problem.high / 100)


def _total(job: Job) -> Cents | None:
    if job.total is not None:
        return job.total
    return (
        None if job.labor is None and job.parts_total is None else (job.labor or 0) + (job.parts_total or 0)
    )


def _misfit(problem: Problem, vehicle: Vehicle) -> str | None:
    fit = check_fit(problem, vehicle.specs.profile)
    return fit.reason if fit.outcome is FitOutcome.DOES_NOT_FIT else None


def _is_other_count(job: Job, problem: Problem) -> bool:
    """Return whether a job has a different number of the repair's first part than the book's price includes."""
    if _ONE_CYLINDER.search(job.text) and any(part.per is not None for part in problem.parts[:1]):
        return True
    if _SOME_WHEELS.search(job.text) and "tire" in problem.slug:
        return True
    if count_factor(_BOTH_SIDES.sub(" both ", job.text), (), problem) != 1:
        return True
    first = next(iter(problem.parts), None)
    if first is None or first.kind is not PartKind.PART or first.per is not None:
        return False
    words = significant_words(first.name)
    count = sum(part.quantity for part in job.parts if significant_words(part.name) == words)
    return count not in {0, first.quantity}
