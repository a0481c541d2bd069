"""Operators in Chromium invite and lock users, run a job, read the audit log and download a backup."""

import socket
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.console.chromium import SIZES, Tab

from repaircore.core import Core
from repaircore.kernel.callers import Environment, PartnerCaller, Role
from repaircore.settings import PREFIX
from repaircore.webhooks.model import CreateSubscription

pytestmark = [pytest.mark.long, pytest.mark.browser]

PASSWORD = "correct horse"
PAGES = (
    "health",
    "jobs",
    "figures",
    "users",
    "users/new",
    "users/1",
    "users/2",
    "audit",
    "backups",
    "settings",
    "webhooks",
)


SETTINGS = {
    "METRICS": "on",
    "METRICS_TOKEN": "a-token-of-32-characters-that-only-tests-know",
    "REQUESTS_PER_MINIT": "60",
    "MODEL_B_API_KEY": "sk-a-key-that-is-hidden",
}
"""With metrics on, and with a variable that is not a setting."""


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(f"{PREFIX}{name}", value)
    return SETTINGS


@pytest.fixture
def root(core: Core) -> str:
    """Return the e-mail of an admin of an installation with some history."""
    core.upgrade()
    accounts = core.accounts
    accounts.create_user(name="Root", email="root@example.com", password=PASSWORD)
    accounts.set_role("root@example.com", Role.ADMIN)
    caller = accounts.caller_for("root@example.com")
    accounts.create_user(
        name="Adelheid Wolfeschlegelsteinhausenbergerdorff",
        email="adelheid.wolfeschlegelsteinhausenbergerdorff@customers.example.com",
        password=PASSWORD,
    )
    accounts.create_user(name="Bo", email="bo@example.com", password=PASSWORD)
    core.user_administration.lock("bo@example.com", caller)
    core.predictions.adjust_prices(5.0, caller)
    core.predictions.adjust_prices(-2.5, caller)
    core.jobs.run_due()
    partner = core.partners.create("Ada's Rides", "test").partner
    known = PartnerCaller(partner_id=partner.id, environment=Environment.TEST)
    with socket.socket() as closed:  # bound but not listening, so that deliveries fail
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/{'a-long-path-without-a-break' * 4}"
        created = core.webhooks.create(CreateSubscription(url=address, events=("*",)), known).subscription
        for _ in range(2):
            core.webhook_operations.test(created.ref)
    return "root@example.com"


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_operators_can_be_read_and_used(open_tab: Callable[..., Tab], root: str, size: str) -> None:
    tab = open_tab(size)
    tab.log_in(root, PASSWORD)
    for page in PAGES:
        tab.open(f"/console/admin/{page}")
        tab.screenshot(f"operate-{size}-{page.replace('/', '-')}")
        assert tab.faults() == {}, page
        assert tab.missing_focus_rings() == [], page


@pytest.mark.parametrize("scripts", [True, False])
def test_operator_adds_promotes_and_locks_users_and_makes_a_backup(
    open_tab: Callable[..., Tab], core: Core, root: str, tmp_path: Path, *, scripts: bool
) -> None:
    tab = open_tab(java_script_enabled=scripts)
    tab.log_in(root, PASSWORD)
    page = tab.page
    page.get_by_role("link", name="Operate").click()
    page.get_by_role("heading", name="Health").wait_for()
    assert "REPAIRCORE_REQUESTS_PER_MINIT" in tab.text()
    page.get_by_role("link", name="Users").click()
    page.get_by_role("link", name="Add a user").click()
    page.get_by_label("Name").fill("Cy")
    page.get_by_label("E-mail").fill("cy@example.com")
    page.get_by_role("button", name="Add the user").click()
    page.get_by_text("Copy the link now.").wait_for()
    link = page.locator("#password-link").inner_text()
    tab.screenshot("operate-link")
    if scripts:
        assert tab.faults() == {}

    page.get_by_text("Make an admin…").click()
    page.get_by_label("Your password").last.fill("wrong horse")
    page.get_by_role("button", name="Make Cy an admin").click()
    page.get_by_role("alert").wait_for()
    tab.screenshot("operate-wrong-password")
    if scripts:
        assert tab.faults() == {}
    page.locator("#promote-password").fill(PASSWORD)
    page.get_by_role("button", name="Make Cy an admin").click()
    page.get_by_text("The user is an admin now.").wait_for()
    page.get_by_text("Lock…").click()
    page.get_by_role("button", name="Lock this account").click()
    page.get_by_text("The account is locked.").wait_for()
    assert core.user_administration.page().items[0].user.is_locked
    other = open_tab()
    other.open("/console/reset/" + link.rpartition("/")[2])
    assert "does not work" in other.text()

    page.get_by_role("link", name="Audit log").click()
    page.get_by_label("Action").select_option("user.lock")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("2 changes, newest first.").wait_for()
    page.get_by_role("link", name="Backups").click()
    page.get_by_label("Your password").fill(PASSWORD)
    with page.expect_download() as download:
        page.get_by_role("button", name="Make and download a backup").click()
    file = tmp_path / "downloaded.zip"
    download.value.save_as(file)
    assert ZipFile(file).testzip() is None
    assert core.backups.verify(file).rows > 0
    page.get_by_role("link", name="Jobs").click()
    card = page.locator(".job-card").filter(has=page.get_by_role("heading", name="messages.prune"))
    card.get_by_role("button", name="Run now").click()
    page.get_by_text("The job was requested.").wait_for()
