"""An invoice as it is told, and whether it can be kept."""

from datetime import date, datetime
from typing import TypedDict, cast
from uuid import UUID

from attrs import evolve, frozen

from repaircore.book.model import Problem
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import is_possible_id
from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.spelling import make_key
from repaircore.predictions.model import PastPrediction
from repaircore.predictions.ports import PredictionsWork
from repaircore.predictions.ratings import NO_SUCH_SESSION
from repaircore.transactions.car_numbers import car_of
from repaircore.transactions.model import Transaction, TransactionPart
from repaircore.transactions.validation import validate_invoice
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import Vehicle


@frozen(kw_only=True)
class NewTransaction:
    """An invoice as it is told. Money in cents, ``labor_rate`` in cents per hour, ``mileage`` in miles.

    ``parts_total`` None adds the lines up; where there are lines, it must be what they come to. ``session_id``
    names the prediction that the invoice answers. ``vin`` is the car's own: with all of its 17 characters the car is
    told from others that are built alike.
    """

    vehicle_id: UUID
    problem_id: int
    performed_on: date
    labor_hours: float
    labor_rate: Cents
    parts: tuple[TransactionPart, ...] = ()
    parts_total: Cents | None = None
    facility_id: int | None = None
    mileage: int | None = None
    notes: str | None = None
    session_id: UUID | None = None
    vin: str | None = None


class TransactionFields(TypedDict, total=False):
    """Some fields of a ``NewTransaction``, as a change names them."""

    vehicle_id: UUID
    problem_id: int
    performed_on: date
    labor_hours: float
    labor_rate: Cents
    parts: tuple[TransactionPart, ...]
    parts_total: Cents | None
    facility_id: int | None
    mileage: int | None
    notes: str | None
    session_id: UUID | None
    vin: str | None


@frozen(kw_only=True)
class TransactionTargets:
    """What a good invoice rests on; ``prediction`` is the one that it answers."""

    vehicle: Vehicle
    problem: Problem
    prediction: PastPrediction | None


@frozen(kw_only=True)
class TransactionCheck:
    """What an invoice names, where it exists, and everything that is wrong with it."""

    wrong: dict[str, list[str]]
    vehicle: Vehicle | None
    problem: Problem | None
    prediction: PastPrediction | None

    def grounds(self) -> TransactionTargets:
        """Give what the invoice rests on.

        Raises:
            Invalid: it is not good; every bad field is named.
        """
        if self.wrong or self.vehicle is None or self.problem is None:
            raise Invalid(self.wrong)
        return TransactionTargets(vehicle=self.vehicle, problem=self.problem, prediction=self.prediction)


def judgment(
    work: PredictionsWork, sale: NewTransaction, environment: Environment, *, at: datetime
) -> TransactionCheck:
    """Judge all fields at once, and look up what they name."""
    vehicle = work.vehicles.find(sale.vehicle_id)
    problem = work.problems.find(sale.problem_id) if is_possible_id(sale.problem_id) else None
    prediction = None if sale.session_id is None else _answered(work, sale.session_id, environment)
    wrong = validate_invoice(
        performed_on=sale.performed_on,
        today=at.date(),
        labor_hours=sale.labor_hours,
        labor_rate=sale.labor_rate,
        parts=sale.parts,
        parts_total=sale.parts_total,
        mileage=sale.mileage,
        notes=sale.notes,
    )
    exists = {
        "vehicle_id": vehicle is not None,
        "problem_id": problem is not None,
        "facility_id": _has_facility(work, sale.facility_id),
    }
    wrong |= {name: [f"The selected {name} is invalid."] for name, does in exists.items() if not does}
    if sale.session_id is not None:
        wrong |= _validate_session(prediction, problem)
    if sale.vin is not None:
        wrong |= _validate_vin(sale.vin, vehicle)
    return TransactionCheck(wrong=wrong, vehicle=vehicle, problem=problem, prediction=prediction)


