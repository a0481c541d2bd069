"""Guides to repairs, and the price of a repair on a visitor's vehicle. Nothing is stored."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import Factory, asdict, field, frozen

from repaircore.book import identifiers
from repaircore.book.fit import FitOutcome, alternatives, check_fit
from repaircore.book.model import Problem
from repaircore.diagnosis.advice import NO_SUCH_ZIP
from repaircore.facilities.zip_code import ZipCode, zip5
from repaircore.kernel.cache import OneSlotCache
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import PriceRange
from repaircore.kernel.rules import FieldErrors, field_errors, sentence
from repaircore.kernel.types import Clock, Lazy
from repaircore.predictions.compute import Computation, LocalAnswer
from repaircore.predictions.ports import OpenWork
from repaircore.predictions.price_adjustment import adjusted_estimate
from repaircore.problems.errors import ProblemNotFound
from repaircore.repair_guides.examples import EXAMPLES, PLACE, PLACE_ZIP, SPARE_EXAMPLES, ExampleVehicle
from repaircore.repair_guides.model import (
    CategoryGuide,
    ExamplePrice,
    JobPrice,
    LocalPrice,
    NamingCode,
    NextRepair,
    RepairGuide,
    ShownSymptom,
)
from repaircore.repair_guides.ports import DistributionOf
from repaircore.repair_guides.relations import codes_by_repair, list_alike, list_before
from repaircore.repair_intervals.expected import Basis
from repaircore.repair_intervals.repair_sequences import FollowingRepair, RepairSequences
from repaircore.repair_intervals.validation import PredictSequence
from repaircore.trouble_codes.table import CodeTable
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.description import VehicleDescription, description_errors, find_specs
from repaircore.vehicles.service import Vehicles

_MOST_CODES: Final = 12
_LEAST_SEEN: Final = 20
"""How many times a repair must have been followed by another before the share is public."""

_NO_VEHICLE: Final = "Enter year, make and model, or a VIN."


@frozen(kw_only=True)
class PriceMyRepair(VehicleDescription):
    """The input for a price: a visitor's vehicle and ZIP code."""

    zip_code: ZipCode


@frozen(kw_only=True)
class _GuideCache:
    """One edition of the repair book, and the cached guides to its repairs, by slug."""

    problems: Mapping[str, Problem]
    categories: Sequence[CategoryGuide]
    codes: Mapping[str, Sequence[NamingCode]]
    examples: Sequence[tuple[ExampleVehicle, VehicleSpecs]]
    spare_examples: Sequence[tuple[ExampleVehicle, VehicleSpecs]]
    guides: dict[str, RepairGuide] = Factory(dict)


