"""Connecting a driver's cars, asking them, and letting go of them."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from attrs import field, frozen

from repaircore.connected_cars import pkce, states
from repaircore.connected_cars.access import POLL, TURN, TokenAccess
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
from repaircore.connected_cars.ports import (
    CarProvider,
    ConnectedCarsWork,
    OpenWork,
    SignalSink,
    TokenVault,
    Wait,
)
from repaircore.connected_cars.states import OAuthState
from repaircore.kernel.callers import LOCAL, Caller, Environment, owner_of, private_owner
from repaircore.kernel.emails import email_errors, fold_email
from repaircore.kernel.errors import Conflict, Failure, Invalid
from repaircore.kernel.types import Clock, NewId
from repaircore.vehicles import vin as vins

_MISSING_STATE: Final = "The state field is required."
_FORGED: Final = "The state field is not one that was given out here."
_STALE: Final = "The state field has expired: a driver is awaited for ten minutes."
_USED: Final = "The state field was used already."
_MISSING_CODE: Final = "The code field is required."
_WHAT: Final = "Name a driver's e-mail or a VIN."
_CHUNK: Final = 100
_PATIENCE: Final = 400
"""How many times replacing a key looks again for its turn: for longer than one lasts."""


@frozen(kw_only=True)
class OAuthKeys:
    """What states are signed with, and what verifiers are made of."""

    state: bytes = field(repr=False)
    verifier: bytes = field(repr=False)


@frozen(kw_only=True)
class ConnectedCars:
    """The use cases. ``provider`` None: none is configured; ``sandbox`` answers for test keys alone."""

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
        """Begin a flow: give the address at which a driver agrees that the provider tells about their cars.

        Raises:
            Invalid: on ``email``.
            NoCarProvider: none is configured.
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
        asked = Authorization(
            state=states.sign(flow, self.keys.state),
            challenge=pkce.challenge(self._verifier(flow)),
            email=folded,
        )
        url = provider.authorization_url(asked)
        with self.transaction() as work:
            work.car_flows.add(flow)
        return AuthorizationStarted(authorization_url=url, ends_at=flow.ends_at)

    def complete(
        self, *, state: str | None, code: str | None = None, error: str | None = None
    ) -> ConnectResult:
        """End a flow with what the provider sent the driver back with: a code, or an error.

        Nothing is kept unless the provider names the driver's cars. A state counts once; only when the provider gives no answer
        to the code, the same state and code may be sent again.

        Raises:
            Invalid: on ``state`` that is missing, forged, expired or used, and on a missing ``code``.
            Declined: the provider sent an error.
            CodeRefused: the provider does not accept the code.
            NoCars: the driver has none there.
            CarSourceUnavailable: the provider does not answer.
        """
        ticket = self._ticket(state, code=code, error=error)
        provider = self._provider(ticket.environment)
        with self.transaction() as work:
            flow = work.car_flows.take(
                ticket.flow_id, environment=ticket.environment, owner_id=ticket.owner_id
            )
        if flow is None:
            raise Invalid({"state": [_USED]})
        if error or not code:
            raise Declined(_tidy(error or ""))
        tokens = self._exchanged(provider, flow, code)
        garage = _garage(provider, tokens)
        connection = Connection(
            id=self.new_id(),
            environment=flow.environment,
            owner_id=flow.owner_id,
            email=flow.email or _told(garage.email),
            standing=ConnectionStatus.ACTIVE,
            sealed=self.vault.seal(tokens),
            connected_at=self.clock(),
        )
        with self.transaction() as work:
            work.car_connections.add(connection, garage.vins)
        return ConnectResult(vins=garage.vins)

    def vins_of(self, email: str, caller: Caller = LOCAL) -> tuple[str, ...]:
        """List the VINs that the caller may ask about with a driver's agreement.

        Raises:
            Invalid: on ``email``.
            NoCarProvider: none is configured.
        """
        folded = _folded(email)
        self._provider(caller.environment)
        with self.read() as work:
            return tuple(
                work.connected_cars.active(
                    folded or "", environment=caller.environment, owner_id=owner_of(caller)
                )
            )

    def sync(self, text: str, caller: Caller = LOCAL) -> SyncResult:
        """Ask a car how it is, hand what it tells to the compliance signals, and give both it and the new health.

        Raises:
            Invalid: on ``vin``.
            NoConnectedCar: the caller has no such car.
            Reconnect: the agreement was withdrawn; the connection is marked so.
            CarGone: the agreement covers this car no more.
            NoCarProvider: none is configured.
            CarSourceUnavailable: the provider does not answer; nothing is changed.
        """
        vin = _sound(text)
        provider = self._provider(caller.environment)
        with self.read() as work:
            connection = work.connected_cars.connection_of(
                vin, environment=caller.environment, owner_id=owner_of(caller)
            )
        if connection is None:
            raise NoConnectedCar
        reading = self._access(provider).asking(connection, lambda token: provider.read(token, vin))
        health = self.sink.take(reading, caller)
        now = self.clock()
        with self.transaction() as work:
            work.connected_cars.synced(vin, connection_id=connection.id, at=now)
        return SyncResult(reading=reading, health=health, synced_at=now)

    def disconnect(self, what: str, caller: Caller = LOCAL) -> DisconnectResult:
        """Let go of a driver's connections by e-mail, or of one car by its VIN.

        The caller's own; the installation itself reaches everybody's of its environment. Whatever the provider says, nothing is kept;
        an agreement that covers no car any more is also ended there, when there is a way to.

        Raises:
            Invalid: on ``what``, which is neither.
            NoConnectedCar: there is nothing to let go of.
        """
        email, vin = _driver_or_car(what)
        with self.transaction() as work:
            found = work.connected_cars.connections(
                environment=caller.environment, owner_id=private_owner(caller), email=email, vin=vin
            )
            gone = [(connection, *self._release(work, connection, vin, caller)) for connection in found]
        if not gone:
            raise NoConnectedCar(named="with this VIN" if email is None else "of a driver with this e-mail")
        ended = [connection for connection, _, is_over in gone if is_over]
        return DisconnectResult(
            vins=tuple(sorted({left for _, leaving, _ in gone for left in leaving})),
            connections=len(ended),
            withdrawn=sum(self._withdrawn(connection) for connection in ended),
        )

    def rotate_keys(self, caller: Caller = LOCAL) -> KeyRotation:
        """Encrypt all tokens with the newest key. Those that somebody refreshes meanwhile have it already.

        It may be broken off and run again. Tokens that no key opens stay as they are.

        Raises:
            Conflict: a connection's tokens are being refreshed all the time; what was encrypted until then stays so.
        """
        renewed = unreadable = 0
        last: Connection | None = None
        while True:
            with self.read() as work:
                chunk = work.car_connections.sealed(after=last.id if last else None, limit=_CHUNK)
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
        return pkce.verifier(flow.id, self.keys.verifier)

    def _ticket(self, state: str | None, *, code: str | None, error: str | None) -> OAuthState:
        ticket = states.read(state, self.keys.state) if state else None
        told: dict[str, list[str]] = {}
        if ticket is None:
            told["state"] = [_FORGED if state else _MISSING_STATE]
        elif ticket.ends_at <= self.clock():
            told["state"] = [_STALE]
        if not code and not error:
            told["code"] = [_MISSING_CODE]
        if ticket is None or told:
            raise Invalid(told)
        return ticket

    def _exchanged(self, provider: CarProvider, flow: Flow, code: str) -> Tokens:
        try:
            return provider.exchange(code, self._verifier(flow))
        except CarSourceUnavailable:
            with self.transaction() as work:
                work.car_flows.add(flow)
            raise

    def _release(
        self, work: ConnectedCarsWork, connection: Connection, vin: str | None, caller: Caller
    ) -> tuple[Sequence[str], bool]:
        """Keep a car, or all cars, of a connection no more; say which, and whether that was the end of it."""
        covered = work.connected_cars.of(connection.id)
        leaving = covered if vin is None else [vin]
        left = len(covered) - len(leaving)
        if left:
            work.connected_cars.remove(leaving[0], connection_id=connection.id)
        else:
            work.car_connections.remove(connection.id)
        work.audit.add(
            caller,
            "connected_car.disconnect",
            f"car_connections/{connection.id}",
            before={"cars": len(covered), "standing": connection.standing},
            after={"cars": left} if left else None,
            at=self.clock(),
        )
        return leaving, not left

    def _withdrawn(self, connection: Connection) -> bool:
        with suppress(CarSourceUnavailable):
            if connection.sealed is not None:
                tokens = self.vault.unseal(connection.sealed)
                return self._provider(connection.environment).withdraw(tokens)
        return False

    def _resealed(self, connection: Connection) -> bool:
        """Seal anew; False when it changed meanwhile, for what changes it is sealed with the newest key.

        A refresh that goes on is awaited: when the provider fails it, the old tokens stay.
        """
        sealed = self.vault.reseal(connection.sealed or "")
        for _ in range(_PATIENCE):
            if self._replaced(connection, sealed):
                return True
            with self.read() as work:
                current = work.car_connections.by_id(connection.id)
            if current is None or current.version != connection.version:
                return False
            self.wait(POLL)
        raise Conflict("The tokens of a connection are being refreshed all the time: run it again.")

    def _replaced(self, connection: Connection, sealed: str) -> bool:
        now = self.clock()
        until = now + TURN
        with self.transaction() as work:
            is_ours = work.refresh_turns.take(connection, now=now, until=until)
            if is_ours:
                work.car_connections.replace(connection, connection.renewed(sealed))
                work.refresh_turns.end(connection.id, until=until)
        return is_ours


