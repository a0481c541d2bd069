"""Use cases for providers: see a request, offer or decline, and carry out a ride that they were chosen for.

The use cases are the same by link or by key, on the page for phones or through the API. Partners may take the same
steps through their own API; if both do so at once, the lifecycle rejects the second step.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache, partial
from typing import Annotated, Final

from attrs import evolve, field, frozen

from repaircore.dispatch.errors import JobConflict, NoRequest
from repaircore.dispatch.jobs import PreviousTerms, ProviderJob, previous_terms
from repaircore.dispatch.lifecycle import REQUESTS, RequestAction, as_of
from repaircore.dispatch.model import DispatchRequest, RequestStatus, terms_of
from repaircore.dispatch.ports import AreaAt, DispatchWork, OpenWork, find_offer
from repaircore.dispatch.refusals import cannot_act, cannot_complete
from repaircore.kernel.callers import Environment, ProviderCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.geo import Point
from repaircore.kernel.keys import digest
from repaircore.kernel.money import Cents, cents, percent_of
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.rules import Length, Range, WholeCents, require_valid
from repaircore.kernel.texts import stripped
from repaircore.kernel.timeline import PROVIDER, Step
from repaircore.kernel.types import Clock
from repaircore.kernel.wording import money
from repaircore.payments.ports import Failpoint, ignore_failpoint
from repaircore.providers.model import Provider
from repaircore.rides.errors import NoRide
from repaircore.rides.model import Offer, Ride, RideKind, RideOutcome, Status
from repaircore.rides.offering import LOWEST_SHARE, Candidate
from repaircore.rides.service import Rides

LONGEST_ETA: Final = 600


@frozen(kw_only=True)
class MakeOffer:
    """The minutes until the provider arrives, and the price in dollars if a business asks for less than quoted."""

    eta_minutes: Annotated[int, Range(1, LONGEST_ETA)]
    price: Annotated[float | None, Range(0.01, 999_999.99), WholeCents()] = None


@frozen(kw_only=True)
class GiveReason:
    """The reason why the provider declines or drops out, if given."""

    reason: Annotated[str | None, Length(0, 500)] = None


@frozen(kw_only=True)
class ReportEnRoute:
    """The provider's position (both coordinates) and minutes until arrival; either may be omitted."""

    latitude: Annotated[float | None, Range(-90, 90)] = None
    longitude: Annotated[float | None, Range(-180, 180)] = None
    eta_minutes: Annotated[int | None, Range(0, LONGEST_ETA)] = None


