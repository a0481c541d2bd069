"""Many bad keys and a good one from the same address."""

import pytest
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.partners import PREFIX, partner_app
from tests.http.people import ASK, bearer, person
from tests.http.watched import serve_core

from repaircore.core import Core


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the counts do not depend on the database."""
    return sqlite_url


@pytest.fixture
def core(open_core: OpenCore) -> Core:
    return open_core(
        partner_requests_per_minute_unknown=3, public_requests_per_minute=3, login_failures_per_minute=1
    )


@pytest.fixture
def client(core: Core) -> FlaskClient:
    return serve_core(core).test_client()


def test_bad_api_keys_do_not_block_a_good_one(client: FlaskClient) -> None:
    key = person(client, "Ada").keys().secret_key
    for number in range(20):
        bad = f"{key[:-4]}{number:04}"
        assert client.post("/api/v1/predict", json=ASK, headers=bearer(bad)).status_code == 401

    assert client.post("/api/v1/predict", json=ASK, headers=bearer(key)).status_code == 200


def test_bad_partner_keys_do_not_block_a_good_one(client: FlaskClient, core: Core) -> None:
    partner = partner_app(client, core)
    sessions = f"{PREFIX}/sdk/sessions"
    bad = [client.post(sessions, json={"public_key": f"ppk_test_{n:043}"}).status_code for n in range(20)]
    assert {*bad} == {401, 429}

    assert client.post(sessions, json={"public_key": partner.public_key}).status_code == 201


def test_bad_provider_keys_do_not_block_visitors(client: FlaskClient, core: Core) -> None:
    path = "/api/v1/provider/requests"
    bad = [client.get(path, headers=bearer(f"rpk_live_{n:043}")).status_code for n in range(6)]

    assert {*bad} == {401, 429}
    core.limits.count_visitor("127.0.0.1")
