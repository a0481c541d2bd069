"""Past repairs: recorded, learned from, and taken out again without a trace."""

from typing import Final
from uuid import UUID

from attrs import evolve, frozen
from typing_extensions import Unpack

from repaircore.book.model import Problem
from repaircore.kernel.audit import difference
from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.kernel.errors import Conflict, Failure
from repaircore.kernel.types import Clock
from repaircore.learning.appraisal import Appraisal, Invoice, InvoicePart, appraise
from repaircore.learning.ledger import invoice
from repaircore.learning.refits import refit_is_due, refit_within
from repaircore.learning.transaction_rows import (
    NewTransaction,
    TransactionFields,
    TransactionTargets,
    differing,
    in_place_of,
    judgment,
    retold,
    told_by,
)
from repaircore.predictions.compute import lineage_of
from repaircore.predictions.local_prices import LocalPriceLookup
from repaircore.predictions.ports import FactorsOf, OpenWork, PredictionsWork
from repaircore.predictions.track_record import PAIRS_KEPT, tracks_of
from repaircore.pricing.book_price import book_price
from repaircore.pricing.places import PlacePrices
from repaircore.pricing.price_index import PriceIndex, day_levels
from repaircore.transactions.audit_entries import shown, subject
from repaircore.transactions.evidence import NOWHERE, Place
from repaircore.transactions.model import Transaction
from repaircore.transactions.sums import month_of, sum_changes
from repaircore.vehicles.model import Vehicle


@frozen(kw_only=True)
class Transactions:
    """The use cases of past repairs."""

    transaction: OpenWork
    read: OpenWork
    factors_of: FactorsOf
    prices: PriceIndex
    locating: LocalPriceLookup
    clock: Clock

    def record(self, sale: NewTransaction, caller: Caller = LOCAL) -> Transaction:
        """Keep an invoice and learn from it, in one transaction.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: every bad field is named, ids that do not exist among them, and ``session_id`` of no
                prediction of the caller's environment, or of one of another repair.
        """
        require_admin(caller)
        with self.transaction() as work:
            return self.record_within(work, sale, caller)

    def record_within(self, work: PredictionsWork, sale: NewTransaction, caller: Caller) -> Transaction:
        """Keep an invoice and learn from it, in a unit of work that is open already.

        Raises:
            Invalid: as ``record`` does.
        """
        grounds = judgment(work, sale, caller.environment, at=self.clock()).grounds()
        kept = work.transactions.add(self._learned(work, grounds, self._told(sale, grounds, caller)))
        work.transaction_sums.add(kept.environment, sum_changes(kept, kept.make_key))
        _track(work, kept)
        _refit_early(work, kept.environment)
        work.audit.add(
            caller, "transaction.add", subject(kept), before=None, after=shown(kept), at=kept.created_at
        )
        return kept

    def change(
        self,
        transaction_id: int,
        caller: Caller = LOCAL,
        *,
        version: int | None = None,
        **fields: Unpack[TransactionFields],
    ) -> Transaction:
        """Change some fields of an invoice: what it taught is taken out, and it teaches anew.

        When nothing is changed that prices depend on, what it taught stays. With ``version`` the invoice is
        changed only while it is still that version.

        Raises:
            Conflict: somebody changed it at the same moment, or since that ``version``.
            Forbidden: the caller is not an admin.
            Invalid: every bad field is named, as for a new one.
            NotFound: there is no such invoice in the caller's environment.
        """
        require_admin(caller)
        with self.transaction() as work:
            old = invoice(work, transaction_id, caller)
            if version not in {None, old.version}:
                raise _changed()
            told = differing(old, fields)
            sale = retold(old, told)
            grounds = judgment(work, sale, caller.environment, at=self.clock()).grounds()
            new = in_place_of(old, self._told(sale, grounds, caller), told)
            if new == old:
                return old
            if not work.transactions.hold(old):
                raise _lost(work, transaction_id, caller)
            if not _teach_alike(old, new):
                _unlearn(work, old)
                new = self._learned(work, grounds, new)
            kept = work.transactions.replace(old, new)
            work.transaction_sums.add(
                kept.environment,
                (*sum_changes(old, old.make_key, sign=-1), *sum_changes(kept, kept.make_key)),
            )
            _track(work, old, kept)
            before, after = difference(shown(old), shown(kept))
            work.audit.add(
                caller, "transaction.change", subject(old), before=before, after=after, at=self.clock()
            )
            return kept

    def remove(self, transaction_id: int, caller: Caller = LOCAL) -> None:
        """Forget an invoice and everything that was learned from it.

        Raises:
            Conflict: somebody changed it at the same moment.
            Forbidden: the caller is not an admin.
            NotFound: there is no such invoice in the caller's environment.
        """
        require_admin(caller)
        with self.transaction() as work:
            kept = invoice(work, transaction_id, caller)
            # Of two who remove it at once, one takes its lesson out.
            if not work.transactions.hold(kept) or not work.transactions.remove(kept):
                raise _lost(work, transaction_id, caller)
            _unlearn(work, kept)
            work.transaction_sums.add(kept.environment, sum_changes(kept, kept.make_key, sign=-1))
            _track(work, kept)
            work.audit.add(
                caller, "transaction.remove", subject(kept), before=shown(kept), after=None, at=self.clock()
            )

    def validate(self, caller: Caller = LOCAL, **fields: Unpack[TransactionFields]) -> dict[str, list[str]]:
        """Name what is wrong with some fields of a ``NewTransaction``; those that are not given are not judged.

        Doors use it to name bad values beside bad types.
        """
        at = self.clock()
        harmless = NewTransaction(
            vehicle_id=UUID(int=0), problem_id=0, performed_on=at.date(), labor_hours=0, labor_rate=0
        )
        with self.read() as work:
            told = judgment(work, evolve(harmless, **fields), caller.environment, at=at).wrong
        return {name: texts for name, texts in told.items() if name.split(".")[0] in fields}

    def _learned(self, work: PredictionsWork, grounds: TransactionTargets, told: Transaction) -> Transaction:
        """Learn from an invoice, and give it with what it taught."""
        appraisal = self._appraised(work, told, grounds.vehicle, grounds.problem)
        if appraisal is None:
            return evolve(told, lesson=None, review=False)
        lesson = work.lessons.learn(
            told.environment, appraisal.evidence, bin=appraisal.bin, alpha_step=appraisal.alpha_step
        )
        return evolve(told, lesson=lesson, review=appraisal.review)

    def _told(self, sale: NewTransaction, grounds: TransactionTargets, caller: Caller) -> Transaction:
        return told_by(sale, grounds, environment=caller.environment, at=self.clock())

    def _appraised(
        self, work: PredictionsWork, told: Transaction, vehicle: Vehicle, problem: Problem
    ) -> Appraisal | None:
        national = self.locating.rates.national
        book = book_price(
            problem, self.factors_of(vehicle.specs), national_rate=national, year=told.performed_on.year
        )
        levels = day_levels(self.prices, self.locating.rates, told.performed_on)
        prices = self._local_prices(work, told).of_invoice(told.labor_rate, national * levels.wages)
        return appraise(
            Invoice(
                parts_total=told.parts_total,
                labor_total=told.labor_total,
                labor_hours=told.labor_hours,
                parts=tuple(InvoicePart(name=part.name, unit_price=part.unit_price) for part in told.parts),
            ),
            book,
            work.evidence.get_history(told.environment, problem, lineage_of(vehicle.specs)),
            problem_id=problem.id,
            market=prices.market(national, levels),
            variances=work.evidence.get_variances(told.environment, problem.id, spread=book.spread),
            prices=prices,
            month=month_of(told.performed_on),
        )

    def _local_prices(self, work: PredictionsWork, told: Transaction) -> PlacePrices:
        shop = None if told.facility_id is None else work.facilities.by_id(told.facility_id)
        place = self.locating.place_of(shop) if shop is not None else _place_before(told)
        today = day_levels(self.prices, self.locating.rates, self.clock().date())
        return self.locating.of_invoice(work, told.environment, place, shop, wages=today.wages).prices


