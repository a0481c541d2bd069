"""The contract of the port ``Credentials``, on both databases."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from repaircore.accounts.model import (
    SESSION_LIFETIME,
    ApiKey,
    AuthenticatedCaller,
    CredentialHash,
    Session,
    User,
)
from repaircore.accounts.ports import Credentials
from repaircore.adapters.fast_path.driver import Driver, driver_of
from repaircore.adapters.sql.credentials import SqlCredentials
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.keys import digest

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)
SECRET = CredentialHash(credential=Credential.SECRET, digest=b"secret")
PUBLISHABLE = CredentialHash(credential=Credential.PUBLISHABLE, digest=digest("pk_test_1"))
SESSION = CredentialHash(credential=Credential.SESSION, digest=b"session")


@pytest.fixture
def credentials(driver: Driver) -> Credentials:
    return SqlCredentials(driver)


@pytest.fixture
def other_worker(database_url: str) -> Iterator[Credentials]:
    """Yield the credentials as another worker sees them."""
    other = driver_of(database_url)
    yield SqlCredentials(other)
    other.close()


@pytest.fixture
def key(database: Database, ada: User) -> ApiKey:
    with work.open_work(database, write=True) as unit:
        return unit.api_keys.add(
            user_id=ada.id,
            name="shop",
            environment=Environment.TEST,
            public_key="pk_test_1",
            secret_hash=SECRET.digest,
            secret_last4="wxyz",
            at=NOW,
        )


@pytest.fixture
def session(database: Database, ada: User) -> Session:
    created = Session(
        token_hash=SESSION.digest, user_id=ada.id, created_at=NOW, expires_at=NOW + SESSION_LIFETIME
    )
    with work.open_work(database, write=True) as unit:
        unit.sessions.add(created)
    return created


@pytest.mark.parametrize("presented", [SECRET, PUBLISHABLE])
def test_both_halves_of_a_key_authenticate(
    credentials: Credentials, key: ApiKey, ada: User, presented: CredentialHash
) -> None:
    assert credentials.find(presented, now=NOW) == AuthenticatedCaller(
        caller=Caller(
            user_id=ada.id,
            role=Role.USER,
            environment=Environment.TEST,
            credential=presented.credential,
            key_id=key.id,
            key_name="shop",
        ),
        seen_at=None,
    )


def test_session_authenticates_its_user(credentials: Credentials, session: Session, ada: User) -> None:
    assert credentials.find(SESSION, now=NOW) == AuthenticatedCaller(
        caller=Caller(
            user_id=ada.id,
            role=Role.USER,
            environment=Environment.LIVE,
            credential=Credential.SESSION,
        ),
        seen_at=session.created_at,
    )


@pytest.mark.usefixtures("key", "session")
def test_digest_is_valid_only_for_its_kind(credentials: Credentials) -> None:
    for right in (SECRET, PUBLISHABLE, SESSION):
        for kind in set(Credential) - {right.credential, Credential.LOCAL, Credential.ANONYMOUS}:
            wrong = CredentialHash(credential=kind, digest=right.digest)
            assert credentials.find(wrong, now=NOW) is None


@pytest.mark.usefixtures("key", "session")
def test_unknown_digest_finds_nobody(credentials: Credentials) -> None:
    for kind in (Credential.SECRET, Credential.PUBLISHABLE, Credential.SESSION):
        assert credentials.find(CredentialHash(credential=kind, digest=b""), now=NOW) is None


def test_deleted_key_stops_working_in_every_worker(
    database: Database, credentials: Credentials, other_worker: Credentials, key: ApiKey, ada: User
) -> None:
    assert credentials.find(SECRET, now=NOW)
    assert other_worker.find(SECRET, now=NOW)
    with work.open_work(database, write=True) as unit:
        unit.api_keys.delete(key.id, user_id=ada.id)
    for worker in (credentials, other_worker):
        assert worker.find(SECRET, now=NOW) is None
        assert worker.find(PUBLISHABLE, now=NOW) is None


@pytest.mark.usefixtures("session")
def test_deleted_session_stops_working_in_every_worker(
    database: Database, credentials: Credentials, other_worker: Credentials
) -> None:
    assert credentials.find(SESSION, now=NOW)
    assert other_worker.find(SESSION, now=NOW)
    with work.open_work(database, write=True) as unit:
        unit.sessions.delete(SESSION.digest)
    assert credentials.find(SESSION, now=NOW) is None
    assert other_worker.find(SESSION, now=NOW) is None


@pytest.mark.usefixtures("key", "session")
def test_role_change_takes_effect_immediately(
    database: Database, credentials: Credentials, ada: User
) -> None:
    with work.open_work(database, write=True) as unit:
        unit.users.set_role(ada.id, Role.ADMIN)
    for presented in (SECRET, PUBLISHABLE, SESSION):
        known = credentials.find(presented, now=NOW)
        assert known is not None
        assert known.caller.role is Role.ADMIN


def test_session_stops_working_when_it_expires(credentials: Credentials, session: Session) -> None:
    assert credentials.find(SESSION, now=session.expires_at - MOMENT)
    assert credentials.find(SESSION, now=session.expires_at) is None


def test_use_extends_a_session(credentials: Credentials, other_worker: Credentials, session: Session) -> None:
    used = session.expires_at - MOMENT
    credentials.record_use(SESSION, at=used)
    known = other_worker.find(SESSION, now=used + SESSION_LIFETIME - MOMENT)
    assert known is not None
    assert known.seen_at == used
    assert other_worker.find(SESSION, now=used + SESSION_LIFETIME) is None


@pytest.mark.parametrize("presented", [SECRET, PUBLISHABLE])
def test_use_of_either_half_counts_for_the_key(
    database: Database,
    credentials: Credentials,
    other_worker: Credentials,
    key: ApiKey,
    presented: CredentialHash,
) -> None:
    credentials.record_use(presented, at=NOW)
    for half in (SECRET, PUBLISHABLE):
        known = other_worker.find(half, now=NOW)
        assert known is not None
        assert known.seen_at == NOW
    with work.open_work(database, write=False) as unit:
        assert [one.last_used_at for one in unit.api_keys.list_for_user(key.user_id)] == [NOW]


def test_use_of_a_deleted_credential_stores_nothing(credentials: Credentials) -> None:
    for presented in (SECRET, PUBLISHABLE, SESSION):
        credentials.record_use(presented, at=NOW)
        assert credentials.find(presented, now=NOW) is None


def test_record_use_gives_up_soon_on_a_locked_row(
    credentials: Credentials, database: Database, key: ApiKey
) -> None:
    started = time.monotonic()
    with work.open_work(database, write=True) as unit:
        unit.api_keys.delete(key.id, user_id=key.user_id)
        with pytest.raises(Unavailable):
            credentials.record_use(SECRET, at=NOW)
    assert time.monotonic() - started < 6  # other writes wait for ten
    credentials.record_use(SECRET, at=NOW)


NEW_SECRET = CredentialHash(credential=Credential.SECRET, digest=b"new secret")


def rotate(database: Database, key: ApiKey, secret: CredentialHash, old_ends_at: datetime | None) -> None:
    with work.open_work(database, write=True) as unit:
        assert unit.api_keys.replace_secret(
            key.id,
            user_id=key.user_id,
            secret_hash=secret.digest,
            secret_last4="abcd",
            old_ends_at=old_ends_at,
        )


def test_replaced_secret_stops_working_in_every_worker(
    database: Database, credentials: Credentials, other_worker: Credentials, key: ApiKey
) -> None:
    assert credentials.find(SECRET, now=NOW)
    assert other_worker.find(SECRET, now=NOW)
    rotate(database, key, NEW_SECRET, None)
    for worker in (credentials, other_worker):
        assert worker.find(SECRET, now=NOW) is None
        assert worker.find(NEW_SECRET, now=NOW)
        assert worker.find(PUBLISHABLE, now=NOW)


def test_replaced_secret_works_until_the_overlap_ends(
    database: Database, credentials: Credentials, other_worker: Credentials, key: ApiKey
) -> None:
    ends_at = NOW + timedelta(hours=1)
    rotate(database, key, NEW_SECRET, ends_at)
    for worker in (credentials, other_worker):
        assert worker.find(SECRET, now=ends_at - MOMENT) == worker.find(NEW_SECRET, now=NOW)
        assert worker.find(SECRET, now=ends_at) is None
        assert worker.find(NEW_SECRET, now=ends_at)


def test_second_rotation_ends_the_overlap_of_the_first(
    database: Database, credentials: Credentials, key: ApiKey
) -> None:
    ends_at = NOW + timedelta(hours=1)
    rotate(database, key, NEW_SECRET, ends_at)
    rotate(database, key, CredentialHash(credential=Credential.SECRET, digest=b"third"), ends_at)
    assert credentials.find(SECRET, now=NOW) is None
    assert credentials.find(NEW_SECRET, now=NOW)


def test_deleting_a_key_ends_its_replaced_secret(
    database: Database, credentials: Credentials, other_worker: Credentials, key: ApiKey
) -> None:
    rotate(database, key, NEW_SECRET, NOW + timedelta(hours=1))
    with work.open_work(database, write=True) as unit:
        unit.api_keys.delete(key.id, user_id=key.user_id)
    for worker in (credentials, other_worker):
        assert worker.find(SECRET, now=NOW) is None
        assert worker.find(NEW_SECRET, now=NOW) is None


def test_use_of_a_replaced_secret_counts_for_the_key(
    database: Database, credentials: Credentials, key: ApiKey
) -> None:
    rotate(database, key, NEW_SECRET, NOW + timedelta(hours=1))
    credentials.record_use(SECRET, at=NOW)
    found = credentials.find(NEW_SECRET, now=NOW)
    assert found is not None
    assert found.seen_at == NOW
