"""Rides and tows: one service for each kind, all use cases in one place."""

from attrs import frozen

from repaircore.roadside.accepting import Acceptance
from repaircore.roadside.course import Course
from repaircore.roadside.requests import Requests
from repaircore.roadside.watching import Watch

__all__ = ["Roadside"]


@frozen(kw_only=True)
class Roadside(Requests, Acceptance, Course, Watch):
    """The jobs of one kind: ``core.rides`` and ``core.tows``."""
