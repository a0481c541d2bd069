"""Candidates for rides: providers in the directory and, in the test environment, a sandbox fleet around the pickup."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import islice
from typing import Any, Generic, TypeVar

from attrs import frozen
from typing_extensions import override

from repaircore.kernel.callers import Environment
from repaircore.providers.model import NearbyProvider, OfferMode, P, ProviderRequest
from repaircore.providers.ports import Providers
from repaircore.providers.records import SandboxFleet
from repaircore.rides.model import ProviderCard, Ride
from repaircore.rides.offering import AskedProvider, Candidate
from repaircore.rides.ports import CandidateSource, RidesWork

WorkT = TypeVar("WorkT", bound=RidesWork)


@frozen(kw_only=True)
class DirectoryCandidates(CandidateSource, Generic[P, WorkT]):
    """Finds candidates among one kind of provider. ``providers_in`` returns their records in a unit of work."""

    providers_in: Callable[[WorkT], Providers[P]]
    fleet: SandboxFleet[P]
    transaction: Callable[[], AbstractContextManager[WorkT]]
    read: Callable[[], AbstractContextManager[WorkT]]

    @override
    def find_candidates(self, ride: Ride, *, at: datetime, limit: int) -> Sequence[Candidate]:
        request = ProviderRequest(
            environment=ride.environment, ability=ride.service, point=ride.pickup, at=at
        )
        is_test = ride.environment is Environment.TEST
        with self.read() as work:
            found = self._find_free(work, request, limit)
            fleet = self.fleet.find(self.providers_in(work), ride.pickup) if is_test else ()
        if fleet is None:  # the first ride from a neighborhood creates its fleet
            with self.transaction() as work:
                fleet = self.fleet.find_or_add(self.providers_in(work), ride.pickup)
        candidates = map(_candidate, (*found, *fleet))
        return sorted(candidates, key=lambda candidate: (candidate.distance_miles, candidate.ref))[:limit]

    def _find_free(self, work: WorkT, request: ProviderRequest, limit: int) -> list[NearbyProvider[P]]:
        """Return the nearest free providers, at least ``limit`` if there are that many; busy ones are skipped."""
        nearest = self.providers_in(work).find_nearby(request)
        free: list[NearbyProvider[P]] = []
        while len(free) < limit and (batch := list(islice(nearest, limit))):
            busy = work.rides.busy([near.provider.ref for near in batch])
            free += [near for near in batch if near.provider.ref not in busy]
        return free

    @override
    def find_asked(self, ride: Ride, *, at: datetime, limit: int) -> Sequence[AskedProvider]:
        """List the free providers who make offers only on request and could do a ride then, nearest first."""
        request = ProviderRequest(
            environment=ride.environment,
            ability=ride.service,
            point=ride.pickup,
            at=at,
            offers=OfferMode.ASKED,
        )
        with self.read() as work:
            found = self._find_free(work, request, limit)
        return [AskedProvider(provider=near.provider, candidate=_candidate(near)) for near in found]

    @override
    def find_provider(self, work: Any, ref: str, environment: Environment) -> P | None:
        """Return the provider with a reference, even an inactive one, or None if there is none."""
        ours: WorkT = work
        return self.providers_in(ours).find(ref, environment)

    @override
    def card(self, work: Any, ref: str, environment: Environment) -> ProviderCard:
        provider = self.find_provider(work, ref, environment)
        if provider is None:
            return ProviderCard()
        return ProviderCard(phone=provider.phone, vehicle=provider.vehicle, plate=provider.plate)

    @override
    def available(self, work: Any, refs: Sequence[str]) -> frozenset[str]:
        ours: WorkT = work
        return self.providers_in(ours).active(refs) - ours.rides.busy(refs)

    @override
    def add_rating(self, work: Any, ride: Ride, rating: int) -> None:
        ours: WorkT = work
        providers = self.providers_in(ours)
        provider = providers.find(ride.provider_ref or "", ride.environment)
        if provider is not None:
            providers.rate(provider.id, rating)


def _candidate(near: NearbyProvider[Any]) -> Candidate:
    provider = near.provider
    return Candidate(
        ref=provider.ref,
        id=provider.id,
        name=provider.name,
        rating=provider.rating,
        distance_miles=near.miles,
    )
