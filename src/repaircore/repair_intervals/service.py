"""Foretelling when a repair is needed again, and looking back at what was foretold."""

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Final

from attrs import frozen

from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem, Wear
from repaircore.fleet.model import CoverageItem, FleetVehicle
from repaircore.fleet.service import Fleet
from repaircore.fleet.signals import SignalKind
from repaircore.fleet.validation import validate_mileage
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, owner_of, visible_owner
from repaircore.kernel.errors import Forbidden, Invalid
from repaircore.kernel.factors import Factor
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.types import Clock, Lazy
from repaircore.repair_intervals.expected import (
    Basis,
    Elapsed,
    LifecycleAnswer,
    LifecyclePrediction,
    expected,
    since,
)
from repaircore.repair_intervals.intervals import (
    BOOK_COUNTS_AS,
    SurvivalCurve,
    VehicleScope,
    book_times,
    holding,
)
from repaircore.repair_intervals.past_repairs import GONE_AFTER, HoldTimes, times_of
from repaircore.repair_intervals.ports import OpenHistoryWork
from repaircore.repair_intervals.validation import NO_SUCH_PROBLEM, PredictInterval, too_early, validate_day
from repaircore.transactions.car_numbers import car_of
from repaircore.vehicles import vin as vins

if TYPE_CHECKING:
    from repaircore.problems.service import ProblemBook


MOST_REPAIRS: Final = 50_000
_SHAPES: Final = {Wear.WEAR: 3.0, Wear.SCHEDULE: 3.0, Wear.RANDOM: 1.0}
_DOES_NOT_FIT: Final = "problem_does_not_fit_vehicle"
_CHECK_DIGIT: Final = "vin_check_digit"


