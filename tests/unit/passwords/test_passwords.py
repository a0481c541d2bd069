"""Passwords: forgotten, reset by a link and changed, on a real database."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.accounts.errors import WrongCredentials
from repaircore.accounts.model import NewSession
from repaircore.accounts.service import Accounts
from repaircore.adapters.sql.schema.accounts import password_resets, reset_requests
from repaircore.adapters.sql.schema.operations import messages
from repaircore.core import Core
from repaircore.kernel.errors import Invalid, TooMany, Unauthenticated
from repaircore.messages.model import Channel, Message
from repaircore.passwords.errors import ResetLinkEnded, ResetsOff, WrongPassword
from repaircore.passwords.model import LINK_LIFETIME
from repaircore.passwords.service import Passwords
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock
from repaircore.testing.core import a_core
from repaircore.testing.passwords import PlainPasswords, RecordingGate

HERE = "192.0.2.1"
MOMENT = timedelta(microseconds=1)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def core(sqlite_url: str, clock: FrozenClock) -> Iterator[Core]:
    made = a_core(Settings(database_url=sqlite_url), clock=clock).replacing(password_hasher=PlainPasswords())
    yield made.replacing(limits=RecordingGate())
    made.close()


@pytest.fixture
def accounts(core: Core) -> Accounts:
    return core.accounts


@pytest.fixture
def passwords(core: Core) -> Passwords:
    return evolve(core.passwords, sends_mails=True, public_url="https://shop.example.com/")


@pytest.fixture
def ada(accounts: Accounts) -> NewSession:
    return accounts.register(name="Ada", email="ada@example.org", password="correct horse")


def stored_mails(core: Core) -> list[Message]:
    with core.storage.transaction() as work:
        return list(work.messages.claim(Channel.EMAIL, core.clock(), until=core.clock(), limit=100))


def count(core: Core, table: sa.Table) -> int:
    with core.storage.database.transaction(write=False) as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def link_token(core: Core, passwords: Passwords) -> str:
    """Request a link for Ada and return its token."""
    passwords.request_link(email=" ADA@example.org", address=HERE)
    assert passwords.mail_links() == 1
    body = stored_mails(core)[-1].content.body
    (token,) = re.findall(r"^https://shop\.example\.com/console/reset/(\w+)$", body, re.MULTILINE)
    return str(token)


def test_mailed_link_sets_a_password_once(
    core: Core, accounts: Accounts, passwords: Passwords, ada: NewSession
) -> None:
    token = link_token(core, passwords)
    passwords.require_link(token)
    passwords.reset(token=token, password="battery staple")

    accounts.login(email="ada@example.org", password="battery staple", address=HERE)
    with pytest.raises(WrongCredentials):
        accounts.login(email="ada@example.org", password="correct horse", address=HERE)
    with pytest.raises(Unauthenticated):
        accounts.authenticate(ada.session_token)
    with pytest.raises(ResetLinkEnded):
        passwords.reset(token=token, password="another one")
    assert stored_mails(core)[-1].content.subject == "Your password was changed"


@pytest.mark.usefixtures("ada")
def test_link_expires_after_an_hour(core: Core, passwords: Passwords, clock: FrozenClock) -> None:
    token = link_token(core, passwords)
    clock.advance(LINK_LIFETIME - MOMENT)
    passwords.require_link(token)
    clock.advance(MOMENT)

    with pytest.raises(ResetLinkEnded):
        passwords.require_link(token)
    with pytest.raises(ResetLinkEnded):
        passwords.reset(token=token, password="battery staple")


@pytest.mark.usefixtures("ada")
def test_later_link_replaces_an_earlier_one(core: Core, passwords: Passwords) -> None:
    earlier, later = link_token(core, passwords), link_token(core, passwords)

    with pytest.raises(ResetLinkEnded):
        passwords.require_link(earlier)
    passwords.require_link(later)


def test_link_ends_with_any_change_of_the_password(
    core: Core, accounts: Accounts, passwords: Passwords, ada: NewSession
) -> None:
    token = link_token(core, passwords)
    accounts.reset_password("ada@example.org", "operator's choice")
    with pytest.raises(ResetLinkEnded):
        passwords.require_link(token)

    token, session = (
        link_token(core, passwords),
        accounts.login(email="ada@example.org", password="operator's choice", address=HERE),
    )
    passwords.change(
        current_password="operator's choice",
        password="battery staple",
        token=session.session_token,
        caller=accounts.authenticate(session.session_token),
        address=HERE,
    )
    with pytest.raises(ResetLinkEnded):
        passwords.require_link(token)
    assert ada.user.email == "ada@example.org"


@pytest.mark.usefixtures("ada")
def test_bad_password_leaves_the_link(core: Core, passwords: Passwords) -> None:
    token = link_token(core, passwords)
    with pytest.raises(Invalid):
        passwords.reset(token=token, password="short")

    passwords.require_link(token)


@pytest.mark.parametrize("token", ["", "x", "prl_" + "0" * 43, "é" * 5000])
def test_guessed_token_is_refused(passwords: Passwords, token: str) -> None:
    with pytest.raises(ResetLinkEnded):
        passwords.require_link(token)
    with pytest.raises(ResetLinkEnded):
        passwords.reset(token=token, password="battery staple")


@pytest.mark.usefixtures("ada")
def test_request_does_the_same_with_and_without_an_account(core: Core, passwords: Passwords) -> None:
    passwords.request_link(email="ada@example.org", address=HERE)
    passwords.request_link(email="bo@example.org", address=HERE)

    assert count(core, reset_requests) == 2
    assert count(core, messages) == count(core, password_resets) == 0
    assert passwords.mail_links() == 1
    assert count(core, reset_requests) == 0
    assert [mail.content.recipient for mail in stored_mails(core)] == ["ada@example.org"]


@pytest.mark.usefixtures("ada")
def test_requests_for_one_account_get_one_mail(core: Core, passwords: Passwords) -> None:
    for _ in range(3):
        passwords.request_link(email="ada@example.org", address=HERE)

    assert passwords.mail_links() == 1
    assert count(core, messages) == 1


@pytest.mark.usefixtures("ada")
def test_request_that_waited_too_long_is_dropped(
    core: Core, passwords: Passwords, clock: FrozenClock
) -> None:
    passwords.request_link(email="ada@example.org", address=HERE)
    clock.advance(LINK_LIFETIME)

    assert passwords.mail_links() == 0
    assert count(core, reset_requests) == 0


def test_requests_are_counted_whether_or_not_there_is_an_account(passwords: Passwords) -> None:
    for _ in range(5):
        passwords.request_link(email="bo@example.org", address=HERE)
    with pytest.raises(TooMany):
        passwords.request_link(email="Bo@example.org", address=HERE)


def test_request_without_mail_or_pages_is_refused(passwords: Passwords) -> None:
    for off in (evolve(passwords, sends_mails=False), evolve(passwords, has_pages=False)):
        assert not off.sends_links
        with pytest.raises(ResetsOff):
            off.request_link(email="ada@example.org", address=HERE)


@pytest.mark.parametrize("email", ["", "ada", "a" * 300 + "@example.org", "ada@example.org\0"])
def test_request_for_an_odd_email_is_refused(passwords: Passwords, email: str) -> None:
    with pytest.raises(Invalid) as error:
        passwords.request_link(email=email, address=HERE)
    assert list(error.value.fields) == ["email"]


def test_change_ends_the_other_sessions(
    core: Core, accounts: Accounts, passwords: Passwords, ada: NewSession
) -> None:
    other = accounts.login(email="ada@example.org", password="correct horse", address=HERE)
    caller = accounts.authenticate(ada.session_token)
    passwords.change(
        current_password="correct horse",
        password="battery staple",
        token=ada.session_token,
        caller=caller,
        address=HERE,
    )

    assert accounts.authenticate(ada.session_token) == caller
    with pytest.raises(Unauthenticated):
        accounts.authenticate(other.session_token)
    accounts.login(email="ada@example.org", password="battery staple", address=HERE)
    assert [mail.content.subject for mail in stored_mails(core)] == ["Your password was changed"]
    assert [entry.action for entry in core.audit.list_newest()][:1] == ["user.change_password"]


def test_change_counts_wrong_passwords_like_logins(
    accounts: Accounts, passwords: Passwords, ada: NewSession
) -> None:
    caller = accounts.authenticate(ada.session_token)

    def change(current: str) -> None:
        passwords.change(
            current_password=current,
            password="battery staple",
            token=ada.session_token,
            caller=caller,
            address=HERE,
        )

    for _ in range(5):
        with pytest.raises(WrongPassword):
            change("wrong horse")
    with pytest.raises(TooMany):
        change("correct horse")


def test_change_without_mail_stores_none(
    core: Core, accounts: Accounts, passwords: Passwords, ada: NewSession
) -> None:
    evolve(passwords, sends_mails=False).change(
        current_password="correct horse",
        password="battery staple",
        token=ada.session_token,
        caller=accounts.authenticate(ada.session_token),
        address=HERE,
    )

    assert count(core, messages) == 0


@pytest.mark.usefixtures("ada")
def test_mails_contain_nothing_that_a_stranger_chose(
    core: Core, accounts: Accounts, passwords: Passwords
) -> None:
    accounts.register(name="Win at https://evil.example", email="bo@example.org", password="correct horse")
    passwords.request_link(email="bo@example.org", address=HERE)
    passwords.mail_links()

    (mail,) = stored_mails(core)
    assert "evil" not in mail.content.body
