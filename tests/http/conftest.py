"""The example application, and the whole service over a core of its own, each with a client."""

import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.http.example import example_app
from tests.http.partners import PartnerApp, partner_app
from tests.http.people import Person, person
from tests.http.watched import serve_core
from tests.plans import watched
from werkzeug.routing import Rule

from repaircore.core import Core


def _keep_builders() -> None:
    """Have werkzeug compile what builds a rule's address once for each rule, not for each of some thousand applications.

    That is most of what making an application costs. What is compiled depends on the rule's text alone, and gets the rule told.
    """
    kept: dict[tuple[Any, ...], Callable[..., tuple[str, str]]] = {}
    compiled = Rule._compile_builder

    def once(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:  # noqa: FBT001, FBT002
        name = (rule.rule, rule.subdomain, rule.merge_slashes, repr(rule.defaults), append_unknown)
        if name not in kept:
            kept[name] = compiled(rule, append_unknown)
        return kept[name]

    Rule._compile_builder = once  # type: ignore[assignment,method-assign]


_keep_builders()


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


_SHARE = 3
"""The doors are tried whole on SQLite, and one test in so many on PostgreSQL too; the stores have contracts on both."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out most of what the doors repeat on PostgreSQL, unless REPAIRCORE_TEST_EVERYTHING is set."""
    if os.environ.get("REPAIRCORE_TEST_EVERYTHING"):
        return
    here = Path(__file__).parent
    left_out = [item for item in items if item.path.is_relative_to(here) and _is_repeated(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def _is_repeated(item: pytest.Item) -> bool:
    if item.get_closest_marker("postgres") is None:
        return False
    return zlib.crc32(item.name.encode()) % _SHARE != 0


@pytest.fixture(autouse=True)
def _plans() -> Iterator[None]:
    """Demand of every statement that it looks through no table that grows: ``tests/plans.py``."""
    with watched() as found:
        yield
    assert found == []
