"""What happens to jobs by itself: they expire, and others are asked when nobody offers any more."""

from typing import Final

from attrs import evolve

from repaircore.kernel.errors import Conflict
from repaircore.kernel.timeline import Step
from repaircore.roadside.desk import Desk
from repaircore.roadside.lifecycles import OFFERS, Action, OfferAction
from repaircore.roadside.model import Job, OfferStatus

__all__ = ["Watch"]

_AT_A_TIME: Final = 100


class Watch(Desk):
    """The use cases that nobody asks for; any number of processes may run them at once."""

    def expire_due(self) -> int:
        """Expire the pending jobs whose time is over, and say how many."""
        with self.look() as work:
            due = work.jobs.overdue(self.kind, at=self.clock(), limit=_AT_A_TIME)
        return sum(self._expired(job) for job in due)

    def ask_others(self) -> int:
        """Ask others for the pending jobs without an open offer, and say how many offers came in."""
        with self.look() as work:
            unoffered = work.jobs.unoffered(self.kind, at=self.clock(), limit=_AT_A_TIME)
        return sum(map(self._asked_others, unoffered))

    def _expired(self, job: Job) -> bool:
        try:
            with self.begin() as work:
                at = self.clock()
                kept = self.moved(work, job, Action.EXPIRE, actor="system", ended_at=at)
                for offer in work.offers.of(job.ref):
                    if offer.status is OfferStatus.OFFERED:
                        status = OFFERS.after(offer.status, OfferAction.EXPIRE)
                        work.offers.replace(offer, offer.closed(status, at=at))
                self.tell(work, kept, "expired")
        except Conflict:
            return False  # somebody was quicker
        return True

    def _asked_others(self, job: Job) -> int:
        with self.look() as work:
            asked = work.offers.of(job.ref)
        at = self.clock()
        offers = self.invited(job, asked, at=at)
        if not offers:
            return 0
        try:
            with self.begin() as work:
                kept = work.jobs.replace(job, evolve(job, updated_at=at))
                detail = {"offers": len(offers)}
                step = Step(
                    at=at,
                    action="ask_others",
                    before=job.status,
                    after=job.status,
                    actor="system",
                    detail=detail,
                )
                work.timelines.add(job.ref, step)
                self.offer(work, kept, offers)
        except Conflict:
            return 0
        return len(offers)