@frozen(kw_only=True)
class ProviderRequests:
    """Use cases for providers who are asked to do rides."""

    transaction: OpenWork
    read: OpenWork
    rides: Mapping[RideKind, Rides]
    stop_requests: Mapping[RideKind, Callable[[ProviderCaller], object]]
    area_at: AreaAt
    clock: Clock
    failpoint: Failpoint = field(default=ignore_failpoint, repr=False)

    def open(self, token: str) -> tuple[ProviderCaller, ProviderJob]:
        """Return the provider and the job that a link leads to, even if the job has ended for the provider.

        Raises:
            NoRequest: no request has this token.
        """
        with self.read() as work:
            request = work.dispatch_requests.find_by_token(digest(token))
            if request is None:
                raise NoRequest
            return _caller_of(request), self._job(work, request)

    def previous_terms(self, job: ProviderJob) -> PreviousTerms | None:
        """Return the terms that a provider knew before the customer changed them, or None if they have not changed."""
        with self.read() as work:
            requests = work.dispatch_requests.list_for(job.ride.ref)
            return previous_terms(job.request, requests, work.timelines.list_for(job.ride.ref))

    def get(self, ref: str, caller: ProviderCaller) -> ProviderJob:
        """Return a request of the caller as a job, even if it has ended.

        Raises:
            NoRequest: the caller has no request with this reference.
        """
        with self.read() as work:
            return self._job(work, self._find(work, ref, caller))

    def list_page(
        self, caller: ProviderCaller, *, number: int = 1, per_page: int = PER_PAGE
    ) -> Page[ProviderJob]:
        """Return a page of the caller's requests, newest first.

        Raises:
            Invalid: on ``page`` and ``per_page``.
        """
        require_page(number, per_page)
        with self.read() as work:
            page = work.dispatch_requests.list_page(caller, number=number, per_page=per_page)
            items = self._jobs(work, page.items)
        return Page(items=items, number=page.number, per_page=page.per_page, total=page.total)

    def offer(self, ref: str, data: MakeOffer, caller: ProviderCaller) -> ProviderJob:
        """Offer to do a ride at its price, or a tow for less.

        A new offer replaces the open one; a repeated offer changes nothing.

        Raises:
            NoRequest: the caller has no request with this reference.
            Invalid: on ``eta_minutes``, or a ``price`` that is too low, above the quoted price, or for a mobile ride.
            JobConflict: the ride is no longer available, or the provider is busy or inactive.
            Conflict: the status of the request does not allow it.
        """
        require_valid(data)
        with self.transaction() as work:
            request, ride = self._lock(work, ref, caller)
            at = self.clock()
            job, price = self._job(work, request), _own_price(data, ride)
            earlier = job.offer if job.offer is not None and job.offer.is_open(at) else None
            if earlier is not None and _is_same(earlier, data, ride, price):
                return job
            # The next check explains better why a request has closed.
            current = request if job.request.status is RequestStatus.CLOSED else job.request
            status = REQUESTS.after(current.status, RequestAction.OFFER, allowed=job.allowed_actions)
            provider = self._require_able(work, request, ride, at=at)
            candidate = Candidate(
                ref=provider.ref,
                id=provider.id,
                name=provider.name,
                rating=provider.rating,
                distance_miles=request.distance_miles,
            )
            rides = self.rides[ride.kind]
            if earlier is not None:
                # Withdraw it instead of changing it: a concurrent acceptance may have authorized its price.
                rides.withdraw_offer(work, earlier, at=at)
            ride, made = rides.add_offer(
                work, ride, candidate, eta_minutes=data.eta_minutes, price=price, at=at
            )
            answered = evolve(request.after(status, at=at), offer_id=made.id, answered_at=at)
            work.dispatch_requests.replace(request, answered)
            self.failpoint("dispatch.offer.stored")
            return self._job(work, answered)

    def decline(self, ref: str, data: GiveReason, caller: ProviderCaller) -> ProviderJob:
        """Decline a request, or withdraw the offer that was made, unless it has been accepted.

        Raises:
            NoRequest: the caller has no request with this reference.
            Invalid: on a ``reason`` that is too long.
            Conflict: the status of the request does not allow it.
        """
        require_valid(data)
        with self.transaction() as work:
            request, ride = self._lock(work, ref, caller)
            at, known, job = self.clock(), find_offer(work, request), self._job(work, request)
            if job.request.status is RequestStatus.DECLINED:
                return job
            status = REQUESTS.after(job.request.status, RequestAction.DECLINE, allowed=job.allowed_actions)
            if known is not None:
                self.rides[ride.kind].withdraw_offer(work, known, at=at)
            reason = stripped(data.reason)
            declined = evolve(request.after(status, at=at), reason=reason, answered_at=at)
            work.dispatch_requests.replace(request, declined)
            said = {"provider_ref": request.provider_ref, **({} if reason is None else {"reason": reason})}
            step = Step.within(ride.status, "decline", at=at, actor=PROVIDER, detail=said)
            work.timelines.add(ride.ref, step)
            self.failpoint("dispatch.decline.stored")
            return self._job(work, declined)

    def en_route(self, ref: str, data: ReportEnRoute, caller: ProviderCaller) -> ProviderJob:
        """Report that the provider is on the way; the report can be repeated.

        Raises:
            NoRequest: the caller has no request with this reference.
            Invalid: with every bad field.
            Conflict: the ride is not the caller's, or its status does not allow it.
        """
        require_valid(data)
        position = _position(data)
        return self._act(
            ref,
            caller,
            lambda rides, ride_ref: rides.en_route(
                ride_ref, caller, position=position, eta_minutes=data.eta_minutes
            ),
        )

    def arrive(self, ref: str, caller: ProviderCaller) -> ProviderJob:
        """Report that the provider has arrived.

        Raises:
            NoRequest: the caller has no request with this reference.
            Conflict: the ride is not the caller's, or its status does not allow it.
        """
        return self._act(ref, caller, lambda rides, ride_ref: rides.arrive(ride_ref, caller))

    def start(self, ref: str, caller: ProviderCaller) -> ProviderJob:
        """Report that the work or the drive has started.

        Raises:
            NoRequest: the caller has no request with this reference.
            Conflict: the ride is not the caller's, or its status does not allow it.
        """
        return self._act(ref, caller, lambda rides, ride_ref: rides.start(ride_ref, caller))

    def complete(
        self, ref: str, caller: ProviderCaller, *, outcome: RideOutcome = RideOutcome.COMPLETED
    ) -> ProviderJob:
        """Report the outcome, which completes the ride and determines the payment.

        Raises:
            NoRequest: the caller has no request with this reference.
            Conflict: the ride is not the caller's, or its status does not allow it.
        """
        return self._act(
            ref,
            caller,
            lambda rides, ride_ref: rides.complete(ride_ref, caller, outcome=outcome),
            refuse=partial(cannot_complete, outcome=outcome),
        )

    def drop_out(self, ref: str, data: GiveReason, caller: ProviderCaller) -> ProviderJob:
        """Drop out of a ride before it starts; the payment is released, and other providers are asked.

        Raises:
            NoRequest: the caller has no request with this reference.
            Invalid: on a ``reason`` that is too long.
            Conflict: the ride is not the caller's, or its status does not allow it.
        """
        require_valid(data)
        reason = stripped(data.reason)
        return self._act(
            ref,
            caller,
            lambda rides, ride_ref: rides.drop_out(ride_ref, caller, actor=PROVIDER, reason=reason),
        )

    def stop(self, ref: str, caller: ProviderCaller) -> None:
        """Send the caller no more requests until an operator reactivates them, and decline this one if possible.

        Raises:
            NoRequest: the caller has no request with this reference.
        """
        job = self.get(ref, caller)
        self.stop_requests[job.ride.kind](caller)
        if "decline" in job.allowed_actions:
            self.decline(ref, GiveReason(reason="No more requests."), caller)

    def _act(
        self,
        ref: str,
        caller: ProviderCaller,
        act: Callable[[Rides, str], object],
        refuse: Callable[[Conflict, ProviderJob], Conflict] = cannot_act,
    ) -> ProviderJob:
        """Take a step on a ride that the caller was chosen for; the use cases for rides check it again under a lock.

        If the lifecycle rejects the step, ``refuse`` returns the error to raise.

        Raises:
            NoRequest: the caller has no request with this reference.
            Conflict: the caller is not, or no longer, chosen, or the status does not allow it.
        """
        job = self.get(ref, caller)
        if not job.is_chosen:
            raise _not_own_job(job)
        self._record_chosen(job.request, caller)
        try:
            act(self.rides[job.ride.kind], job.ride.ref)
        except NoRide:
            raise _not_own_job(self.get(ref, caller)) from None
        except Conflict as refused:
            raise refuse(refused, self.get(ref, caller)) from refused
        return self.get(ref, caller)

    def _record_chosen(self, current: DispatchRequest, caller: ProviderCaller) -> None:
        """Store that the caller was chosen, if that is not stored yet; they already know, so no message is sent."""
        with suppress(Conflict), self.transaction() as work:  # on a conflict, the background job already did
            stored = self._find(work, current.ref, caller)
            if stored.status is RequestStatus.OFFERED:
                work.dispatch_requests.replace(stored, stored.after(current.status, at=self.clock()))

    def _require_able(
        self, work: DispatchWork, request: DispatchRequest, ride: Ride, *, at: datetime
    ) -> Provider:
        status = str(request.status)
        if ride.as_of(at).status is not Status.PENDING:
            raise JobConflict("This job went to another provider or is no longer available.", status)
        if terms_of(ride) != request.terms:
            raise JobConflict(
                "The customer changed this job. If you are needed for the new trip, you will get a new request.",
                status,
            )
        directory = self.rides[ride.kind].candidates
        provider = directory.find_provider(work, request.provider_ref, request.environment)
        if provider is None or not directory.available(work, [request.provider_ref]):
            raise JobConflict(
                "You are on another job, or your requests are turned off. Finish that job or turn requests on, then try again.",
                status,
            )
        return provider

    def _lock(self, work: DispatchWork, ref: str, caller: ProviderCaller) -> tuple[DispatchRequest, Ride]:
        """Return a request of the caller and its ride; locking the ride also locks the request."""
        found = self._find(work, ref, caller)
        ride = work.rides.lock(found.ride_ref, found.kind, None)
        if ride is None:
            raise NoRequest
        return self._find(work, ref, caller), ride

    def _find(self, work: DispatchWork, ref: str, caller: ProviderCaller) -> DispatchRequest:
        request = work.dispatch_requests.find(ref, caller)
        if request is None:
            raise NoRequest
        return request

    def _job(self, work: DispatchWork, request: DispatchRequest) -> ProviderJob:
        (job,) = self._jobs(work, [request])
        return job

    def _jobs(self, work: DispatchWork, requests: Sequence[DispatchRequest]) -> tuple[ProviderJob, ...]:
        """Return the jobs for requests, reading rides, offers and customers in one query each."""
        at = self.clock()
        rides = work.rides.find_all({request.ride_ref for request in requests})
        offers = work.offers.find_all(
            {request.offer_id for request in requests if request.offer_id is not None}
        )
        jobs = [self._bare_job(request, rides.get(request.ride_ref), offers, at) for request in requests]
        customers = work.customers.find_all({job.ride.customer_id for job in jobs if job.is_chosen})
        find_provider = cache(partial(self._provider, work))
        return tuple(
            evolve(
                job,
                provider=find_provider(job.ride.kind, job.request.provider_ref, job.request.environment),
                customer=customers.get(job.ride.customer_id) if job.is_chosen else None,
            )
            for job in jobs
        )

    def _bare_job(
        self, request: DispatchRequest, ride: Ride | None, offers: Mapping[int, Offer], at: datetime
    ) -> ProviderJob:
        """Return the job of a request as of a time, without its provider and customer.

        Raises:
            NoRequest: the ride no longer exists.
        """
        if ride is None:
            raise NoRequest
        offer = None if request.offer_id is None else offers.get(request.offer_id)
        return ProviderJob(
            request=as_of(request, ride, offer, at=at),
            ride=ride.as_of(at),
            offer=None if offer is None else offer.as_of(at),
            provider=None,
            customer=None,
            area=self.area_at(ride.pickup),
            destination=self.area_at(ride.dropoff),
        )

    def _provider(
        self, work: DispatchWork, kind: RideKind, ref: str, environment: Environment
    ) -> Provider | None:
        return self.rides[kind].candidates.find_provider(work, ref, environment)


