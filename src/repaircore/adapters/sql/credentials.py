"""Look up credentials by hash, on every request."""

import threading
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Final

from typing_extensions import override

from repaircore.accounts.model import SESSION_LIFETIME, AuthenticatedCaller, CredentialHash
from repaircore.accounts.ports import Credentials
from repaircore.adapters.fast_path.driver import Driver, Row
from repaircore.adapters.sql.engine.codec import micros, moment_or_none
from repaircore.kernel.blocking import is_blocking_forbidden, when_done
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import Unavailable

_KEY: Final = (
    "SELECT k.id, k.name, k.environment, k.last_used_at, u.id, u.role"
    " FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.{column} = ? AND u.locked_at IS NULL"
)
_FIND: Final = {
    Credential.PUBLISHABLE: _KEY.format(column="public_hash"),
    Credential.SECRET: _KEY.format(column="secret_hash"),
}
_FIND_REPLACED: Final = (
    "SELECT k.id, k.name, k.environment, k.last_used_at, u.id, u.role"
    " FROM old_secrets o JOIN api_keys k ON k.id = o.key_id JOIN users u ON u.id = k.user_id"
    " WHERE o.secret_hash = ? AND o.ends_at > ? AND u.locked_at IS NULL"
)
"""Finds a key by the secret it had before its last rotation. It runs only if no current secret matches, so that
looking up a current one costs nothing extra."""
_FIND_SESSION: Final = (
    "SELECT s.seen_at, u.id, u.role"
    " FROM sessions s JOIN users u ON u.id = s.user_id"
    " WHERE s.token_hash = ? AND s.expires_at > ? AND u.locked_at IS NULL"
)
_RECORD_USE: Final = {
    Credential.PUBLISHABLE: "UPDATE api_keys SET last_used_at = ? WHERE public_hash = ?",
    Credential.SECRET: (
        "UPDATE api_keys SET last_used_at = ? WHERE id IN (SELECT id FROM api_keys WHERE secret_hash = ?"
        " UNION ALL SELECT key_id FROM old_secrets WHERE secret_hash = ?)"
    ),
}
_EXTEND_SESSION: Final = "UPDATE sessions SET seen_at = ?, expires_at = ? WHERE token_hash = ?"


class SqlCredentials(Credentials):
    """Stored credentials, found by hash; once one is deleted, no worker accepts it anymore."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._being_recorded: set[bytes] = set()

    @override
    def find(self, presented: CredentialHash, *, now: datetime) -> AuthenticatedCaller | None:
        if presented.credential is Credential.SESSION:
            row = self._driver.fetch_one(_FIND_SESSION, (presented.digest, micros(now)))
            return None if row is None else _session_caller(row)
        row = self._driver.fetch_one(_FIND[presented.credential], (presented.digest,))
        if row is None and presented.credential is Credential.SECRET:
            row = self._driver.fetch_one(_FIND_REPLACED, (presented.digest, micros(now)))
        return None if row is None else _key_caller(row, presented.credential)

    @override
    def record_use(self, presented: CredentialHash, *, at: datetime) -> None:
        if is_blocking_forbidden():
            when_done(lambda: self._record_in_a_thread(presented, at))
        else:
            self._record(presented, at)

    def _record_in_a_thread(self, presented: CredentialHash, at: datetime) -> None:
        """Record a use in a thread of its own, and only once while that takes."""
        if presented.digest in self._being_recorded:
            return

        def record() -> None:
            try:
                with suppress(Unavailable):  # the next use is recorded instead
                    self._record(presented, at)
            finally:
                self._being_recorded.discard(presented.digest)

        self._being_recorded.add(presented.digest)
        threading.Thread(target=record, name="recording a use", daemon=True).start()

    def _record(self, presented: CredentialHash, at: datetime) -> None:
        if presented.credential is Credential.SESSION:
            self._driver.execute_low_priority(
                _EXTEND_SESSION, (micros(at), micros(at + SESSION_LIFETIME), presented.digest)
            )
        else:
            statement = _RECORD_USE[presented.credential]
            digests = (presented.digest,) * (statement.count("?") - 1)
            self._driver.execute_low_priority(statement, (micros(at), *digests))


_ROLES: Final[dict[str, Role]] = {role.value: role for role in Role}
_ENVIRONMENTS: Final[dict[str, Environment]] = {environment.value: environment for environment in Environment}


def _session_caller(row: Row) -> AuthenticatedCaller:
    caller = Caller(
        user_id=row[1], role=_ROLES[row[2]], environment=Environment.LIVE, credential=Credential.SESSION
    )
    return AuthenticatedCaller(caller=caller, seen_at=moment_or_none(row[0]))


def _key_caller(row: Row, credential: Credential) -> AuthenticatedCaller:
    key_id, name, environment, last_used_at, user_id, role = row
    caller = _caller(credential, key_id, name, environment, user_id, role)
    return AuthenticatedCaller(caller=caller, seen_at=moment_or_none(last_used_at))


@lru_cache(4096)
def _caller(  # noqa: PLR0917 - the columns of the row that was just read
    credential: Credential, key_id: int, name: str, environment: str, user_id: int, role: str
) -> Caller:
    """Return the caller with these columns. Caching is safe because every request reads the columns again."""
    return Caller(
        user_id=user_id,
        role=_ROLES[role],
        environment=_ENVIRONMENTS[environment],
        credential=credential,
        key_id=key_id,
        key_name=name,
    )
