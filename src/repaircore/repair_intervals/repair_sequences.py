"""Predict which repairs follow a repair."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import asdict, frozen

from repaircore.book.model import Problem
from repaircore.fleet.model import CoverageItem, FleetVehicle
from repaircore.fleet.service import Fleet
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.factors import Factor
from repaircore.kernel.rules import FieldErrors
from repaircore.kernel.types import Clock, Lazy
from repaircore.repair_intervals.expected import Basis
from repaircore.repair_intervals.ports import OpenHistoryWork
from repaircore.repair_intervals.sequence import PRIOR_COUNT, FollowUp, count_sequences, follow_ups
from repaircore.repair_intervals.validation import NO_SUCH_PROBLEM, PredictSequence
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins

if TYPE_CHECKING:
    from repaircore.problems.service import ProblemBook


MOST_CARS: Final = 5_000
_MOST_LISTED: Final = 10
_NO_LIMIT: Final = 1_000


@frozen(kw_only=True)
class FollowingRepair:
    """A repair that follows another; ``counted`` is None if only the book lists it."""

    problem: Problem
    counted: FollowUp | None


@frozen(kw_only=True)
class SequenceAnswer:
    """The repairs that follow a repair, most likely first.

    ``sample_size`` is how often the repair was done at least sixty days ago. ``vehicle`` is the vehicle's
    name, if one was given.
    """

    problem: Problem
    vehicle: str | None
    following: Sequence[FollowingRepair]
    basis: Basis
    sample_size: int
    factors: Sequence[Factor]


@frozen(kw_only=True)
class RepairSequences:
    """Predicts which repairs follow a repair."""

    read: OpenHistoryWork
    fleet: Fleet
    problems: "Lazy[ProblemBook]"
    clock: Clock

    def predict(self, request: PredictSequence, caller: Caller = LOCAL) -> SequenceAnswer:
        """Predict which repairs typically follow a repair, from past repairs if possible, else from the repair book.

        Raises:
            Invalid: with every bad field (``problem_identifier``, ``vin``).
            VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        errors = self.validate(**asdict(request))
        problem = None if errors else self.problems().find(request.problem_identifier)
        if problem is None:
            raise Invalid(errors)
        specs = None
        if request.vin is not None:
            specs = self.fleet.resolve(vins.normalize(request.vin), caller, field="vin").specs
        fitting = self._fitting(specs)
        times, counted = self._count(problem, caller)
        from_history = [
            FollowingRepair(problem=fitting[follow_up.problem_id], counted=follow_up)
            for follow_up in counted
            if follow_up.problem_id in fitting
        ]
        by_slug = {other.slug: other for other in fitting.values()}
        from_book = [
            FollowingRepair(problem=by_slug[slug], counted=None)
            for slug in problem.followups
            if slug in by_slug
        ]
        return SequenceAnswer(
            problem=problem,
            vehicle=None if specs is None else specs.display_name,
            following=(from_history or from_book)[:_MOST_LISTED],
            basis=Basis.HISTORY if from_history else Basis.BOOK,
            sample_size=times,
            factors=_factors(times),
        )

    def _fitting(self, specs: VehicleSpecs | None) -> Mapping[int, Problem]:
        """Return the repairs that fit or may fit a vehicle, by id; if ``specs`` is None, return all repairs."""
        if specs is None:
            return {problem.id: problem for problem in self.problems().list_all()}
        return {fit.problem.id: fit.problem for fit in self.problems().list_fitting(specs.profile)}

    def coverage(self, _: FleetVehicle) -> CoverageItem:
        """Return the sources of repair sequence predictions, which are available for every vehicle."""
        return CoverageItem(
            name="repair_sequence",
            answered=True,
            source="invoices and the repair book",
            detail="From invoices of identified cars, or else from the follow-ups in the repair book.",
        )

    def validate(self, **fields: object) -> FieldErrors:
        """Return the errors in the given fields, whose types are already checked; absent fields are skipped."""
        errors: FieldErrors = {}
        vin, identifier = fields.get("vin"), fields.get("problem_identifier")
        if isinstance(identifier, str):
            errors["problem_identifier"] = [] if self.problems().find(identifier) else [NO_SUCH_PROBLEM]
        if isinstance(vin, str):
            errors["vin"] = vins.validate(vin)
        return {name: sentences for name, sentences in errors.items() if sentences}

    def _count(self, problem: Problem, caller: Caller) -> tuple[int, Sequence[FollowUp]]:
        """Return how many times a repair was done, and what followed it."""
        today, environment = self.clock().date(), caller.environment
        with self.read() as work:
            trails = work.past_repairs.trails_with(problem.id, environment=environment, cars=MOST_CARS)
            counts = count_sequences(trails, until=today)
            times = counts.done[problem.id]
            if not times:
                return 0, ()
            usual = count_sequences(
                work.past_repairs.trails(environment=environment, cars=MOST_CARS), until=today
            )
        return times, follow_ups(problem.id, counts, usual, most=_NO_LIMIT)


def _factors(times: int) -> Sequence[Factor]:
    whole = times + PRIOR_COUNT
    return (
        Factor(name="history", value=times, weight=round(times / whole, 4), effect=1.0),
        Factor(name="any_repair", value=PRIOR_COUNT, weight=round(PRIOR_COUNT / whole, 4), effect=1.0),
    )
