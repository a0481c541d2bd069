"""Ports for the directory of providers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from repaircore.kernel.callers import Environment
from repaircore.providers.model import NearbyProvider, P, ProviderRequest


class Providers(Protocol[P]):
    """The stored providers of one kind. No two providers in an environment have the same phone number."""

    def add(self, provider: P) -> P | None:
        """Store a new provider and return it with its id; return None if its phone number is taken in its environment.

        If the same provider is added concurrently, one call succeeds; the others wait for it and return None.
        """

    def find_or_add_sandbox(self, provider: P, identity: str) -> P:
        """Return the sandbox provider with this identity, storing ``provider`` if there is none."""

    def find_sandbox(self, identity: str, environment: Environment) -> P | None:
        """Return the sandbox provider with this identity, or None if there is none."""

    def active(self, refs: Sequence[str]) -> frozenset[str]:
        """Return those of the given references whose providers are stored and active."""

    def find(self, ref: str, environment: Environment) -> P | None:
        """Return a provider by reference, even a sandbox or inactive one, or None."""

    def find_by_phone(self, phone: str, environment: Environment) -> P | None:
        """Return a provider by phone number in E.164 format, or None; sandbox providers are not found."""

    def replace(self, old: P, new: P) -> P:
        """Update a provider, and return it with its next version.

        Raises:
            Conflict: the provider was changed or deleted concurrently, or another one has the phone number; nothing
                is changed.
        """

    def rate(self, provider_id: int, stars: int) -> None:
        """Add a rating from 1 to 5, atomically. The caller ensures that a ride is rated only once."""

    def delete(self, provider_id: int) -> bool:
        """Delete a provider; return whether it was stored.

        Raises:
            Conflict: other records refer to it.
        """

    def count_references(self, provider_id: int) -> Mapping[str, int]:
        """Count the records that refer to a provider, by the singular name of their kind."""

    def list_after(self, provider_id: int, environment: Environment, *, limit: int) -> Sequence[P]:
        """List up to ``limit`` providers after an id, sorted by id, without sandbox providers."""

    def find_nearby(self, request: ProviderRequest) -> Iterator[NearbyProvider[P]]:
        """Yield the providers who can come, nearest first: active, able, open, and with the place within their radius.

        All have the offer mode of the request. Sandbox providers are left out. One query reads all matches; those
        that are not consumed cost next to nothing.
        """