@frozen(kw_only=True)
class RepairGuides:
    """Use cases for repair guides.

    Each process caches a guide until the end of the day, or until the book or the price adjustment changes.
    """

    read: OpenWork
    computation: Lazy[Computation]
    vehicles: Lazy[Vehicles]
    sequences: Lazy[RepairSequences]
    paid: DistributionOf
    codes: Lazy[CodeTable]
    symptoms: Lazy[Mapping[str, str]]
    clock: Clock
    cache: OneSlotCache[_GuideCache] = field(repr=False, eq=False, default=Factory(OneSlotCache))

    def list_categories(self) -> Sequence[CategoryGuide]:
        """List the categories with their repairs."""
        return self._cache().categories

    def list_slugs(self) -> Sequence[str]:
        """List the slugs of all repairs."""
        return [*self._cache().problems]

    def get(self, identifier: str) -> RepairGuide:
        """Return the guide to the repair with this slug.

        Raises:
            ProblemNotFound: there is no such repair.
            Unavailable: the database is not responding.
        """
        cached, slug = self._cache(), identifiers.parse_slug(identifier)
        problem = None if slug is None else cached.problems.get(slug)
        if problem is None:
            raise ProblemNotFound
        guide = cached.guides.get(problem.slug)
        if guide is None:
            # Two threads may compute the same guide; that is cheaper than making one wait for the other.
            guide = cached.guides[problem.slug] = self._guide(problem, cached)
        return guide

    def price(self, slug: str, request: PriceMyRepair) -> LocalPrice:
        """Return what a repair costs on a visitor's vehicle at their ZIP code.

        Raises:
            ProblemNotFound: there is no such repair.
            Invalid: with every bad field.
            Unavailable: the database, or the only decoder that could know the VIN, is not responding.
        """
        problem, values = self.get(slug).problem, asdict(request)
        errors = {**self.validate(**values), **field_errors(PriceMyRepair, values)}
        specs = None if errors else find_specs(self.vehicles(), request)
        if specs is None:
            raise Invalid(errors)
        code = zip5(request.zip_code) or request.zip_code
        place, _, answers = self.computation().local(Environment.LIVE, code, specs, [problem.id])
        fit = check_fit(problem, specs.profile)
        fits = fit.outcome is not FitOutcome.DOES_NOT_FIT
        return LocalPrice(
            vehicle=specs.display_name,
            zip_code=place.zip_code,
            state=place.state,
            fit=fit,
            job=_job(answers[problem.id], self._percent()) if fits else None,
            alternatives=()
            if fits
            else alternatives(problem, self._cache().problems.values(), specs.profile),
        )

    def validate(self, **fields: Any) -> FieldErrors:
        """Return the errors in fields that already have the right types; an absent ZIP code is not checked."""
        code = fields.pop("zip_code", None)
        described = VehicleDescription(**fields)
        errors = {"model": [_NO_VEHICLE]} if described.is_empty else description_errors(described)
        if code is not None and not self.computation().is_zip_in_use(zip5(code) or code):
            errors["zip_code"] = [sentence("zip_code", NO_SUCH_ZIP)]
        return errors

    def _cache(self) -> _GuideCache:
        with self.read() as work:
            edition = f"{work.problems.edition()} {work.adjustment.get()} {self.clock():%Y-%m-%d}"
            return self.cache.get(edition, lambda: self._fill(work.problems.list_all()))

    def _fill(self, problems: Sequence[Problem]) -> _GuideCache:
        return _GuideCache(
            problems={problem.slug: problem for problem in problems},
            categories=_by_category(problems),
            codes=codes_by_repair(self.codes()),
            examples=[(example, self._specs(example)) for example in EXAMPLES],
            spare_examples=[(example, self._specs(example)) for example in SPARE_EXAMPLES],
        )

    def _percent(self) -> float:
        with self.read() as work:
            return work.adjustment.get()

    def _guide(self, problem: Problem, cached: _GuideCache) -> RepairGuide:
        names, percent = self.symptoms(), self._percent()
        naming = cached.codes.get(problem.slug, ())
        return RepairGuide(
            problem=problem,
            symptoms=[
                ShownSymptom(name=names.get(symptom.slug, symptom.slug), share=symptom.share)
                for symptom in sorted(problem.symptoms, key=lambda symptom: -symptom.share)
            ],
            examples=self._examples(problem, cached, percent),
            place=PLACE,
            follows=self._follows(problem),
            comes_after=list_before(problem, cached.problems.values()),
            alike=list_alike(problem, cached.problems.values()),
            codes=naming[:_MOST_CODES],
            more_codes=max(0, len(naming) - _MOST_CODES),
            paid=self.paid(problem.id),
        )

    def _examples(self, problem: Problem, cached: _GuideCache, percent: float) -> Sequence[ExamplePrice]:
        """Return the prices on the examples; if the repair fits none of them, spare ones that it fits come first."""
        common = [self._example(example, specs, problem, percent) for example, specs in cached.examples]
        if any(each.job is not None for each in common):
            return common
        spare = (self._example(example, specs, problem, percent) for example, specs in cached.spare_examples)
        return [*(each for each in spare if each.job is not None), *common]

    def _example(
        self, example: ExampleVehicle, specs: VehicleSpecs, problem: Problem, percent: float
    ) -> ExamplePrice:
        fit = check_fit(problem, specs.profile)
        if fit.outcome is FitOutcome.DOES_NOT_FIT:
            return ExamplePrice(example=example, fit=fit, job=None)
        _, _, answers = self.computation().local(Environment.LIVE, PLACE_ZIP, specs, [problem.id])
        return ExamplePrice(example=example, fit=fit, job=_job(answers[problem.id], percent))

    def _specs(self, example: ExampleVehicle) -> VehicleSpecs:
        match = self.vehicles().find_match(
            year=example.year, make=example.make, model=example.model, trim=None, engine=example.engine
        )
        return match.vehicle.specs

    def _follows(self, problem: Problem) -> Sequence[NextRepair]:
        answer = self.sequences().predict(PredictSequence(problem_identifier=problem.slug), LOCAL)
        book = answer.basis is Basis.BOOK
        return [
            NextRepair(problem=each.problem, share=_share(each))
            for each in answer.following
            if book or _is_seen(each)
        ]


def _by_category(problems: Sequence[Problem]) -> Sequence[CategoryGuide]:
    groups: dict[int, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(problem.parent.id, []).append(problem)
    return [
        CategoryGuide(category=group[0].parent, problems=sorted(group, key=lambda each: each.name))
        for _, group in sorted(groups.items())
    ]


def _job(answer: LocalAnswer, percent: float) -> JobPrice:
    estimate = adjusted_estimate(answer.estimate, percent)
    price = PriceRange(low=estimate.low, average=estimate.average, high=estimate.high)
    return JobPrice(price=price, breakdown=estimate.breakdown)


def _share(following: FollowingRepair) -> float | None:
    return None if following.counted is None else following.counted.probability


def _is_seen(following: FollowingRepair) -> bool:
    return following.counted is not None and following.counted.support >= _LEAST_SEEN
