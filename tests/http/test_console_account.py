"""The pages of accounts: forgotten passwords, sessions, the first admin, webhooks, and renaming and rotating keys."""

import re
from datetime import timedelta

import pytest
from attrs import evolve
from tests.conftest import OpenCore
from tests.http.people import bearer
from tests.http.visitors import PASSWORD, Page, Visitor, visitor

from repaircore.accounts.first_admin import LIFETIME
from repaircore.core import Core
from repaircore.kernel.callers import Role
from repaircore.messages.model import Channel
from repaircore.testing.clock import FrozenClock
from repaircore_http.service import serve_core

NEW = "battery staple"
CHROME = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the contract tests cover both databases."""
    return sqlite_url


@pytest.fixture
def core(core: Core) -> Core:
    return core.replacing(passwords=evolve(core.passwords, sends_mails=True))


@pytest.fixture
def ada(core: Core) -> Visitor:
    return visitor(serve_core(core).test_client(), "Ada")


@pytest.fixture
def guest(core: Core) -> Visitor:
    return Visitor(serve_core(core).test_client())


def mailed_address(core: Core) -> str:
    """Return the address in the last mail, after links were mailed."""
    core.passwords.mail_links()
    with core.storage.transaction() as work:
        mails = work.messages.claim(Channel.EMAIL, core.clock(), until=core.clock(), limit=100)
    return str(re.findall(r"http://\S+(/console/reset/\S+)", mails[-1].content.body)[-1])


def test_forgotten_password_is_replaced_by_a_mailed_link(core: Core, ada: Visitor, guest: Visitor) -> None:
    guest.get("/console/forgot")
    answer = guest.post("/console/forgot", {"email": "Ada@example.org"})
    assert "If this e-mail address has an account" in Page(guest.get(answer.headers["Location"]).text).words

    address = mailed_address(core)
    form = guest.page(address)
    assert address in form.actions
    assert "At least 8 characters" in form.words
    rejected = guest.post(address, {"password": "short"})
    assert rejected.status_code == 422
    assert guest.post(address, {"password": NEW}).headers["Location"] == "/console/login?done=password-reset"
    assert ada.get("/console/account").status_code == 303
    assert guest.get(address).status_code == 404
    guest.get("/console/login")
    login = guest.post("/console/login", {"email": "ada@example.org", "password": NEW})
    assert login.headers["Location"] == "/console"


@pytest.mark.usefixtures("ada")
def test_forgot_gives_the_same_answer_with_and_without_an_account(guest: Visitor) -> None:
    answers = []
    for email in ("ada@example.org", "bo@example.org"):
        guest.get("/console/forgot")
        answer = guest.post("/console/forgot", {"email": email})
        answers.append((answer.status_code, answer.headers["Location"], answer.text))
    assert answers[0] == answers[1]


def test_forgot_is_rate_limited(guest: Visitor) -> None:
    guest.get("/console/forgot")
    statuses = [guest.post("/console/forgot", {"email": "bo@example.org"}).status_code for _ in range(6)]
    assert statuses == [303] * 5 + [429]


def test_forgot_without_mail_shows_the_command(open_core: OpenCore) -> None:
    guest = Visitor(serve_core(open_core()).test_client())
    page = guest.page("/console/forgot")
    assert "does not send e-mail" in page.words
    assert "repaircore users reset-password" in page.words
    assert page.actions == []
    guest.get("/console/login")
    assert guest.post("/console/forgot", {"email": "ada@example.org"}).status_code == 503


@pytest.mark.parametrize("token", ["x", "prl_" + "0" * 43, "%00", "..%2f..", "%ed%a0%80", "é", "x" * 5000])
def test_guessed_links_are_not_found(guest: Visitor, token: str) -> None:
    for page in ("reset", "setup"):
        assert guest.get(f"/console/{page}/{token}").status_code == 404


def test_account_lists_sessions_and_ends_them(core: Core, ada: Visitor) -> None:
    elsewhere = core.accounts.login(
        email=ada.email, password=PASSWORD, address="203.0.113.7", user_agent=CHROME
    )
    page = ada.page("/console/account")
    assert "Chrome on Windows" in page.words
    assert "203.0.113.0/24" in page.words
    assert "203.0.113.7" not in page.words
    (address,) = [action for action in page.actions if action.endswith("/end")]

    assert ada.post(address).headers["Location"] == "/console/account?done=session-ended"
    api = serve_core(core).test_client()
    assert api.get("/api/user", headers=bearer(elsewhere.session_token)).status_code == 401
    assert ada.post(address).status_code == 404


def test_ending_ones_own_session_logs_out(core: Core, ada: Visitor) -> None:
    (own,) = core.accounts.list_sessions(core.accounts.caller_for(ada.email))
    ada.get("/console/account")
    answer = ada.post(f"/console/account/sessions/{own.id}/end")
    assert answer.headers["Location"] == "/console/login?done=logged-out"
    assert ada.get("/console/account").headers["Location"] == "/console/login?next=/console/account"


def test_all_other_sessions_can_be_ended(core: Core, ada: Visitor) -> None:
    for _ in range(3):
        core.accounts.login(email=ada.email, password=PASSWORD, address="203.0.113.7")
    ada.get("/console/account")
    ada.post("/console/account/sessions/end-others")
    assert len(core.accounts.list_sessions(core.accounts.caller_for(ada.email))) == 1
    assert ada.get("/console/account").status_code == 200


def test_session_of_another_user_is_not_ended(core: Core, ada: Visitor) -> None:
    eve = visitor(serve_core(core).test_client(), "Eve")
    (theirs,) = core.accounts.list_sessions(core.accounts.caller_for(eve.email))
    ada.get("/console/account")
    assert ada.post(f"/console/account/sessions/{theirs.id}/end").status_code == 404
    assert eve.get("/console/account").status_code == 200


def test_password_is_changed_with_the_current_one(core: Core, ada: Visitor) -> None:
    other = core.accounts.login(email=ada.email, password=PASSWORD, address="203.0.113.7")
    ada.get("/console/account")
    wrong = ada.post("/console/account/password", {"current_password": "x", "password": NEW})
    assert wrong.status_code == 422
    assert "The current password is wrong." in Page(wrong.text).words
    both = ada.post("/console/account/password", {})
    assert "The current password field is required." in Page(both.text).words
    answer = ada.post("/console/account/password", {"current_password": PASSWORD, "password": NEW})
    assert answer.headers["Location"] == "/console/account?done=password-changed"
    assert ada.get("/console/account").status_code == 200
    api = serve_core(core).test_client()
    assert api.get("/api/user", headers=bearer(other.session_token)).status_code == 401


def test_setup_link_makes_one_admin(core: Core, clock: FrozenClock) -> None:
    new = core.create_setup_link()
    assert new is not None
    with_link = core.replacing(first_admin=evolve(core.first_admin, link=new.link))
    root, late = (Visitor(serve_core(with_link).test_client()) for _ in range(2))
    address = f"/console/setup/{new.token}"
    clock.advance(LIFETIME - timedelta(seconds=1))
    form = {"name": "Root", "email": "root@example.org", "password": PASSWORD}
    assert address in root.page(address).actions
    assert late.page(address).ids
    rejected = root.post(address, {**form, "password": "short"})
    assert rejected.status_code == 422
    assert root.post(address, form).headers["Location"] == "/console?done=first-admin"

    assert root.get("/console/admin/prices").status_code == 200
    assert late.post(address, {**form, "email": "late@example.org"}).status_code == 404
    assert late.get(address).status_code == 404
    assert [user.role for user in core.accounts.list_users()] == [Role.ADMIN]
    assert core.create_setup_link() is None


def test_key_is_renamed_and_rotated(core: Core, ada: Visitor) -> None:
    caller = core.accounts.caller_for(ada.email)
    created = core.accounts.create_key(name="shop", environment="test", caller=caller)
    ada.get("/console/keys")
    blank = ada.post(f"/console/keys/{created.key.id}/rename", {"new_name": " "})
    assert blank.status_code == 422
    assert f"rename-{created.key.id}-error1" in Page(blank.text).ids
    renamed = ada.post(f"/console/keys/{created.key.id}/rename", {"new_name": "front desk"})
    assert renamed.headers["Location"] == "/console/keys?done=key-renamed"

    answer = ada.post(f"/console/keys/{created.key.id}/rotate", {"overlap_hours": "24"})
    assert answer.status_code == 200
    words = Page(answer.text).words
    assert "The key “front desk” has a new secret key" in words
    assert "The old one works until" in words
    (secret,) = re.findall(r"sk_test_\w{39}", words)
    api = serve_core(core).test_client()
    for token in (secret, created.secret_key, created.key.public_key):
        assert api.post("/api/v1/predict", headers=bearer(token)).status_code == 422
    assert secret not in ada.get("/console/keys").text


@pytest.mark.parametrize("hours", ["-1", "25", "x", "1.5", "9" * 50])
def test_invalid_overlap_is_rejected(core: Core, ada: Visitor, hours: str) -> None:
    caller = core.accounts.caller_for(ada.email)
    created = core.accounts.create_key(name="shop", environment="test", caller=caller)
    ada.get("/console/keys")
    answer = ada.post(f"/console/keys/{created.key.id}/rotate", {"overlap_hours": hours})
    assert answer.status_code == 422
    assert f"rotate-{created.key.id}" in Page(answer.text).ids


# Webhooks


HOOK = {"url": "https://example.com/hooks", "events": "visit.sent"}


def test_webhook_is_added_tested_and_deleted(core: Core, ada: Visitor) -> None:
    ada.get("/console/account")

    added = ada.post("/console/account/webhooks", HOOK)

    assert added.status_code == 201
    (secret,) = re.findall(r"whsec_[\w+/=]+", added.text)
    with core.storage.read() as work:
        (stored,) = work.subscriptions.list_all()
    assert core.webhook_secrets.unseal(stored.sealed) == secret
    page = ada.page("/console/account")
    assert secret not in page.words
    assert "https://example.com/hooks An estimate is sent Nothing has been sent yet." in page.words
    place = f"/console/account/webhooks/{stored.ref}"
    assert ada.post(f"{place}/test").headers["Location"] == "/console/account?done=webhook-tested"
    assert core.webhook_operations.get_backlog().pending == 1
    assert ada.post(f"{place}/delete").headers["Location"] == "/console/account?done=webhook-deleted"
    assert "You do not have any webhooks yet." in ada.page("/console/account").words


def test_rejected_webhook_keeps_the_typed_values(ada: Visitor) -> None:
    ada.get("/console/account")

    answer = ada.post("/console/account/webhooks", {"url": "http://10.0.0.1/hooks"})

    page = Page(answer.text)
    assert answer.status_code == 422
    assert page.value("url") == "http://10.0.0.1/hooks"
    assert "The url field must begin with https://" in page.words
    assert "The events field is required." in page.words
    assert page.words.count("Fix the fields below") == 1


def test_webhook_of_another_user_is_not_deleted(core: Core, ada: Visitor) -> None:
    eve = visitor(serve_core(core).test_client(), "Eve")
    ada.get("/console/account")
    ada.post("/console/account/webhooks", {**HOOK, "url": "https://example.com/mine"})
    with core.storage.read() as work:
        (stored,) = work.subscriptions.list_all()
    eve.get("/console/account")

    assert eve.post(f"/console/account/webhooks/{stored.ref}/delete").status_code == 404
    assert "https://example.com/mine" not in eve.page("/console/account").words
    assert "https://example.com/mine" in ada.page("/console/account").words
