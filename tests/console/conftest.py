"""The console in front of a real Chromium.

``REPAIRCORE_TEST_PICTURES`` names a folder for screenshots of the pages; without it, none are taken.
"""

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.console.chromium import Tab, chromium, executable, tabs
from tests.console.serving import serve

from repaircore.core import Core, build
from repaircore.settings import Settings
from repaircore.testing.passwords import PlainPasswords


@pytest.fixture(scope="package")
def _require_browser() -> None:
    for package in ("playwright", "axe_playwright_python"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install '.[browser]'")
    if executable() is None:
        pytest.skip("there is no Chromium on this machine")


@pytest.fixture
def core(_require_browser: None, sqlite_url: str, tmp_path: Path) -> Iterator[Core]:
    """Open the installation that the server serves, as an operator does."""
    core = build(Settings(database_url=sqlite_url, state_folder=tmp_path / "operator"))
    yield core.replacing(password_hasher=PlainPasswords())
    core.close()


@pytest.fixture
def settings() -> dict[str, str]:
    """Return the settings of the server without their prefix; modules override this."""
    return {}


@pytest.fixture
def address(
    _require_browser: None, sqlite_url: str, tmp_path: Path, settings: dict[str, str]
) -> Iterator[str]:
    with serve(DATABASE_URL=sqlite_url, STATE_FOLDER=tmp_path / "state", **settings) as served:
        yield served


@pytest.fixture(scope="session")
def screenshots() -> Path | None:
    path = os.environ.get("REPAIRCORE_TEST_PICTURES")
    if not path:
        return None
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="package")
def browser(_require_browser: None) -> Iterator[Any]:
    """Start the browser once for all console tests."""
    with chromium() as started:
        yield started


@pytest.fixture
def open_tab(browser: Any, address: str, screenshots: Path | None) -> Iterator[Callable[..., Tab]]:
    with tabs(browser, address, screenshots) as tab:
        yield tab
