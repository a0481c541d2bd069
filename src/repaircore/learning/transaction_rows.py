"""Input, validation and rows for creating and updating transactions."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Annotated, Any, TypedDict
from uuid import UUID

from attrs import evolve, fields, frozen

from repaircore.book.model import Problem
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import is_possible_id
from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.rules import DateRange, FieldErrors, Length, NoNul, Range, field_errors, sentence
from repaircore.kernel.spelling import make_key
from repaircore.predictions.past_predictions import NO_SUCH_SESSION, PastPrediction
from repaircore.predictions.ports import PredictionsWork
from repaircore.transactions.car_numbers import car_of
from repaircore.transactions.limits import (
    DEAREST,
    DEAREST_HOUR,
    FIRST_DAY,
    LONGEST_NOTES,
    MOST_HOURS,
    MOST_LINES,
    MOST_MILES,
    Amount,
)
from repaircore.transactions.model import Transaction, TransactionPart
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import Vehicle


@frozen(kw_only=True)
class CreateTransaction:
    """An invoice to record. Money is in cents, ``labor_rate`` in cents per hour, ``mileage`` in miles.

    ``parts_total`` defaults to the sum of the parts; if both are given, they must agree. ``labor_total`` and ``total``
    follow from the rest, and are checked to the cent if they are given. ``session_id`` is the prediction that the
    invoice is linked to. ``vin`` is the VIN of the repaired car: all 17 characters identify that car, 11 only its
    model.
    """

    vehicle_id: UUID
    problem_id: int
    performed_on: date
    labor_hours: Annotated[float, Range(0, MOST_HOURS)]
    labor_rate: Annotated[Cents, Amount(DEAREST_HOUR)]
    parts: Annotated[tuple[TransactionPart, ...], Length(0, MOST_LINES)] = ()
    parts_total: Annotated[Cents, Amount(DEAREST)] | None = None
    labor_total: Cents | None = None
    total: Cents | None = None
    facility_id: int | None = None
    mileage: Annotated[int, Range(0, MOST_MILES)] | None = None
    notes: Annotated[str, Length(0, LONGEST_NOTES), NoNul()] | None = None
    session_id: UUID | None = None
    vin: str | None = None


class TransactionChanges(TypedDict, total=False):
    """Fields of ``CreateTransaction`` to change."""

    vehicle_id: UUID
    problem_id: int
    performed_on: date
    labor_hours: float
    labor_rate: Cents
    parts: tuple[TransactionPart, ...]
    parts_total: Cents | None
    labor_total: Cents | None
    total: Cents | None
    facility_id: int | None
    mileage: int | None
    notes: str | None
    session_id: UUID | None
    vin: str | None


@frozen(kw_only=True)
class TransactionReferences:
    """The records that a valid invoice refers to."""

    vehicle: Vehicle
    problem: Problem
    prediction: PastPrediction | None


@frozen(kw_only=True)
class TransactionCheck:
    """The errors of an invoice, and the records that it refers to, if they exist."""

    errors: FieldErrors
    vehicle: Vehicle | None
    problem: Problem | None
    prediction: PastPrediction | None

    def require_valid(self) -> TransactionReferences:
        """Return the records that a valid invoice refers to.

        Raises:
            Invalid: with every bad field.
        """
        if self.errors or self.vehicle is None or self.problem is None:
            raise Invalid(self.errors)
        return TransactionReferences(vehicle=self.vehicle, problem=self.problem, prediction=self.prediction)


def check_transaction(
    work: PredictionsWork, data: CreateTransaction, environment: Environment, *, at: datetime
) -> TransactionCheck:
    """Validate all fields at once, and look up the records that they refer to."""
    vehicle = work.vehicles.find(data.vehicle_id)
    problem = work.problems.find(data.problem_id) if is_possible_id(data.problem_id) else None
    prediction = None if data.session_id is None else _prediction(work, data.session_id, environment)
    errors = _validate_fields(data, at.date())
    exists = {
        "vehicle_id": vehicle is not None,
        "problem_id": problem is not None,
        "facility_id": _has_facility(work, data.facility_id),
    }
    errors |= {
        name: [f"The selected {name.replace('_', ' ')} is invalid."]
        for name, found in exists.items()
        if not found
    }
    if vehicle is not None and "performed_on" not in errors:
        errors |= _validate_age(data.performed_on, vehicle)
    if data.session_id is not None:
        errors |= _validate_session(prediction, problem)
    if data.vin is not None:
        errors |= _validate_vin(data.vin, vehicle)
    return TransactionCheck(errors=errors, vehicle=vehicle, problem=problem, prediction=prediction)


def new_transaction(
    data: CreateTransaction, references: TransactionReferences, *, environment: Environment, at: datetime
) -> Transaction:
    """Return a transaction with its totals; nothing is learned from it yet."""
    parts_total, labor_total = _parts_total(data), _labor_total(data)
    prediction = references.prediction
    return Transaction(
        id=0,
        environment=environment,
        vehicle_id=data.vehicle_id,
        facility_id=data.facility_id,
        problem_id=data.problem_id,
        performed_on=data.performed_on,
        mileage=data.mileage,
        parts=data.parts,
        labor_hours=data.labor_hours,
        labor_rate=data.labor_rate,
        parts_total=parts_total,
        labor_total=labor_total,
        total=parts_total + labor_total,
        notes=data.notes,
        lesson=None,
        review=False,
        created_at=at,
        prediction_id=None if prediction is None else prediction.id,
        session_id=None if prediction is None else prediction.session_id,
        make_key=make_key(references.vehicle.specs.make),
        car=None if data.vin is None else car_of(vins.normalize(data.vin)),
    )


def changed_fields(old: Transaction, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the changes that differ from the transaction; a VIN always counts, because it is not stored."""
    return {name: value for name, value in changes.items() if name == "vin" or value != getattr(old, name)}


