"""Links that operators create, on a real database."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from attrs import evolve

from repaircore.accounts.errors import UserNotFound
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid
from repaircore.messages.model import Channel
from repaircore.passwords.errors import LockedAccount, ResetLinkEnded, ResetsOff, WrongPassword
from repaircore.passwords.model import OPERATOR_LINK_LIFETIME
from repaircore.passwords.operator_links import OperatorLinks
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock
from repaircore.testing.core import a_core
from repaircore.testing.passwords import PlainPasswords, RecordingGate

HERE = "192.0.2.1"
NEW = "battery staple"


@pytest.fixture
def core(sqlite_url: str, clock: FrozenClock) -> Iterator[Core]:
    made = a_core(Settings(database_url=sqlite_url), clock=clock).replacing(password_hasher=PlainPasswords())
    yield made.replacing(limits=RecordingGate())
    made.close()


@pytest.fixture
def links(core: Core) -> OperatorLinks:
    return evolve(core.operator_links, sends_mails=True, public_url="https://shop.example.com/")


def token(url: str) -> str:
    head, _, end = url.rpartition("/")
    assert head == "https://shop.example.com/console/reset"
    return end


def list_mails(core: Core) -> list[tuple[str, str]]:
    with core.storage.transaction() as work:
        mails = work.messages.claim(Channel.EMAIL, core.clock(), until=core.clock(), limit=9)
    return [(mail.content.subject, mail.content.body) for mail in mails]


def test_invited_user_chooses_a_password(core: Core, links: OperatorLinks) -> None:
    new = links.invite(name=" Ada ", email="Ada@example.org")
    assert (new.user.name, new.user.email, new.user.role) == ("Ada", "ada@example.org", Role.USER)
    core.passwords.reset(token=token(new.url), password=NEW)

    assert core.accounts.login(email="ada@example.org", password=NEW, address=HERE).user.id == new.user.id
    with pytest.raises(ResetLinkEnded):
        core.passwords.require_link(token(new.url))
    entry = core.audit.list_newest()[-1]
    assert (entry.action, entry.after) == ("user.invite", {"role": "user", "mailed": False})
    assert list_mails(core) == []


def test_link_is_mailed_where_the_operator_wants_it(core: Core, links: OperatorLinks) -> None:
    invited = links.invite(name="Ada", email="ada@example.org", mail=True)
    again = links.create("ada@example.org", mail=True)
    (first, second) = list_mails(core)

    assert first[0] == "Your new account"
    assert invited.url in first[1]
    assert second[0] == "Choose a new password"
    entries = [(entry.action, entry.after) for entry in core.audit.list_newest()]
    assert ("user.create_link", {"mailed": True}) in entries
    assert again.url in second[1]
    with pytest.raises(ResetLinkEnded):
        core.passwords.require_link(token(invited.url))
    core.passwords.require_link(token(again.url))


def test_link_expires_after_a_day(core: Core, links: OperatorLinks, clock: FrozenClock) -> None:
    new = links.invite(name="Ada", email="ada@example.org")
    assert new.expires_at == clock.now + OPERATOR_LINK_LIFETIME
    clock.advance(OPERATOR_LINK_LIFETIME - timedelta(microseconds=1))
    core.passwords.require_link(token(new.url))
    clock.advance(timedelta(microseconds=1))

    with pytest.raises(ResetLinkEnded):
        core.passwords.require_link(token(new.url))


def test_lock_ends_a_link_and_forbids_another(core: Core, links: OperatorLinks) -> None:
    new = links.invite(name="Ada", email="ada@example.org")
    core.user_administration.lock("ada@example.org")
    with pytest.raises(LockedAccount):
        links.create("ada@example.org")
    with pytest.raises(ResetLinkEnded):
        core.passwords.reset(token=token(new.url), password=NEW)
    with pytest.raises(ResetLinkEnded):
        core.passwords.require_link(token(new.url))
    core.user_administration.unlock("ada@example.org")

    with pytest.raises(ResetLinkEnded):
        core.passwords.require_link(token(new.url))


def test_locked_account_gets_no_mail_for_a_forgotten_password(core: Core, links: OperatorLinks) -> None:
    links.invite(name="Ada", email="ada@example.org")
    passwords = evolve(core.passwords, sends_mails=True)
    passwords.request_link(email="ada@example.org", address=HERE)
    core.user_administration.lock("ada@example.org")

    assert passwords.mail_links() == 0


def test_links_need_an_operator_a_page_and_mail(core: Core, links: OperatorLinks) -> None:
    for other in (evolve(LOCAL, role=Role.USER), evolve(LOCAL, environment=Environment.TEST)):
        with pytest.raises(Forbidden):
            links.invite(name="Ada", email="ada@example.org", caller=other)
        with pytest.raises(Forbidden):
            links.create("ada@example.org", caller=other)
    with pytest.raises(ResetsOff):
        evolve(links, has_pages=False).invite(name="Ada", email="ada@example.org")
    with pytest.raises(ResetsOff):
        evolve(links, sends_mails=False).invite(name="Ada", email="ada@example.org", mail=True)
    with pytest.raises(UserNotFound):
        links.create("ada@example.org")
    with pytest.raises(Invalid) as wrong:
        links.invite(name=" ", email="ada")
    assert set(wrong.value.fields) == {"name", "email"}
    assert core.accounts.list_users() == []


def test_confirm_requires_the_current_password(core: Core) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.org", password="correct horse")
    caller = core.accounts.caller_for("ada@example.org")
    core.passwords.confirm("correct horse", caller, address=HERE)

    with pytest.raises(WrongPassword):
        core.passwords.confirm("wrong horse", caller, address=HERE)
