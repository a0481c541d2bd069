"""The example application, and the whole service over a core of its own, each with a client."""

import pytest
from flask.testing import FlaskClient
from tests.http.example import example_app
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
