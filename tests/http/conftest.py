"""The example application, and the whole service over a core of its own, each with a client."""

import pytest
from flask.testing import FlaskClient
from tests.http.example import example_app
from tests.http.partners import PartnerApp, partner_app
from tests.http.people import Person, person
from tests.http.watched import serve_core

from repaircore.bootstrap import Core


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
