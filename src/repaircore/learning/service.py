"""Record, update and delete transactions, and learn from them; deletion also undoes what was learned."""

from typing import Any, Final, Unpack
from uuid import UUID

from attrs import evolve, frozen

from repaircore.book.model import Problem
from repaircore.facilities.service import region_around
from repaircore.kernel.audit import AuditState, difference
from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.kernel.errors import Conflict, Failure
from repaircore.kernel.money import dollars
from repaircore.kernel.rules import FieldErrors
from repaircore.kernel.types import Clock
from repaircore.learning.appraisal import Appraisal, Invoice, InvoicePart, appraise
from repaircore.learning.ledger import require_transaction
from repaircore.learning.refits import refit_is_due, refit_within
from repaircore.learning.transaction_rows import (
    CreateTransaction,
    TransactionChanges,
    TransactionReferences,
    changed_fields,
    check_transaction,
    new_transaction,
    next_version,
    with_changes,
)
from repaircore.predictions.compute import lineage_of
from repaircore.predictions.local_prices import LocalPriceLookup
from repaircore.predictions.ports import FactorsOf, OpenWork, PredictionsWork
from repaircore.predictions.track_record import MOST_PAIRS, tracks_of
from repaircore.pricing.book_price import book_price
from repaircore.pricing.places import PlacePrices
from repaircore.pricing.price_index import PriceIndex, day_levels
from repaircore.transactions.evidence import NOWHERE, Place
from repaircore.transactions.model import Transaction
from repaircore.transactions.sums import month_of, sum_changes
from repaircore.vehicles.model import Vehicle


