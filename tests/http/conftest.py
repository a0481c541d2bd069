"""The example application and a client for it."""

import pytest
from flask.testing import FlaskClient
from tests.http.example import example_app


@pytest.fixture
def client() -> FlaskClient:
    return example_app().test_client()
