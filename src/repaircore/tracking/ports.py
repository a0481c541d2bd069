"""Ports for tracking links."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.rides.ports import RidesWork
from repaircore.tracking.model import TrackingLink


class TrackingRecords(Protocol):
    """The stored links, at most one for each ride."""

    def find(self, ride_ref: str) -> TrackingLink | None:
        """Return the link of a ride, even if it was revoked, or None if there is none."""

    def find_by_token(self, token_hash: bytes) -> TrackingLink | None:
        """Return the link whose token has this hash, even if it was revoked, or None if there is none."""

    def save(self, link: TrackingLink) -> None:
        """Store or replace the link of a ride, which the unit of work must have locked."""


class TrackingWork(RidesWork, Protocol):
    """The part of a unit of work that tracking needs."""

    @property
    def tracking_links(self) -> TrackingRecords:
        """The stored links."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[TrackingWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
