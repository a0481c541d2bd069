"""Invoice a visit: bill its approved lines, and record its repairs as transactions."""

import logging
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.documents.actuals import ActualLine, InvoiceVisit, actual_errors, with_actual
from repaircore.documents.billing import billed_estimate, billed_lines
from repaircore.documents.composition import line_title
from repaircore.documents.errors import AlreadyInvoiced, NothingApproved
from repaircore.documents.ports import DocumentsWork, JobInvoices, OpenWork
from repaircore.kernel.callers import Caller, private_owner
from repaircore.kernel.errors import Failure, Invalid
from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.rules import FieldErrors, require_valid
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock, Lazy
from repaircore.kernel.wording import money
from repaircore.predictions.model import PredictBySpecs, PredictByVin
from repaircore.predictions.service import Predictions
from repaircore.transactions.job_invoice import JobInvoice
from repaircore.transactions.model import TransactionPart
from repaircore.visits.errors import VisitChanged
from repaircore.visits.events import VisitEvents
from repaircore.visits.lifecycle import Action, Status
from repaircore.visits.model import PricedLine, Visit
from repaircore.visits.service import require_visit

_log = logging.getLogger("repaircore.documents")
_PARTS: Final = "Parts"


@frozen(kw_only=True)
class VisitInvoices:
    """Invoices visits. Each repair is predicted first, so that its transaction can be compared with a prediction."""

    transaction: OpenWork
    read: OpenWork
    predictions: Lazy[Predictions]
    invoices: JobInvoices
    events: VisitEvents
    clock: Clock

    def validate(
        self, number: str, caller: Caller, *, lines: Sequence[ActualLine] = (), **_others: object
    ) -> FieldErrors:
        """Return the errors in the figures for an invoice; there are none if the caller has no such visit."""
        with self.read() as work:
            visit = work.visits.find(number, environment=caller.environment, owner_id=private_owner(caller))
        return {} if visit is None else actual_errors(billed_lines(visit), lines)

    def invoice(
        self,
        number: str,
        caller: Caller,
        *,
        version: int | None = None,
        lines: Sequence[ActualLine] = (),
    ) -> Visit:
        """Invoice the approved lines of a visit, and return it; a visit that is already invoiced is returned unchanged.

        ``lines`` has the actual figures of lines that differ from the approved ones. If the caller is an admin, each
        billed repair is recorded as a transaction, from which estimates learn. Anyone may register, so nothing is
        learned from other accounts.

        Raises:
            AlreadyInvoiced: the visit has already been invoiced with different figures.
            Conflict: the status of the visit does not allow it.
            Invalid: with every bad field, such as ``lines.0.labor_hours``.
            NothingApproved: no line was approved.
            VisitChanged: the visit has changed since ``version``, or is being changed by another request.
            VisitNotFound: the caller has no such visit.
        """
        with self.read() as work:
            visit = require_visit(work.visits, number, caller)
        require_valid(InvoiceVisit(version=visit.version, lines=tuple(lines)))
        if visit.status is Status.INVOICED:
            return _require_same(visit, lines)
        if version not in {None, visit.version}:
            raise VisitChanged(visit.version)
        billed = self._billed(visit, lines)
        sessions = self._predict(billed, caller) if caller.is_admin else {}
        with self.transaction() as work:
            saved = work.visits.update(visit, billed)
            recorded = sum(
                self._record(work, saved, line, sessions[line.id])
                for line in saved.lines
                if line.id in sessions and line.problem_slug is not None and line.average > 0
            )
            work.timelines.add(number, _step(visit, saved, recorded))
            self.events.add(work, saved, "invoiced", saved.updated_at)
        return saved

    def _billed(self, visit: Visit, actual: Sequence[ActualLine]) -> Visit:
        billed = visit.apply(Action.INVOICE, at=self.clock())
        errors = actual_errors(billed_lines(visit), actual)
        if errors:
            raise Invalid(errors)
        estimate = billed_estimate(visit, actual)
        if not estimate.lines:
            raise NothingApproved(visit)
        return evolve(billed, estimate=estimate)

    def _predict(self, visit: Visit, caller: Caller) -> Mapping[int, UUID | None]:
        """Return the session id of each repair's prediction by line id, or None for a line without one.

        A prediction is made if there is no recent one. This runs outside of a unit of work, because price models are
        slow.
        """
        return {
            line.id: None if line.problem_slug is None else self._session(visit, line, caller)
            for line in visit.lines
        }

    def _session(self, visit: Visit, line: PricedLine, caller: Caller) -> UUID | None:
        vehicle, place, slug = visit.estimate.vehicle, visit.estimate.place, line.problem_slug or ""
        tier = None if line.requested.parts_tier is None else line.requested.parts_tier.value
        try:
            if vehicle.vin is not None:
                by_vin = PredictByVin(
                    vin=vehicle.vin,
                    zip_code=place.zip_code,
                    problem_identifier=slug,
                    mileage=visit.estimate.mileage,
                    parts_tier=tier,
                    force=True,
                )
                return self.predictions().predict(by_vin, caller).session_id
            by_specs = PredictBySpecs(
                year=vehicle.year,
                make=vehicle.make,
                model=vehicle.model,
                trim=vehicle.trim,
                engine=vehicle.engine,
                zip_code=place.zip_code,
                problem_identifier=slug,
                parts_tier=tier,
                force=True,
            )
            return self.predictions().predict_by_specs(by_specs, caller).session_id
        except Failure as error:
            _log.warning("No prediction for a line of an invoice: %s", error.message)
            return None

    def _record(self, work: DocumentsWork, visit: Visit, line: PricedLine, session_id: UUID | None) -> int:
        """Record the transaction of a repair; return 1, or 0 if it is invalid or has neither VIN nor prediction."""
        vin = visit.estimate.vehicle.vin
        if session_id is None and vin is None:
            return 0
        try:
            self.invoices.record(
                work,
                _job_invoice(visit, line, vin),
                job=visit.number,
                session_id=session_id,
                environment=visit.environment,
            )
        except Invalid as error:
            _log.warning("Nothing was learned from a line of an invoice: %s", error.message)
            return 0
        return 1


