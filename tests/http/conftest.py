"""The example application, and the whole service over a core of its own, each with a client."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from flask.testing import FlaskClient
from tests.http.example import example_app
from tests.http.people import Person, person

from repaircore.bootstrap import Core
from repaircore.estimates.ports import ModelPanel
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock
from repaircore.testing.core import a_core
from repaircore.testing.models import CountingPanel
from repaircore_http.service import serve_core


@pytest.fixture
def client() -> FlaskClient:
    return example_app().test_client()


class OpenCore(Protocol):
    """Open an installation over the test's database; other settings may be named."""

    def __call__(self, *, panel: ModelPanel | None = None, **settings: Any) -> Core: ...


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def panel() -> CountingPanel:
    return CountingPanel()


@pytest.fixture
def open_core(
    database_url: str, tmp_path: Path, clock: FrozenClock, panel: CountingPanel
) -> Iterator[OpenCore]:
    opened: list[Core] = []
    models = panel

    def open_one(*, panel: ModelPanel | None = None, **settings: Any) -> Core:
        chosen = Settings(database_url=database_url, state_folder=tmp_path / "state", **settings)
        opened.append(a_core(chosen, clock=clock, panel=panel or models))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


@pytest.fixture
def core(open_core: OpenCore) -> Core:
    return open_core()


@pytest.fixture
def api(core: Core) -> FlaskClient:
    return serve_core(core).test_client()


@pytest.fixture
def ada(api: FlaskClient) -> Person:
    return person(api, "Ada")


@pytest.fixture
def eve(api: FlaskClient) -> Person:
    return person(api, "Eve")
