"""Past repairs: recorded, learned from, and taken out again without a trace."""

from datetime import date
from uuid import UUID

from attrs import evolve, frozen

from repaircore.estimates.accuracy import PAIRS_KEPT, tracks_of
from repaircore.estimates.appraisal import Appraisal, Invoice, InvoicePart, appraise, market_then
from repaircore.estimates.book_price import book_price
from repaircore.estimates.computing import BOOK_DAY, lineage_of
from repaircore.estimates.feedback import NO_SUCH_SESSION
from repaircore.estimates.ownership import seen_by
from repaircore.estimates.ports import Begin, EstimatesWork, FactorsOf
from repaircore.estimates.price_level import PriceIndex
from repaircore.estimates.variances import variances_of
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.money import Cents, half_up
from repaircore.kernel.spelling import make_key
from repaircore.kernel.types import Clock
from repaircore.problems.model import Problem
from repaircore.transactions.faults import invoice_faults
from repaircore.transactions.model import PartSold, Transaction
from repaircore.transactions.sums import sum_changes
from repaircore.vehicles.model import Vehicle

__all__ = ["Sale", "Transactions"]


@frozen(kw_only=True)
class Sale:
    """An invoice as it is told. Money in cents, ``labor_rate`` in cents per hour, ``mileage`` in miles.

    ``parts_total`` None adds the lines up. ``session_id`` names the prediction that the invoice answers.
    """

    vehicle_id: UUID
    problem_id: int
    performed_on: date
    labor_hours: float
    labor_rate: Cents
    parts: tuple[PartSold, ...] = ()
    parts_total: Cents | None = None
    facility_id: int | None = None
    mileage: int | None = None
    notes: str | None = None
    session_id: UUID | None = None


@frozen(kw_only=True)
class Transactions:
    """The use cases of past repairs."""

    begin: Begin
    look: Begin
    factors_of: FactorsOf
    prices: PriceIndex
    national_rate: Cents
    clock: Clock

    def record(self, sale: Sale, caller: Caller = LOCAL) -> Transaction:
        """Keep an invoice and learn from it, in one transaction.

        Raises:
            Invalid: every bad field is named, ids that do not exist among them, and ``session_id`` of no
                prediction that the caller may see, or of one of another repair.
        """
        with self.begin() as work:
            vehicle, problem = _judged(work, sale, self.clock().date())
            told = evolve(_transaction(sale, caller, self), make_key=make_key(vehicle.about.make))
            appraisal = self._appraised(work, told, vehicle, problem)
            told = evolve(told, prediction_id=_answered(work, sale, caller))
            if appraisal is not None:
                lesson = work.lessons.learn(
                    told.environment, appraisal.evidence, bin=appraisal.bin, alpha_step=appraisal.alpha_step
                )
                told = evolve(told, lesson=lesson, review=appraisal.review)
            kept = work.transactions.add(told)
            work.transaction_sums.add(kept.environment, sum_changes(kept, kept.make_key))
            _track(work, kept)
            return kept

    def remove(self, transaction_id: int, caller: Caller = LOCAL) -> None:
        """Forget an invoice and everything that was learned from it.

        Raises:
            NotFound: there is no such invoice in the caller's environment.
        """
        with self.begin() as work:
            kept = _kept(work, transaction_id, caller)
            # Of two who remove it at once, one takes its lesson out.
            if not work.transactions.remove(transaction_id):
                raise _not_found()
            if kept.lesson is not None:
                work.lessons.unlearn(kept.environment, kept.lesson)
            work.transaction_sums.add(kept.environment, sum_changes(kept, kept.make_key, sign=-1))
            _track(work, kept)

    def show(self, transaction_id: int, caller: Caller = LOCAL) -> Transaction:
        """Give an invoice.

        Raises:
            NotFound: there is no such invoice in the caller's environment.
        """
        with self.look() as work:
            return _kept(work, transaction_id, caller)

    def _appraised(
        self, work: EstimatesWork, told: Transaction, vehicle: Vehicle, problem: Problem
    ) -> Appraisal | None:
        book = book_price(problem, self.factors_of(vehicle.about), national_rate=self.national_rate)
        level = self.prices.level(told.performed_on, base=BOOK_DAY)
        return appraise(
            Invoice(
                parts_total=told.parts_total,
                labor_total=told.labor_total,
                labor_hours=told.labor_hours,
                parts=tuple(InvoicePart(name=part.name, unit_price=part.unit_price) for part in told.parts),
            ),
            book,
            work.evidence.history(told.environment, problem, lineage_of(vehicle.about)),
            problem_id=problem.id,
            market=market_then(told.labor_rate, national_rate=self.national_rate, price_level=level),
            variances=work.evidence.variances(told.environment, problem.id) or variances_of(book.spread),
        )


def _answered(work: EstimatesWork, sale: Sale, caller: Caller) -> int | None:
    if sale.session_id is None:
        return None
    found = work.past_predictions.by_session(
        sale.session_id, environment=caller.environment, owner_id=seen_by(caller)
    )
    if found is None:
        raise Invalid({"session_id": [NO_SUCH_SESSION]})
    if found.problem_id != sale.problem_id:
        raise Invalid({"session_id": ["The selected session id is of a prediction of another repair."]})
    return found.id


def _track(work: EstimatesWork, changed: Transaction) -> None:
    """Judge the models anew when a linked invoice came or went; those of one environment take turns."""
    if changed.prediction_id is not None:
        answered = work.past_predictions.answered(changed.environment, limit=PAIRS_KEPT)
        work.track_records.keep(changed.environment, tracks_of(answered))


def _judged(work: EstimatesWork, sale: Sale, today: date) -> tuple[Vehicle, Problem]:
    """Give the vehicle and the repair of an invoice, or complain about all its fields at once."""
    wrong = invoice_faults(
        performed_on=sale.performed_on,
        today=today,
        labor_hours=sale.labor_hours,
        labor_rate=sale.labor_rate,
        parts=sale.parts,
        parts_total=sale.parts_total,
        mileage=sale.mileage,
        notes=sale.notes,
    )
    vehicle = work.vehicles.by_id(sale.vehicle_id)
    problem = work.problems.by_id(sale.problem_id) if _may_exist(sale.problem_id) else None
    missing: dict[str, object] = {"vehicle_id": vehicle, "problem_id": problem}
    if sale.facility_id is not None:
        may = _may_exist(sale.facility_id)
        missing["facility_id"] = work.facilities.by_id(sale.facility_id) if may else None
    wrong |= {name: [f"The selected {name} is invalid."] for name, found in missing.items() if found is None}
    if wrong or vehicle is None or problem is None:
        raise Invalid(wrong)
    return vehicle, problem


def _may_exist(record_id: int) -> bool:
    # A database counts to 2^63.
    return 0 < record_id < 2**63


def _kept(work: EstimatesWork, transaction_id: int, caller: Caller) -> Transaction:
    kept = work.transactions.by_id(transaction_id, environment=caller.environment)
    if kept is None:
        raise _not_found()
    return kept


def _not_found() -> NotFound:
    return NotFound("Transaction not found.")


def _transaction(sale: Sale, caller: Caller, service: Transactions) -> Transaction:
    lines = sum(part.unit_price * part.quantity for part in sale.parts)
    parts_total = lines if sale.parts_total is None else sale.parts_total
    labor_total = half_up(round(sale.labor_hours * sale.labor_rate, 6))
    return Transaction(
        id=0,
        environment=caller.environment,
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
        created_at=service.clock(),
    )
