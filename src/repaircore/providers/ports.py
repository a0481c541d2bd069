"""Ports of the directory of providers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from repaircore.kernel.callers import Environment
from repaircore.providers.model import NearbyProvider, P, ProviderRequest


class Providers(Protocol[P]):
    """The stored providers of one kind. No two providers of an environment have the same phone."""

    def add(self, provider: P) -> P | None:
        """Store a new provider, and return it with its id; None if the environment already has one with this phone.

        If the same provider is added concurrently, one call succeeds; the others wait for it and return None.
        """

    def find_or_add_sandbox(self, provider: P, identity: str) -> P:
        """Return the sandbox provider with an identity; store this one if there is no such provider."""

    def find_sandbox(self, identity: str, environment: Environment) -> P | None:
        """Find the sandbox provider with an identity."""

    def active(self, refs: Sequence[str]) -> frozenset[str]:
        """Return which of these providers are stored and active."""

    def find(self, ref: str, environment: Environment) -> P | None:
        """Find a provider by reference, sandbox and inactive ones included."""

    def find_by_phone(self, phone: str, environment: Environment) -> P | None:
        """Find a provider by phone in E.164 form; never a sandbox provider."""

    def replace(self, old: P, new: P) -> P:
        """Update a provider, and return it with its next version.

        Raises:
            Conflict: the provider was changed or deleted meanwhile, or another one has the phone; nothing is changed.
        """

    def rate(self, provider_id: int, stars: int) -> None:
        """Add a rating, 1 to 5, safely under concurrency. The caller ensures one rating per ride."""

    def delete(self, provider_id: int) -> bool:
        """Delete a provider; return whether it was stored.

        Raises:
            Conflict: other records refer to it.
        """

    def count_references(self, provider_id: int) -> Mapping[str, int]:
        """Count the records that refer to a provider, by their kind in the singular."""

    def list_after(self, provider_id: int, environment: Environment, *, limit: int) -> Sequence[P]:
        """List the next providers after an id, by id, without sandbox providers."""

    def find_nearby(self, request: ProviderRequest) -> Iterator[NearbyProvider[P]]:
        """Yield the providers who can come, nearest first: active, able, open, and with the place within their radius.

        All have the request's offer mode: automatic, or asked.

        Sandbox providers are left out. One query reads all; items that are not taken cost next to nothing.
        """
