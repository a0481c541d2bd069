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

MOMENT = timedelta(microseconds=1)
MINUTE = timedelta(minutes=1)
HERE = "192.0.2.1"


def caller_of(accounts: Accounts, who: NewSession) -> Caller:
    return accounts.authenticate(who.session_token)


def test_registering_signs_in(accounts: Accounts, ada: NewSession, clock: FrozenClock) -> None:
    caller = accounts.authenticate(ada.session_token)
    assert accounts.get_user(caller) == ada.user
    assert (ada.user.name, ada.user.email, ada.user.role) == ("Ada", "ada@example.org", Role.USER)
    assert ada.user.created_at == clock()
    assert (caller.credential, caller.environment) == (Credential.SESSION, Environment.LIVE)


def test_email_registers_once_however_it_is_written(accounts: Accounts, ada: NewSession) -> None:
    with pytest.raises(EmailTaken):
        accounts.register(name="Eve", email=f" {ada.user.email.upper()} ", password="battery staple")
    assert accounts.list_users() == [ada.user]


def test_bad_registration_names_every_field_and_leaves_nothing(accounts: Accounts) -> None:
    with pytest.raises(Invalid) as error:
        accounts.register(name="", email="", password="")
    assert list(error.value.fields) == ["name", "email", "password"]
    assert accounts.list_users() == []


def test_password_is_kept_only_as_the_hasher_gave_it(ada: NewSession, hasher: PlainPasswords) -> None:
    assert ada.user.password_hash == hasher.hash("correct horse")


def test_logging_in_opens_another_session(accounts: Accounts, ada: NewSession) -> None:
    again = accounts.login(email=" ADA@example.org", password="correct horse", address=HERE)
    assert again.user == ada.user
    assert again.session_token != ada.session_token
    assert caller_of(accounts, again) == caller_of(accounts, ada)


def test_unknown_email_and_a_wrong_password_fail_alike(
    accounts: Accounts, ada: NewSession, hasher: PlainPasswords
) -> None:
    with pytest.raises(WrongCredentials) as unknown:
        accounts.login(email="nobody@example.org", password="correct horse", address=HERE)
    with pytest.raises(WrongCredentials) as wrong:
        accounts.login(email=ada.user.email, password="Correct horse", address=HERE)
    assert unknown.value.args == wrong.value.args
    assert hasher.verified == [None, ada.user.password_hash]


def test_failures_count_for_the_email_and_the_address_whether_or_not_the_user_exists(
    accounts: Accounts, ada: NewSession, gate: RecordingGate
) -> None:
    for email in ("nobody@example.org", ada.user.email.upper()):
        with pytest.raises(WrongCredentials):
            accounts.login(email=email, password="guess guess", address=HERE)
    assert gate.failures == [f"nobody@example.org {HERE}", f"ada@example.org {HERE}"]


def test_right_password_is_not_even_compared_once_the_gate_is_shut(
    accounts: Accounts, ada: NewSession, hasher: PlainPasswords
) -> None:
    for _ in range(5):
        with pytest.raises(WrongCredentials):
            accounts.login(email=ada.user.email, password="guess guess", address=HERE)
    with pytest.raises(TooMany):
        accounts.login(email=ada.user.email, password="correct horse", address=HERE)
    assert len(hasher.verified) == 5
    assert (
        accounts.login(email=ada.user.email, password="correct horse", address="192.0.2.2").user == ada.user
    )


def test_registrations_count_for_the_address_unless_a_field_stops_them(
    accounts: Accounts, gate: RecordingGate
) -> None:
    with pytest.raises(Invalid):
        accounts.register(name="Bo", email="bo", password="correct horse", address=HERE)
    assert gate.registrations == []
    for number in range(5):
        accounts.register(name="Bo", email=f"bo{number}@example.org", password="correct horse", address=HERE)
    with pytest.raises(TooMany):
        accounts.register(name="Bo", email="bo5@example.org", password="correct horse", address=HERE)
    accounts.register(
        name="Bo", email="bo5@example.org", password="correct horse"
    )  # a program with the library
    assert gate.registrations == [HERE] * 5


