"""User administration by operators, on a real database."""

from threading import Barrier
from typing import Any

import pytest
from attrs import evolve
from tests.threads import at_once
from typing_extensions import override

from repaircore.accounts.administration import UserAdministration
from repaircore.accounts.errors import AccountLocked, LastAdmin, OwnAccount, UserNotFound, WrongCredentials
from repaircore.accounts.model import NewSession, UserFilter, UserState
from repaircore.accounts.service import Accounts
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller, Environment, Role
from repaircore.kernel.errors import Conflict, Forbidden, Invalid, Unauthenticated
from repaircore.kernel.paging import PageRequest
from repaircore.testing.passwords import PlainPasswords, RecordingGate

ADDRESS = "192.0.2.1"


@pytest.fixture
def core(core: Core) -> Core:
    assert core.storage is not None  # created here, so that the copy shares it
    return core.replacing(password_hasher=PlainPasswords(), limits=RecordingGate())


@pytest.fixture
def accounts(core: Core) -> Accounts:
    return core.accounts


@pytest.fixture
def operators(core: Core) -> UserAdministration:
    return core.user_administration


@pytest.fixture
def ada(accounts: Accounts) -> NewSession:
    return accounts.register(name="Ada Lovelace", email="ada@example.org", password="correct horse")


@pytest.fixture
def root(accounts: Accounts) -> Caller:
    accounts.register(name="Root", email="root@example.org", password="correct horse")
    accounts.set_role("root@example.org", Role.ADMIN)
    return accounts.caller_for("root@example.org")


def test_locked_account_cannot_be_used_until_it_is_unlocked(
    accounts: Accounts, operators: UserAdministration, ada: NewSession, root: Caller
) -> None:
    caller = accounts.authenticate(ada.session_token)
    new = accounts.create_key(name="shop", environment="live", caller=caller)
    rotated = accounts.rotate_key(new.key.id, caller=caller, overlap_hours=1)
    keys = (new.secret_key, rotated.secret_key, new.key.public_key)
    assert operators.lock(" ADA@example.org", root).is_locked

    for token in (ada.session_token, *keys):
        with pytest.raises(Unauthenticated):
            accounts.authenticate(token)
    with pytest.raises(AccountLocked):
        accounts.login(email="ada@example.org", password="correct horse", address=ADDRESS)
    with pytest.raises(WrongCredentials):
        accounts.login(email="ada@example.org", password="wrong horse", address=ADDRESS)
    assert not operators.unlock("ada@example.org", root).is_locked
    for key in keys:
        assert accounts.authenticate(key).user_id == ada.user.id
    with pytest.raises(Unauthenticated):
        accounts.authenticate(ada.session_token)
    assert accounts.login(email="ada@example.org", password="correct horse", address=ADDRESS).user.name == (
        "Ada Lovelace"
    )


def test_lock_during_a_login_wins(accounts: Accounts, operators: UserAdministration, ada: NewSession) -> None:
    class LockingPasswords(PlainPasswords):
        @override
        def verify(self, stored: str | None, password: str, *, subject: str | None = None) -> bool:
            result = super().verify(stored, password, subject=subject)
            operators.lock(ada.user.email)
            return result

    with pytest.raises(AccountLocked):
        evolve(accounts, hasher=LockingPasswords()).login(
            email=ada.user.email, password="correct horse", address=ADDRESS
        )
    operators.unlock(ada.user.email)

    assert operators.get(ada.user.id).sessions == 0


@pytest.mark.usefixtures("ada")
def test_lock_and_unlock_are_recorded_once_each(
    core: Core, operators: UserAdministration, root: Caller
) -> None:
    for change in (operators.lock, operators.lock, operators.unlock, operators.unlock):
        change("ada@example.org", root)
    recorded = [(entry.action, entry.user_id) for entry in core.audit.list_newest(limit=2)]

    assert recorded == [("user.unlock", root.user_id), ("user.lock", root.user_id)]


def test_admin_cannot_lock_or_demote_themselves(
    accounts: Accounts, operators: UserAdministration, ada: NewSession, root: Caller
) -> None:
    accounts.set_role(ada.user.email, Role.ADMIN)
    with pytest.raises(OwnAccount):
        operators.lock("root@example.org", root)
    with pytest.raises(OwnAccount):
        accounts.set_role("root@example.org", Role.USER, root)


