"""Connect a driver's cars, read their data, and disconnect them."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from attrs import field, frozen

from repaircore.connected_cars.access import LEASE, POLL, TokenAccess
from repaircore.connected_cars.errors import (
    AccessRefused,
    CarSourceUnavailable,
    Declined,
    NoCarProvider,
    NoCars,
    NoConnectedCar,
    Unreadable,
)
from repaircore.connected_cars.model import (
    FLOW_LIFETIME,
    Authorization,
    AuthorizationStarted,
    Connection,
    ConnectionStatus,
    ConnectResult,
    DisconnectResult,
    Flow,
    GrantedCars,
    KeyRotation,
    SyncResult,
    Tokens,
)
from repaircore.connected_cars.oauth import OAuthState, parse_state, pkce_challenge, pkce_verifier, sign_state
from repaircore.connected_cars.ports import (
    CarProvider,
    ConnectedCarsWork,
    OpenWork,
    SignalSink,
    TokenVault,
    Wait,
)
from repaircore.kernel.callers import LOCAL, Caller, Environment, owner_of, private_owner
from repaircore.kernel.emails import email_errors, fold_email
from repaircore.kernel.errors import Conflict, Failure, Invalid
from repaircore.kernel.types import Clock, NewId
from repaircore.vehicles import vin as vins

_MISSING_STATE: Final = "The state field is required."
_FORGED: Final = "The state field was not issued by this installation."
_EXPIRED: Final = "The state field has expired: it is valid for ten minutes."
_USED: Final = "The state field has already been used."
_MISSING_CODE: Final = "The code field is required."
_EMAIL_OR_VIN: Final = "The value must be a driver's e-mail address or a VIN."
_CHUNK: Final = 100
_MOST_POLLS: Final = 400
"""How many times a key rotation polls for a lease: for longer than a lease lasts."""


@frozen(kw_only=True)
class OAuthKeys:
    """The keys for signing OAuth states and for deriving PKCE verifiers."""

    state: bytes = field(repr=False)
    verifier: bytes = field(repr=False)


@frozen(kw_only=True)
class ConnectedCars:
    """Use cases for connected cars. ``provider`` is None if none is configured; ``sandbox`` serves test keys."""

    transaction: OpenWork
    read: OpenWork
    provider: CarProvider | None
    sandbox: CarProvider
    vault: TokenVault
    sink: SignalSink
    keys: OAuthKeys
    new_id: NewId
    clock: Clock
    wait: Wait

    def connect(self, email: str | None = None, caller: Caller = LOCAL) -> AuthorizationStarted:
        """Start a flow; return the URL where the driver consents to the provider sharing their cars' data.

        Raises:
            Invalid: on ``email``.
            NoCarProvider: no provider is configured.
        """
        folded = _folded(email)
        provider, now = self._provider(caller.environment), self.clock()
        flow = Flow(
            id=self.new_id(),
            environment=caller.environment,
            owner_id=owner_of(caller),
            email=folded,
            begun_at=now,
            ends_at=now + FLOW_LIFETIME,
        )
        request = Authorization(
            state=sign_state(flow, self.keys.state),
            challenge=pkce_challenge(self._verifier(flow)),
            email=folded,
        )
        url = provider.authorization_url(request)
        with self.transaction() as work:
            work.car_flows.add(flow)
        return AuthorizationStarted(authorization_url=url, expires_at=flow.ends_at)

    def complete(
        self, *, state: str | None, code: str | None = None, error: str | None = None
    ) -> ConnectResult:
        """Complete a flow with the parameters of the provider's redirect: a code, or an error.

        Nothing is stored unless the provider returns the driver's cars. A state can be used only once, unless the
        provider does not respond to the code: then the same state and code can be sent again.

        Raises:
            Invalid: ``state`` is missing, forged, expired or used, or ``code`` is missing.
            Declined: the provider sent an error.
            CodeRefused: the provider rejects the code.
            NoCars: the driver has no car at the provider.
            CarSourceUnavailable: the provider is not responding, or none is configured.
        """
        oauth_state = self._valid_state(state, code=code, error=error)
        provider = self._provider(oauth_state.environment)
        with self.transaction() as work:
            flow = work.car_flows.take(
                oauth_state.flow_id, environment=oauth_state.environment, owner_id=oauth_state.owner_id
            )
        if flow is None:
            raise Invalid({"state": [_USED]})
        if error or not code:
            raise Declined(_error_code(error or ""))
        tokens = self._exchange(provider, flow, code)
        granted = _list_or_revoke(provider, tokens)
        connection = Connection(
            id=self.new_id(),
            environment=flow.environment,
            owner_id=flow.owner_id,
            email=flow.email or _valid_email(granted.email),
            standing=ConnectionStatus.ACTIVE,
            sealed=self.vault.seal(tokens),
            connected_at=self.clock(),
        )
        with self.transaction() as work:
            work.car_connections.add(connection, granted.vins)
        return ConnectResult(vins=granted.vins)

    def list_vins(self, email: str, caller: Caller = LOCAL) -> tuple[str, ...]:
        """Return the sorted VINs of the cars that a driver has connected to the caller's account.

        Raises:
            Invalid: on ``email``.
            NoCarProvider: no provider is configured.
        """
        folded = _folded(email)
        self._provider(caller.environment)
        with self.read() as work:
            return tuple(
                work.connected_cars.list_active(
                    folded or "", environment=caller.environment, owner_id=owner_of(caller)
                )
            )

    def sync(self, text: str, caller: Caller = LOCAL) -> SyncResult:
        """Read the data of a car, record it as signals, and return both the data and the new health.

        Raises:
            Invalid: on ``vin``.
            NoConnectedCar: the caller has no such car.
            Reconnect: the consent has ended; the connection is revoked.
            CarGone: the consent no longer covers this car.
            Conflict: another request changed the connection meanwhile.
            NoCarProvider: no provider is configured.
            CarSourceUnavailable: the provider is not responding, no key decrypts the tokens, or another worker's
                refresh failed or takes too long; nothing changes.
        """
        vin = _require_vin(text)
        provider = self._provider(caller.environment)
        with self.read() as work:
            connection = work.connected_cars.connection_of(
                vin, environment=caller.environment, owner_id=owner_of(caller)
            )
        if connection is None:
            raise NoConnectedCar
        reading = self._access(provider).call(connection, lambda token: provider.read(token, vin))
        health = self.sink.record(reading, caller)
        now = self.clock()
        with self.transaction() as work:
            work.connected_cars.record_sync(vin, connection_id=connection.id, at=now)
        return SyncResult(reading=reading, health=health, synced_at=now)

    def disconnect(self, what: str, caller: Caller = LOCAL) -> DisconnectResult:
        """Disconnect the cars of a driver by e-mail, or one car by its VIN.

        Users disconnect their own cars; the installation itself disconnects those of all owners in its environment. A
        connection without cars is deleted, and also revoked at the provider if that supports it and responds.

        Raises:
            Invalid: on ``what``, if it is neither an e-mail address nor a VIN, or on ``email``, if that is malformed.
            NoConnectedCar: there is nothing to disconnect.
        """
        email, vin = _driver_or_car(what)
        with self.transaction() as work:
            found = work.connected_cars.list_connections(
                environment=caller.environment, owner_id=private_owner(caller), email=email, vin=vin
            )
            gone = [(connection, *self._release(work, connection, vin, caller)) for connection in found]
        if not gone:
            raise NoConnectedCar(
                criterion="has this VIN" if email is None else "belongs to a driver with this e-mail"
            )
        ended = [connection for connection, _, has_ended in gone if has_ended]
        return DisconnectResult(
            vins=tuple(sorted({vin for _, deleted, _ in gone for vin in deleted})),
            connections=len(ended),
            revoked=sum(self._revoke(connection) for connection in ended),
        )

    def rotate_keys(self, caller: Caller = LOCAL) -> KeyRotation:
        """Encrypt all tokens with the newest key; tokens that are refreshed meanwhile already use it.

        The rotation can be interrupted and run again. Tokens that no key decrypts stay unchanged.

        Raises:
            Conflict: a connection's lease stayed held too long; tokens that were already encrypted again stay so.
        """
        renewed = unreadable = 0
        last: Connection | None = None
        while True:
            with self.read() as work:
                chunk = work.car_connections.list_sealed(after=last.id if last else None, limit=_CHUNK)
            if not chunk:
                break
            for connection in chunk:
                try:
                    renewed += self._resealed(connection)
                except Unreadable:
                    unreadable += 1
            last = chunk[-1]
        with self.transaction() as work:
            after = {"renewed": renewed, "unreadable": unreadable}
            work.audit.add(
                caller,
                "connected_car.rotate_keys",
                "car_connections",
                before=None,
                after=after,
                at=self.clock(),
            )
        return KeyRotation(renewed=renewed, unreadable=unreadable)

    def _provider(self, environment: Environment) -> CarProvider:
        provider = self.sandbox if environment is Environment.TEST else self.provider
        if provider is None:
            raise NoCarProvider
        return provider

    def _access(self, provider: CarProvider) -> TokenAccess:
        return TokenAccess(
            transaction=self.transaction,
            read=self.read,
            provider=provider,
            vault=self.vault,
            clock=self.clock,
            wait=self.wait,
        )

    def _verifier(self, flow: Flow) -> str:
        return pkce_verifier(flow.id, self.keys.verifier)

    def _valid_state(self, state: str | None, *, code: str | None, error: str | None) -> OAuthState:
        oauth_state = parse_state(state, self.keys.state) if state else None
        errors: dict[str, list[str]] = {}
        if oauth_state is None:
            errors["state"] = [_FORGED if state else _MISSING_STATE]
        elif oauth_state.ends_at <= self.clock():
            errors["state"] = [_EXPIRED]
        if not code and not error:
            errors["code"] = [_MISSING_CODE]
        if oauth_state is None or errors:
            raise Invalid(errors)
        return oauth_state

    def _exchange(self, provider: CarProvider, flow: Flow, code: str) -> Tokens:
        try:
            return provider.exchange(code, self._verifier(flow))
        except CarSourceUnavailable:
            with self.transaction() as work:
                work.car_flows.add(flow)
            raise

    def _release(
        self, work: ConnectedCarsWork, connection: Connection, vin: str | None, caller: Caller
    ) -> tuple[Sequence[str], bool]:
        """Delete a car, or all cars, of a connection; return their VINs, and whether the connection was deleted."""
        covered = work.connected_cars.list_vins(connection.id)
        deleted = covered if vin is None else [vin]
        left = len(covered) - len(deleted)
        if left:
            work.connected_cars.delete(deleted[0], connection_id=connection.id)
        else:
            work.car_connections.delete(connection.id)
        work.audit.add(
            caller,
            "connected_car.disconnect",
            f"car_connections/{connection.id}",
            before={"cars": len(covered), "standing": connection.standing},
            after={"cars": left} if left else None,
            at=self.clock(),
        )
        return deleted, not left

    def _revoke(self, connection: Connection) -> bool:
        with suppress(CarSourceUnavailable):
            if connection.sealed is not None:
                tokens = self.vault.unseal(connection.sealed)
                return self._provider(connection.environment).revoke(tokens)
        return False

    def _resealed(self, connection: Connection) -> bool:
        """Encrypt tokens with the newest key; return False if they changed meanwhile, since new ones already use it.

        This waits for a refresh in progress; if that fails, the old tokens are encrypted again.

        Raises:
            Conflict: the refresh takes too long.
            Unreadable: no key decrypts the tokens.
        """
        sealed = self.vault.reseal(connection.sealed or "")
        for _ in range(_MOST_POLLS):
            if self._update(connection, sealed):
                return True
            with self.read() as work:
                current = work.car_connections.by_id(connection.id)
            if current is None or current.version != connection.version:
                return False
            self.wait(POLL)
        raise Conflict("The tokens of a connection are still being refreshed. Run the command again later.")

    def _update(self, connection: Connection, sealed: str) -> bool:
        now = self.clock()
        until = now + LEASE
        with self.transaction() as work:
            is_ours = work.refresh_leases.acquire(connection, now=now, until=until)
            if is_ours:
                work.car_connections.update(connection, connection.renewed(sealed))
                work.refresh_leases.release(connection.id, until=until)
        return is_ours


def _list_or_revoke(provider: CarProvider, tokens: Tokens) -> GrantedCars:
    """Return the cars that a driver's consent covers; if that fails, revoke the tokens and raise the failure."""
    try:
        return _list_cars(provider, tokens.access)
    except Failure:
        with suppress(CarSourceUnavailable):
            provider.revoke(tokens)
        raise


