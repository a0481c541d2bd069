"""The console, served as in production, in front of a real Chromium.

``REPAIRCORE_TEST_PICTURES`` names a folder for pictures of the pages; without it, none are taken.
"""

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.console.chromium import Tab, chromium, executable, tabs
from tests.e2e.server import Server, gunicorn

from repaircore.core import Core, build
from repaircore.settings import Settings


@pytest.fixture(scope="module")
def _has_browser() -> None:
    for package in ("playwright", "axe_playwright_python"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install '.[browser]'")
    if executable() is None:
        pytest.skip("there is no Chromium on this machine")


@pytest.fixture
def behind(_has_browser: None, sqlite_url: str, tmp_path: Path) -> Iterator[Core]:
    """Open what the server serves, as an operator does."""
    core = build(Settings(database_url=sqlite_url, state_folder=tmp_path / "operator"))
    yield core
    core.close()


@pytest.fixture
def server(_has_browser: None, sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    with gunicorn(
        tmp_path / "server.log", DATABASE_URL=sqlite_url, STATE_FOLDER=tmp_path / "state"
    ) as served:
        yield served


@pytest.fixture(scope="session")
def pictures() -> Path | None:
    named = os.environ.get("REPAIRCORE_TEST_PICTURES")
    if not named:
        return None
    folder = Path(named)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def browser(_has_browser: None) -> Iterator[Any]:
    """Start the browser once for a module; each tab has a window of its own."""
    with chromium() as started:
        yield started


@pytest.fixture
def open_tab(browser: Any, server: Server, pictures: Path | None) -> Iterator[Callable[..., Tab]]:
    with tabs(browser, str(server.client.base_url).rstrip("/"), pictures) as tab:
        yield tab
