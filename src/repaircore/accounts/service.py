"""Register, log in and authenticate users, and manage their sessions, API keys and roles."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from attrs import evolve, frozen

from repaircore.accounts import tokens
from repaircore.accounts.admins import lock_admins_and_find, require_other_admin
from repaircore.accounts.errors import (
    AccountLocked,
    KeyNotFound,
    SessionNotFound,
    UserNotFound,
    WrongCredentials,
)
from repaircore.accounts.model import ApiKey, NewApiKey, NewSession, Session, User
from repaircore.accounts.ports import (
    AccountsWork,
    Credentials,
    LoginGate,
    OpenWork,
    PasswordHasher,
    RandomBytes,
)
from repaircore.accounts.rules import (
    NewKey,
    NewPassword,
    Registration,
    RenameKey,
    RotateKey,
    require_unlike_email,
    require_valid_registration,
)
from repaircore.accounts.sign_in import start_session
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role, require_operator
from repaircore.kernel.emails import fold_email
from repaircore.kernel.errors import Forbidden, TooMany, Unauthenticated, Unavailable
from repaircore.kernel.keys import KEY_BYTES, digest
from repaircore.kernel.rules import require_valid
from repaircore.kernel.types import Clock

MOST_SESSIONS: Final = 100
"""The maximum number of sessions that are listed."""

_RECORD_USE_EVERY: Final = timedelta(minutes=1)


@frozen(kw_only=True)
class Accounts:
    """Use cases for accounts; some are only for operators."""

    transaction: OpenWork
    read: OpenWork
    credentials: Credentials
    hasher: PasswordHasher
    gate: LoginGate
    random: RandomBytes
    clock: Clock

    def register(
        self, *, name: str, email: str, password: str, address: str | None = None, user_agent: str = ""
    ) -> NewSession:
        """Create an account and sign in. ``address`` is the client's IP address, for the limit; None means no limit.

        Raises:
            Invalid: on ``name``, ``email``, ``password``.
            TooMany: the limit for this IP address is used up, or the machine is busy hashing passwords.
            Unavailable: registrations cannot be counted at the moment.
        """
        password_hash = self._hash_for(name=name, email=email, password=password, address=address)
        with self.transaction() as work:
            user = self._add(work, name=name, email=email, password_hash=password_hash)
            return self._start_session(work, user, address=address, user_agent=user_agent)

    def create_user(self, *, name: str, email: str, password: str, caller: Caller = LOCAL) -> User:
        """Create an account without signing in (for operators).

        Raises:
            Forbidden: the caller is not an admin of the live environment.
            Invalid: on ``name``, ``email``, ``password``.
            TooMany: the machine is busy hashing passwords.
        """
        require_operator(caller)
        password_hash = self._hash_for(name=name, email=email, password=password)
        with self.transaction() as work:
            user = self._add(work, name=name, email=email, password_hash=password_hash)
            work.audit.add(
                caller,
                "user.create",
                f"users/{user.id}",
                before=None,
                after={"role": user.role.value},
                at=self.clock(),
            )
            return user

    def login(self, *, email: str, password: str, address: str, user_agent: str = "") -> NewSession:
        """Sign in. ``address`` is the client's IP address, for the limits and for the list of sessions.

        Raises:
            WrongCredentials: the e-mail is unknown or the password is wrong.
            AccountLocked: the password is right, but an operator has locked the account.
            TooMany: too many recent logins from this IP address failed, with this e-mail or in total; or the machine is
                busy hashing passwords.
            Unavailable: failed logins cannot be counted at the moment.
        """
        folded = fold_email(email)
        self.gate.check_login(folded, address)
        while True:
            user = self._verify(folded, password, address)
            password_hash = self._rehashed(user.password_hash, password)
            with self.transaction() as work:
                if work.users.replace_password(user.id, old=user.password_hash, new=password_hash):
                    user = evolve(user, password_hash=password_hash)
                    return self._start_session(work, user, address=address, user_agent=user_agent)
            # The password was changed or the account locked after the password was verified: verify again.

    def logout(self, token: str) -> None:
        """End the session of a management token, at once and in every worker."""
        with self.transaction() as work:
            work.sessions.delete(digest(token))

    def authenticate(self, token: str) -> Caller:
        """Return the caller who presents a token of any kind.

        Raises:
            Unauthenticated: the token is malformed, unknown, revoked or expired, or its account is locked.
        """
        presented = tokens.parse_token(token)
        if presented is None:
            raise Unauthenticated
        now = self.clock()
        found = self.credentials.find(presented, now=now)
        if found is None:
            raise Unauthenticated
        if found.seen_at is None or now - found.seen_at >= _RECORD_USE_EVERY:
            # A request must not fail because the use of its credential cannot be recorded (a full disk).
            with suppress(Unavailable):
                self.credentials.record_use(presented, at=now)
        return found.caller

    def get_user(self, caller: Caller) -> User:
        """Return the caller's account.

        Raises:
            Unauthenticated: the caller has no account, or it was deleted.
        """
        with self.read() as work:
            user = None if caller.user_id is None else work.users.find(caller.user_id)
        if user is None:
            raise Unauthenticated
        return user

    def list_sessions(self, caller: Caller) -> Sequence[Session]:
        """List the caller's sessions that have not expired, most recently used first; at most ``MOST_SESSIONS``."""
        with self.read() as work:
            return work.sessions.list_for_user(_user_id(caller), now=self.clock(), limit=MOST_SESSIONS)

    def end_session(self, session_id: str, caller: Caller) -> None:
        """End a session of the caller, at once and in every worker; it may be the current one.

        Raises:
            SessionNotFound: the caller has no such session, even if another user does.
        """
        with self.transaction() as work:
            if not work.sessions.delete_by_id(session_id, user_id=_user_id(caller)):
                raise SessionNotFound

    def end_other_sessions(self, token: str, caller: Caller) -> int:
        """End all of the caller's sessions except that of ``token``; return how many were ended."""
        with self.transaction() as work:
            return work.sessions.delete_for_user(_user_id(caller), except_hash=digest(token))

    def create_key(self, *, name: str, environment: str, caller: Caller) -> NewApiKey:
        """Create a pair of keys for the caller.

        Raises:
            Invalid: on ``name`` and ``environment``.
        """
        require_valid(NewKey(name=name, environment=environment))
        key_environment = Environment(environment)
        public = tokens.api_key(Credential.PUBLISHABLE, key_environment, self.random(KEY_BYTES))
        secret = tokens.api_key(Credential.SECRET, key_environment, self.random(KEY_BYTES))
        with self.transaction() as work:
            key = work.api_keys.add(
                user_id=_user_id(caller),
                name=name.strip(),
                environment=key_environment,
                public_key=public,
                secret_hash=digest(secret),
                secret_last4=secret[-4:],
                at=self.clock(),
            )
        return NewApiKey(key=key, secret_key=secret)

    def list_keys(self, caller: Caller) -> Sequence[ApiKey]:
        """List the caller's keys, oldest first."""
        now = self.clock()
        with self.read() as work:
            return [_as_of(now, key) for key in work.api_keys.list_for_user(_user_id(caller))]

    def rename_key(self, key_id: int, *, name: str, caller: Caller) -> ApiKey:
        """Rename the caller's key.

        Raises:
            Invalid: on ``name``.
            KeyNotFound: the caller has no such key, even if another user does.
        """
        require_valid(RenameKey(name=name))
        with self.transaction() as work:
            key = work.api_keys.rename(key_id, user_id=_user_id(caller), name=name.strip())
        if key is None:
            raise KeyNotFound
        return _as_of(self.clock(), key)

    def rotate_key(self, key_id: int, *, caller: Caller, overlap_hours: int = 0) -> NewApiKey:
        """Replace the secret of the caller's key; the publishable key stays.

        The old secret stops working at once, or after ``overlap_hours``; one that was replaced earlier stops at once.

        Raises:
            Invalid: on ``overlap_hours``.
            KeyNotFound: the caller has no such key, even if another user does.
        """
        require_valid(RotateKey(overlap_hours=overlap_hours))
        user_id, now = _user_id(caller), self.clock()
        with self.transaction() as work:
            key = work.api_keys.find(key_id, user_id=user_id)
            if key is None:
                raise KeyNotFound
            secret = tokens.api_key(Credential.SECRET, key.environment, self.random(KEY_BYTES))
            rotated = work.api_keys.replace_secret(
                key_id,
                user_id=user_id,
                secret_hash=digest(secret),
                secret_last4=secret[-4:],
                old_ends_at=now + timedelta(hours=overlap_hours) if overlap_hours else None,
            )
        if rotated is None:
            raise KeyNotFound
        return NewApiKey(key=rotated, secret_key=secret)

    def delete_key(self, key_id: int, caller: Caller) -> None:
        """Delete the caller's key; it stops working at once.

        Raises:
            KeyNotFound: the caller has no such key, even if another user does.
        """
        with self.transaction() as work:
            if not work.api_keys.delete(key_id, user_id=_user_id(caller)):
                raise KeyNotFound

    def list_users(self) -> Sequence[User]:
        """List all users (for operators)."""
        with self.read() as work:
            return work.users.list_all()

    def caller_for(self, email: str) -> Caller:
        """Return the caller for an operator who acts as a user, with the rights of the user's management session.

        Raises:
            UserNotFound: no user has this e-mail.
        """
        user = self._find_user(email)
        return Caller(
            user_id=user.id, role=user.role, environment=Environment.LIVE, credential=Credential.SESSION
        )

    def set_role(self, email: str, role: Role, caller: Caller = LOCAL) -> User:
        """Promote or demote a user (for operators; no one becomes an admin through the API).

        Raises:
            Forbidden: the caller is not an admin of the live environment.
            UserNotFound: no user has this e-mail.
            OwnAccount: an admin would demote their own account.
            LastAdmin: no admin who can log in would remain. The command line is exempt from both of these.
        """
        require_operator(caller)
        with self.transaction() as work:
            user = lock_admins_and_find(work, email)
            if user.role is role:
                return user
            if role is not Role.ADMIN:
                require_other_admin(work, user, caller)
            work.users.set_role(user.id, role)
            work.audit.add(
                caller,
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
            UserNotFound: no user has this e-mail.
            Invalid: on ``password``.
            TooMany: the machine is busy hashing passwords.
        """
        require_valid(NewPassword(password=password))
        user = self._find_user(email)
        require_unlike_email(password, user.email)
        password_hash = self.hasher.hash(password)
        with self.transaction() as work:
            work.users.set_password(user.id, password_hash)
            work.sessions.delete_for_user(user.id)
            work.audit.add(
                LOCAL, "user.reset_password", f"users/{user.id}", before=None, after=None, at=self.clock()
            )
        return user

    def _find_user(self, email: str) -> User:
        with self.read() as work:
            return _require_user(work, email)

    def _verify(self, folded: str, password: str, address: str) -> User:
        with self.read() as work:
            user = work.users.find_by_email(folded)
        is_right = self.hasher.verify(
            user.password_hash if user else None, password, subject=self.gate.login_queue(folded, address)
        )
        if user is None or not is_right:
            self.gate.count_failed_login(folded, address)
            raise WrongCredentials
        if user.is_locked:
            raise AccountLocked
        return user

    def _rehashed(self, stored: str, password: str) -> str:
        """Return a new hash of a correct password if ``stored`` is outdated and the hasher is free; else ``stored``."""
        if self.hasher.needs_rehash(stored):
            with suppress(TooMany):
                return self.hasher.hash(password)
        return stored

    def _hash_for(self, *, name: str, email: str, password: str, address: str | None = None) -> str:
        require_valid_registration(Registration(name=name, email=email, password=password))
        if address is not None:
            self.gate.count_registration(address)
        # Hashing is slow by design, so it happens before the unit of work is open.
        return self.hasher.hash(password)

    def _add(self, work: AccountsWork, *, name: str, email: str, password_hash: str) -> User:
        return work.users.add(
            name=name.strip(), email=fold_email(email), password_hash=password_hash, at=self.clock()
        )

    def _start_session(
        self, work: AccountsWork, user: User, *, address: str | None, user_agent: str
    ) -> NewSession:
        return start_session(
            work, user, random=self.random, now=self.clock(), address=address, user_agent=user_agent
        )


def _require_user(work: AccountsWork, email: str) -> User:
    user = work.users.find_by_email(fold_email(email))
    if user is None:
        raise UserNotFound(email)
    return user


def _as_of(now: datetime, key: ApiKey) -> ApiKey:
    """Return the key, without ``old_secret_ends_at`` once that has passed."""
    ends_at = key.old_secret_ends_at
    return key if ends_at is None or now < ends_at else evolve(key, old_secret_ends_at=None)


def _user_id(caller: Caller) -> int:
    if caller.user_id is None:
        raise Forbidden
    return caller.user_id
