"""Asking a provider with a driver's tokens, which are refreshed when they have to be: once, over all workers.

Providers that give a new refresh token each time take a second use of the old one for theft, and end the agreement.
So whoever refreshes has the turn, and the others wait for what comes of it.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Final, TypeVar

from attrs import evolve, frozen

from repaircore.connected_cars.errors import AccessRefused, CarSourceUnavailable, NoConnectedCar, Reconnect
from repaircore.connected_cars.model import Connection, ConnectionStatus, Tokens
from repaircore.connected_cars.ports import CarProvider, OpenWork, TokenVault, Wait
from repaircore.kernel.errors import Conflict
from repaircore.kernel.types import Clock

T = TypeVar("T")

_EARLY: Final = timedelta(seconds=60)
"""Tokens that end this soon are refreshed before they are used."""

TURN: Final = timedelta(seconds=30)
"""How long a turn lasts when its holder dies; longer than any provider may take."""

POLL: Final = 0.1
"""After how many seconds one who waits for a turn looks again."""

_PATIENCE: Final = 60
"""How many times."""

_BUSY: Final = "The connected-car provider failed: the tokens could not be refreshed."


@frozen(kw_only=True)
class TokenAccess:
    """What it takes to ask with a driver's tokens."""

    transaction: OpenWork
    read: OpenWork
    provider: CarProvider
    vault: TokenVault
    clock: Clock
    wait: Wait

    def asking(self, connection: Connection, ask: Callable[[str], T]) -> T:
        """Ask something with an access token, refreshed before or after when that helps.

        Raises:
            Reconnect: the agreement has ended; the connection is marked so.
            CarSourceUnavailable: the provider does not answer; nothing is changed.
            NoConnectedCar: the connection was removed meanwhile.
        """
        tokens = self._opened(connection)
        if tokens.expires_at is not None and tokens.expires_at - self.clock() <= _EARLY:
            connection = self._refreshed(connection)
            tokens = self._opened(connection)
        try:
            return ask(tokens.access)
        except AccessRefused:
            connection = self._refreshed(connection)
        try:
            return ask(self._opened(connection).access)
        except AccessRefused:
            self._mark(connection)
            raise Reconnect from None

    def _opened(self, connection: Connection) -> Tokens:
        if connection.sealed is None or connection.standing is not ConnectionStatus.ACTIVE:
            raise Reconnect
        return self.vault.unseal(connection.sealed)

    def _refreshed(self, connection: Connection) -> Connection:
        now = self.clock()
        until = now + TURN
        with self.transaction() as work:
            is_ours = work.refresh_turns.take(connection, now=now, until=until)
        if not is_ours:
            return self._awaited(connection)
        try:
            return self._renewed(connection)
        finally:
            with self.transaction() as work:
                work.refresh_turns.end(connection.id, until=until)

    def _renewed(self, connection: Connection) -> Connection:
        old = self._opened(connection)
        new = self._granted(old.refresh)
        if new is None:
            self._mark(connection)
            raise Reconnect
        sealed = self.vault.seal(new)
        with self.transaction() as work:
            return work.car_connections.replace(connection, connection.renewed(sealed))

    def _granted(self, refresh_token: str | None) -> Tokens | None:
        """Get new tokens; None when the agreement has ended."""
        if refresh_token is None:
            return None
        try:
            new = self.provider.refresh(refresh_token)
        except AccessRefused:
            return None
        return new if new.refresh is not None else evolve(new, refresh=refresh_token)

    def _awaited(self, connection: Connection) -> Connection:
        """Wait for whoever has the turn; what stops them stops us too."""
        for _ in range(_PATIENCE):
            with self.read() as work:
                # In this order: what is renewed is kept before the turn ends, and each look may find something newer.
                goes_on = work.refresh_turns.is_taken(connection.id, now=self.clock())
                current = work.car_connections.by_id(connection.id)
            if current is None:
                raise NoConnectedCar
            if current.version != connection.version:
                return current
            if not goes_on:
                break
            self.wait(POLL)
        raise CarSourceUnavailable(_BUSY)

    def _mark(self, connection: Connection) -> None:
        with suppress(Conflict), self.transaction() as work:  # else the driver has agreed anew meanwhile
            work.car_connections.replace(connection, connection.revoked(self.clock()))
