"""Foretelling which repairs follow a repair."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.fleet.model import CoverageItem, FleetVehicle
from repaircore.fleet.service import Fleet
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.factors import Factor
from repaircore.kernel.types import Clock, Lazy
from repaircore.repair_intervals.expected import Basis
from repaircore.repair_intervals.ports import OpenHistoryWork
from repaircore.repair_intervals.sequence import LEANS_ON, FollowUp, SequenceCounts, follow_ups, read_trails
from repaircore.repair_intervals.validation import NO_SUCH_PROBLEM, PredictSequence
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins

if TYPE_CHECKING:
    from repaircore.problems.service import ProblemBook


MOST_CARS: Final = 5_000
_MOST_LISTED: Final = 10
_KNOWS_ALL: Final = 1_000


@frozen(kw_only=True)
class FollowingRepair:
    """A repair that follows; ``seen`` is None where the book says so and nobody counted."""

    problem: Problem
    seen: FollowUp | None


@frozen(kw_only=True)
class SequenceAnswer:
    """What follows a repair, the likeliest first.

    ``sample_size`` counts how often the repair was seen with the sixty days after it. ``vehicle`` is the vehicle's name
    when one was told.
    """

    problem: Problem
    vehicle: str | None
    following: Sequence[FollowingRepair]
    basis: Basis
    sample_size: int
    factors: Sequence[Factor]


@frozen(kw_only=True)
class RepairSequences:
    """The use cases of sequences."""

    read: OpenHistoryWork
    fleet: Fleet
    problems: "Lazy[ProblemBook]"
    clock: Clock

    def foretell(self, asked: PredictSequence, caller: Caller = LOCAL) -> SequenceAnswer:
        """Say which repairs typically follow a repair; while the history tells none, what the book says.

        Raises:
            Invalid: every bad field is named: ``problem_identifier``, ``vin``.
            VehicleNotFound: nobody knows the VIN.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        told = self.validate(problem_identifier=asked.problem_identifier, vin=asked.vin)
        problem = None if told else self.problems().find(asked.problem_identifier)
        if problem is None:
            raise Invalid(told)
        about = None
        if asked.vin is not None:
            about = self.fleet.resolve(vins.normalize(asked.vin), caller, field="vin").specs
        fitting = self._fitting(about)
        of_it, seen = self._seen(problem, caller)
        found = [
            FollowingRepair(problem=fitting[one.problem_id], seen=one)
            for one in seen
            if one.problem_id in fitting
        ]
        by_slug = {one.slug: one for one in fitting.values()}
        written = [
            FollowingRepair(problem=by_slug[slug], seen=None) for slug in problem.followups if slug in by_slug
        ]
        times = of_it.done[problem.id]
        return SequenceAnswer(
            problem=problem,
            vehicle=None if about is None else about.display_name,
            following=(found or written)[:_MOST_LISTED],
            basis=Basis.HISTORY if found else Basis.BOOK,
            sample_size=times,
            factors=_factors(times),
        )

    def _fitting(self, about: VehicleSpecs | None) -> Mapping[int, Problem]:
        """Map the repairs that fit a vehicle, or may fit it, by id; those of any vehicle where none is named."""
        if about is None:
            return {one.id: one for one in self.problems().list_all()}
        return {one.problem.id: one.problem for one in self.problems().list_fitting(about.profile)}

    def covered(self, _: FleetVehicle) -> CoverageItem:
        """Say what the repairs that follow others are foretold from."""
        return CoverageItem(
            name="repair_sequence",
            answered=True,
            source="invoices and the repair book",
            detail="From invoices that tell the car, and while they tell nothing from the book's own follow-ups.",
        )

    def validate(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with some fields of a question; those that are not given are not judged."""
        told: dict[str, list[str]] = {}
        vin, identifier = fields.get("vin"), fields.get("problem_identifier")
        if isinstance(identifier, str):
            told["problem_identifier"] = [] if self.problems().find(identifier) else [NO_SUCH_PROBLEM]
        if isinstance(vin, str):
            told["vin"] = vins.validate(vin)
        return {name: texts for name, texts in told.items() if texts}

    def _seen(self, problem: Problem, caller: Caller) -> tuple[SequenceCounts, Sequence[FollowUp]]:
        today, environment = self.clock().date(), caller.environment
        with self.read() as work:
            with_it = work.past_repairs.trails_with(problem.id, environment=environment, cars=MOST_CARS)
            of_it = read_trails(with_it, until=today)
            if not of_it.done[problem.id]:
                return of_it, ()
            of_any = read_trails(
                work.past_repairs.trails(environment=environment, cars=MOST_CARS), until=today
            )
        return of_it, follow_ups(problem.id, of_it, of_any, most=_KNOWS_ALL)


def _factors(times: int) -> Sequence[Factor]:
    whole = times + LEANS_ON
    return (
        Factor(name="history", value=times, weight=round(times / whole, 4), effect=1.0),
        Factor(name="any_repair", value=LEANS_ON, weight=round(LEANS_ON / whole, 4), effect=1.0),
    )
