"""Ports for dispatch."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from repaircore.dispatch.model import Delivery, DispatchRequest, Notice, ProviderKey
from repaircore.kernel.callers import Environment, ProviderCaller
from repaircore.kernel.geo import Point
from repaircore.kernel.paging import Page
from repaircore.providers.model import Provider
from repaircore.rides.model import Offer
from repaircore.rides.ports import RidesWork

AreaAt: TypeAlias = Callable[[Point], str | None]
"""Return the area of a place, such as ``Columbus, OH 43215``, or None if the place is far from any."""


class RequestRecords(Protocol):
    """The stored requests to providers."""

    def add(self, requests: Sequence[DispatchRequest]) -> list[DispatchRequest]:
        """Store new requests, and return them with their ids.

        Raises:
            Conflict: one of the providers has an active request for the same ride.
        """

    def find(self, ref: str, caller: ProviderCaller) -> DispatchRequest | None:
        """Return the caller's request with a reference, or None if there is none."""

    def find_by_token(self, token_hash: bytes) -> DispatchRequest | None:
        """Return the request whose link has the token with this hash, or None if there is none."""

    def list_for(self, ride_ref: str) -> list[DispatchRequest]:
        """List all requests for a ride, oldest first."""

    def list_active(self, *, after: int, limit: int) -> Sequence[DispatchRequest]:
        """List up to ``limit`` requests that may still change, ordered by id, after the id ``after``."""

    def list_page(self, caller: ProviderCaller, *, number: int, per_page: int) -> Page[DispatchRequest]:
        """Return a page of the caller's requests, newest first."""

    def replace(self, old: DispatchRequest, new: DispatchRequest) -> None:
        """Update a request.

        Raises:
            Conflict: the stored request has a different status or different terms than ``old``; nothing is changed.
        """


class ProviderKeyRecords(Protocol):
    """The stored keys of providers."""

    def add(
        self, provider_ref: str, environment: Environment, *, key_hash: bytes, last4: str, at: datetime
    ) -> ProviderKey:
        """Store a new key, and return it."""

    def find_owner(self, key_hash: bytes) -> ProviderCaller | None:
        """Return the owner of a key, or None if the key is unknown or revoked."""

    def list_for(self, provider_ref: str, environment: Environment) -> Sequence[ProviderKey]:
        """List a provider's keys, oldest first, including revoked ones."""

    def revoke_all(self, provider_ref: str, environment: Environment, *, at: datetime) -> int:
        """Revoke the keys of a provider; return how many were valid."""


class DispatchWork(RidesWork, Protocol):
    """The part of a unit of work that dispatch needs."""

    @property
    def dispatch_requests(self) -> RequestRecords:
        """The stored requests to providers."""

    @property
    def provider_keys(self) -> ProviderKeyRecords:
        """The stored keys of providers."""


def find_offer(work: DispatchWork, request: DispatchRequest) -> Offer | None:
    """Return the offer that a provider made in answer to a request, or None if there is none."""
    if request.offer_id is None:
        return None
    return work.offers.find_all([request.offer_id]).get(request.offer_id)


OpenWork: TypeAlias = Callable[[], AbstractContextManager[DispatchWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""


class Notices(Protocol):
    """Sends messages to providers."""

    def reaches(self, provider: Provider) -> bool:
        """Return whether a provider has a contact that this installation can send messages to."""

    def send(self, work: Any, provider: Provider, notice: Notice, *, at: datetime) -> None:
        """Store a message in the unit of work of the change that it reports; it is sent once that is committed.

        Nothing is stored for a provider that cannot be reached.
        """

    def withdraw(self, work: Any, about: str) -> None:
        """Drop the messages about a request that have not been sent yet."""

    def delivery(self, work: Any, about: str) -> Delivery:
        """Return whether a message about a request was sent, may still be sent, or will not be sent."""
