"""The console in front of a real Chromium.

``REPAIRCORE_TEST_PICTURES`` names a folder for pictures of the pages; without it, none are taken.
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
    yield core.replacing(password_hasher=PlainPasswords())
    core.close()


@pytest.fixture
def settings() -> dict[str, str]:
    """Give the settings of the server, named without their prefix; a module may have its own."""
    return {}


@pytest.fixture
def address(_has_browser: None, sqlite_url: str, tmp_path: Path, settings: dict[str, str]) -> Iterator[str]:
    with serve(DATABASE_URL=sqlite_url, STATE_FOLDER=tmp_path / "state", **settings) as served:
        yield served


@pytest.fixture(scope="session")
def pictures() -> Path | None:
    named = os.environ.get("REPAIRCORE_TEST_PICTURES")
    if not named:
        return None
    folder = Path(named)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="package")
def browser(_has_browser: None) -> Iterator[Any]:
    """Start the browser once for these tests; each tab has a window of its own."""
    with chromium() as started:
        yield started


@pytest.fixture
def open_tab(browser: Any, address: str, pictures: Path | None) -> Iterator[Callable[..., Tab]]:
    with tabs(browser, address, pictures) as tab:
        yield tab
