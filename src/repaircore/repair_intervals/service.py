"""Predict when a repair is needed again, and list past predictions."""

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Final

from attrs import asdict, frozen

from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem, Wear
from repaircore.fleet.model import CoverageItem, FleetVehicle
from repaircore.fleet.service import Fleet
from repaircore.fleet.signals import SignalKind
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, owner_of, visible_owner
from repaircore.kernel.errors import Forbidden, Invalid
from repaircore.kernel.factors import Factor
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_page
from repaircore.kernel.rules import FieldErrors, field_errors
from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.types import Clock, Lazy
from repaircore.repair_intervals.expected import (
    Basis,
    Elapsed,
    LifecycleAnswer,
    LifecyclePrediction,
    elapsed_since,
    expected_return,
)
from repaircore.repair_intervals.intervals import (
    BOOK_COUNTS_AS,
    SurvivalCurve,
    VehicleScope,
    book_times,
    survival_curve,
)
from repaircore.repair_intervals.past_repairs import GONE_AFTER, HoldTimes, hold_times
from repaircore.repair_intervals.ports import OpenHistoryWork
from repaircore.repair_intervals.validation import (
    NO_SUCH_PROBLEM,
    PredictInterval,
    validate_against_model_year,
    validate_day,
)
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
    """Use cases for repair lifecycles.

    Users see their own predictions, and admins see all predictions in their environment.
    """

    transaction: OpenHistoryWork
    read: OpenHistoryWork
    fleet: Fleet
    problems: "Lazy[ProblemBook]"
    clock: Clock

    def predict(self, request: PredictInterval, caller: Caller = LOCAL) -> LifecyclePrediction:
        """Predict when a repair is needed again on a vehicle, and store the prediction.

        Raises:
            Invalid: with every bad field (``vin``, ``problem_identifier``, ``mileage``, ``performed_on``).
            VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        values = asdict(request)
        errors = field_errors(PredictInterval, values) | self.validate(**values)
        problem = None if errors else self.problems().find(request.problem_identifier)
        if problem is None:
            raise Invalid(errors)
        vehicle = self.fleet.resolve(vins.normalize(request.vin), caller, field="vin")
        if too_early := validate_against_model_year(request.performed_on, vehicle.specs.year):
            raise Invalid({"performed_on": too_early})
        now = self.clock()
        answer = self._answer(vehicle, problem, request, now.date())
        with self.transaction() as work:
            return work.lifecycle_predictions.add(
                answer,
                environment=caller.environment,
                owner_id=owner_of(caller),
                vin=vehicle.vin,
                problem=problem,
                mileage=request.mileage,
                performed_on=request.performed_on,
                at=now,
            )

    def page(self, *, request: PageRequest = FIRST_PAGE, caller: Caller = LOCAL) -> Page[LifecyclePrediction]:
        """Return a page of past predictions, newest first unless another order is requested.

        A page beyond the last one is empty.

        Raises:
            Forbidden: the credential is a publishable key, which anyone can find in a web page.
            Invalid: ``page``, ``per_page``, ``sort`` or ``cursor`` is invalid.
        """
        if caller.credential is Credential.PUBLISHABLE:
            raise Forbidden
        require_page(request.number, request.per_page)
        with self.read() as work:
            return work.lifecycle_predictions.page(
                environment=caller.environment,
                owner_id=visible_owner(caller),
                request=request,
            )

    def coverage(self, _: FleetVehicle) -> CoverageItem:
        """Return the sources of repair lifecycle predictions, which are available for every vehicle."""
        return CoverageItem(
            name="repair_lifecycle",
            answered=True,
            source="invoices and the repair book",
            detail="From invoices of identified cars, if there are any for the repair, and the book's interval.",
        )

    def validate(self, **fields: object) -> FieldErrors:
        """Return the errors in the given fields, whose types are already checked; absent fields are skipped."""
        errors: FieldErrors = {}
        vin, identifier, performed_on = (
            fields.get(name) for name in ("vin", "problem_identifier", "performed_on")
        )
        if isinstance(vin, str):
            errors["vin"] = vins.validate(vin)
        if isinstance(identifier, str):
            errors["problem_identifier"] = [] if self.problems().find(identifier) else [NO_SUCH_PROBLEM]
        if isinstance(performed_on, date):
            errors["performed_on"] = validate_day(performed_on, self.clock().date())
        return {name: sentences for name, sentences in errors.items() if sentences}

    def _answer(
        self, vehicle: FleetVehicle, problem: Problem, request: PredictInterval, today: date
    ) -> LifecycleAnswer:
        reading = self.fleet.signals(vehicle).get(SignalKind.ODOMETER)
        miles = None if reading is None or not isinstance(reading.value, int | float) else reading.value
        elapsed = elapsed_since(
            request.performed_on,
            request.mileage,
            today=today,
            reading=None if reading is None or miles is None else (reading.at.date(), miles),
        )
        times = self._times(problem, vehicle.environment, today)
        scope = VehicleScope(
            make=make_key(vehicle.specs.make), model=key(vehicle.specs.model), car=car_of(vehicle.vin)
        )
        recurrence, shape = problem.recurrence, _SHAPES[problem.recurrence.kind]
        by_months = survival_curve(book_times(recurrence.months, shape), times.months, scope)
        by_miles = survival_curve(book_times(recurrence.miles, shape), times.miles, scope)
        return LifecycleAnswer(
            vehicle=vehicle.specs.display_name,
            expected=expected_return(
                by_months, by_miles, elapsed, performed_on=request.performed_on, mileage=request.mileage
            ),
            basis=Basis.HISTORY if by_months.sample else Basis.BOOK,
            sample_size=by_months.sample,
            factors=tuple(_factors(problem, by_months, elapsed)),
            warnings=tuple(_warnings(vehicle, problem)),
        )

    def _times(self, problem: Problem, environment: Environment, today: date) -> HoldTimes:
        with self.read() as work:
            found = work.past_repairs.of_problem(problem.id, environment=environment, limit=MOST_REPAIRS)
            gone = work.past_repairs.gone(
                problem.id, environment=environment, limit=MOST_REPAIRS, before=today - GONE_AFTER
            )
        return hold_times(found, gone, today=today)


def _factors(problem: Problem, curve: SurvivalCurve, elapsed: Elapsed) -> Iterator[Factor]:
    count = curve.sample
    yield Factor(
        name="book",
        value=problem.recurrence.months,
        weight=round(BOOK_COUNTS_AS / (BOOK_COUNTS_AS + count), 4),
        effect=1.0,
    )
    yield Factor(name="history", value=count, weight=round(count / (BOOK_COUNTS_AS + count), 4), effect=1.0)
    for step in curve.steps:
        yield Factor(
            name=step.level, value=step.count, weight=round(step.weight, 4), effect=round(step.factor, 4)
        )
    yield Factor(
        name="miles_a_month",
        value=round(elapsed.pace) if elapsed.is_own_pace else None,
        weight=1.0,
        effect=1.0,
    )


def _warnings(vehicle: FleetVehicle, problem: Problem) -> Iterator[str]:
    if vins.has_wrong_check_digit(vehicle.vin):
        yield _CHECK_DIGIT
    if check_fit(problem, vehicle.specs.profile).outcome is FitOutcome.DOES_NOT_FIT:
        yield _DOES_NOT_FIT