def told_by(
    sale: NewTransaction, grounds: TransactionTargets, *, environment: Environment, at: datetime
) -> Transaction:
    """Give the invoice that was told, its sums worked out; nothing is learned from it yet."""
    lines = sum(part.unit_price * part.quantity for part in sale.parts)
    parts_total = lines if sale.parts_total is None else sale.parts_total
    labor_total = round_half_up(round(sale.labor_hours * sale.labor_rate, 6))
    prediction = grounds.prediction
    return Transaction(
        id=0,
        environment=environment,
        vehicle_id=sale.vehicle_id,
        facility_id=sale.facility_id,
        problem_id=sale.problem_id,
        performed_on=sale.performed_on,
        mileage=sale.mileage,
        parts=sale.parts,
        labor_hours=sale.labor_hours,
        labor_rate=sale.labor_rate,
        parts_total=parts_total,
        labor_total=labor_total,
        total=parts_total + labor_total,
        notes=sale.notes,
        lesson=None,
        review=False,
        created_at=at,
        prediction_id=None if prediction is None else prediction.id,
        session_id=None if prediction is None else prediction.session_id,
        make_key=make_key(grounds.vehicle.specs.make),
        car=None if sale.vin is None else car_of(vins.normalize(sale.vin)),
    )


def differing(old: Transaction, fields: TransactionFields) -> TransactionFields:
    """Give those fields that say something else than the invoice does; of a VIN nobody knows, for it is not kept."""
    return cast(
        "TransactionFields",
        {name: told for name, told in fields.items() if name == "vin" or told != getattr(old, name)},
    )


def in_place_of(old: Transaction, new: Transaction, told: TransactionFields) -> Transaction:
    """Give the next state of an invoice, of which nothing is learned anew yet.

    Sums that nothing told bears on stay: those of a file may come to more than its lines, or to a cent less.
    """
    parts = new.parts_total if told.keys() & {"parts", "parts_total"} else old.parts_total
    labor = new.labor_total if told.keys() & {"labor_hours", "labor_rate"} else old.labor_total
    same_car = "vin" not in told and old.vehicle_id == new.vehicle_id
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


def retold(old: Transaction, fields: TransactionFields) -> NewTransaction:
    """Give what is told of an invoice when some fields are told anew; other parts come to another sum."""
    parts_told = "parts" in fields or bool(old.parts)
    told = NewTransaction(
        vehicle_id=old.vehicle_id,
        problem_id=old.problem_id,
        performed_on=old.performed_on,
        labor_hours=old.labor_hours,
        labor_rate=old.labor_rate,
        parts=old.parts,
        parts_total=None if parts_told else old.parts_total,
        facility_id=old.facility_id,
        mileage=old.mileage,
        notes=old.notes,
        session_id=old.session_id,
    )
    return evolve(told, **fields)


def _answered(work: PredictionsWork, session_id: UUID, environment: Environment) -> PastPrediction | None:
    # Who keeps invoices is an admin, and sees everybody's predictions.
    return work.past_predictions.find(session_id, environment=environment, owner_id=None)


def _validate_session(found: PastPrediction | None, problem: Problem | None) -> dict[str, list[str]]:
    if found is None:
        return {"session_id": [NO_SUCH_SESSION]}
    if problem is not None and found.problem_id != problem.id:
        return {"session_id": ["The selected session id is of a prediction of another repair."]}
    return {}


def _validate_vin(text: str, vehicle: Vehicle | None) -> dict[str, list[str]]:
    vin = vins.normalize(text)
    told = vins.validate(vin)
    known = None if vehicle is None else vehicle.vin if vehicle.is_whole else vehicle.vin11
    if not told and known is not None and vin[: len(known)] != known[: len(vin)]:
        told = ["The vin field is of another vehicle than the selected vehicle id."]
    return {"vin": told} if told else {}


def _has_facility(work: PredictionsWork, facility_id: int | None) -> bool:
    if facility_id is None:
        return True
    return is_possible_id(facility_id) and work.facilities.by_id(facility_id) is not None
