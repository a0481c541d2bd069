"""Wiring of proofs of jobs, and of links for following them."""

from datetime import timedelta
from typing import TYPE_CHECKING

from repaircore.adapters.crypto.installation import derived
from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.pictures import ChildPictureReader
from repaircore.adapters.lookups.areas import NearestAreas
from repaircore.adapters.lookups.zip_codes import NearestZones
from repaircore.proofs.service import Proofs
from repaircore.rides.model import RideKind
from repaircore.tracking.links import TrackingLinks
from repaircore.tracking.service import Tracking

if TYPE_CHECKING:
    from repaircore.core import Core

_AREAS = NearestAreas()
"""Names the area at a point; one instance per process, because it caches the list of ZIP codes."""


def proofs(core: "Core") -> Proofs:
    """Wire proofs of jobs."""
    return Proofs(
        transaction=core.storage.transaction,
        read=core.storage.read,
        rides={RideKind.MOBILE: core.rides, RideKind.TOW: core.tows},
        provider_requests=core.provider_requests,
        pictures=ChildPictureReader(ImageLimit(core.settings.state)),
        stored_for=timedelta(days=core.settings.proof_days),
        new_id=core.new_id,
        clock=core.clock,
    )


def tracking(core: "Core") -> Tracking:
    """Wire the links for following a job."""
    secret = derived(core.secret, "tracking links")
    return Tracking(
        transaction=core.storage.transaction,
        read=core.storage.read,
        links=TrackingLinks(secret=secret, public_url=core.settings.public_url),
        area_at=_AREAS,
        zone_at=NearestZones(),
        clock=core.clock,
    )
