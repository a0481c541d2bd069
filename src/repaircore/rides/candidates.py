"""Who could do a ride: those of the directory, and in the test environment the sandbox fleet around the pickup."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import islice
from typing import Any, Generic, TypeVar

from attrs import frozen
from typing_extensions import override

from repaircore.kernel.callers import Environment
from repaircore.providers.model import NearbyProvider, P, ProviderRequest
from repaircore.providers.ports import Providers
from repaircore.providers.records import SandboxFleet
from repaircore.rides.model import Ride
from repaircore.rides.offering import Candidate
from repaircore.rides.ports import CandidateSource, RidesWork

WorkT = TypeVar("WorkT", bound=RidesWork)


@frozen(kw_only=True)
class DirectoryCandidates(CandidateSource, Generic[P, WorkT]):
    """The roster of one kind of provider. ``kept_in`` is where a unit of work keeps them."""

    kept_in: Callable[[WorkT], Providers[P]]
    fleet: SandboxFleet[P]
    transaction: Callable[[], AbstractContextManager[WorkT]]
    read: Callable[[], AbstractContextManager[WorkT]]
    rate: Callable[[WorkT, Ride, int], None]

    @override
    def candidates(self, ride: Ride, *, at: datetime, limit: int) -> Sequence[Candidate]:
        asked = ProviderRequest(environment=ride.environment, ability=ride.service, point=ride.pickup, at=at)
        is_test = ride.environment is Environment.TEST
        with self.read() as work:
            found = self._free(work, asked, limit)
            fleet = self.fleet.met(self.kept_in(work), ride.pickup) if is_test else ()
        if fleet is None:  # a neighborhood is written about once, when the first ride comes from there
            with self.transaction() as work:
                fleet = self.fleet.around(self.kept_in(work), ride.pickup)
        found += fleet
        return sorted(map(_candidate, found), key=lambda one: (one.distance_miles, one.ref))[:limit]

    def _free(self, work: WorkT, asked: ProviderRequest, limit: int) -> list[NearbyProvider[P]]:
        """Give the nearest who are on no ride; whoever is takes nobody's place who is farther away."""
        near = self.kept_in(work).near(asked)
        free: list[NearbyProvider[P]] = []
        while len(free) < limit and (next_ones := list(islice(near, limit))):
            busy = work.rides.busy([one.provider.ref for one in next_ones])
            free += [one for one in next_ones if one.provider.ref not in busy]
        return free

    @override
    def free(self, work: Any, refs: Sequence[str]) -> frozenset[str]:
        kept: WorkT = work
        return self.kept_in(kept).active(refs) - kept.rides.busy(refs)

    @override
    def rated(self, work: Any, ride: Ride, rating: int) -> None:
        self.rate(work, ride, rating)


def _candidate(near: NearbyProvider[Any]) -> Candidate:
    provider = near.provider
    return Candidate(
        ref=provider.ref,
        id=provider.id,
        name=provider.name,
        rating=getattr(provider, "rating", None),
        distance_miles=near.miles,
    )