def _require_same(visit: Visit, actual: Sequence[ActualLine]) -> Visit:
    """Return an invoiced visit if a repeated request has the same figures.

    Raises:
        AlreadyInvoiced: the figures are different.
    """
    if actual_errors(visit.lines, actual) or (
        with_actual(visit.lines, actual, visit.estimate.place.labor_rate) != visit.lines
    ):
        raise AlreadyInvoiced(visit)
    return visit


def _job_invoice(visit: Visit, line: PricedLine, vin: str | None) -> JobInvoice:
    """Return the invoice of a repair from its line as it was billed."""
    return JobInvoice(
        labor_hours=_billed_hours(line),
        labor_rate=line.rate,
        parts=(TransactionPart(name=_PARTS, unit_price=line.parts, quantity=1),) if line.parts else (),
        parts_total=line.parts,
        problem_identifier=line.problem_slug,
        vin=vin,
        mileage=visit.estimate.mileage,
        facility_id=visit.facility_id,
        zip_code=visit.estimate.place.zip_code,
    )


def _billed_hours(line: PricedLine) -> float:
    """Return the hours that, at the line's rate, give its labor to the cent, with as few decimals as possible."""
    if not line.rate:
        return 0.0
    exact = line.labor / line.rate
    rounded = (round(exact, digits) for digits in range(2, 8))
    return next(
        (hours for hours in rounded if round_half_up(round(hours * line.rate, 6)) == line.labor), exact
    )


def _step(before: Visit, after: Visit, recorded: int) -> Step:
    billed = {line.id for line in after.lines}
    left = [line_title(line) for line in before.lines if line.id not in billed]
    other = [_difference(line, line.approved) for line in after.lines if line.approved is not None]
    return Step(
        at=after.updated_at,
        action=Action.INVOICE,
        before=before.status,
        after=after.status,
        actor="owner",
        detail={
            "recorded": recorded,
            **({"not_billed": "; ".join(left)} if left else {}),
            **({"not_as_approved": "; ".join(other)} if other else {}),
        },
    )


def _difference(line: PricedLine, approved: Cents) -> str:
    return f"{line_title(line)}: {money(line.average)}, approved {money(approved)}"
