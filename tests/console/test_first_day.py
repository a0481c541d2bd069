"""From an empty folder to a shared estimate that a visitor reads, with a real `repaircore serve` process."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.console.chromium import Tab, tabs
from tests.e2e.processes import Installation, serving

pytestmark = [pytest.mark.long, pytest.mark.browser]

VIN = "1HGCM82633A004352"


@pytest.fixture
def installation(_require_browser: None, tmp_path: Path) -> Iterator[Installation]:
    """Serve an empty folder without any settings."""
    folder = tmp_path / "shop"
    folder.mkdir()
    home = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    with serving(folder, ["--workers", "1", "--no-jobs"], home) as served:
        yield served


@pytest.fixture
def setup_path(installation: Installation) -> str:
    """Return the path of the setup link that the server prints."""
    assert installation.process.stdout is not None
    for line in installation.process.stdout:
        text = line.decode().strip()
        if "/console/setup/" in text:
            assert text.startswith(installation.url), "the link leads to the server that printed it"
            return urlsplit(text).path
    raise AssertionError("no link was printed")


@pytest.fixture
def open_tab(
    browser: Any, installation: Installation, screenshots: Path | None
) -> Iterator[Callable[..., Tab]]:
    with tabs(browser, installation.url, screenshots) as tab:
        yield tab


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_admin_comes_from_an_empty_folder_to_a_shared_estimate(
    open_tab: Callable[..., Tab], setup_path: str, size: str
) -> None:
    tab = open_tab(size)
    page = tab.page
    tab.open(setup_path)
    tab.screenshot(f"first-day-{size}-setup", whole=False)
    assert tab.faults() == {}
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    page.get_by_role("button", name="Create the admin account").click()
    page.get_by_text("Your admin account is ready.").wait_for()
    tab.screenshot(f"first-day-{size}-ready")
    assert tab.faults() == {}

    page.get_by_label("VIN", exact=True).fill(VIN)
    page.get_by_text("2003 Honda Accord").wait_for()
    page.get_by_role("combobox", name="Repair").press_sequentially("front brakes")
    page.locator("#offers li", has_text="Front Brake Pads").first.click()
    page.get_by_label("ZIP code").fill("90210")
    page.get_by_role("button", name="Estimate", exact=True).click()
    page.wait_for_url("**/console/estimates/*")
    assert page.locator("a[href*='/e/']").count() == 0, "an estimate is not shared by default"
    page.get_by_role("link", name="Share", exact=True).click()
    page.get_by_role("button", name="Create a link").click()
    page.get_by_text("The link is ready.").wait_for()
    tab.screenshot(f"first-day-{size}-shared")
    assert tab.faults() == {}
    assert tab.missing_focus_rings() == []
    link = page.locator("#link").inner_text()

    visitor = open_tab(size)
    visitor.page.goto(link)
    visitor.page.get_by_role("heading", name="Front Brake Pads").wait_for()
    visitor.screenshot(f"first-day-{size}-link")
    assert visitor.faults() == {}
    assert visitor.missing_focus_rings() == []
    assert "repaircore_session" not in str(visitor.page.context.cookies())
    html = visitor.page.content()
    for private in (VIN, VIN[:11], "ada@example.com", "Ada<", page.url.rsplit("/", 1)[1].partition("?")[0]):
        assert private not in html
    visitor.page.get_by_role("link", name="Estimate it for my car").click()
    visitor.page.get_by_role("heading", name="What will the repair cost?").wait_for()

    page.get_by_text("Stop sharing…").click()
    page.get_by_role("button", name="Stop sharing").click()
    page.get_by_text("The link was revoked.").wait_for()
    tab.screenshot(f"first-day-{size}-stopped", whole=False)
    visitor.page.goto(link)
    visitor.page.get_by_text("This link does not work.").wait_for()
    visitor.screenshot(f"first-day-{size}-ended", whole=False)
    assert visitor.faults() == {}
    used = open_tab(size)
    used.open(setup_path)
    used.page.get_by_text("This link does not work").wait_for()