def test_last_usable_admin_cannot_be_removed(
    accounts: Accounts, operators: UserAdministration, ada: NewSession, root: Caller
) -> None:
    accounts.set_role(ada.user.email, Role.ADMIN)
    eve = evolve(accounts.caller_for(ada.user.email), user_id=987)  # an admin deleted in the meantime
    operators.lock("ada@example.org", root)
    with pytest.raises(LastAdmin):
        operators.lock("root@example.org", eve)
    with pytest.raises(LastAdmin):
        accounts.set_role("root@example.org", Role.USER, eve)

    # A locked admin is not counted, so demoting one is allowed.
    assert accounts.set_role("ada@example.org", Role.USER, root).role is Role.USER
    assert operators.lock("root@example.org", LOCAL).is_locked


def test_two_admins_who_demote_each_other_leave_one(
    accounts: Accounts, ada: NewSession, root: Caller
) -> None:
    accounts.set_role(ada.user.email, Role.ADMIN)
    other, ready = accounts.caller_for(ada.user.email), Barrier(2)
    sides = iter([("ada@example.org", root), ("root@example.org", other)])

    def demote() -> bool:
        email, caller = next(sides)
        ready.wait(30)
        try:
            accounts.set_role(email, Role.USER, caller)
        except Conflict:
            return False
        return True

    assert sorted(at_once(2, demote)) == [False, True]
    assert [user.role for user in accounts.list_users()].count(Role.ADMIN) == 1


def test_page_filters_sorts_and_counts(
    accounts: Accounts, operators: UserAdministration, ada: NewSession, root: Caller
) -> None:
    accounts.create_key(name="shop", environment="live", caller=accounts.authenticate(ada.session_token))
    accounts.create_user(name="100% Bo_b", email="bo@example.org", password="correct horse", caller=root)

    def names(*, sort: str = "", **wanted: Any) -> list[str]:
        page = operators.page(UserFilter(**wanted), request=PageRequest(sort=sort), caller=root)
        return [item.user.name for item in page]

    assert names() == ["100% Bo_b", "Root", "Ada Lovelace"]
    assert names(sort="name") == ["100% Bo_b", "Ada Lovelace", "Root"]
    assert names(sort="email") == ["Ada Lovelace", "100% Bo_b", "Root"]
    assert names(sort="created_at") == names()[::-1]
    assert names(search=" LOVE ") == ["Ada Lovelace"]
    assert names(search="EXAMPLE.org", role=Role.ADMIN) == ["Root"]
    assert names(search="%") == ["100% Bo_b"]
    assert names(search="_") == ["100% Bo_b"]
    assert names(search="nobody") == []
    operators.lock("bo@example.org", root)
    assert names(state=UserState.LOCKED) == ["100% Bo_b"]
    assert "100% Bo_b" not in names(state=UserState.ACTIVE)
    (found,) = operators.page(UserFilter(search="ada"), caller=root)
    assert (found.keys, found.sessions) == (1, 1)
    assert operators.get(ada.user.id, root) == found
    second = operators.page(request=PageRequest(number=2, per_page=2), caller=root)
    assert (len(second.items), second.total, second.last) == (1, 3, 2)


def test_user_administration_requires_the_right_role(
    accounts: Accounts, operators: UserAdministration, ada: NewSession, root: Caller
) -> None:
    caller = accounts.authenticate(ada.session_token)
    tester = evolve(root, environment=Environment.TEST)
    for someone in (caller, tester):
        with pytest.raises(Forbidden):
            operators.lock("root@example.org", someone)
        with pytest.raises(Forbidden):
            operators.unlock("root@example.org", someone)
        with pytest.raises(Forbidden):
            accounts.set_role("ada@example.org", Role.ADMIN, someone)
        with pytest.raises(Forbidden):
            accounts.create_user(name="X", email="x@example.org", password="correct horse", caller=someone)
    with pytest.raises(Forbidden):
        operators.page(caller=caller)
    with pytest.raises(Forbidden):
        operators.get(ada.user.id, caller)
    assert operators.page(caller=tester).total == 2
    with pytest.raises(UserNotFound):
        operators.get(987_654, root)
    with pytest.raises(UserNotFound):
        operators.lock("nobody@example.org", root)
    with pytest.raises(Invalid):
        operators.page(request=PageRequest(number=0), caller=root)
