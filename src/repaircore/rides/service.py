"""Rides and tows: one service for each kind, all use cases in one place."""

from attrs import frozen

from repaircore.rides.acceptance import OfferAcceptance
from repaircore.rides.background import RideBackground
from repaircore.rides.progress import RideProgress
from repaircore.rides.requests import RideRequests


@frozen(kw_only=True)
class Rides(RideRequests, OfferAcceptance, RideProgress, RideBackground):
    """The rides of one kind: ``core.rides`` and ``core.tows``."""
