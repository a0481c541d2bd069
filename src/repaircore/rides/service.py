"""Rides and tows: one service for each kind, all use cases in one place."""

from attrs import frozen

from repaircore.rides.acceptance import Acceptance
from repaircore.rides.background import Watch
from repaircore.rides.progress import Course
from repaircore.rides.requests import Requests


@frozen(kw_only=True)
class Rides(Requests, Acceptance, Course, Watch):
    """The rides of one kind: ``core.rides`` and ``core.tows``."""
