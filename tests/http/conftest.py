"""The example application, and the whole service over a core of its own, each with a client."""

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


class _LateConsole:
    """A console that is made for its first request: it is half of an application, and most tests never look at it."""

    _addresses: ClassVar[dict[bool, Map]] = {}

    def __init__(self, core: Core, authenticate: Authenticate) -> None:
        self._core, self._authenticate = core, authenticate

    @cached_property
    def _made(self) -> Console:
        return make_console(self._core, authenticate=self._authenticate)

    @property
    def url_map(self) -> Map:
        """Return the addresses of some console with or without public pages: all have the same."""
        is_public = self._core.settings.public_pages
        if is_public not in self._addresses:
            self._addresses[is_public] = self._made.url_map
        return self._addresses[is_public]

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        return self._made(environ, start_response)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)


def _make_late(served: Core, *, authenticate: Authenticate) -> Any:
    return _LateConsole(served, authenticate)


service.make_console = _make_late  # type: ignore[attr-defined]


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
    """Give a partner with a session of the test environment."""
    return partner_app(api, core)


@pytest.fixture
def live_partner(partner: PartnerApp, api: FlaskClient, core: Core) -> PartnerApp:
    """Give the same partner with a session of the live environment."""
    return partner_app(api, core, partner.name, "live")


@pytest.fixture
def other_partner(api: FlaskClient, core: Core) -> PartnerApp:
    """Give another partner with a session of the test environment."""
    return partner_app(api, core, "Another Inc")


_ON_POSTGRES = 6
"""The doors are tried whole on SQLite, and one test in so many on PostgreSQL too; the stores have contracts on both."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is tried on PostgreSQL too as long, and leave out most of it unless REPAIRCORE_TEST_EVERYTHING is set."""
    here = Path(__file__).parent
    on_postgres = [
        item for item in items if item.path.is_relative_to(here) and item.get_closest_marker("postgres")
    ]
    for item in on_postgres:
        item.add_marker("long")
    if everything_is_wanted():
        return
    left_out = {item for item in on_postgres if not is_drawn(item.name, _ON_POSTGRES)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(autouse=True)
def _plans() -> Iterator[None]:
    """Demand of every statement that it looks through no table that grows: ``tests/plans.py``."""
    with watched() as found:
        yield
    assert found == []