def with_changes(old: Transaction, changes: Mapping[str, Any]) -> CreateTransaction:
    """Return the input that a changed transaction would be created from; listed parts are added up again."""
    has_parts = "parts" in changes or bool(old.parts)
    data = CreateTransaction(
        vehicle_id=old.vehicle_id,
        problem_id=old.problem_id,
        performed_on=old.performed_on,
        labor_hours=old.labor_hours,
        labor_rate=old.labor_rate,
        parts=old.parts,
        parts_total=None if has_parts else old.parts_total,
        facility_id=old.facility_id,
        mileage=old.mileage,
        notes=old.notes,
        session_id=old.session_id,
    )
    return evolve(data, **changes)


def next_version(old: Transaction, new: Transaction, changes: Mapping[str, Any]) -> Transaction:
    """Return the next state of a transaction, still with the lesson of the old one.

    Totals that no change affects stay: in an imported file, they may exceed the sum of the lines, or miss it by a cent.
    """
    parts = new.parts_total if changes.keys() & {"parts", "parts_total"} else old.parts_total
    labor = new.labor_total if changes.keys() & {"labor_hours", "labor_rate"} else old.labor_total
    same_car = "vin" not in changes and old.vehicle_id == new.vehicle_id
    return evolve(
        new,
        car=old.car if same_car else new.car,
        id=old.id,
        version=old.version,
        created_at=old.created_at,
        lesson=old.lesson,
        review=old.review,
        parts_total=parts,
        labor_total=labor,
        total=parts + labor,
    )


def _validate_fields(data: CreateTransaction, today: date) -> FieldErrors:
    """Return the errors that need no other records; ``today`` is in UTC."""
    errors = field_errors(
        CreateTransaction, {field.name: getattr(data, field.name) for field in fields(CreateTransaction)}
    )
    # In some time zones it is already tomorrow.
    day = DateRange(FIRST_DAY, today + timedelta(days=1)).broken_by(data.performed_on)
    if day is not None:
        errors["performed_on"] = [sentence("performed_on", day)]
    if any(name.partition(".")[0] == "parts" for name in errors):
        return errors
    if not errors.keys() & {"labor_hours", "labor_rate", "parts_total"}:
        errors |= _validate_totals(data)
    if not data.parts:
        return errors
    total = _sum(data.parts)
    if total > DEAREST:
        errors["parts"] = [sentence("parts", f"must total at most ${DEAREST / 100:,.0f}")]
    if data.parts_total is not None and data.parts_total != total and "parts_total" not in errors:
        errors["parts_total"] = [
            sentence("parts_total", f"must be the sum of the parts, ${total / 100:,.2f}")
        ]
    return errors


def _validate_totals(data: CreateTransaction) -> FieldErrors:
    labor = _labor_total(data)
    derived = {
        "labor_total": (data.labor_total, labor, "the labor hours times the labor rate"),
        "total": (data.total, _parts_total(data) + labor, "the parts and the labor together"),
    }
    return {
        name: [sentence(name, f"must be {words}, ${right / 100:,.2f}")]
        for name, (given, right, words) in derived.items()
        if given is not None and given != right
    }


def _validate_age(day: date, vehicle: Vehicle) -> FieldErrors:
    year = vehicle.specs.year
    # Vehicles are sold from the January of the year before their model year.
    if day.year >= year - 1:
        return {}
    text = f"must not be before {year - 1}: the vehicle's model year is {year}"
    return {"performed_on": [sentence("performed_on", text)]}


def _parts_total(data: CreateTransaction) -> Cents:
    return _sum(data.parts) if data.parts_total is None else data.parts_total


def _labor_total(data: CreateTransaction) -> Cents:
    return round_half_up(round(data.labor_hours * data.labor_rate, 6))


def _sum(parts: tuple[TransactionPart, ...]) -> Cents:
    return sum(part.unit_price * part.quantity for part in parts)


def _prediction(work: PredictionsWork, session_id: UUID, environment: Environment) -> PastPrediction | None:
    # Only admins record invoices, and they see the predictions of all users.
    return work.past_predictions.find(session_id, environment=environment, owner_id=None)


def _validate_session(found: PastPrediction | None, problem: Problem | None) -> FieldErrors:
    if found is None:
        return {"session_id": [NO_SUCH_SESSION]}
    if problem is not None and found.problem_id != problem.id:
        return {"session_id": ["The selected session id belongs to a prediction for another repair."]}
    return {}


def _validate_vin(text: str, vehicle: Vehicle | None) -> FieldErrors:
    vin = vins.normalize(text)
    errors = vins.validate(vin)
    known = None if vehicle is None else vehicle.vin if vehicle.is_whole else vehicle.vin11
    if not errors and known is not None and vin[: len(known)] != known[: len(vin)]:
        errors = ["The vin field belongs to a different vehicle than the selected vehicle id."]
    return {"vin": errors} if errors else {}


def _has_facility(work: PredictionsWork, facility_id: int | None) -> bool:
    if facility_id is None:
        return True
    return is_possible_id(facility_id) and work.facilities.by_id(facility_id) is not None
