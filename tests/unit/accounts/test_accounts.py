"""The use cases of accounts, on a real database."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from attrs import evolve
from typing_extensions import override

from repaircore.accounts import tokens
from repaircore.accounts.errors import EmailTaken, KeyNotFound, UserNotFound, WrongCredentials
from repaircore.accounts.model import SESSION_LIFETIME, AuthenticatedCaller, CredentialHash, NewSession
from repaircore.accounts.ports import Credentials
from repaircore.accounts.service import Accounts
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid, TooMany, Unauthenticated, Unavailable
from repaircore.testing.clock import FrozenClock
from repaircore.testing.passwords import PlainPasswords, RecordingGate

MICROSECOND = timedelta(microseconds=1)
MINUTE = timedelta(minutes=1)
ADDRESS = "192.0.2.1"


def caller_of(accounts: Accounts, session: NewSession) -> Caller:
    return accounts.authenticate(session.session_token)


def test_register_starts_a_session(accounts: Accounts, ada: NewSession, clock: FrozenClock) -> None:
    caller = accounts.authenticate(ada.session_token)
    assert accounts.get_user(caller) == ada.user
    assert (ada.user.name, ada.user.email, ada.user.role) == ("Ada", "ada@example.org", Role.USER)
    assert ada.user.created_at == clock()
    assert (caller.credential, caller.environment) == (Credential.SESSION, Environment.LIVE)


def test_email_is_unique_ignoring_case_and_spaces(accounts: Accounts, ada: NewSession) -> None:
    with pytest.raises(EmailTaken):
        accounts.register(name="Eve", email=f" {ada.user.email.upper()} ", password="battery staple")
    assert accounts.list_users() == [ada.user]


def test_bad_registration_reports_every_field_and_stores_nothing(accounts: Accounts) -> None:
    with pytest.raises(Invalid) as error:
        accounts.register(name="", email="", password="")
    assert list(error.value.fields) == ["name", "email", "password"]
    assert accounts.list_users() == []


def test_password_is_stored_only_as_a_hash(ada: NewSession, hasher: PlainPasswords) -> None:
    assert ada.user.password_hash == hasher.hash("correct horse")


def test_login_starts_another_session(accounts: Accounts, ada: NewSession) -> None:
    again = accounts.login(email=" ADA@example.org", password="correct horse", address=ADDRESS)
    assert again.user == ada.user
    assert again.session_token != ada.session_token
    assert caller_of(accounts, again) == caller_of(accounts, ada)


def test_unknown_email_and_wrong_password_fail_alike(
    accounts: Accounts, ada: NewSession, hasher: PlainPasswords
) -> None:
    with pytest.raises(WrongCredentials) as unknown:
        accounts.login(email="nobody@example.org", password="correct horse", address=ADDRESS)
    with pytest.raises(WrongCredentials) as wrong:
        accounts.login(email=ada.user.email, password="Correct horse", address=ADDRESS)
    assert unknown.value.args == wrong.value.args
    assert hasher.verified == [None, ada.user.password_hash]


def test_failures_count_by_email_and_address_even_for_unknown_users(
    accounts: Accounts, ada: NewSession, gate: RecordingGate
) -> None:
    for email in ("nobody@example.org", ada.user.email.upper()):
        with pytest.raises(WrongCredentials):
            accounts.login(email=email, password="guess guess", address=ADDRESS)
    assert gate.failures == [f"nobody@example.org {ADDRESS}", f"ada@example.org {ADDRESS}"]


def test_blocked_login_does_not_even_compare_the_password(
    accounts: Accounts, ada: NewSession, hasher: PlainPasswords
) -> None:
    for _ in range(5):
        with pytest.raises(WrongCredentials):
            accounts.login(email=ada.user.email, password="guess guess", address=ADDRESS)
    with pytest.raises(TooMany):
        accounts.login(email=ada.user.email, password="correct horse", address=ADDRESS)
    assert len(hasher.verified) == 5
    assert (
        accounts.login(email=ada.user.email, password="correct horse", address="192.0.2.2").user == ada.user
    )


def test_only_valid_registrations_count_for_the_address(accounts: Accounts, gate: RecordingGate) -> None:
    with pytest.raises(Invalid):
        accounts.register(name="Bo", email="bo", password="correct horse", address=ADDRESS)
    assert gate.registrations == []
    for number in range(5):
        accounts.register(
            name="Bo", email=f"bo{number}@example.org", password="correct horse", address=ADDRESS
        )
    with pytest.raises(TooMany):
        accounts.register(name="Bo", email="bo5@example.org", password="correct horse", address=ADDRESS)
    accounts.register(
        name="Bo", email="bo5@example.org", password="correct horse"
    )  # a program with the library
    assert gate.registrations == [ADDRESS] * 5


def test_login_does_not_count_as_a_failure(accounts: Accounts, ada: NewSession, gate: RecordingGate) -> None:
    accounts.login(email=ada.user.email, password="correct horse", address=ADDRESS)
    assert gate.failures == []


def test_login_renews_an_outdated_hash(accounts: Accounts, ada: NewSession, hasher: PlainPasswords) -> None:
    hasher.version = 2
    accounts.login(email=ada.user.email, password="correct horse", address=ADDRESS)
    renewed = accounts.get_user(caller_of(accounts, ada)).password_hash
    assert renewed == hasher.hash("correct horse") != ada.user.password_hash


def test_logout_ends_only_this_session(accounts: Accounts, ada: NewSession) -> None:
    other = accounts.login(email=ada.user.email, password="correct horse", address=ADDRESS)
    accounts.logout(ada.session_token)
    with pytest.raises(Unauthenticated):
        accounts.authenticate(ada.session_token)
    assert caller_of(accounts, other).user_id == ada.user.id


@pytest.mark.parametrize("token", ["", "mst_", "nonsense", "sk_live_x", tokens.session_token(b"x" * 32)])
def test_authenticate_rejects_unknown_tokens(accounts: Accounts, ada: NewSession, token: str) -> None:
    assert ada.session_token != token
    with pytest.raises(Unauthenticated):
        accounts.authenticate(token)


def test_session_expires_30_days_after_its_last_use(
    accounts: Accounts, ada: NewSession, clock: FrozenClock
) -> None:
    clock.advance(SESSION_LIFETIME - MICROSECOND)
    accounts.authenticate(ada.session_token)
    clock.advance(SESSION_LIFETIME - MICROSECOND)
    accounts.authenticate(ada.session_token)
    clock.advance(SESSION_LIFETIME)
    with pytest.raises(Unauthenticated):
        accounts.authenticate(ada.session_token)


def test_unused_session_expires_after_30_days(
    accounts: Accounts, ada: NewSession, clock: FrozenClock
) -> None:
    clock.advance(timedelta(days=30))
    with pytest.raises(Unauthenticated):
        accounts.authenticate(ada.session_token)


@pytest.mark.parametrize("environment", Environment)
def test_both_halves_of_a_key_authenticate_as_themselves(
    accounts: Accounts, ada: NewSession, environment: Environment
) -> None:
    new_key = accounts.create_key(name=" shop ", environment=environment, caller=caller_of(accounts, ada))
    for token, credential in (
        (new_key.key.public_key, Credential.PUBLISHABLE),
        (new_key.secret_key, Credential.SECRET),
    ):
        assert accounts.authenticate(token) == Caller(
            user_id=ada.user.id,
            role=Role.USER,
            environment=environment,
            credential=credential,
            key_id=new_key.key.id,
            key_name="shop",
        )


def test_listed_key_shows_no_secret(accounts: Accounts, ada: NewSession) -> None:
    caller = caller_of(accounts, ada)
    new_key = accounts.create_key(name="shop", environment="live", caller=caller)
    (listed,) = accounts.list_keys(caller)
    assert listed == new_key.key
    assert new_key.secret_key not in repr(listed)
    assert listed.masked_secret == f"sk_live_…{new_key.secret_key[-4:]}"


def test_list_keys_returns_only_own_keys_oldest_first(
    accounts: Accounts, ada: NewSession, eve: NewSession
) -> None:
    mine, theirs = caller_of(accounts, ada), caller_of(accounts, eve)
    new_keys = [accounts.create_key(name=name, environment="test", caller=mine).key for name in "ba"]
    foreign = accounts.create_key(name="c", environment="test", caller=theirs).key
    assert accounts.list_keys(mine) == new_keys
    assert accounts.list_keys(theirs) == [foreign]


def test_bad_key_reports_every_field(accounts: Accounts, ada: NewSession) -> None:
    with pytest.raises(Invalid) as error:
        accounts.create_key(name=" ", environment="prod", caller=caller_of(accounts, ada))
    assert list(error.value.fields) == ["name", "environment"]


def test_deleted_key_stops_working_at_once(accounts: Accounts, ada: NewSession) -> None:
    caller = caller_of(accounts, ada)
    new_key = accounts.create_key(name="shop", environment="live", caller=caller)
    accounts.authenticate(new_key.secret_key)
    accounts.delete_key(new_key.key.id, caller)
    for token in (new_key.secret_key, new_key.key.public_key):
        with pytest.raises(Unauthenticated):
            accounts.authenticate(token)
    assert accounts.list_keys(caller) == []


def test_delete_key_treats_foreign_and_missing_keys_alike(
    accounts: Accounts, ada: NewSession, eve: NewSession
) -> None:
    theirs = accounts.create_key(name="shop", environment="live", caller=caller_of(accounts, eve))
    mine = caller_of(accounts, ada)
    with pytest.raises(KeyNotFound) as foreign:
        accounts.delete_key(theirs.key.id, mine)
    with pytest.raises(KeyNotFound) as absent:
        accounts.delete_key(987_654, mine)
    assert foreign.value.args == absent.value.args
    assert accounts.authenticate(theirs.secret_key).user_id == eve.user.id


def test_admin_cannot_delete_others_keys(accounts: Accounts, ada: NewSession, eve: NewSession) -> None:
    theirs = accounts.create_key(name="shop", environment="live", caller=caller_of(accounts, eve))
    accounts.set_role(ada.user.email, Role.ADMIN)
    with pytest.raises(KeyNotFound):
        accounts.delete_key(theirs.key.id, caller_of(accounts, ada))


def test_local_caller_has_no_keys_and_no_account(accounts: Accounts) -> None:
    for call in (
        lambda: accounts.create_key(name="shop", environment="live", caller=LOCAL),
        lambda: accounts.list_keys(LOCAL),
        lambda: accounts.delete_key(1, LOCAL),
    ):
        with pytest.raises(Forbidden):
            call()
    with pytest.raises(Unauthenticated):
        accounts.get_user(LOCAL)


def test_role_changes_take_effect_at_once(accounts: Accounts, ada: NewSession) -> None:
    new_key = accounts.create_key(name="shop", environment="live", caller=caller_of(accounts, ada))
    for role in (Role.ADMIN, Role.USER):
        assert accounts.set_role(ada.user.email.upper(), role).role is role
        for token in (ada.session_token, new_key.secret_key, new_key.key.public_key):
            assert accounts.authenticate(token).role is role


def test_reset_password_ends_every_session_and_the_old_password(accounts: Accounts, ada: NewSession) -> None:
    accounts.reset_password(ada.user.email, "another one")
    with pytest.raises(Unauthenticated):
        accounts.authenticate(ada.session_token)
    with pytest.raises(WrongCredentials):
        accounts.login(email=ada.user.email, password="correct horse", address=ADDRESS)
    assert (
        accounts.login(email=ada.user.email, password="another one", address=ADDRESS).user.id == ada.user.id
    )


class InterruptedPasswords(PlainPasswords):
    """Call one function after the first comparison and another before the first hash."""

    def __init__(
        self, *, after_verify: Callable[[], object], before_hash: Callable[[], object] = int
    ) -> None:
        super().__init__()
        self._after_verify = iter([after_verify])
        self._before_hash = iter([before_hash])

    @override
    def verify(self, stored: str | None, password: str, *, subject: str | None = None) -> bool:
        result = super().verify(stored, password, subject=subject)
        next(self._after_verify, int)()
        return result

    @override
    def hash(self, password: str) -> str:
        next(self._before_hash, int)()
        return super().hash(password)


@pytest.mark.parametrize("version", [1, 2], ids=["today's hash", "outdated hash"])
def test_password_reset_during_a_login_wins(accounts: Accounts, ada: NewSession, version: int) -> None:
    hasher = InterruptedPasswords(after_verify=lambda: accounts.reset_password(ada.user.email, "another one"))
    hasher.version = version
    during = evolve(accounts, hasher=hasher)
    with pytest.raises(WrongCredentials):
        during.login(email=ada.user.email, password="correct horse", address=ADDRESS)
    with pytest.raises(WrongCredentials):
        accounts.login(email=ada.user.email, password="correct horse", address=ADDRESS)
    assert (
        accounts.login(email=ada.user.email, password="another one", address=ADDRESS).user.id == ada.user.id
    )


def test_two_logins_that_renew_a_hash_at_once_both_succeed(accounts: Accounts, ada: NewSession) -> None:
    def login(by: Accounts) -> NewSession:
        return by.login(email=ada.user.email, password="correct horse", address=ADDRESS)

    first = PlainPasswords()
    first.version = 2
    second = InterruptedPasswords(after_verify=lambda: login(evolve(accounts, hasher=first)))
    second.version = 2
    assert caller_of(accounts, login(evolve(accounts, hasher=second))).user_id == ada.user.id


def test_login_succeeds_when_too_busy_to_renew_the_hash(accounts: Accounts, ada: NewSession) -> None:
    def busy() -> None:
        raise TooMany(1)

    hasher = InterruptedPasswords(after_verify=int, before_hash=busy)
    hasher.version = 2
    result = evolve(accounts, hasher=hasher).login(
        email=ada.user.email, password="correct horse", address=ADDRESS
    )
    assert result.user == ada.user


def test_bad_new_password_changes_nothing(accounts: Accounts, ada: NewSession) -> None:
    with pytest.raises(Invalid):
        accounts.reset_password(ada.user.email, "short")
    assert caller_of(accounts, ada).user_id == ada.user.id


def test_operator_gets_an_error_for_an_unknown_user(accounts: Accounts) -> None:
    for call in (
        lambda: accounts.set_role("nobody@example.org", Role.ADMIN),
        lambda: accounts.reset_password("nobody@example.org", "another one"),
        lambda: accounts.caller_for("nobody@example.org"),
    ):
        with pytest.raises(UserNotFound, match=r"nobody@example\.org"):
            call()


def test_caller_for_matches_the_caller_of_a_session(accounts: Accounts, ada: NewSession) -> None:
    assert accounts.caller_for("ADA@example.org") == caller_of(accounts, ada)


def test_first_use_of_a_key_is_recorded_at_once(
    accounts: Accounts, ada: NewSession, clock: FrozenClock
) -> None:
    caller = caller_of(accounts, ada)
    new_key = accounts.create_key(name="shop", environment="live", caller=caller)
    clock.advance(timedelta(seconds=1))
    accounts.authenticate(new_key.key.public_key)
    assert [key.last_used_at for key in accounts.list_keys(caller)] == [clock()]


def test_further_uses_are_recorded_at_most_once_a_minute(
    accounts: Accounts, ada: NewSession, clock: FrozenClock
) -> None:
    caller = caller_of(accounts, ada)
    new_key = accounts.create_key(name="shop", environment="live", caller=caller)
    accounts.authenticate(new_key.secret_key)
    first = clock()
    clock.advance(MINUTE - MICROSECOND)
    accounts.authenticate(new_key.key.public_key)
    assert [key.last_used_at for key in accounts.list_keys(caller)] == [first]
    clock.advance(MICROSECOND)
    accounts.authenticate(new_key.secret_key)
    assert [key.last_used_at for key in accounts.list_keys(caller)] == [first + MINUTE]


class ReadOnlyCredentials(Credentials):
    """Credentials that can be read while nothing can be written (a full disk, a busy database)."""

    def __init__(self, inner: Credentials) -> None:
        self._inner = inner
        self.attempts = 0

    @override
    def find(self, presented: CredentialHash, *, now: datetime) -> AuthenticatedCaller | None:
        return self._inner.find(presented, now=now)

    @override
    def record_use(self, presented: CredentialHash, *, at: datetime) -> None:
        self.attempts += 1
        raise Unavailable("The database is not responding.")


def test_authenticate_succeeds_when_the_use_cannot_be_recorded(
    accounts: Accounts, ada: NewSession, clock: FrozenClock
) -> None:
    new_key = accounts.create_key(name="shop", environment="live", caller=caller_of(accounts, ada))
    clock.advance(MINUTE)
    credentials = ReadOnlyCredentials(accounts.credentials)
    read_only = evolve(accounts, credentials=credentials)
    assert read_only.authenticate(new_key.secret_key).key_id == new_key.key.id
    assert read_only.authenticate(ada.session_token).user_id == ada.user.id
    assert credentials.attempts == 2