def _place_before(told: Transaction) -> Place:
    """Return the place that an invoice without a shop taught before it was changed: its file named a ZIP code."""
    taught = told.lesson.evidence.here if told.lesson is not None else None
    return NOWHERE if taught is None or taught.place.shop is not None else taught.place


def _refit_early(work: PredictionsWork, environment: Environment) -> None:
    """Refit while the history is short: it takes milliseconds then, and the night is far."""
    invoices = work.fits.invoices(environment)
    if invoices <= _SHORT and refit_is_due(invoices, work.fits.fitted(environment), most=_SHORT):
        refit_within(work, environment, work.problems.list_all())


_SHORT: Final = 6_000
"""Up to so many invoices a single one may refit; beyond, the nightly refit does."""


_LEARNED_FROM: Final = (
    "vehicle_id",
    "problem_id",
    "performed_on",
    "parts",
    "labor_hours",
    "labor_rate",
    "parts_total",
    "make_key",  # of a vehicle that was corrected since
)


def _teach_alike(old: Transaction, new: Transaction) -> bool:
    return all(getattr(old, name) == getattr(new, name) for name in _LEARNED_FROM)


def _unlearn(work: PredictionsWork, one: Transaction) -> None:
    if one.lesson is not None:
        work.lessons.unlearn(one.environment, one.lesson)


def judge_models(work: PredictionsWork, environment: Environment) -> None:
    """Judge the models anew by the latest invoices that answer predictions."""
    answered = work.past_predictions.list_answered(environment, limit=PAIRS_KEPT)
    work.track_records.save(environment, tracks_of(answered))


def _track(work: PredictionsWork, *changed: Transaction) -> None:
    """Judge the models anew when a linked invoice came or went; those of one environment take turns."""
    if any(one.prediction_id is not None for one in changed):
        judge_models(work, changed[0].environment)


def _lost(work: PredictionsWork, transaction_id: int, caller: Caller) -> Failure:
    """Say why an invoice that was read is no longer there as it was."""
    invoice(work, transaction_id, caller)
    return _changed()


def _changed() -> Conflict:
    return Conflict("The transaction was changed by somebody else.")
