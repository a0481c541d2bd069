"""All use cases for rides in one class, including lookups and background jobs; there is one service per kind."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from attrs import evolve, frozen

from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import FIRST_PAGE, PER_PAGE, Page, PageRequest, require_days, require_page
from repaircore.kernel.timeline import Step
from repaircore.payments.model import Payment
from repaircore.rides.acceptance import OfferAcceptance
from repaircore.rides.lifecycles import Action, OfferAction
from repaircore.rides.model import ALL_RIDES, DispatchStatus, Ride, RideDetail, RideFilter, RideKind, Status
from repaircore.rides.ports import RideCaller, RidesWork, required
from repaircore.rides.progress import RideProgress
from repaircore.rides.requests import RideRequests
from repaircore.rides.transitions import RideTransitions, ride_event

_BATCH_SIZE: Final = 100


class _ListRides(Protocol):
    def __call__(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]: ...


@frozen(kw_only=True)
class ListedRide:
    """A ride in a list, with its payments."""

    ride: Ride
    payments: tuple[Payment, ...]


class RideLookups(RideTransitions):
    """Use cases that look up rides."""

    def get(self, ref: str, caller: RideCaller) -> RideDetail:
        """Return a ride with its payments and timeline. A ``caller`` of None means the operator, who sees every ride.

        Raises:
            NoRide: the caller has no ride with this reference.
        """
        detail = required(self.details.find(ref, self.kind, caller))
        return evolve(detail, ride=detail.ride.with_phones_as_of(self.clock()))

    def list_page(
        self,
        caller: PartnerCaller,
        *,
        wanted: RideFilter = ALL_RIDES,
        request: PageRequest = FIRST_PAGE,
    ) -> Page[ListedRide]:
        """List a page of the caller's rides, newest first.

        Raises:
            Invalid: ``page``, ``per_page``, ``cursor`` or ``date_to`` is invalid.
        """
        require_page(request.number, request.per_page)
        require_days(wanted.date_from, wanted.date_to)
        with self.read() as work:
            page = work.rides.list_page(self.kind, caller, wanted, request)
            return self._with_payments(work, page, caller.environment)

    def list_page_for_operator(
        self,
        environment: Environment,
        *,
        partner_id: int | None = None,
        status: Status | None = None,
        unchanged_for: timedelta | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
    ) -> Page[ListedRide]:
        """List a page of the rides of one partner, or of all partners, newest first.

        ``unchanged_for`` selects the rides that are under way and have not changed for that long.

        Raises:
            Invalid: ``page`` or ``per_page`` is invalid.
        """
        require_page(number, per_page)
        with self.read() as work:
            page = work.rides.list_page_for_operator(
                self.kind,
                environment,
                partner_id=partner_id,
                status=status,
                unchanged_since=None if unchanged_for is None else self.clock() - unchanged_for,
                number=number,
                per_page=per_page,
            )
            return self._with_payments(work, page, environment)

    def _with_payments(self, work: RidesWork, page: Page[Ride], environment: Environment) -> Page[ListedRide]:
        at = self.clock()
        payments = work.payments.list_for_each([ride.ref for ride in page], environment=environment)
        items = tuple(
            ListedRide(ride=ride.with_phones_as_of(at), payments=tuple(payments.get(ride.ref, ())))
            for ride in page
        )
        return Page(
            items=items,
            number=page.number,
            per_page=page.per_page,
            total=page.total,
            next_cursor=page.next_cursor,
            previous_cursor=page.previous_cursor,
        )


@frozen(kw_only=True)
class Rides(RideRequests, RideLookups, OfferAcceptance, RideProgress):
    """All use cases for the rides of one kind: ``core.rides`` or ``core.tows``.

    Any number of processes may run the background jobs at once. The jobs expire pending rides, and ask more providers
    when no offer is left.
    """

    def expire_due(self) -> int:
        """Expire overdue pending rides, and return how many expired."""
        return sum(map(self._expire, self._each(lambda work: work.rides.list_overdue)))

    def ask_others(self) -> int:
        """Ask more providers about pending rides that have no acceptable offer; return the number of new offers.

        A ride is not changed if there is nobody to ask.
        """
        return sum(map(self._ask_others, self._each(lambda work: work.rides.list_without_offers)))

    def list_undispatched(self) -> Iterator[Ride]:
        """Yield the pending rides that have no acceptable offer, or for which nobody has been asked yet, ordered by id.

        Rides that are overdue, or for which it is too early to ask providers, are left out.
        """
        return self._each(lambda work: work.rides.list_undispatched)

    def add_event(self, work: RidesWork, ride: Ride, change: str, **extra: Any) -> None:
        """Store the event for a change that is saved in this unit of work; ``extra`` has the event's own fields."""
        payments = work.payments.list_for(ride.ref, environment=ride.environment)
        work.outbox.add(ride_event(ride, change, payments, self.new_id, **extra))

    def _each(self, list_rides: Callable[[RidesWork], _ListRides]) -> Iterator[Ride]:
        """Yield rides in batches, in order of id, so that rides that remain in the list do not hold up the others."""
        at, last_id = self.clock(), 0
        while True:
            with self.read() as work:
                rides = list_rides(work)(self.kind, at=at, after=last_id, limit=_BATCH_SIZE)
            yield from rides
            if len(rides) < _BATCH_SIZE:
                return
            last_id = rides[-1].id

    def _expire(self, ride: Ride) -> bool:
        try:
            with self.transaction() as work:
                at = self.clock()
                saved = self._apply(work, ride, Action.EXPIRE, actor="system", at=at, ended_at=at)
                self._close_offers(work, saved, OfferAction.EXPIRE, at=at)
                self._add_events(work, saved, "expired")
        except Conflict:
            return False  # another process was faster
        return True

    def _ask_others(self, ride: Ride) -> int:
        at = self.clock()
        offers = self._new_offers(ride, self._offer_history(ride.ref), at=at)
        if not offers:
            return 0
        step = Step.within(ride.status, "ask_others", at=at, actor="system", detail={"offers": len(offers)})
        try:
            with self.transaction() as work:
                saved = work.rides.replace(ride, evolve(ride, updated_at=at, dispatch=DispatchStatus.OFFERS))
                work.timelines.add(ride.ref, step)
                self._close_offers(work, saved, at=at)
                self._add_events(work, saved, *work.offers.add(offers))
        except Conflict:
            return 0  # another process was faster
        return len(offers)