@frozen(kw_only=True)
class Transactions:
    """Use cases for recording, updating and deleting transactions."""

    transaction: OpenWork
    read: OpenWork
    factors_of: FactorsOf
    prices: PriceIndex
    locating: LocalPriceLookup
    clock: Clock

    def record(self, data: CreateTransaction, caller: Caller = LOCAL) -> Transaction:
        """Record an invoice and learn from it, in one unit of work.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: with every bad field, including ids that do not exist, and a ``session_id`` without a prediction in
                the caller's environment, or with a prediction for another repair.
        """
        require_admin(caller)
        with self.transaction() as work:
            return self.record_within(work, data, caller)

    def record_within(
        self,
        work: PredictionsWork,
        data: CreateTransaction,
        caller: Caller,
        *,
        zip_code: str | None = None,
    ) -> Transaction:
        """Record an invoice and learn from it, in an open unit of work.

        ``zip_code`` locates an invoice without a shop; the default is the ZIP code of the prediction that the invoice
        is linked to.

        Raises:
            Invalid: as for ``record``.
        """
        references = check_transaction(work, data, caller.environment, at=self.clock()).require_valid()
        new = new_transaction(data, references, environment=caller.environment, at=self.clock())
        transaction = work.transactions.add(self._learn(work, references, new, zip_code))
        work.transaction_sums.add(transaction.environment, sum_changes(transaction, transaction.make_key))
        _update_track_records(work, transaction)
        _refit_early(work, transaction.environment)
        work.audit.add(
            caller,
            "transaction.add",
            _subject(transaction),
            before=None,
            after=_audit_state(transaction),
            at=transaction.created_at,
        )
        return transaction

    def update(
        self,
        transaction_id: int,
        caller: Caller = LOCAL,
        *,
        version: int | None = None,
        **fields: Unpack[TransactionChanges],
    ) -> Transaction:
        """Update some fields, undo what was learned from the invoice, and learn from it again.

        The lesson stays unless the vehicle, the shop, the repair, the date, the parts or the labor changes. With
        ``version``, the invoice is updated only if it still has that version.

        Raises:
            Conflict: another request changed the invoice at the same moment, or since that ``version``.
            Forbidden: the caller is not an admin.
            Invalid: with every bad field, as for ``record``.
            NotFound: the invoice does not exist in the caller's environment.
        """
        require_admin(caller)
        with self.transaction() as work:
            old = require_transaction(work, transaction_id, caller)
            if version not in {None, old.version}:
                raise _changed()
            changes = changed_fields(old, fields)
            data = with_changes(old, changes)
            references = check_transaction(work, data, caller.environment, at=self.clock()).require_valid()
            new = new_transaction(data, references, environment=caller.environment, at=self.clock())
            new = next_version(old, new, changes)
            if new == old:
                return old
            if not work.transactions.lock(old):
                raise _changed_or_deleted(work, transaction_id, caller)
            if not _have_same_lesson(old, new):
                _unlearn(work, old)
                new = self._learn(work, references, new)
            transaction = work.transactions.replace(old, new)
            work.transaction_sums.add(
                transaction.environment,
                (*sum_changes(old, old.make_key, sign=-1), *sum_changes(transaction, transaction.make_key)),
            )
            _update_track_records(work, old, transaction)
            before, after = difference(_audit_state(old), _audit_state(transaction))
            work.audit.add(
                caller, "transaction.change", _subject(old), before=before, after=after, at=self.clock()
            )
            return transaction

    def delete(self, transaction_id: int, caller: Caller = LOCAL) -> None:
        """Delete an invoice and everything that was learned from it.

        Raises:
            Conflict: another request changed the invoice at the same moment.
            Forbidden: the caller is not an admin.
            NotFound: the invoice does not exist in the caller's environment.
        """
        require_admin(caller)
        with self.transaction() as work:
            transaction = require_transaction(work, transaction_id, caller)
            if not self.delete_within(work, transaction):
                raise _changed_or_deleted(work, transaction_id, caller)
            _update_track_records(work, transaction)
            work.audit.add(
                caller,
                "transaction.remove",
                _subject(transaction),
                before=_audit_state(transaction),
                after=None,
                at=self.clock(),
            )

    def delete_within(self, work: PredictionsWork, transaction: Transaction) -> bool:
        """Delete an invoice and everything that was learned from it, in an open unit of work.

        Nothing is added to the audit log. Return False if the invoice changed since it was read.
        """
        # If two callers delete it at once, only one may undo its lesson.
        if not work.transactions.lock(transaction) or not work.transactions.remove(transaction):
            return False
        _unlearn(work, transaction)
        work.transaction_sums.add(
            transaction.environment, sum_changes(transaction, transaction.make_key, sign=-1)
        )
        return True

    def validate(self, caller: Caller = LOCAL, **values: Any) -> FieldErrors:
        """Return the errors of the given fields of ``CreateTransaction``; absent ones are not checked.

        Adapters report them together with values of the wrong type.
        """
        at = self.clock()
        harmless = CreateTransaction(
            vehicle_id=UUID(int=0), problem_id=0, performed_on=at.date(), labor_hours=0, labor_rate=0
        )
        with self.read() as work:
            errors = check_transaction(work, evolve(harmless, **values), caller.environment, at=at).errors
        return {name: texts for name, texts in errors.items() if name.partition(".")[0] in values}

    def _learn(
        self,
        work: PredictionsWork,
        references: TransactionReferences,
        transaction: Transaction,
        zip_code: str | None = None,
    ) -> Transaction:
        """Learn from an invoice; return it with its lesson."""
        if zip_code is None and references.prediction is not None:
            zip_code = references.prediction.zip_code
        prices = self._local_prices(work, transaction, zip_code)
        appraisal = self._appraise(work, transaction, references.vehicle, references.problem, prices)
        if appraisal is None:
            return evolve(transaction, lesson=None, review=False)
        lesson = work.lessons.learn(
            transaction.environment, appraisal.evidence, bin=appraisal.bin, alpha_step=appraisal.alpha_step
        )
        return evolve(transaction, lesson=lesson, review=appraisal.review)

    def _appraise(
        self,
        work: PredictionsWork,
        transaction: Transaction,
        vehicle: Vehicle,
        problem: Problem,
        local: PlacePrices,
    ) -> Appraisal | None:
        national, day = self.locating.rates.national, transaction.performed_on
        book = book_price(problem, self.factors_of(vehicle.specs), national_rate=national, year=day.year)
        levels = day_levels(self.prices, self.locating.rates, day)
        prices = local.of_invoice(transaction.labor_rate, national * levels.wages)
        return appraise(
            Invoice(
                parts_total=transaction.parts_total,
                labor_total=transaction.labor_total,
                labor_hours=transaction.labor_hours,
                parts=tuple(
                    InvoicePart(name=part.name, unit_price=part.unit_price) for part in transaction.parts
                ),
            ),
            book,
            work.evidence.get_history(transaction.environment, problem, lineage_of(vehicle.specs)),
            problem_id=problem.id,
            market=prices.market(national, levels),
            variances=work.evidence.get_variances(transaction.environment, problem.id, spread=book.spread),
            prices=prices,
            month=month_of(day),
        )

    def _local_prices(
        self, work: PredictionsWork, transaction: Transaction, zip_code: str | None
    ) -> PlacePrices:
        facility_id = transaction.facility_id
        shop = None if facility_id is None else work.facilities.by_id(facility_id)
        today = day_levels(self.prices, self.locating.rates, self.clock().date())
        at = None if shop is not None or zip_code is None else self.locating.zip_codes.find(zip_code[:5])
        if at is not None:
            region = region_around(work.facilities, at)
            return self.locating.of_zip_code(
                work, transaction.environment, at, region, wages=today.wages
            ).prices
        place = self.locating.place_of(shop) if shop is not None else _previous_place(transaction)
        return self.locating.of_invoice(work, transaction.environment, place, shop, wages=today.wages).prices


