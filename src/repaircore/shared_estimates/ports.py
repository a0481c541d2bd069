"""Ports for shared estimates."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.kernel.callers import Environment
from repaircore.shared_estimates.model import EstimateLink


class EstimateLinkRecords(Protocol):
    """The stored links to estimates, at most one for each estimate; part of a unit of work."""

    def add(self, link: EstimateLink, now: datetime) -> EstimateLink:
        """Store a link and return it; if the estimate already has an unexpired link, return that one instead."""

    def find(self, session_id: UUID, owner_id: int, now: datetime) -> EstimateLink | None:
        """Return an owner's link to an estimate, or None if there is none or it has expired."""

    def find_by_token(self, token_hash: bytes, now: datetime) -> EstimateLink | None:
        """Return the link with this token, or None if there is none or it has expired."""

    def list_for(self, owner_id: int, environment: Environment, now: datetime) -> Sequence[EstimateLink]:
        """List an owner's links that have not expired, newest first."""

    def delete(self, session_id: UUID, owner_id: int) -> bool:
        """Delete an owner's link to an estimate, and return whether there was one."""

    def prune(self, now: datetime) -> int:
        """Delete the expired links, and return how many there were."""


class SharedEstimatesWork(Protocol):
    """The part of a unit of work that shared estimates need."""

    @property
    def estimate_links(self) -> EstimateLinkRecords:
        """The stored links."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[SharedEstimatesWork]]
"""Open a unit of work, which is committed unless the block raises."""
