"""What connected cars need from outside."""

from abc import abstractmethod
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
"""Let some seconds pass."""


class CarProvider(Protocol):
    """Someone whom drivers let know how their cars are.

    Every method but the first asks outside, and never within a unit of work. Safe to be called by many threads at once.
    Each raises ``CarSourceUnavailable`` when there is no answer within its deadline, or only nonsense; the message
    names neither token nor VIN. Nothing else is ever raised than what is named.
    """

    @abstractmethod
    def authorization_url(self, asked: Authorization) -> str:
        """Give the address at which a driver agrees, or does not. Nobody is asked for it."""

    @abstractmethod
    def exchange(self, code: str, verifier: str) -> Tokens:
        """Turn the code of a flow into tokens.

        Raises:
            CodeRefused: the code is unknown, used, too old, or another flow's.
        """

    @abstractmethod
    def refresh(self, refresh_token: str) -> Tokens:
        """Get new tokens; without a new ``refresh``, the old one goes on counting.

        Raises:
            AccessRefused: the agreement was withdrawn or has ended.
        """

    @abstractmethod
    def withdraw(self, tokens: Tokens) -> bool:
        """End an agreement; False when the provider offers no way to. One that has ended is fine."""

    @abstractmethod
    def garage(self, access_token: str) -> GrantedCars:
        """List a driver's cars, each VIN of 17 allowed characters, once.

        Raises:
            AccessRefused: the token does not count (any more).
        """

    @abstractmethod
    def read(self, access_token: str, vin: str) -> CarReading:
        """Ask a car how it is. Whatever is told is within its range, and not of the future.

        Raises:
            AccessRefused: the token does not count (any more).
            CarGone: the driver has no such car (any more).
        """


class TokenVault(Protocol):
    """What makes tokens unreadable to whoever reads the database."""

    @abstractmethod
    def seal(self, tokens: Tokens) -> str:
        """Encrypt tokens with the newest key."""

    @abstractmethod
    def unseal(self, sealed: str) -> Tokens:
        """Give tokens back.

        Raises:
            Unreadable: no key opens them, or they were changed.
        """

    @abstractmethod
    def reseal(self, sealed: str) -> str:
        """Encrypt anew with the newest key, whichever it was before.

        Raises:
            Unreadable: as for ``unseal``.
        """


class SignalSink(Protocol):
    """Who keeps what cars tell, and judges it."""

    @abstractmethod
    def take(self, reading: CarReading, caller: Caller) -> Health:
        """Keep a reading as the caller's signals of that car, and give the car's health since then.

        Called outside of any unit of work; the same reading may come again.

        Raises:
            Failure: the signals cannot be kept; nothing of them is.
        """


class FlowRecords(Protocol):
    """The flows that await their driver."""

    @abstractmethod
    def add(self, flow: Flow) -> None:
        """Await a driver. What ended before ``flow`` began is forgotten."""

    @abstractmethod
    def take(self, flow_id: UUID, *, environment: Environment, owner_id: int) -> Flow | None:
        """Give the flow and await it no more; None when it is not awaited, or somebody else's. One taker gets it."""


class ConnectionRecords(Protocol):
    """The kept connections."""

    @abstractmethod
    def add(self, connection: Connection, vins: Sequence[str]) -> None:
        """Keep a connection. Its cars leave the owner's other connections; one that is left without cars is removed."""

    @abstractmethod
    def by_id(self, connection_id: UUID) -> Connection | None:
        """Give the connection, or None."""

    @abstractmethod
    def replace(self, old: Connection, new: Connection) -> Connection:
        """Keep ``new`` in the place of ``old``, and give the kept one with its next version.

        Raises:
            Conflict: the kept one is no longer ``old``; nothing is changed.
        """

    @abstractmethod
    def remove(self, connection_id: UUID) -> None:
        """Keep neither a connection nor its cars any more; one that is not kept is fine."""

    @abstractmethod
    def sealed(self, *, after: UUID | None, limit: int) -> Sequence[Connection]:
        """List connections of everybody that have tokens, by id, those after ``after``."""


class CarRecords(Protocol):
    """The cars of the kept connections. An owner has a car once. ``owner_id`` None is everybody's."""

    @abstractmethod
    def connection_of(self, vin: str, *, environment: Environment, owner_id: int) -> Connection | None:
        """Give the connection through which an owner's car is asked, whatever its standing, or None."""

    @abstractmethod
    def active(self, email: str, *, environment: Environment, owner_id: int) -> Sequence[str]:
        """List the VINs that a driver's active connections cover, sorted."""

    @abstractmethod
    def connections(
        self,
        *,
        environment: Environment,
        owner_id: int | None,
        email: str | None = None,
        vin: str | None = None,
    ) -> Sequence[Connection]:
        """List the connections of a driver, or those that cover a car, oldest first."""

    @abstractmethod
    def of(self, connection_id: UUID) -> Sequence[str]:
        """List the VINs that a connection covers, sorted."""

    @abstractmethod
    def synced(self, vin: str, *, connection_id: UUID, at: datetime) -> None:
        """Note that a car was asked; one that is not kept any more is fine."""

    @abstractmethod
    def remove(self, vin: str, *, connection_id: UUID) -> None:
        """Keep a car of a connection no more."""


class RefreshTurns(Protocol):
    """Whose turn it is to refresh a connection's tokens: one caller's at a time, over all workers."""

    @abstractmethod
    def take(self, connection: Connection, *, now: datetime, until: datetime) -> bool:
        """Take the turn, which ends by itself at ``until``; False when another has it, or it is no longer this version."""

    @abstractmethod
    def is_taken(self, connection_id: UUID, *, now: datetime) -> bool:
        """Tell whether somebody has the turn."""

    @abstractmethod
    def end(self, connection_id: UUID, *, until: datetime) -> None:
        """Give the turn back that was to end at ``until``, unless it has ended and is another's by now."""


class ConnectedCarsWork(Protocol):
    """The part of a unit of work that connected cars need."""

    @property
    @abstractmethod
    def car_flows(self) -> FlowRecords:
        """The flows that await their driver."""

    @property
    @abstractmethod
    def car_connections(self) -> ConnectionRecords:
        """The kept connections."""

    @property
    @abstractmethod
    def connected_cars(self) -> CarRecords:
        """Their cars."""

    @property
    @abstractmethod
    def refresh_turns(self) -> RefreshTurns:
        """Whose turn it is to refresh tokens."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[ConnectedCarsWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
