"""All use cases of rides in one class; there is one service per kind."""

from attrs import frozen

from repaircore.rides.acceptance import OfferAcceptance
from repaircore.rides.background import RideBackground
from repaircore.rides.progress import RideProgress
from repaircore.rides.requests import RideRequests


@frozen(kw_only=True)
class Rides(RideRequests, OfferAcceptance, RideProgress, RideBackground):
    """The rides of one kind: ``core.rides`` and ``core.tows``."""