@frozen(kw_only=True)
class RepairIntervals:
    """The use cases of lifecycles: users see their own, admins everybody's, each in its environment."""

    transaction: OpenHistoryWork
    read: OpenHistoryWork
    fleet: Fleet
    problems: "Lazy[ProblemBook]"
    clock: Clock

    def foretell(self, asked: PredictInterval, caller: Caller = LOCAL) -> LifecyclePrediction:
        """Say when a repair is needed again on a vehicle, and keep what was said.

        Raises:
            Invalid: every bad field is named: ``vin``, ``problem_identifier``, ``mileage``, ``performed_on``.
            VehicleNotFound: nobody knows the VIN.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        told = self.validate(
            vin=asked.vin,
            problem_identifier=asked.problem_identifier,
            mileage=asked.mileage,
            performed_on=asked.performed_on,
        )
        problem = None if told else self.problems().find(asked.problem_identifier)
        if problem is None:
            raise Invalid(told)
        vehicle = self.fleet.resolve(vins.normalize(asked.vin), caller, field="vin")
        if early := too_early(asked.performed_on, vehicle.specs.year):
            raise Invalid({"performed_on": early})
        now = self.clock()
        answer = self._answer(vehicle, problem, asked, now.date())
        with self.transaction() as work:
            return work.lifecycle_predictions.add(
                answer,
                environment=caller.environment,
                owner_id=owner_of(caller),
                vin=vehicle.vin,
                problem=problem,
                mileage=asked.mileage,
                performed_on=asked.performed_on,
                at=now,
            )

    def page(
        self, *, number: int = 1, per_page: int = PER_PAGE, caller: Caller = LOCAL
    ) -> Page[LifecyclePrediction]:
        """List what was foretold, newest first; a page beyond the last is empty.

        Raises:
            Forbidden: the credential is a publishable key, which anybody may have found in a web page.
            Invalid: as ``require_page`` says.
        """
        if caller.credential is Credential.PUBLISHABLE:
            raise Forbidden
        require_page(number, per_page)
        with self.read() as work:
            return work.lifecycle_predictions.page(
                environment=caller.environment,
                owner_id=visible_owner(caller),
                number=number,
                per_page=per_page,
            )

    def covered(self, _: FleetVehicle) -> CoverageItem:
        """Say what the return of a vehicle's repairs is foretold from."""
        return CoverageItem(
            name="repair_lifecycle",
            answered=True,
            source="invoices and the repair book",
            detail="From invoices that tell the car, as far as there are any of the repair, and the book's interval.",
        )

    def validate(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with some fields of a question; those that are not given are not judged."""
        told: dict[str, list[str]] = {}
        vin, identifier = fields.get("vin"), fields.get("problem_identifier")
        mileage, performed_on = fields.get("mileage"), fields.get("performed_on")
        if isinstance(vin, str):
            told["vin"] = vins.validate(vin)
        if isinstance(identifier, str):
            told["problem_identifier"] = [] if self.problems().find(identifier) else [NO_SUCH_PROBLEM]
        if isinstance(mileage, int):
            told["mileage"] = validate_mileage(mileage)
        if isinstance(performed_on, date):
            told["performed_on"] = validate_day(performed_on, self.clock().date())
        return {name: texts for name, texts in told.items() if texts}

    def _answer(
        self, vehicle: FleetVehicle, problem: Problem, asked: PredictInterval, today: date
    ) -> LifecycleAnswer:
        reading = self.fleet.signals(vehicle).get(SignalKind.ODOMETER)
        miles = None if reading is None or not isinstance(reading.value, int | float) else reading.value
        held = since(
            asked.performed_on,
            asked.mileage,
            today=today,
            reading=None if reading is None or miles is None else (reading.at.date(), miles),
        )
        times = self._times(problem, vehicle.environment, today)
        kin = VehicleScope(
            make=make_key(vehicle.specs.make), model=key(vehicle.specs.model), car=car_of(vehicle.vin)
        )
        again, shape = problem.recurrence, _SHAPES[problem.recurrence.kind]
        by_months = holding(book_times(again.months, shape), times.months, kin)
        by_miles = holding(book_times(again.miles, shape), times.miles, kin)
        return LifecycleAnswer(
            vehicle=vehicle.specs.display_name,
            expected=expected(
                by_months, by_miles, held, performed_on=asked.performed_on, mileage=asked.mileage
            ),
            basis=Basis.HISTORY if by_months.sample else Basis.BOOK,
            sample_size=by_months.sample,
            factors=tuple(_factors(problem, by_months, held)),
            warnings=tuple(_warnings(vehicle, problem)),
        )

    def _times(self, problem: Problem, environment: Environment, today: date) -> HoldTimes:
        with self.read() as work:
            found = work.past_repairs.of_problem(problem.id, environment=environment, limit=MOST_REPAIRS)
            gone = work.past_repairs.gone(
                problem.id, environment=environment, limit=MOST_REPAIRS, before=today - GONE_AFTER
            )
        return times_of(found, gone, today=today)


def _factors(problem: Problem, told: SurvivalCurve, held: Elapsed) -> Iterator[Factor]:
    seen = told.sample
    yield Factor(
        name="book",
        value=problem.recurrence.months,
        weight=round(BOOK_COUNTS_AS / (BOOK_COUNTS_AS + seen), 4),
        effect=1.0,
    )
    yield Factor(name="history", value=seen, weight=round(seen / (BOOK_COUNTS_AS + seen), 4), effect=1.0)
    for step in told.steps:
        yield Factor(
            name=step.level, value=step.seen, weight=round(step.weight, 4), effect=round(step.times, 4)
        )
    yield Factor(
        name="miles_a_month", value=round(held.pace) if held.pace_known else None, weight=1.0, effect=1.0
    )


def _warnings(vehicle: FleetVehicle, problem: Problem) -> Iterator[str]:
    if vins.has_wrong_check_digit(vehicle.vin):
        yield _CHECK_DIGIT
    if check_fit(problem, vehicle.specs.profile).outcome is FitOutcome.DOES_NOT_FIT:
        yield _DOES_NOT_FIT
