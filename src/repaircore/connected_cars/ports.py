"""Ports for connected cars."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.connected_cars.model import (
    Authorization,
    CarReading,
    Connection,
    Flow,
    GrantedCars,
    Health,
    Tokens,
)
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Caller, Environment

Wait: TypeAlias = Callable[[float], None]
"""Wait for a number of seconds."""


class CarProvider(Protocol):
    """A service that returns the data of cars with their drivers' consent.

    Every method but the first makes a network call, and is never called within a unit of work. All are thread-safe.
    Each raises ``CarSourceUnavailable`` if there is no valid response within its deadline; the message contains neither
    tokens nor VINs. Besides that, only the listed exceptions are raised.
    """

    def authorization_url(self, request: Authorization) -> str:
        """Return the URL where a driver gives or refuses consent, without a network call."""

    def exchange(self, code: str, verifier: str) -> Tokens:
        """Exchange an authorization code for tokens.

        Raises:
            CodeRefused: the code is unknown, used, expired, or from another flow.
        """

    def refresh(self, refresh_token: str) -> Tokens:
        """Exchange a refresh token for new tokens; if their ``refresh`` is None, the old one stays valid.

        Raises:
            AccessRefused: the consent was withdrawn or has expired.
        """

    def revoke(self, tokens: Tokens) -> bool:
        """Revoke tokens, which may already be revoked; return False if the provider does not support that."""

    def list_cars(self, access_token: str) -> GrantedCars:
        """Return a driver's cars; their VINs are distinct, valid, and 17 characters long.

        Raises:
            AccessRefused: the token is not valid.
        """

    def read(self, access_token: str, vin: str) -> CarReading:
        """Return the data of a car; all values are within their ranges, and the time is not in the future.

        Raises:
            AccessRefused: the token is not valid.
            CarGone: the driver has no such car.
        """


class TokenVault(Protocol):
    """Encrypts tokens for the database."""

    def seal(self, tokens: Tokens) -> str:
        """Encrypt tokens with the newest key."""

    def unseal(self, sealed: str) -> Tokens:
        """Decrypt tokens.

        Raises:
            Unreadable: no key decrypts them, or they were altered.
        """

    def reseal(self, sealed: str) -> str:
        """Encrypt tokens again, with the newest key.

        Raises:
            Unreadable: no key decrypts them, or they were altered.
        """


class SignalSink(Protocol):
    """Records readings and rates the car's health."""

    def record(self, reading: CarReading, caller: Caller) -> Health:
        """Record a reading as signals of the caller's car, and return the car's health.

        It is called outside of any unit of work, and the same reading may be passed again.

        Raises:
            Failure: the signals cannot be recorded; nothing is stored.
        """


class FlowRecords(Protocol):
    """The pending OAuth flows."""

    def add(self, flow: Flow) -> None:
        """Store a flow, and delete those that expired before it began."""

    def take(self, flow_id: UUID, *, environment: Environment, owner_id: int) -> Flow | None:
        """Delete and return a flow, or return None if the owner has no such pending flow in the environment.

        Only one of several concurrent callers gets it.
        """


class ConnectionRecords(Protocol):
    """Stored connections."""

    def add(self, connection: Connection, vins: Sequence[str]) -> None:
        """Store a connection. Its cars leave the owner's other connections; those left without cars are deleted."""

    def by_id(self, connection_id: UUID) -> Connection | None:
        """Return the connection with an id, or None if there is none."""

    def update(self, old: Connection, new: Connection) -> Connection:
        """Replace ``old`` with ``new``, and return it with its next version.

        Raises:
            Conflict: the stored connection is no longer ``old``; nothing changes.
        """

    def delete(self, connection_id: UUID) -> None:
        """Delete a connection with its cars, if it exists."""

    def list_sealed(self, *, after: UUID | None, limit: int) -> Sequence[Connection]:
        """List up to ``limit`` connections with tokens, of all owners, ordered by id, after the id ``after``."""


class CarRecords(Protocol):
    """The cars of stored connections. An owner has a car at most once. An ``owner_id`` of None means all owners."""

    def connection_of(self, vin: str, *, environment: Environment, owner_id: int) -> Connection | None:
        """Return the connection of an owner's car, whatever its status, or None if there is none."""

    def list_active(self, email: str, *, environment: Environment, owner_id: int) -> Sequence[str]:
        """Return the sorted VINs of a driver's active connections."""

    def list_connections(
        self,
        *,
        environment: Environment,
        owner_id: int | None,
        email: str | None = None,
        vin: str | None = None,
    ) -> Sequence[Connection]:
        """Return the connections of a driver, or those that cover a car, oldest first."""

    def list_vins(self, connection_id: UUID) -> Sequence[str]:
        """Return the sorted VINs of a connection."""

    def record_sync(self, vin: str, *, connection_id: UUID, at: datetime) -> None:
        """Store when a car was synced, if the car is still stored."""

    def delete(self, vin: str, *, connection_id: UUID) -> None:
        """Delete a car from a connection."""


class RefreshLeases(Protocol):
    """Leases on refreshing a connection's tokens: one holder at a time, across all workers."""

    def acquire(self, connection: Connection, *, now: datetime, until: datetime) -> bool:
        """Acquire the lease, which expires at ``until``; return False if it is held, or the stored version differs."""

    def is_held(self, connection_id: UUID, *, now: datetime) -> bool:
        """Return whether the lease is held."""

    def release(self, connection_id: UUID, *, until: datetime) -> None:
        """Release the lease that expires at ``until``, unless it has expired and another worker holds it."""


class ConnectedCarsWork(Protocol):
    """The part of a unit of work that connected cars need."""

    @property
    def car_flows(self) -> FlowRecords:
        """Pending flows."""

    @property
    def car_connections(self) -> ConnectionRecords:
        """Stored connections."""

    @property
    def connected_cars(self) -> CarRecords:
        """The cars of stored connections."""

    @property
    def refresh_leases(self) -> RefreshLeases:
        """Leases on refreshing tokens."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[ConnectedCarsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