def _list_cars(provider: CarProvider, access_token: str) -> GrantedCars:
    try:
        granted = provider.list_cars(access_token)
    except AccessRefused:
        raise CarSourceUnavailable(
            "The connected-car provider rejected the token that it had just issued. Try again."
        ) from None
    if not granted.vins:
        raise NoCars
    return granted


def _folded(email: str | None) -> str | None:
    if email is None:
        return None
    errors = email_errors(email)
    if errors:
        raise Invalid(errors)
    return fold_email(email)


def _valid_email(email: str | None) -> str | None:
    """Return the folded form of an e-mail from a provider, or None if there is none or it is invalid."""
    return None if email is None or email_errors(email) else fold_email(email)


def _require_vin(text: str) -> str:
    vin = vins.normalize(text)
    errors = vins.validate(vin)
    if errors:
        raise Invalid({"vin": errors})
    return vin


def _driver_or_car(what: str) -> tuple[str | None, str | None]:
    if "@" in what:
        return _folded(what), None
    vin = vins.normalize(what)
    if vins.validate(vin):
        raise Invalid({"what": [_EMAIL_OR_VIN]})
    return None, vin


def _error_code(error: str) -> str:
    """Return an error code from a redirect, reduced to ASCII letters, digits and underscores, or "unknown" if empty."""
    return (
        "".join(char for char in error if char.isascii() and (char.isalnum() or char == "_"))[:60]
        or "unknown"
    )
