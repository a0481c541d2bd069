"""Call a provider with a driver's tokens, which one worker at a time refreshes when needed.

Providers that rotate refresh tokens treat a second use of an old one as theft, and end the consent. So the worker that
refreshes tokens holds a lease, and the others wait for its result.
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

_REFRESH_MARGIN: Final = timedelta(seconds=60)
"""Tokens that expire this soon are refreshed before use."""

LEASE: Final = timedelta(seconds=30)
"""How long a lease lasts if its holder dies: longer than any provider may take."""

POLL: Final = 0.1
"""Seconds between two checks of a lease."""

_MOST_POLLS: Final = 60

_BUSY: Final = "The connected-car provider failed: the tokens could not be refreshed."


@frozen(kw_only=True)
class TokenAccess:
    """Calls a provider with a driver's tokens."""

    transaction: OpenWork
    read: OpenWork
    provider: CarProvider
    vault: TokenVault
    clock: Clock
    wait: Wait

    def call(self, connection: Connection, request: Callable[[str], T]) -> T:
        """Call a provider with an access token, which is refreshed if it expires soon or is rejected.

        Raises:
            Reconnect: the consent has ended; the connection is revoked.
            CarSourceUnavailable: the provider is not responding, no key decrypts the tokens, or another worker's
                refresh failed or takes too long; nothing changes.
            NoConnectedCar: the connection was removed meanwhile.
            Conflict: another request changed the connection meanwhile.
        """
        tokens = self._unsealed(connection)
        if tokens.expires_at is not None and tokens.expires_at - self.clock() <= _REFRESH_MARGIN:
            connection = self._refreshed(connection)
            tokens = self._unsealed(connection)
        try:
            return request(tokens.access)
        except AccessRefused:
            connection = self._refreshed(connection)
        try:
            return request(self._unsealed(connection).access)
        except AccessRefused:
            self._revoke(connection)
            raise Reconnect from None

    def _unsealed(self, connection: Connection) -> Tokens:
        if connection.sealed is None or connection.standing is not ConnectionStatus.ACTIVE:
            raise Reconnect
        return self.vault.unseal(connection.sealed)

    def _refreshed(self, connection: Connection) -> Connection:
        now = self.clock()
        until = now + LEASE
        with self.transaction() as work:
            is_ours = work.refresh_leases.acquire(connection, now=now, until=until)
        if not is_ours:
            return self._wait_for_refresh(connection)
        try:
            return self._renewed(connection)
        finally:
            with self.transaction() as work:
                work.refresh_leases.release(connection.id, until=until)

    def _renewed(self, connection: Connection) -> Connection:
        old = self._unsealed(connection)
        new = self._refresh(old.refresh)
        if new is None:
            self._revoke(connection)
            raise Reconnect
        sealed = self.vault.seal(new)
        with self.transaction() as work:
            return work.car_connections.update(connection, connection.renewed(sealed))

    def _refresh(self, refresh_token: str | None) -> Tokens | None:
        """Return new tokens, or None if the consent has ended."""
        if refresh_token is None:
            return None
        try:
            new = self.provider.refresh(refresh_token)
        except AccessRefused:
            return None
        return new if new.refresh is not None else evolve(new, refresh=refresh_token)

    def _wait_for_refresh(self, connection: Connection) -> Connection:
        """Return the connection once the holder of the lease has refreshed it.

        Raises:
            CarSourceUnavailable: the holder failed, or takes too long.
            NoConnectedCar: the connection was removed meanwhile.
        """
        for _ in range(_MOST_POLLS):
            with self.read() as work:
                # In this order: new tokens are stored before the lease is released, and each query may see newer rows.
                is_held = work.refresh_leases.is_held(connection.id, now=self.clock())
                current = work.car_connections.by_id(connection.id)
            if current is None:
                raise NoConnectedCar
            if current.version != connection.version:
                return current
            if not is_held:
                break
            self.wait(POLL)
        raise CarSourceUnavailable(_BUSY)

    def _revoke(self, connection: Connection) -> None:
        # A conflict means that the driver has given consent again meanwhile.
        with suppress(Conflict), self.transaction() as work:
            work.car_connections.update(connection, connection.revoked(self.clock()))
