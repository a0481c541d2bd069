"""Create, list, update and delete stored visits."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, TypeVar

from attrs import evolve, frozen

from repaircore.kernel.callers import LOCAL, Caller, owner_of, private_owner
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_page
from repaircore.kernel.reference_numbers import claim_reference
from repaircore.kernel.rules import sentence
from repaircore.kernel.texts import stripped
from repaircore.kernel.timeline import Actor, Step
from repaircore.kernel.types import Clock, RandomBytes
from repaircore.shops.model import VALID_DAYS
from repaircore.structuring import structure
from repaircore.visits.errors import VisitChanged, VisitNotFound
from repaircore.visits.estimate import VisitEstimates
from repaircore.visits.events import CHANGES, VisitEvents
from repaircore.visits.lifecycle import DELETABLE, Action, Status
from repaircore.visits.model import (
    NO_CUSTOMER,
    Decision,
    Estimate,
    PricedLine,
    Visit,
    VisitCustomer,
    VisitSummary,
)
from repaircore.visits.ports import OpenWork, VisitFilter, VisitRecords
from repaircore.visits.requests import CreateVisit, CustomerInput, UpdateVisit, VisitLineInput

_PREFIX = "V"
S = TypeVar("S", bound=CreateVisit)


@frozen(kw_only=True)
class Visits:
    """Use cases for stored visits; callers see their own, and the operator at the command line sees all."""

    transaction: OpenWork
    read: OpenWork
    estimates: VisitEstimates
    events: VisitEvents
    clock: Clock
    random: RandomBytes

    def create(self, request: CreateVisit, caller: Caller = LOCAL) -> Visit:
        """Estimate a visit and store it as a draft under a new number.

        Raises:
            Invalid: with every bad field; errors of lines are under names such as ``lines.0.price``.
            VisitLineDoesNotFit: the vehicle cannot have a repair, and ``force`` is not set.
            VehicleNotFound: the VIN is unknown.
            NoVehicleForSpecs: no such model was sold that year.
            Unavailable: the database is not responding, or the only decoder that could know the VIN sent no valid
                response.
            Conflict: its facility was deleted at the same time.
        """
        self._require_facility(request.facility_id)
        now = self.clock()
        drafted = Visit(
            number="",
            environment=caller.environment,
            owner_id=owner_of(caller),
            estimate=self.estimates.estimate(request, caller, numbered=_numbered(request.lines, ())),
            customer=_customer(request.customer),
            notes=stripped(request.notes),
            facility_id=request.facility_id,
            valid_until=request.valid_until or self.default_valid_until(caller),
            estimated_at=now,
            created_at=now,
            updated_at=now,
        )

        def add(number: str) -> bool:
            with self.transaction() as work:
                if not work.visits.add(evolve(drafted, number=number)):
                    return False
                step = Step(at=now, action="create", before=None, after=drafted.status, actor="owner")
                work.timelines.add(number, step)
                return True

        return self.get(claim_reference(now, self.random, add, prefix=_PREFIX), caller)

    def default_valid_until(self, caller: Caller = LOCAL) -> date:
        """Return the default ``valid_until`` for a visit that the caller creates today.

        The caller's shop specifies how many days away that is; without a shop, it is 30 days.
        """
        with self.read() as work:
            shop = work.shops.find(owner_of(caller))
        return self.clock().date() + timedelta(days=VALID_DAYS if shop is None else shop.valid_days)

    def get(self, number: str, caller: Caller = LOCAL) -> Visit:
        """Return a visit.

        Raises:
            VisitNotFound: the caller has no visit with this number.
        """
        with self.read() as work:
            return require_visit(work.visits, number, caller)

    def timeline(self, visit: Visit) -> Sequence[Step]:
        """List the timeline steps of a visit, oldest first."""
        with self.read() as work:
            return work.timelines.list_for(visit.number)

    def page(
        self,
        caller: Caller = LOCAL,
        *,
        status: Status | None = None,
        search: str | None = None,
        request: PageRequest = FIRST_PAGE,
    ) -> Page[VisitSummary]:
        """Return a page of visits, newest first unless another order is requested.

        Raises:
            Invalid: on ``page``, ``per_page``, ``sort`` and ``cursor``.
        """
        require_page(request.number, request.per_page)
        wanted = VisitFilter(
            environment=caller.environment,
            owner_id=private_owner(caller),
            status=status,
            search=stripped(search),
        )
        with self.read() as work:
            return work.visits.page(wanted, request)

    def update(self, number: str, request: UpdateVisit, caller: Caller = LOCAL) -> Visit:
        """Replace a visit and estimate it again; a visit that was sent or decided on becomes a draft again.

        The customer's decisions stay on the lines that have not changed, including their price.

        Raises:
            VisitNotFound: the caller has no visit with this number.
            Invalid: with every bad field.
            VisitLineDoesNotFit: the vehicle cannot have a repair, and ``force`` is not set.
            VehicleNotFound, NoVehicleForSpecs, Unavailable: as for ``create``.
            VisitChanged: it was changed since ``version``, or at the same time.
            Conflict: its status does not allow it, or its facility was deleted at the same time.
        """
        old = self.get(number, caller)
        # Check this first, because an older version may have lines that the stored visit no longer has.
        _require_version(old, request.version)
        self._require_facility(request.facility_id)
        numbered = _numbered(request.lines, old.lines)
        estimate = self.estimates.estimate(request, caller, numbered=numbered)
        now = self.clock()
        new = evolve(
            old.apply(Action.UPDATE, at=now),
            estimate=_with_answers(estimate, old.lines),
            customer=_customer(request.customer),
            notes=stripped(request.notes),
            facility_id=request.facility_id,
            valid_until=request.valid_until or old.valid_until,
            estimated_at=now,
        )
        return self._save(old, new, Action.UPDATE, actor="owner", detail=_changes(old, new))

    def delete(self, number: str, caller: Caller = LOCAL, *, version: int | None = None) -> Visit:
        """Delete a visit in one of the ``DELETABLE`` statuses, and return it.

        ``version`` is the version that the caller has seen; None deletes any version.

        Raises:
            VisitNotFound: the caller has no visit with this number.
            VisitChanged: it was changed since ``version``, or at the same time.
            Conflict: its status does not allow it.
        """
        visit = self.get(number, caller)
        _require_version(visit, version)
        if visit.status not in DELETABLE:
            raise Conflict(
                _why_not_deleted(visit),
                details={"status": visit.status.value, "allowed": [*map(str, visit.allowed_actions)]},
            )
        with self.transaction() as work:
            work.visits.delete(visit)
        return visit

    def act(
        self,
        number: str,
        action: Action,
        caller: Caller = LOCAL,
        *,
        version: int | None = None,
        actor: Actor = "owner",
        decisions: Sequence[tuple[int, Decision]] = (),
        detail: Mapping[str, Any] | None = None,
    ) -> Visit:
        """Apply an action, with the customer's decisions on lines, append it to the timeline, and return the visit.

        Raises:
            VisitNotFound: the caller has no visit with this number.
            VisitChanged: it was changed since ``version``, or at the same time.
            Conflict: its status does not allow the action.
        """
        old = self.get(number, caller)
        _require_version(old, version)
        new = old.apply(action, at=self.clock()).with_decisions(decisions)
        return self._save(old, new, action, actor=actor, detail=detail)

    def _save(
        self, old: Visit, new: Visit, action: Action, *, actor: Actor, detail: Mapping[str, Any] | None
    ) -> Visit:
        with self.transaction() as work:
            saved = work.visits.update(old, new)
            step = Step(
                at=new.updated_at,
                action=action,
                before=old.status,
                after=new.status,
                actor=actor,
                detail=detail,
            )
            work.timelines.add(new.number, step)
            if action in CHANGES:
                self.events.add(work, saved, CHANGES[action], new.updated_at)
        return saved

    def parse(self, data: Mapping[str, Any], shape: type[S]) -> S:
        """Parse a JSON object in the form of ``shape``, with money in dollars.

        Raises:
            Invalid: with every bad field; errors of lines are under names such as ``lines.0.price``.
        """
        self.estimates.require_valid(data, shape)
        return structure(shape, data)

    def _require_facility(self, facility_id: int | None) -> None:
        if facility_id is None:
            return
        with self.read() as work:
            found = work.facilities.by_id(facility_id)
        if found is None:
            raise Invalid({"facility_id": [sentence("facility_id", "must be the id of a facility")]})


def require_visit(visits: VisitRecords, number: str, caller: Caller) -> Visit:
    """Return the caller's visit with a number; the operator at the command line finds any visit.

    Raises:
        VisitNotFound: the caller has no visit with this number.
    """
    visit = visits.find(number, environment=caller.environment, owner_id=private_owner(caller))
    if visit is None:
        raise VisitNotFound
    return visit


def _require_version(visit: Visit, version: int | None) -> None:
    if version not in {None, visit.version}:
        raise VisitChanged(visit.version)


def _why_not_deleted(visit: Visit) -> str:
    """Return why a visit cannot be deleted, advising to cancel it if that is still possible."""
    refusal = f"Cannot delete a visit that is {visit.status.replace('_', ' ')}"
    return f"{refusal}; cancel it first." if Action.CANCEL in visit.allowed_actions else f"{refusal}."


def _numbered(lines: Iterable[VisitLineInput], old: Sequence[PricedLine]) -> Sequence[int]:
    """Return the ids of the lines, with new ids for new lines.

    Raises:
        Invalid: on ``lines.0.id``: the stored visit has no line with this id.
    """
    known = {line.id for line in old}
    errors = {
        path: [sentence(path, "must be the id of a line of this visit")]
        for place, line in enumerate(lines)
        if line.id is not None and line.id not in known
        for path in (f"lines.{place}.id",)
    }
    if errors:
        raise Invalid(errors)
    newest = max(known, default=0)
    numbers: list[int] = []
    for line in lines:
        newest += line.id is None
        numbers.append(newest if line.id is None else line.id)
    return numbers


def _with_answers(estimate: Estimate, old: Sequence[PricedLine]) -> Estimate:
    """Return an estimate with the customer's decisions on unchanged lines."""
    answered = {line.id: line for line in old if line.decision is not None}

    def line_of(line: PricedLine) -> PricedLine:
        before = answered.get(line.id)
        if before is None or (before.requested, before.average) != (line.requested, line.average):
            return line
        return evolve(line, decision=before.decision)

    return evolve(estimate, lines=tuple(map(line_of, estimate.lines)))


def _changes(old: Visit, new: Visit) -> Mapping[str, Any]:
    return {
        "total_before": old.estimate.totals.total / 100,
        "total_after": new.estimate.totals.total / 100,
        "lines": len(new.lines),
    }


def _customer(given: CustomerInput | None) -> VisitCustomer:
    if given is None:
        return NO_CUSTOMER
    return VisitCustomer(name=stripped(given.name), email=stripped(given.email), phone=stripped(given.phone))
