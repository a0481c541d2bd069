"""Ask providers in waves, and notify them of the outcome of their answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeAlias

from attrs import evolve, field, frozen

from repaircore.dispatch import texts
from repaircore.dispatch.jobs import PreviousTerms, previous_terms
from repaircore.dispatch.lifecycle import (
    RequestAction,
    has_other_trip,
    moved,
    pending_action,
    was_taken_off,
)
from repaircore.dispatch.links import Links
from repaircore.dispatch.model import Delivery, DispatchRequest, Notice, RequestStatus, terms_of
from repaircore.dispatch.ports import AreaAt, DispatchWork, Notices, OpenWork, find_offer
from repaircore.dispatch.texts import RequestFacts
from repaircore.dispatch.waves import WavePlan, choose_wave, is_waiting, not_again
from repaircore.kernel.errors import Conflict
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock, NewId
from repaircore.payments.ports import Failpoint, ignore_failpoint
from repaircore.providers.model import Provider
from repaircore.rides.model import DispatchStatus, Ride, RideKind, Scenario, Status
from repaircore.rides.offering import AskedProvider, OfferHistory
from repaircore.rides.service import Rides

_BATCH: Final = 100
_UNREACHABLE: Final = 50
"""How many nearer providers without a usable contact may be skipped."""

_Write: TypeAlias = Callable[[RequestFacts], Notice]


@frozen(kw_only=True)
class Dispatch:
    """The background work of dispatch; any number of processes may do it at once.

    Each step stores its change together with its messages in one unit of work, so that even after a crash, no message
    is lost or stored twice.
    """

    transaction: OpenWork
    read: OpenWork
    rides: Mapping[RideKind, Rides]
    notices: Notices
    links: Links
    area_at: AreaAt
    plan: WavePlan
    new_id: NewId
    clock: Clock
    failpoint: Failpoint = field(default=ignore_failpoint, repr=False)

    def run(self) -> Mapping[str, int]:
        """Settle requests, then ask more providers; return how many were settled and asked."""
        return {"settled": self.settle(), "asked": self.ask()}

    def settle(self) -> int:
        """Update active requests to match their rides and offers, notify providers, and return how many changed."""
        return sum(map(self._settle_if_due, self._active()))

    def ask(self) -> int:
        """Send the next wave for each pending ride that needs one; return how many providers were asked.

        A ride with nobody left to ask or to wait for is marked as such once, with an event.
        """
        return sum(self._ask(ride) for rides in self.rides.values() for ride in rides.list_undispatched())

    def _active(self) -> Iterator[DispatchRequest]:
        last_id = 0
        while True:
            with self.read() as work:
                requests = work.dispatch_requests.list_active(after=last_id, limit=_BATCH)
            yield from requests
            if len(requests) < _BATCH:
                return
            last_id = requests[-1].id

    def _settle_if_due(self, request: DispatchRequest) -> bool:
        with self.read() as work:
            ride = work.rides.find(request.ride_ref, request.kind, None)
            if ride is None or self._action(work, request, ride, at=self.clock()) is None:
                return False
        with suppress(Conflict):  # another process was quicker
            self._settle(request)
            return True
        return False

    def _action(
        self, work: DispatchWork, request: DispatchRequest, ride: Ride, *, at: datetime
    ) -> RequestAction | None:
        """Return the action that a request needs, or None; a request that could not be delivered expires at once."""
        action = pending_action(request, ride, find_offer(work, request), at=at)
        if action is RequestAction.PASS_OVER and was_taken_off(request, work.timelines.list_for(ride.ref)):
            return RequestAction.CHOOSE  # chosen, but taken off again before this was noticed
        if action is None and request.status is RequestStatus.SENT:
            is_lost = self.notices.delivery(work, request.ref) is Delivery.FAILED
            return RequestAction.EXPIRE if is_lost else None
        return action

    def _settle(self, request: DispatchRequest) -> None:
        at = self.clock()
        with self.transaction() as work:
            ride = work.rides.lock(request.ride_ref, request.kind, None)
            if ride is None:
                return
            provider = self.rides[ride.kind].candidates.find_provider(
                work, request.provider_ref, request.environment
            )
            last, tell = request, None
            while (action := self._action(work, last, ride, at=at)) is not None:
                last = moved(last, ride, action, at=at)
                if action is RequestAction.EXPIRE:
                    got_it = self.notices.delivery(work, request.ref) is Delivery.SENT
                    step = "no_answer" if got_it else "not_reached"
                    _add_step(work, ride, step, at=at, provider_ref=request.provider_ref)
                if action in _WITHDRAWN:
                    self.notices.withdraw(work, request.ref)
                tell = _later_notice(tell, _notice_of(action, ride, last))
            if tell is not None and provider is not None:
                before = _previous_terms(work, ride)(last)
                self._send(work, ride, provider, last, tell, before=before, at=at)
            work.dispatch_requests.replace(request, last)
            self.failpoint("dispatch.settle.stored")
        self.failpoint("dispatch.settle.committed")

    def _ask(self, ride: Ride) -> int:
        at = self.clock()
        with self.read() as work:
            requests = work.dispatch_requests.list_for(ride.ref)
            history = OfferHistory(
                offers=work.offers.list_for(ride.ref), steps=work.timelines.list_for(ride.ref)
            )
        if ride.wave and is_waiting(requests, at=at):
            return 0
        wave = self._next_wave(ride, requests, history, at=at)
        has_offers = bool(self.rides[ride.kind].list_acceptable_offers(ride.ref, None))
        is_over = not wave and not has_offers and not is_waiting(requests, at=at)
        if not wave and ride.wave and (not is_over or ride.dispatch is DispatchStatus.NOBODY_LEFT):
            return 0
        with suppress(Conflict):  # another process was quicker
            self._store(ride, wave, has_offers=has_offers, is_over=is_over, at=at)
            return len(wave)
        return 0

    def _next_wave(
        self, ride: Ride, requests: Sequence[DispatchRequest], history: OfferHistory, *, at: datetime
    ) -> Sequence[AskedProvider]:
        if Scenario.NO_DRIVER in ride.scenarios:
            return ()
        excluded = not_again(requests, terms_of(ride)) | history.excluded(at)
        limit = len(excluded) + self.plan.size(ride.wave + 1) + _UNREACHABLE
        found = self.rides[ride.kind].candidates.find_asked(ride, at=at, limit=limit)
        reachable = [each for each in found if self.notices.reaches(each.provider)]
        return choose_wave(reachable, excluded, ride.wave + 1, self.plan)

    def _store(
        self, ride: Ride, wave: Sequence[AskedProvider], *, has_offers: bool, is_over: bool, at: datetime
    ) -> None:
        """Store a wave, or the fact that nobody is left, with its messages and its step in the timeline.

        Raises:
            Conflict: the ride has changed since it was read.
        """
        is_first = ride.wave == 0
        status = DispatchStatus.NOBODY_LEFT if is_over else DispatchStatus.ASKING
        number = ride.wave + 1 if wave or is_first else ride.wave
        with self.transaction() as work:
            changed = evolve(ride, wave=number, dispatch=DispatchStatus.OFFERS if has_offers else status)
            if wave or is_over:
                changed = evolve(changed, updated_at=at)
            saved = work.rides.replace(ride, changed)
            if wave:
                self._ask_providers(work, saved, wave, at=at)
            if is_over:
                _add_step(work, saved, "no_provider", at=at, asked=self._count_asked(work, saved))
                self.rides[ride.kind].add_event(work, saved, "no_provider")
            self.failpoint("dispatch.ask.stored")
        self.failpoint("dispatch.ask.committed")

    def _ask_providers(
        self, work: DispatchWork, ride: Ride, wave: Sequence[AskedProvider], *, at: datetime
    ) -> None:
        """Store the requests of a wave with their messages and a step in the timeline."""
        requests = work.dispatch_requests.add([self._request(ride, each, at=at) for each in wave])
        _add_step(work, ride, "ask_providers", at=at, wave=ride.wave, providers=len(requests))
        before = _previous_terms(work, ride)
        for request, each in zip(requests, wave, strict=True):
            self.failpoint("dispatch.ask.before_message")
            self._send(work, ride, each.provider, request, texts.ask, before=before(request), at=at)

    def _count_asked(self, work: DispatchWork, ride: Ride) -> int:
        return len({request.provider_ref for request in work.dispatch_requests.list_for(ride.ref)})

    def _request(self, ride: Ride, asked: AskedProvider, *, at: datetime) -> DispatchRequest:
        ref = reference(Kind.REQUEST, self.new_id())
        return DispatchRequest(
            ref=ref,
            environment=ride.environment,
            kind=ride.kind,
            ride_ref=ride.ref,
            provider_ref=asked.candidate.ref,
            provider_id=asked.candidate.id,
            distance_miles=round(asked.candidate.distance_miles, 2),
            wave=ride.wave,
            terms=terms_of(ride),
            token_hash=self.links.token_hash(ref),
            sent_at=at,
            expires_at=min(at + self.plan.wait, ride.expires_at),
        )

    def _send(
        self,
        work: DispatchWork,
        ride: Ride,
        provider: Provider,
        request: DispatchRequest,
        write: _Write,
        *,
        before: PreviousTerms | None,
        at: datetime,
    ) -> None:
        """Send a message about a request to its provider, who knew the terms ``before`` if they have changed."""
        facts = RequestFacts(
            request=request,
            ride=ride,
            provider=provider,
            area=self.area_at(ride.pickup),
            destination=self.area_at(ride.dropoff),
            before=before,
            destination_before=None if before is None else self.area_at(before.dropoff),
            link=self.links.address(request.ref),
            at=at,
        )
        self.notices.send(work, provider, write(facts), at=at)


def _previous_terms(work: DispatchWork, ride: Ride) -> Callable[[DispatchRequest], PreviousTerms | None]:
    """Return a function that finds the terms that a request's provider knew before, without further queries."""
    return partial(
        previous_terms,
        requests=work.dispatch_requests.list_for(ride.ref),
        steps=work.timelines.list_for(ride.ref),
    )


