"""What all use cases of roadside jobs share: where things are kept, and how a change is written."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from attrs import evolve, field, frozen

from repaircore.kernel.errors import Conflict
from repaircore.kernel.events import Event
from repaircore.kernel.named import Kind, reference
from repaircore.kernel.partners import PartnerCaller
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock, NewId
from repaircore.payments.errors import Contradiction, GatewayUnavailable
from repaircore.payments.model import LIVING, Payment
from repaircore.payments.service import Payments
from repaircore.roadside.errors import NoJob
from repaircore.roadside.fares import FareTable
from repaircore.roadside.lifecycles import JOBS, Action
from repaircore.roadside.model import Job, JobKind, Offer
from repaircore.roadside.offering import offers_for
from repaircore.roadside.ports import (
    Afterwards,
    Begin,
    Failpoint,
    Providers,
    QuoteSeal,
    RoadsideWork,
    Sessions,
    ZoneAt,
)
from repaircore.roadside.told import job_told, offer_told

__all__ = ["Desk"]


def _pass_by(_: str) -> None:
    """Let every moment pass."""


@frozen(kw_only=True)
class Desk:
    """The ports, and the steps that every change of a job is made of: the job, its timeline, its event."""

    kind: JobKind
    begin: Begin
    look: Begin
    afterwards: Afterwards
    payments: Payments
    providers: Providers
    table: FareTable
    seal: QuoteSeal
    zone_at: ZoneAt
    was_predicted: Sessions
    new_id: NewId
    clock: Clock
    failpoint: Failpoint = field(default=_pass_by, repr=False)

    def found(self, work: RoadsideWork, ref: str, caller: PartnerCaller | None) -> Job:
        """Give a job of the caller's.

        Raises:
            NoJob: the caller has none of this reference.
        """
        job = work.jobs.by_ref(ref, self.kind, caller)
        if job is None:
            raise NoJob
        return job

    def moved(
        self,
        work: RoadsideWork,
        job: Job,
        action: Action,
        *,
        actor: str = "partner",
        detail: dict[str, Any] | None = None,
        **changes: Any,
    ) -> Job:
        """Write what an action makes of a job, and the step into its timeline.

        Raises:
            Conflict: the state does not allow it, or somebody else was quicker.
        """
        at = self.clock()
        status = JOBS[self.kind].after(job.status, action)
        kept = work.jobs.replace(job, evolve(job, status=status, updated_at=at, **changes))
        step = Step(at=at, action=action, before=job.status, after=status, actor=actor, detail=detail)
        work.timelines.add(job.ref, step)
        return kept

    def tell(self, work: RoadsideWork, job: Job, what: str, **more: Any) -> None:
        """Write the event of a change; the job was written before."""
        held = work.payments.of(job.ref, environment=job.environment)
        work.outbox.add(
            Event(
                id=reference(Kind.EVENT, self.new_id()),
                type=f"{self.kind}.{what}",
                partner_id=job.partner_id,
                environment=job.environment,
                subject=job.ref,
                data={**job_told(job, held), **more},
                created_at=job.updated_at,
            )
        )

    def offer(self, work: RoadsideWork, job: Job, offers: Sequence[Offer]) -> list[Offer]:
        """Write offers for a job, and an event of each."""
        kept = work.offers.add(offers)
        for one in kept:
            self.tell(work, job, "offer_received", offer=offer_told(one, self.kind, at=one.offered_at))
        return kept

    def invited(self, job: Job, asked: Sequence[Offer], *, at: datetime) -> list[Offer]:
        """Make the offers of those who were not asked before; called outside of a unit of work."""
        known = {offer.provider_ref for offer in asked}
        able = self.providers.candidates(job, at=at, limit=len(known) + _SPARE)
        return offers_for(job, [one for one in able if one.ref not in known], self.table, at=at)

    def held(self, work: RoadsideWork, job: Job) -> Payment | None:
        """Give the payment that stands for a job, None when there is none."""
        return work.payments.living(job.ref, environment=job.environment)

    def settle(self, payment: Payment) -> None:
        """Do, as soon as nothing is being written, what is under way with a payment; what fails is left to the reconciler."""

        def act() -> None:
            try:
                self.payments.finish(payment)
            except (GatewayUnavailable, Contradiction, Conflict):
                return

        self.afterwards(act)

    def let_go(self, work: RoadsideWork, job: Job, reason: str) -> None:
        """Write that what is held for a job is released, and have it done afterwards."""
        payment = self.held(work, job)
        if payment is not None and payment.state in LIVING and payment.step is None and payment.captured == 0:
            self.settle(self.payments.start_void(work, payment, reason))


_SPARE = 8
"""Candidates asked for beyond those who were asked before."""
