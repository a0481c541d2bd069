"""Accounts in Chromium: the first admin, a forgotten password, sessions and keys; also without scripts."""

import re
from collections.abc import Callable

import pytest
from tests.console.chromium import SIZES, Tab

from repaircore.core import Core
from repaircore.kernel.callers import Role
from repaircore.messages.model import Channel
from repaircore.settings import SETUP_LINK

pytestmark = [pytest.mark.long, pytest.mark.browser]

_FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"


@pytest.fixture
def setup_token(core: Core) -> tuple[str, str]:
    core.upgrade()
    new = core.create_setup_link()
    assert new is not None
    return new.token, new.link.text()


@pytest.fixture
def settings(setup_token: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Configure mail, and the setup link for the first admin."""
    monkeypatch.setenv(SETUP_LINK, setup_token[1])
    return {"SMTP_URL": "smtp://127.0.0.1:9", "MAIL_FROM": "shop@example.com"}


@pytest.fixture
def ada(core: Core) -> str:
    core.upgrade()
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    return "ada@example.com"


def mailed_path(core: Core) -> str:
    core.passwords.mail_links()
    with core.storage.transaction() as work:
        mails = work.messages.claim(Channel.EMAIL, core.clock(), until=core.clock(), limit=9)
    return str(re.findall(r"(/console/reset/\S+)", mails[-1].content.body)[-1])


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_accounts_can_be_read_and_used(
    open_tab: Callable[..., Tab], core: Core, ada: str, setup_token: tuple[str, str], size: str
) -> None:
    caller = core.accounts.caller_for(ada)
    key = core.accounts.create_key(name="front desk", environment="live", caller=caller).key
    core.accounts.rotate_key(key.id, caller=caller, overlap_hours=24)
    for address in ("203.0.113.7", "2001:db8::7"):
        core.accounts.login(email=ada, password="correct horse", address=address, user_agent=_FIREFOX)
    tab = open_tab(size)
    tab.open("/console/forgot")
    tab.page.get_by_label("E-mail").fill(ada)
    tab.page.get_by_role("button", name="E-mail me a link").click()
    tab.page.get_by_text("If this e-mail address has an account").wait_for()
    for name, path in (
        ("login", "/console/login"),
        ("register", "/console/register"),
        ("forgot", "/console/forgot"),
        ("reset", mailed_path(core)),
        ("setup", f"/console/setup/{setup_token[0]}"),
        ("link-ended", "/console/reset/nothing"),
    ):
        tab.open(path)
        tab.screenshot(f"{size}-{name}")
        assert tab.faults() == {}, path
        assert tab.missing_focus_rings() == [], path
    tab.log_in(ada, "correct horse")
    for name in ("account", "keys"):
        tab.open(f"/console/{name}")
        for summary in tab.page.locator("main summary").all():
            summary.click()
        tab.screenshot(f"{size}-{name}-open")
        assert tab.faults() == {}, name
        assert tab.missing_focus_rings() == [], name


@pytest.mark.parametrize("scripts", [True, False])
def test_forgotten_password_is_replaced(
    open_tab: Callable[..., Tab], core: Core, ada: str, *, scripts: bool
) -> None:
    tab = open_tab("phone", java_script_enabled=scripts)
    page = tab.page
    tab.open("/console/login")
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("E-mail").fill(ada)
    page.get_by_role("button", name="E-mail me a link").click()
    page.get_by_text("If this e-mail address has an account").wait_for()
    tab.screenshot("phone-forgot-sent", whole=False)

    tab.open(mailed_path(core))
    page.get_by_label("New password").fill("short")
    page.get_by_role("button", name="Save the new password").click()
    page.get_by_role("alert").wait_for()
    page.get_by_label("New password").fill("battery staple")
    page.get_by_role("button", name="Save the new password").click()
    page.get_by_text("Your password was changed").wait_for()
    tab.log_in(ada, "battery staple")


def test_password_is_shown_and_hidden(open_tab: Callable[..., Tab], ada: str) -> None:
    tab = open_tab()
    tab.open("/console/login")
    field = tab.page.get_by_label("Password")
    field.fill("correct horse")
    tab.page.get_by_role("button", name="Show password").click()
    assert field.get_attribute("type") == "text"
    tab.screenshot("desktop-shown-password", whole=False)
    tab.page.get_by_role("button", name="Hide password").click()
    assert field.get_attribute("type") == "password"
    tab.page.get_by_role("button", name="Show password").click()
    tab.page.get_by_label("E-mail").fill(ada)
    tab.page.get_by_role("button", name="Log in").click()
    tab.page.wait_for_url("**/console")
    assert tab.complaints == []


def test_password_button_is_absent_without_scripts(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(java_script_enabled=False)
    tab.open("/console/login")
    assert not tab.page.get_by_text("Show password").is_visible()


def test_first_admin_comes_from_the_link_to_the_admin_pages(
    open_tab: Callable[..., Tab], core: Core, setup_token: tuple[str, str]
) -> None:
    tab = open_tab()
    tab.open(f"/console/setup/{setup_token[0]}")
    page = tab.page
    page.get_by_label("Name").fill("Root")
    page.get_by_label("E-mail").fill("root@example.com")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Create the admin account").click()
    page.get_by_text("Your admin account is ready.").wait_for()
    page.get_by_role("link", name="Regions").first.click()
    page.get_by_role("heading", name="Regions").wait_for()
    assert [user.role for user in core.accounts.list_users()] == [Role.ADMIN]
    tab.open(f"/console/setup/{setup_token[0]}")
    assert "This link does not work" in tab.text()


def test_session_and_password_and_key_are_looked_after(
    open_tab: Callable[..., Tab], core: Core, ada: str
) -> None:
    caller = core.accounts.caller_for(ada)
    core.accounts.create_key(name="shop", environment="live", caller=caller)
    core.accounts.login(email=ada, password="correct horse", address="203.0.113.7", user_agent=_FIREFOX)
    tab = open_tab("phone")
    tab.log_in(ada, "correct horse")
    page = tab.page
    page.get_by_text("Menu", exact=True).click()
    page.get_by_role("link", name="Account").click()
    page.get_by_role("button", name="End this session").click()
    page.get_by_text("The session has ended.").wait_for()
    assert "Firefox on Linux" not in tab.text()
    page.get_by_label("Current password").fill("correct horse")
    page.get_by_label("New password").fill("battery staple")
    page.get_by_role("button", name="Change the password").click()
    page.get_by_text("Your password was changed.").wait_for()

    tab.open("/console/keys")
    page.get_by_text("Rename…").click()
    page.get_by_label("New name").fill("front desk")
    page.get_by_role("button", name="Rename").click()
    page.get_by_text("The key was renamed.").wait_for()
    page.get_by_text("Replace the secret…").click()
    page.get_by_label("The old secret key stops working").select_option("24")
    page.get_by_role("button", name="Replace the secret key").click()
    page.get_by_text("Copy the secret key now.").wait_for()
    tab.screenshot("phone-rotated")
    assert tab.faults() == {}
    assert re.fullmatch(r"sk_live_\w{39}", page.locator("#secret-key").inner_text())