def _garage(provider: CarProvider, tokens: Tokens) -> GrantedCars:
    """List the cars of an agreement; one that cannot be used is ended rather than left behind."""
    try:
        return _listed(provider, tokens.access)
    except Failure:
        with suppress(CarSourceUnavailable):
            provider.withdraw(tokens)
        raise


def _listed(provider: CarProvider, access_token: str) -> GrantedCars:
    try:
        garage = provider.garage(access_token)
    except AccessRefused:
        raise CarSourceUnavailable(
            "The connected-car provider refused the token that it had just given."
        ) from None
    if not garage.vins:
        raise NoCars
    return garage


def _folded(email: str | None) -> str | None:
    if email is None:
        return None
    told = email_errors(email)
    if told:
        raise Invalid(told)
    return fold_email(email)


def _told(email: str | None) -> str | None:
    """Fold the e-mail that a provider tells; what is none is not taken."""
    return None if email is None or email_errors(email) else fold_email(email)


def _sound(text: str) -> str:
    vin = vins.normalize(text)
    faults = vins.validate(vin)
    if faults:
        raise Invalid({"vin": faults})
    return vin


def _driver_or_car(what: str) -> tuple[str | None, str | None]:
    if "@" in what:
        return _folded(what), None
    vin = vins.normalize(what)
    if vins.validate(vin):
        raise Invalid({"what": [_WHAT]})
    return None, vin


def _tidy(error: str) -> str:
    """Take an error's name from a foreign address: letters and underscores, as RFC 6749 has them."""
    return (
        "".join(char for char in error if char.isascii() and (char.isalnum() or char == "_"))[:60]
        or "unknown"
    )