def test_login_does_not_count_as_a_failure(accounts: Accounts, ada: NewSession, gate: RecordingGate) -> None:
    accounts.login(email=ada.user.email, password="correct horse", address=HERE)
    assert gate.failures == []


def test_login_renews_an_outdated_hash(accounts: Accounts, ada: NewSession, hasher: PlainPasswords) -> None:
    hasher.version = 2
    accounts.login(email=ada.user.email, password="correct horse", address=HERE)
    renewed = accounts.get_user(caller_of(accounts, ada)).password_hash
    assert renewed == hasher.hash("correct horse") != ada.user.password_hash


def test_logout_ends_this_session_and_no_other(accounts: Accounts, ada: NewSession) -> None:
    other = accounts.login(email=ada.user.email, password="correct horse", address=HERE)
    accounts.logout(ada.session_token)
    with pytest.raises(Unauthenticated):
        accounts.authenticate(ada.session_token)
    assert caller_of(accounts, other).user_id == ada.user.id


@pytest.mark.parametrize("token", ["", "mst_", "nonsense", "sk_live_x", tokens.session_token(b"x" * 32)])
def test_what_is_no_token_of_ours_is_not_let_in(accounts: Accounts, ada: NewSession, token: str) -> None:
    assert ada.session_token != token
    with pytest.raises(Unauthenticated):
        accounts.authenticate(token)


def test_session_ends_30_days_after_its_last_use(
    accounts: Accounts, ada: NewSession, clock: FrozenClock
) -> None:
    clock.advance(SESSION_LIFETIME - MOMENT)
    accounts.authenticate(ada.session_token)
    clock.advance(SESSION_LIFETIME - MOMENT)
    accounts.authenticate(ada.session_token)
    clock.advance(SESSION_LIFETIME)
    with pytest.raises(Unauthenticated):
        accounts.authenticate(ada.session_token)


def test_unused_session_ends_after_30_days(accounts: Accounts, ada: NewSession, clock: FrozenClock) -> None:
    clock.advance(timedelta(days=30))
    with pytest.raises(Unauthenticated):
        accounts.authenticate(ada.session_token)


@pytest.mark.parametrize("environment", Environment)
def test_both_halves_of_a_key_are_let_in_as_what_they_are(
    accounts: Accounts, ada: NewSession, environment: Environment
) -> None:
    made = accounts.create_key(name=" shop ", environment=environment, caller=caller_of(accounts, ada))
    for token, credential in (
        (made.key.public_key, Credential.PUBLISHABLE),
        (made.secret_key, Credential.SECRET),
    ):
        assert accounts.authenticate(token) == Caller(
            user_id=ada.user.id,
            role=Role.USER,
            environment=environment,
            credential=credential,
            key_id=made.key.id,
            key_name="shop",
        )


def test_listed_key_shows_no_secret(accounts: Accounts, ada: NewSession) -> None:
    caller = caller_of(accounts, ada)
    made = accounts.create_key(name="shop", environment="live", caller=caller)
    (listed,) = accounts.list_keys(caller)
    assert listed == made.key
    assert made.secret_key not in repr(listed)
    assert listed.masked_secret == f"sk_live_…{made.secret_key[-4:]}"


def test_keys_are_listed_oldest_first_and_only_ones_own(
    accounts: Accounts, ada: NewSession, eve: NewSession
) -> None:
    mine, theirs = caller_of(accounts, ada), caller_of(accounts, eve)
    made = [accounts.create_key(name=name, environment="test", caller=mine).key for name in "ba"]
    foreign = accounts.create_key(name="c", environment="test", caller=theirs).key
    assert accounts.list_keys(mine) == made
    assert accounts.list_keys(theirs) == [foreign]


