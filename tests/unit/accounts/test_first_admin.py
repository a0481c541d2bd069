"""The first admin, who registers by a link: once, for a day, while there is none."""

from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve

from repaircore.accounts.errors import EmailTaken, SetupLinkEnded
from repaircore.accounts.first_admin import LIFETIME, FirstAdmin, NewSetupLink, SetupLink, new_setup_link
from repaircore.accounts.service import Accounts
from repaircore.kernel.callers import Role
from repaircore.kernel.errors import Invalid, TooMany
from repaircore.testing.clock import FrozenClock

ROOT = {"name": "Root", "email": "root@example.org", "password": "correct horse", "address": "192.0.2.1"}


@pytest.fixture
def unlinked(accounts: Accounts) -> FirstAdmin:
    return FirstAdmin(
        transaction=accounts.transaction,
        read=accounts.read,
        hasher=accounts.hasher,
        gate=accounts.gate,
        random=accounts.random,
        clock=accounts.clock,
        link=None,
    )


@pytest.fixture
def new(unlinked: FirstAdmin) -> NewSetupLink:
    return new_setup_link(random=unlinked.random, now=unlinked.clock())


@pytest.fixture
def first_admin(unlinked: FirstAdmin, new: NewSetupLink) -> FirstAdmin:
    return evolve(unlinked, link=new.link)


def test_first_admin_is_logged_in(accounts: Accounts, first_admin: FirstAdmin, new: NewSetupLink) -> None:
    session = first_admin.register(new.token, **ROOT)

    assert session.user.role is Role.ADMIN
    assert accounts.authenticate(session.session_token).is_admin


def test_link_works_once(first_admin: FirstAdmin, new: NewSetupLink, accounts: Accounts) -> None:
    first_admin.register(new.token, **ROOT)

    with pytest.raises(SetupLinkEnded):
        first_admin.require_link(new.token)
    with pytest.raises(SetupLinkEnded):
        first_admin.register(new.token, **{**ROOT, "email": "eve@example.org"})
    assert [user.email for user in accounts.list_users()] == ["root@example.org"]


def test_link_ends_after_a_day(first_admin: FirstAdmin, new: NewSetupLink, clock: FrozenClock) -> None:
    clock.advance(LIFETIME - timedelta(microseconds=1))
    first_admin.require_link(new.token)
    clock.advance(timedelta(microseconds=1))

    with pytest.raises(SetupLinkEnded):
        first_admin.register(new.token, **ROOT)


def test_other_tokens_are_refused(unlinked: FirstAdmin, first_admin: FirstAdmin, new: NewSetupLink) -> None:
    for admin, token in ((first_admin, new.token + "x"), (first_admin, ""), (unlinked, new.token)):
        with pytest.raises(SetupLinkEnded):
            admin.require_link(token)


def test_rejected_registration_leaves_the_link(
    first_admin: FirstAdmin, new: NewSetupLink, accounts: Accounts
) -> None:
    accounts.register(name="Ada", email="ada@example.org", password="correct horse")
    with pytest.raises(Invalid):
        first_admin.register(new.token, **{**ROOT, "password": "short"})
    with pytest.raises(EmailTaken):
        first_admin.register(new.token, **{**ROOT, "email": "ada@example.org"})

    assert first_admin.register(new.token, **ROOT).user.role is Role.ADMIN


def test_registrations_of_admins_are_counted(first_admin: FirstAdmin, new: NewSetupLink) -> None:
    for _ in range(5):
        first_admin.gate.count_registration("192.0.2.1")
    with pytest.raises(TooMany):
        first_admin.register(new.token, **ROOT)


def test_link_survives_the_environment() -> None:
    link = SetupLink(token_hash=b"\x01" * 32, ends_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))

    assert SetupLink.parse(link.text()) == link


@pytest.mark.parametrize("text", ["", "x", "00", "00 x", "zz 1", f"00 {10**30}", f"00 {10**11}0"])
def test_odd_environment_is_no_link(text: str) -> None:
    assert SetupLink.parse(text) is None