def _later_notice(first: _Write | None, then: _Write | None) -> _Write | None:
    """Return which message to send if several events happened since the last run: the latest one.

    The exception is a provider who was chosen before the job changed: the message that they were chosen includes the
    change.
    """
    return first if then is None or (first is texts.chosen and then is texts.changed) else then


def _notice_of(action: RequestAction, ride: Ride, request: DispatchRequest) -> _Write | None:
    """Return the message to the provider about an action, or None if they already know or need not know."""
    if action is RequestAction.END:
        return texts.cancelled if ride.status is Status.CANCELLED else None
    if action is RequestAction.PASS_OVER and has_other_trip(request, ride):
        return texts.offer_void
    return _NOTICES.get(action)


_NOTICES: Final[Mapping[RequestAction, _Write]] = {
    RequestAction.CHOOSE: texts.chosen,
    RequestAction.CHANGE: texts.changed,
    RequestAction.PASS_OVER: texts.not_chosen,
    RequestAction.DROP_OUT: texts.taken_off,
}


_WITHDRAWN: Final = frozenset({RequestAction.CLOSE, RequestAction.PASS_OVER})
"""After these actions, nobody waits for an answer: an unsent message that asks for one is dropped."""


def _add_step(work: DispatchWork, ride: Ride, action: str, *, at: datetime, **detail: Any) -> None:
    work.timelines.add(ride.ref, Step.within(ride.status, action, at=at, actor="system", detail=detail))
