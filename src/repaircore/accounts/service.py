"""What a user, an operator and a presented credential can do with accounts."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final

from attrs import evolve, frozen

from repaircore.accounts import rules, tokens
from repaircore.accounts.errors import KeyNotFound, UserNotFound, WrongCredentials
from repaircore.accounts.model import SESSION_LIFETIME, ApiKey, NewKey, Session, User
from repaircore.accounts.ports import (
    AccountsWork,
    Credentials,
    LoginGate,
    OpenWork,
    PasswordHasher,
    RandomBytes,
)
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid, TooMany, Unauthenticated, Unavailable
from repaircore.kernel.keys import KEY_BYTES, digest
from repaircore.kernel.types import Clock

_TRACE_EVERY: Final = timedelta(minutes=1)


@frozen(kw_only=True)
class SignedIn:
    """A user and the management token that was just made for them; it is shown this once."""

    user: User
    session_token: str


@frozen(kw_only=True)
class Accounts:
    """The use cases of accounts."""

    transaction: OpenWork
    read: OpenWork
    credentials: Credentials
    hasher: PasswordHasher
    gate: LoginGate
    random: RandomBytes
    clock: Clock

    def register(self, *, name: str, email: str, password: str, address: str | None = None) -> SignedIn:
        """Create an account and sign in. ``address`` is the caller's, for the limit; None has none.

        Raises:
            Invalid: on ``name``, ``email``, ``password``; every bad field is named.
            TooMany: as many have registered from this address within an hour as may.
        """
        password_hash = self._hashed(name=name, email=email, password=password, address=address)
        with self.transaction() as work:
            user = self._add(work, name=name, email=email, password_hash=password_hash)
            return self._signed_in(work, user)

    def create_user(self, *, name: str, email: str, password: str) -> User:
        """Create an account without signing in (for operators).

        Raises:
            Invalid: on ``name``, ``email``, ``password``; every bad field is named.
        """
        password_hash = self._hashed(name=name, email=email, password=password)
        with self.transaction() as work:
            user = self._add(work, name=name, email=email, password_hash=password_hash)
            work.audit.add(
                LOCAL,
                "user.create",
                f"users/{user.id}",
                before=None,
                after={"role": user.role.value},
                at=self.clock(),
            )
            return user

    def validate(self, **fields: str) -> dict[str, list[str]]:
        """Name what is wrong with fields of a registration or a key; those that are not given are not judged."""
        return rules.validate(**fields)

    def login(self, *, email: str, password: str, address: str) -> SignedIn:
        """Sign in. ``address`` is the caller's, for the throttle.

        Raises:
            WrongCredentials: for an unknown e-mail and for a wrong password alike.
            TooMany: five attempts with this e-mail from this address failed within a minute, or fifty with any.
        """
        folded = rules.fold(email)
        self.gate.check(folded, address)
        while True:
            user = self._verified(folded, password, address)
            password_hash = self._renewed(user.password_hash, password)
            with self.transaction() as work:
                if work.users.renew_password(user.id, old=user.password_hash, new=password_hash):
                    return self._signed_in(work, evolve(user, password_hash=password_hash))
            # It was changed since it was compared: what is kept now decides.

    def logout(self, token: str) -> None:
        """End the session of a management token, at once and in every worker."""
        with self.transaction() as work:
            work.sessions.remove(digest(token))

    def authenticate(self, token: str) -> Caller:
        """Tell who presents a token of any kind.

        Raises:
            Unauthenticated: the token is not one of ours, unknown, removed or expired.
        """
        presented = tokens.read(token)
        if presented is None:
            raise Unauthenticated
        now = self.clock()
        known = self.credentials.find(presented, now=now)
        if known is None:
            raise Unauthenticated
        if known.seen_at is None or now - known.seen_at >= _TRACE_EVERY:
            # A trace that cannot be written (a full disk) is no reason to turn the caller away.
            with suppress(Unavailable):
                self.credentials.used(presented, at=now)
        return known.caller

    def user(self, caller: Caller) -> User:
        """Return the account of the caller.

        Raises:
            Unauthenticated: the caller has none (any more).
        """
        with self.read() as work:
            user = None if caller.user_id is None else work.users.by_id(caller.user_id)
        if user is None:
            raise Unauthenticated
        return user

    def create_key(self, *, name: str, environment: str, caller: Caller) -> NewKey:
        """Make a pair of keys for the caller.

        Raises:
            Invalid: on ``name`` and ``environment``.
        """
        faults = rules.validate(name=name, environment=environment)
        if faults:
            raise Invalid(faults)
        where = Environment(environment)
        public = tokens.api_key(Credential.PUBLISHABLE, where, self.random(KEY_BYTES))
        secret = tokens.api_key(Credential.SECRET, where, self.random(KEY_BYTES))
        with self.transaction() as work:
            key = work.api_keys.add(
                user_id=_own(caller),
                name=name.strip(),
                environment=where,
                public_key=public,
                secret_hash=digest(secret),
                secret_last4=secret[-4:],
                at=self.clock(),
            )
        return NewKey(key=key, secret_key=secret)

    def keys(self, caller: Caller) -> Sequence[ApiKey]:
        """List the caller's keys, oldest first."""
        with self.read() as work:
            return work.api_keys.of_user(_own(caller))

    def delete_key(self, key_id: int, caller: Caller) -> None:
        """Remove the caller's key; it stops working at once.

        Raises:
            KeyNotFound: the caller has no such key, whoever else may.
        """
        with self.transaction() as work:
            if not work.api_keys.remove(key_id, user_id=_own(caller)):
                raise KeyNotFound

    def users(self) -> Sequence[User]:
        """List everybody (for operators)."""
        with self.read() as work:
            return work.users.all()

    def caller_of(self, email: str) -> Caller:
        """Let an operator act as a user, with the standing of their management session.

        Raises:
            UserNotFound: nobody has this e-mail.
        """
        user = self._by_email(email)
        return Caller(
            user_id=user.id, role=user.role, environment=Environment.LIVE, credential=Credential.SESSION
        )

    def set_role(self, email: str, role: Role) -> User:
        """Promote or demote a user (for operators; nobody becomes admin through the API).

        Raises:
            UserNotFound: nobody has this e-mail.
        """
        with self.transaction() as work:
            user = _known(work, email)
            if user.role is not role:
                work.users.set_role(user.id, role)
                work.audit.add(
                    LOCAL,
                    "user.set_role",
                    f"users/{user.id}",
                    before={"role": user.role.value},
                    after={"role": role.value},
                    at=self.clock(),
                )
        return evolve(user, role=role)

    def reset_password(self, email: str, password: str) -> User:
        """Replace a user's password and end all of their sessions (for operators).

        Raises:
            UserNotFound: nobody has this e-mail.
            Invalid: on ``password``.
        """
        faults = rules.validate(password=password)
        if faults:
            raise Invalid(faults)
        user = self._by_email(email)
        password_hash = self.hasher.hash(password)
        with self.transaction() as work:
            work.users.set_password(user.id, password_hash)
            work.sessions.remove_of(user.id)
            work.audit.add(
                LOCAL, "user.reset_password", f"users/{user.id}", before=None, after=None, at=self.clock()
            )
        return user

    def _by_email(self, email: str) -> User:
        with self.read() as work:
            return _known(work, email)

    def _verified(self, folded: str, password: str, address: str) -> User:
        with self.read() as work:
            user = work.users.by_email(folded)
        right = self.hasher.verify(user.password_hash if user else None, password)
        if user is None or not right:
            self.gate.failed(folded, address)
            raise WrongCredentials
        return user

    def _renewed(self, kept: str, password: str) -> str:
        """Return today's hash of a right password: the kept one, unless that is outdated and there is time."""
        if self.hasher.outdated(kept):
            with suppress(TooMany):
                return self.hasher.hash(password)
        return kept

    def _hashed(self, *, name: str, email: str, password: str, address: str | None = None) -> str:
        faults = rules.validate(name=name, email=email, password=password)
        if faults:
            raise Invalid(faults)
        if address is not None:
            self.gate.registering(address)
        # Hashing takes as long as it should, so it happens before the unit of work is open.
        return self.hasher.hash(password)

    def _add(self, work: AccountsWork, *, name: str, email: str, password_hash: str) -> User:
        return work.users.add(
            name=name.strip(), email=rules.fold(email), password_hash=password_hash, at=self.clock()
        )

    def _signed_in(self, work: AccountsWork, user: User) -> SignedIn:
        token = tokens.session_token(self.random(tokens.SESSION_BYTES))
        now = self.clock()
        session = Session(
            token_hash=digest(token),
            user_id=user.id,
            created_at=now,
            expires_at=now + SESSION_LIFETIME,
        )
        work.sessions.add(session)
        return SignedIn(user=user, session_token=token)


def _known(work: AccountsWork, email: str) -> User:
    user = work.users.by_email(rules.fold(email))
    if user is None:
        raise UserNotFound(email)
    return user


def _own(caller: Caller) -> int:
    if caller.user_id is None:
        raise Forbidden
    return caller.user_id
