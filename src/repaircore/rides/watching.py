"""What happens to rides by itself: they expire, and others are asked when nobody offers any more."""

from typing import Final

from attrs import evolve

from repaircore.kernel.errors import Conflict
from repaircore.kernel.timeline import Step
from repaircore.rides.desk import Desk
from repaircore.rides.lifecycles import OFFERS, Action, OfferAction
from repaircore.rides.model import OfferStatus, Ride

__all__ = ["Watch"]

_AT_A_TIME: Final = 100


class Watch(Desk):
    """The use cases that nobody asks for; any number of processes may run them at once."""

    def expire_due(self) -> int:
        """Expire the pending rides whose time is over, and say how many."""
        with self.look() as work:
            due = work.rides.overdue(self.kind, at=self.clock(), limit=_AT_A_TIME)
        return sum(self._expired(ride) for ride in due)

    def ask_others(self) -> int:
        """Ask others for the pending rides without an open offer, and say how many offers came in."""
        with self.look() as work:
            unoffered = work.rides.unoffered(self.kind, at=self.clock(), limit=_AT_A_TIME)
        return sum(map(self._asked_others, unoffered))

    def _expired(self, ride: Ride) -> bool:
        try:
            with self.begin() as work:
                at = self.clock()
                kept = self.moved(work, ride, Action.EXPIRE, actor="system", ended_at=at)
                for offer in work.offers.of(ride.ref):
                    if offer.status is OfferStatus.OFFERED:
                        status = OFFERS.after(offer.status, OfferAction.EXPIRE)
                        work.offers.replace(offer, offer.closed(status, at=at))
                self.tell(work, kept, "expired")
        except Conflict:
            return False  # somebody was quicker
        return True

    def _asked_others(self, ride: Ride) -> int:
        with self.look() as work:
            asked = work.offers.of(ride.ref)
        at = self.clock()
        offers = self.invited(ride, asked, at=at)
        if not offers:
            return 0
        try:
            with self.begin() as work:
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
                self.offer(work, kept, offers)
        except Conflict:
            return 0
        return len(offers)
