"""Rides and tows: one service for each kind, all use cases in one place."""

from attrs import frozen

from repaircore.rides.accepting import Acceptance
from repaircore.rides.course import Course
from repaircore.rides.requests import Requests
from repaircore.rides.watching import Watch

__all__ = ["Rides"]


@frozen(kw_only=True)
class Rides(Requests, Acceptance, Course, Watch):
    """The rides of one kind: ``core.rides`` and ``core.tows``."""