def _position(data: ReportEnRoute) -> Point | None:
    """Return the reported position of the provider, or None if there is none.

    Raises:
        Invalid: only one coordinate was given.
    """
    latitude, longitude = data.latitude, data.longitude
    if latitude is not None and longitude is not None:
        return Point(latitude, longitude)
    if latitude is None and longitude is None:
        return None
    missing, given = ("latitude", "longitude") if latitude is None else ("longitude", "latitude")
    raise Invalid({missing: [f"The {missing} field is required with {given}."]})


def _own_price(data: MakeOffer, ride: Ride) -> Cents | None:
    """Return the price that a business asks for a tow, or None if it asks the quoted price.

    Raises:
        Invalid: on a ``price`` that is too low, above the quoted price, or for a mobile ride.
    """
    if data.price is None:
        return None
    price, most = cents(data.price), ride.fare.total
    least = percent_of(most, LOWEST_SHARE)
    if ride.kind is not RideKind.TOW:
        raise Invalid(
            {"price": ["The price field is only for tows. Mobile rides have a fixed price: omit it."]}
        )
    if not least <= price <= most:
        raise Invalid({"price": [f"The price must be between {money(least)} and {money(most)}."]})
    return price


def _is_same(offer: Offer, data: MakeOffer, ride: Ride, price: Cents | None) -> bool:
    wanted = ride.fare.total if price is None else price
    return (offer.eta_minutes, offer.price) == (data.eta_minutes, wanted)


def _not_own_job(job: ProviderJob) -> JobConflict:
    return JobConflict(
        "This job is not assigned to you, or it has ended.", str(job.request.status), job.allowed_actions
    )


def _caller_of(request: DispatchRequest) -> ProviderCaller:
    return ProviderCaller(provider_ref=request.provider_ref, environment=request.environment)