def test_bad_key_names_every_field(accounts: Accounts, ada: NewSession) -> None:
    with pytest.raises(Invalid) as error:
        accounts.create_key(name=" ", environment="prod", caller=caller_of(accounts, ada))
    assert list(error.value.fields) == ["name", "environment"]


def test_deleted_key_stops_working_at_once(accounts: Accounts, ada: NewSession) -> None:
    caller = caller_of(accounts, ada)
    made = accounts.create_key(name="shop", environment="live", caller=caller)
    accounts.authenticate(made.secret_key)
    accounts.delete_key(made.key.id, caller)
    for token in (made.secret_key, made.key.public_key):
        with pytest.raises(Unauthenticated):
            accounts.authenticate(token)
    assert accounts.list_keys(caller) == []


def test_anothers_key_and_no_key_are_not_found_alike(
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


def test_admin_does_not_delete_others_keys(accounts: Accounts, ada: NewSession, eve: NewSession) -> None:
    theirs = accounts.create_key(name="shop", environment="live", caller=caller_of(accounts, eve))
    accounts.set_role(ada.user.email, Role.ADMIN)
    with pytest.raises(KeyNotFound):
        accounts.delete_key(theirs.key.id, caller_of(accounts, ada))


def test_installation_itself_has_no_keys_and_no_account(accounts: Accounts) -> None:
    for ask in (
        lambda: accounts.create_key(name="shop", environment="live", caller=LOCAL),
        lambda: accounts.list_keys(LOCAL),
        lambda: accounts.delete_key(1, LOCAL),
    ):
        with pytest.raises(Forbidden):
            ask()
    with pytest.raises(Unauthenticated):
        accounts.get_user(LOCAL)


def test_promotion_and_a_demotion_are_felt_at_once(accounts: Accounts, ada: NewSession) -> None:
    made = accounts.create_key(name="shop", environment="live", caller=caller_of(accounts, ada))
    for role in (Role.ADMIN, Role.USER):
        assert accounts.set_role(ada.user.email.upper(), role).role is role
        for token in (ada.session_token, made.secret_key, made.key.public_key):
            assert accounts.authenticate(token).role is role


def test_reset_password_ends_every_session_and_the_old_password(accounts: Accounts, ada: NewSession) -> None:
    accounts.reset_password(ada.user.email, "another one")
    with pytest.raises(Unauthenticated):
        accounts.authenticate(ada.session_token)
    with pytest.raises(WrongCredentials):
        accounts.login(email=ada.user.email, password="correct horse", address=HERE)
    assert accounts.login(email=ada.user.email, password="another one", address=HERE).user.id == ada.user.id


class Interrupted(PlainPasswords):
    """Something happens once, when a password was just compared, and again when one was hashed."""

    def __init__(self, *, compared: Callable[[], object], hashed: Callable[[], object] = int) -> None:
        super().__init__()
        self._compared = iter([compared])
        self._hashed = iter([hashed])

    @override
    def verify(self, stored: str | None, password: str, *, subject: str | None = None) -> bool:
        result = super().verify(stored, password, subject=subject)
        next(self._compared, int)()
        return result

    @override
    def hash(self, password: str) -> str:
        next(self._hashed, int)()
        return super().hash(password)


@pytest.mark.parametrize("version", [1, 2], ids=["today's hash", "outdated hash"])
def test_password_that_is_reset_during_a_login_stays_reset(
    accounts: Accounts, ada: NewSession, version: int
) -> None:
    hasher = Interrupted(compared=lambda: accounts.reset_password(ada.user.email, "another one"))
    hasher.version = version
    during = evolve(accounts, hasher=hasher)
    with pytest.raises(WrongCredentials):
        during.login(email=ada.user.email, password="correct horse", address=HERE)
    with pytest.raises(WrongCredentials):
        accounts.login(email=ada.user.email, password="correct horse", address=HERE)
    assert accounts.login(email=ada.user.email, password="another one", address=HERE).user.id == ada.user.id


def test_of_two_logins_that_renew_a_hash_at_once_both_are_let_in(accounts: Accounts, ada: NewSession) -> None:
    def login(by: Accounts) -> NewSession:
        return by.login(email=ada.user.email, password="correct horse", address=HERE)

    first = PlainPasswords()
    first.version = 2
    second = Interrupted(compared=lambda: login(evolve(accounts, hasher=first)))
    second.version = 2
    assert caller_of(accounts, login(evolve(accounts, hasher=second))).user_id == ada.user.id


def test_machine_too_busy_to_renew_a_hash_lets_the_right_password_in(
    accounts: Accounts, ada: NewSession
) -> None:
    def busy() -> None:
        raise TooMany(1)

    hasher = Interrupted(compared=int, hashed=busy)
    hasher.version = 2
    result = evolve(accounts, hasher=hasher).login(
        email=ada.user.email, password="correct horse", address=HERE
    )
    assert result.user == ada.user


def test_bad_new_password_changes_nothing(accounts: Accounts, ada: NewSession) -> None:
    with pytest.raises(Invalid):
        accounts.reset_password(ada.user.email, "short")
    assert caller_of(accounts, ada).user_id == ada.user.id


def test_operator_is_told_that_a_user_is_unknown(accounts: Accounts) -> None:
    for ask in (
        lambda: accounts.set_role("nobody@example.org", Role.ADMIN),
        lambda: accounts.reset_password("nobody@example.org", "another one"),
        lambda: accounts.caller_for("nobody@example.org"),
    ):
        with pytest.raises(UserNotFound, match=r"nobody@example\.org"):
            ask()


def test_operator_acts_as_a_user_with_the_standing_of_their_session(
    accounts: Accounts, ada: NewSession
) -> None:
    assert accounts.caller_for("ADA@example.org") == caller_of(accounts, ada)


def test_first_use_of_a_key_is_seen_at_once(accounts: Accounts, ada: NewSession, clock: FrozenClock) -> None:
    caller = caller_of(accounts, ada)
    made = accounts.create_key(name="shop", environment="live", caller=caller)
    clock.advance(timedelta(seconds=1))
    accounts.authenticate(made.key.public_key)
    assert [key.last_used_at for key in accounts.list_keys(caller)] == [clock()]


def test_further_uses_are_noted_once_a_minute_at_most(
    accounts: Accounts, ada: NewSession, clock: FrozenClock
) -> None:
    caller = caller_of(accounts, ada)
    made = accounts.create_key(name="shop", environment="live", caller=caller)
    accounts.authenticate(made.secret_key)
    first = clock()
    clock.advance(MINUTE - MOMENT)
    accounts.authenticate(made.key.public_key)
    assert [key.last_used_at for key in accounts.list_keys(caller)] == [first]
    clock.advance(MOMENT)
    accounts.authenticate(made.secret_key)
    assert [key.last_used_at for key in accounts.list_keys(caller)] == [first + MINUTE]


class Traceless(Credentials):
    """Credentials that can be read while nothing can be written (a full disk, a busy database)."""

    def __init__(self, inner: Credentials) -> None:
        self._inner = inner
        self.asked = 0

    @override
    def find(self, presented: CredentialHash, *, now: datetime) -> AuthenticatedCaller | None:
        return self._inner.find(presented, now=now)

    @override
    def record_use(self, presented: CredentialHash, *, at: datetime) -> None:
        self.asked += 1
        raise Unavailable("The database does not answer.")


def test_use_that_cannot_be_noted_fails_nobody(
    accounts: Accounts, ada: NewSession, clock: FrozenClock
) -> None:
    made = accounts.create_key(name="shop", environment="live", caller=caller_of(accounts, ada))
    clock.advance(MINUTE)
    credentials = Traceless(accounts.credentials)
    traceless = evolve(accounts, credentials=credentials)
    assert traceless.authenticate(made.secret_key).key_id == made.key.id
    assert traceless.authenticate(ada.session_token).user_id == ada.user.id
    assert credentials.asked == 2