def _previous_place(transaction: Transaction) -> Place:
    """Return the place in the last lesson of an invoice without a facility, from the ZIP code of its file or job."""
    here = transaction.lesson.evidence.here if transaction.lesson is not None else None
    return NOWHERE if here is None or here.place.shop is not None else here.place


def _refit_early(work: PredictionsWork, environment: Environment) -> None:
    """Refit while the history is short: it takes milliseconds then, and the nightly refit may be hours away."""
    invoices = work.fits.invoices(environment)
    if invoices <= _SHORT and refit_is_due(invoices, work.fits.fitted(environment), most=_SHORT):
        refit_within(work, environment, work.problems.list_all())


_SHORT: Final = 6_000
"""The longest history that recording one invoice may refit; a longer one waits for the nightly refit."""


_LEARNED_FROM: Final = (
    "vehicle_id",
    "facility_id",
    "problem_id",
    "performed_on",
    "parts",
    "labor_hours",
    "labor_rate",
    "parts_total",
    "make_key",  # may differ if the vehicle was corrected since
)


def _have_same_lesson(old: Transaction, new: Transaction) -> bool:
    return all(getattr(old, name) == getattr(new, name) for name in _LEARNED_FROM)


def _unlearn(work: PredictionsWork, transaction: Transaction) -> None:
    if transaction.lesson is not None:
        work.lessons.unlearn(transaction.environment, transaction.lesson)


def update_track_records(work: PredictionsWork, environment: Environment) -> None:
    """Score the models again on the latest invoices that are linked to predictions."""
    answered = work.past_predictions.list_answered(environment, limit=MOST_PAIRS)
    work.track_records.save(environment, tracks_of(answered))


def _update_track_records(work: PredictionsWork, *changed: Transaction) -> None:
    """Score the models again if a linked invoice changed; ``save`` serializes callers in one environment."""
    if any(transaction.prediction_id is not None for transaction in changed):
        update_track_records(work, changed[0].environment)


def _changed_or_deleted(work: PredictionsWork, transaction_id: int, caller: Caller) -> Failure:
    """Return the failure for an invoice that changed since it was read; raise if it was deleted."""
    require_transaction(work, transaction_id, caller)
    return _changed()


def _changed() -> Conflict:
    return Conflict("The transaction was changed by another request. Reload it and try again.")


def _subject(transaction: Transaction) -> str:
    return f"transactions/{transaction.id}"


def _audit_state(transaction: Transaction) -> AuditState:
    """Return the state of an invoice for the audit log, in dollars.

    Notes are free text that may name people, and a car's number leads to its VIN. The log is never erased, so it
    records only the length of the notes and whether the car is known.
    """
    return {
        "vehicle_id": str(transaction.vehicle_id),
        "facility_id": transaction.facility_id,
        "problem_id": transaction.problem_id,
        "car": None if transaction.car is None else "told",
        "session_id": None if transaction.session_id is None else str(transaction.session_id),
        "performed_on": transaction.performed_on.isoformat(),
        "mileage": transaction.mileage,
        "parts": [
            {"name": part.name, "unit_price": dollars(part.unit_price), "quantity": part.quantity}
            for part in transaction.parts
        ],
        "labor_hours": transaction.labor_hours,
        "labor_rate": dollars(transaction.labor_rate),
        "parts_total": dollars(transaction.parts_total),
        "labor_total": dollars(transaction.labor_total),
        "total": dollars(transaction.total),
        "notes": None if transaction.notes is None else f"{len(transaction.notes)} characters",
    }
