"""Registration of the first admin by a link that works once, for a day."""

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
def without_link(accounts: Accounts) -> FirstAdmin:
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
def new_link(without_link: FirstAdmin) -> NewSetupLink:
    return new_setup_link(random=without_link.random, now=without_link.clock())


@pytest.fixture
def first_admin(without_link: FirstAdmin, new_link: NewSetupLink) -> FirstAdmin:
    return evolve(without_link, link=new_link.link)


def test_first_admin_is_logged_in(
    accounts: Accounts, first_admin: FirstAdmin, new_link: NewSetupLink
) -> None:
    session = first_admin.register(new_link.token, **ROOT)

    assert session.user.role is Role.ADMIN
    assert accounts.authenticate(session.session_token).is_admin


def test_link_works_once(first_admin: FirstAdmin, new_link: NewSetupLink, accounts: Accounts) -> None:
    first_admin.register(new_link.token, **ROOT)

    with pytest.raises(SetupLinkEnded):
        first_admin.require_link(new_link.token)
    with pytest.raises(SetupLinkEnded):
        first_admin.register(new_link.token, **{**ROOT, "email": "eve@example.org"})
    assert [user.email for user in accounts.list_users()] == ["root@example.org"]


def test_link_expires_after_a_day(
    first_admin: FirstAdmin, new_link: NewSetupLink, clock: FrozenClock
) -> None:
    clock.advance(LIFETIME - timedelta(microseconds=1))
    first_admin.require_link(new_link.token)
    clock.advance(timedelta(microseconds=1))

    with pytest.raises(SetupLinkEnded):
        first_admin.register(new_link.token, **ROOT)


def test_require_link_rejects_other_tokens(
    without_link: FirstAdmin, first_admin: FirstAdmin, new_link: NewSetupLink
) -> None:
    for admin, token in (
        (first_admin, new_link.token + "x"),
        (first_admin, ""),
        (without_link, new_link.token),
    ):
        with pytest.raises(SetupLinkEnded):
            admin.require_link(token)


def test_rejected_registration_keeps_the_link_valid(
    first_admin: FirstAdmin, new_link: NewSetupLink, accounts: Accounts
) -> None:
    accounts.register(name="Ada", email="ada@example.org", password="correct horse")
    with pytest.raises(Invalid):
        first_admin.register(new_link.token, **{**ROOT, "password": "short"})
    with pytest.raises(EmailTaken):
        first_admin.register(new_link.token, **{**ROOT, "email": "ada@example.org"})

    assert first_admin.register(new_link.token, **ROOT).user.role is Role.ADMIN


def test_admin_registrations_are_rate_limited(first_admin: FirstAdmin, new_link: NewSetupLink) -> None:
    for _ in range(5):
        first_admin.gate.count_registration("192.0.2.1")
    with pytest.raises(TooMany):
        first_admin.register(new_link.token, **ROOT)


def test_setup_link_round_trips_as_text() -> None:
    link = SetupLink(token_hash=b"\x01" * 32, ends_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))

    assert SetupLink.parse(link.text()) == link


@pytest.mark.parametrize("text", ["", "x", "00", "00 x", "zz 1", f"00 {10**30}", f"00 {10**11}0"])
def test_setup_link_rejects_other_text(text: str) -> None:
    assert SetupLink.parse(text) is None
