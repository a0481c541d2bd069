"""What happens to rides by itself: they expire, and others are asked when nobody offers any more."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Final, Protocol

from attrs import evolve

from repaircore.kernel.errors import Conflict
from repaircore.kernel.timeline import Step
from repaircore.rides.lifecycles import Action, OfferAction
from repaircore.rides.model import Ride, RideKind
from repaircore.rides.ports import RidesWork
from repaircore.rides.transitions import RideTransitions

_AT_A_TIME: Final = 100


class _Listing(Protocol):
    def __call__(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]: ...


class RideBackground(RideTransitions):
    """The use cases that nobody asks for; any number of processes may run them at once."""

    def expire_due(self) -> int:
        """Expire the pending rides whose time is over, and say how many."""
        return sum(map(self._expired, self._each(lambda work: work.rides.overdue)))

    def ask_others(self) -> int:
        """Ask others for the pending rides without an offer that can be accepted, and say how many offers came in.

        Nothing is written about a ride for which there is nobody to ask.
        """
        return sum(map(self._asked_others, self._each(lambda work: work.rides.unoffered)))

    def _each(self, listing: Callable[[RidesWork], _Listing]) -> Iterator[Ride]:
        """Go through a list piece by piece, so that what stays in it is in nobody's way."""
        at, last = self.clock(), 0
        while True:
            with self.read() as work:
                rides = listing(work)(self.kind, at=at, after=last, limit=_AT_A_TIME)
            yield from rides
            if len(rides) < _AT_A_TIME:
                return
            last = rides[-1].id

    def _expired(self, ride: Ride) -> bool:
        try:
            with self.transaction() as work:
                at = self.clock()
                kept = self._moved(work, ride, Action.EXPIRE, actor="system", at=at, ended_at=at)
                self._close_offers(work, kept, OfferAction.EXPIRE, at=at)
                self._tell(work, kept, "expired")
        except Conflict:
            return False  # somebody was quicker
        return True

    def _asked_others(self, ride: Ride) -> int:
        at = self.clock()
        offers = self._invited(ride, self._asked(ride.ref), at=at)
        if not offers:
            return 0
        try:
            with self.transaction() as work:
                kept = work.rides.replace(ride, evolve(ride, updated_at=at))
                detail = {"offers": len(offers)}
                step = Step(
                    at=at,
                    action="ask_others",
                    before=ride.status,
                    after=ride.status,
                    actor="system",
                    detail=detail,
                )
                work.timelines.add(ride.ref, step)
                self._close_offers(work, kept, at=at)
                self._tell(work, kept, *work.offers.add(offers))
        except Conflict:
            return 0
        return len(offers)
