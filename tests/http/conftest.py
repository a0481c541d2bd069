"""The example application, and the service over the test's core, each with a client."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from flask.testing import FlaskClient
from tests.compiled import compile_once
from tests.http.example import example_app
from tests.http.partners import PartnerApp, partner_app
from tests.http.people import Person, person
from tests.http.watched import serve_core
from tests.plans import watched
from tests.sampling import everything_is_wanted, is_drawn
from werkzeug.routing import Map

from repaircore.core import Core
from repaircore_http import service
from repaircore_http.console.app import Console
from repaircore_http.console.site import make_console
from repaircore_http.guards import Authenticate

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

compile_once()


class _LazyConsole:
    """A console that is created on its first request: it takes half the time of an application, and most tests never use it."""

    _addresses: ClassVar[dict[bool, Map]] = {}

    def __init__(self, core: Core, authenticate: Authenticate) -> None:
        self._core, self._authenticate = core, authenticate

    @cached_property
    def _console(self) -> Console:
        return make_console(self._core, authenticate=self._authenticate)

    @property
    def url_map(self) -> Map:
        """Return the routes, which depend only on whether there are public pages."""
        is_public = self._core.settings.public_pages
        if is_public not in self._addresses:
            self._addresses[is_public] = self._console.url_map
        return self._addresses[is_public]

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        return self._console(environ, start_response)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._console, name)


def _make_lazily(served: Core, *, authenticate: Authenticate) -> Any:
    return _LazyConsole(served, authenticate)


service.make_console = _make_lazily  # type: ignore[attr-defined]


@pytest.fixture
def client() -> FlaskClient:
    return example_app().test_client()


@pytest.fixture
def api(core: Core) -> FlaskClient:
    return serve_core(core).test_client()


@pytest.fixture
def ada(api: FlaskClient) -> Person:
    return person(api, "Ada")


@pytest.fixture
def eve(api: FlaskClient) -> Person:
    return person(api, "Eve")


@pytest.fixture
def partner(api: FlaskClient, core: Core) -> PartnerApp:
    """Return a partner with a session in the test environment."""
    return partner_app(api, core)


@pytest.fixture
def live_partner(partner: PartnerApp, api: FlaskClient, core: Core) -> PartnerApp:
    """Return the same partner with a session in the live environment."""
    return partner_app(api, core, partner.name, "live")


@pytest.fixture
def other_partner(api: FlaskClient, core: Core) -> PartnerApp:
    """Return another partner with a session in the test environment."""
    return partner_app(api, core, "Another Inc")


_POSTGRES_SHARE = 6
"""All HTTP tests run on SQLite, and one in this many on PostgreSQL too; the stores have contract tests on both."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the PostgreSQL variants as long, and skip most of them unless REPAIRCORE_TEST_EVERYTHING is set."""
    here = Path(__file__).parent
    on_postgres = [
        item for item in items if item.path.is_relative_to(here) and item.get_closest_marker("postgres")
    ]
    for item in on_postgres:
        item.add_marker("long")
    if everything_is_wanted():
        return
    skipped = {item for item in on_postgres if not is_drawn(item.name, _POSTGRES_SHARE)}
    if skipped:
        config.hook.pytest_deselected(items=list(skipped))
        items[:] = [item for item in items if item not in skipped]


@pytest.fixture(autouse=True)
def _check_plans() -> Iterator[None]:
    """Check that no statement scans a table that grows: ``tests/plans.py``."""
    with watched() as found:
        yield
    assert found == []
