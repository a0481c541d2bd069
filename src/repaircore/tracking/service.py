"""Use cases for tracking: partners share and revoke a link, and anyone with the link can follow the ride to its end."""

from typing import Final

from attrs import evolve, frozen

from repaircore.dispatch.ports import AreaAt
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point, miles
from repaircore.kernel.keys import digest
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock
from repaircore.rides.lifecycles import allowed
from repaircore.rides.model import UNDER_WAY, RideKind, Status
from repaircore.rides.ports import ZoneAt, lock_ride
from repaircore.tracking.errors import NoTrackedRide
from repaircore.tracking.links import TrackingLinks
from repaircore.tracking.model import SharedLink, TrackedRide, TrackingLink
from repaircore.tracking.ports import OpenWork

_FOLLOWED: Final = UNDER_WAY | {Status.PENDING}


@frozen(kw_only=True)
class Tracking:
    """Use cases for tracking links."""

    transaction: OpenWork
    read: OpenWork
    links: TrackingLinks
    area_at: AreaAt
    zone_at: ZoneAt
    clock: Clock

    def share(self, kind: RideKind, ref: str, caller: PartnerCaller) -> SharedLink:
        """Return the link for a ride that has not ended; it is the same link until it is revoked.

        Raises:
            NoRide: the caller has no ride with this reference.
            Conflict: the ride has ended.
        """
        with self.transaction() as work:
            ride, at = lock_ride(work, kind, ref, caller), self.clock()
            if ride.as_of(at).status not in _FOLLOWED:
                details = {"status": str(ride.as_of(at).status), "allowed": allowed(ride)}
                raise Conflict("A ride that has ended cannot be tracked.", details=details)
            link = work.tracking_links.find(ref)
            if link is None or link.revoked_at is not None:
                number = 1 if link is None else link.number + 1
                link = TrackingLink(
                    ride_ref=ref,
                    kind=kind,
                    environment=ride.environment,
                    number=number,
                    token_hash=self.links.token_hash(ref, number),
                    created_at=at,
                )
                work.tracking_links.save(link)
                work.timelines.add(ref, Step.within(ride.status, "share_link", at=at, actor="partner"))
            return SharedLink(link=link, address=self.links.address(ref, link.number))

    def revoke(self, kind: RideKind, ref: str, caller: PartnerCaller) -> bool:
        """Revoke the link of a ride, and return whether there was one to revoke.

        Raises:
            NoRide: the caller has no ride with this reference.
        """
        with self.transaction() as work:
            ride, at = lock_ride(work, kind, ref, caller), self.clock()
            link = work.tracking_links.find(ref)
            if link is None or link.revoked_at is not None:
                return False
            work.tracking_links.save(evolve(link, revoked_at=at))
            work.timelines.add(ref, Step.within(ride.status, "revoke_link", at=at, actor="partner"))
            return True

    def open(self, token: str) -> TrackedRide:
        """Return the ride for the token of a link.

        Raises:
            NoTrackedRide: the link is unknown or was revoked, or its ride has ended.
        """
        with self.read() as work:
            link = work.tracking_links.find_by_token(digest(token))
            ride = None if link is None else work.rides.find(link.ride_ref, link.kind, None)
        if link is None or ride is None or link.revoked_at is not None:
            raise NoTrackedRide
        ride = ride.as_of(self.clock())
        if ride.status not in _FOLLOWED:
            raise NoTrackedRide
        # The last position on the way to the pickup is outdated once the provider has arrived.
        position = ride.position if ride.status is Status.ACCEPTED else None
        point = None if position is None else Point(position.latitude, position.longitude)
        return TrackedRide(
            ride=evolve(ride, position=position),
            area=None if point is None else self.area_at(point),
            miles_left=None if point is None else miles(point, ride.pickup),
            zone=self.zone_at(ride.pickup),
        )
