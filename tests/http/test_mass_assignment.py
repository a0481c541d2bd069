"""Smuggled fields change nothing: every writing operation, with fields that it does not have."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from flask.testing import FlaskClient
from sqlalchemy import Connection
from tests.http.people import Person, bearer
from tests.http.providers import with_provider
from tests.http.test_endpoints import FORMS, Credentials, Endpoint, call_for, main_endpoints

from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.core import Core

DIGITS = "987654321"
"""These digits are in every smuggled value, and in no real one."""

_NUMBER, _UUID, _DAY = int(DIGITS), f"00000000-0000-7000-8000-000{DIGITS}", "1999-01-01"
_OWN = {
    "is_admin": True,
    "admin": True,
    "role": "admin",
    "environment": "test",
    "review": True,
    "active": True,
    "created_at": f"{_DAY}T00:00:00Z",
    "updated_at": f"{_DAY}T00:00:00Z",
    "performed_at": f"{_DAY}T00:00:00Z",
}
_OTHERS = (
    "user_id",
    "owner_id",
    "key_id",
    "prediction_id",
    "remembered_id",
    "version",
    "fingerprint",
    "sample_size",
)
_WORDS = ("source", "make_key", "slug", "secret_key", "public_key", "password_hash", "generated_by")
SMUGGLED: dict[str, dict[str, Any]] = {
    "numbers": {
        "id": _NUMBER,
        "total": _NUMBER / 100,
        "labor_total": _NUMBER / 100,
        "average_total": _NUMBER / 100,
        **dict.fromkeys(_OTHERS, _NUMBER),
        **dict.fromkeys(_WORDS, DIGITS),
        **_OWN,
    },
    "texts": {
        "id": _UUID,
        "vehicle": {"id": _UUID, "make": DIGITS},
        "data": {"id": _NUMBER, "role": "admin"},
        "user": {"id": _NUMBER, "role": "admin", "is_admin": True},
        "evidence": {"w": _NUMBER},
        "lesson": {"w": _NUMBER},
        "__class__": DIGITS,
        "self": DIGITS,
        **_OWN,
    },
}
CHECKED = {
    "POST /api/v1/admin/transactions": {"total", "labor_total"},
    "/api/v1/admin/transactions/": {"version", "total", "labor_total"},
    "/api/v1/fleet/service-schedules/": {"version"},
    "/api/v1/admin/invoice-drafts/": {"version"},
    "PUT /api/v1/fleet/vehicles/": {"version"},
    "/api/v1/visits/": {"version"},
}
"""Fields that some operations check against the stored record."""

WRITERS = [
    one for one in main_endpoints() if one.method in {"PATCH", "POST", "PUT"} and one.path not in FORMS
]


@pytest.fixture
def core(core: Core) -> Core:
    """Return a core with a plate provider, which live keys need, and with mail."""
    core = core.replacing(passwords=evolve(core.passwords, sends_mails=True))
    return with_provider(core, core.lookups.sandbox)


@pytest.fixture
def credentials(api: FlaskClient, core: Core) -> Credentials:
    return Credentials(api, core)


def smuggled_rows(url: str) -> list[str]:
    """List the rows that contain a smuggled value."""
    micros = str(915_148_800_000_000)  # 1999-01-01
    return [text for text in map(str, _rows(url)) if DIGITS in text or _DAY in text or micros in text]


@contextmanager
def _connected(url: str) -> Iterator[Connection]:
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        yield connection


# As text, since SQLAlchemy would compile a statement for each table each time.
def _rows(url: str) -> list[tuple[Any, ...]]:
    with _connected(url) as connection:
        return [
            (table.name, *row)
            for table in METADATA.sorted_tables
            for row in connection.exec_driver_sql(f"SELECT * FROM {table.name}")  # noqa: S608 - our own names
        ]


def _roles(url: str) -> dict[str, str]:
    with _connected(url) as connection:
        return {row.email: row.role for row in connection.exec_driver_sql("SELECT email, role FROM users")}


def _count_test_rows(url: str) -> int:
    """Count the rows of the test environment, keys aside."""
    tables = [
        table.name
        for table in METADATA.sorted_tables
        if "environment" in table.c and table.name != "api_keys"
    ]
    counts = [f"(SELECT count(*) FROM {name} WHERE environment = 'test')" for name in tables]  # noqa: S608 - our own names
    with _connected(url) as connection:
        return int(connection.exec_driver_sql(f"SELECT {' + '.join(counts)}").scalar_one())


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize("kind", SMUGGLED)
@pytest.mark.parametrize("endpoint", WRITERS, ids=lambda one: f"{one.method} {one.path}")
def test_what_a_body_smuggles_in_changes_nothing(
    api: FlaskClient, credentials: Credentials, database_url: str, endpoint: Endpoint, kind: str
) -> None:
    path, good = call_for(endpoint, credentials.root)
    before, test_rows = _roles(database_url), _count_test_rows(database_url)
    headers = credentials.headers("admin session")
    smuggled = {name: value for name, value in SMUGGLED[kind].items() if name not in (good or {})}
    starts = (path, f"{endpoint.method} {path}")
    checked = {
        name
        for start, names in CHECKED.items()
        if any(one.startswith(start) for one in starts)
        for name in names
    }
    for name in checked & smuggled.keys():
        body = {**(good or {}), name: smuggled.pop(name)}
        refused = api.open(path, method=endpoint.method, json=body, headers=headers)
        assert refused.status_code in {409, 422}, refused.text
    answer = api.open(path, method=endpoint.method, json={**smuggled, **(good or {})}, headers=headers)
    assert answer.status_code == endpoint.success, answer.text
    assert DIGITS not in answer.text
    assert smuggled_rows(database_url) == []
    after = _roles(database_url)
    assert {email: after[email] for email in before} == before
    assert {after[email] for email in after.keys() - before.keys()} <= {"user"}
    assert _count_test_rows(database_url) == test_rows


@pytest.mark.parametrize("kind", SMUGGLED)
def test_registration_never_makes_an_admin(api: FlaskClient, kind: str) -> None:
    body = {**SMUGGLED[kind], "name": "Eve", "email": "eve@example.org", "password": "kettle 73 fog"}
    payload = api.post("/api/v1/auth/register", json=body).get_json()["data"]
    token, user = payload["session_token"], payload["user"]
    assert user["id"] != _NUMBER
    for path in ("/api/v1/admin/vehicles", "/api/v1/admin/settings/price-adjustment"):
        assert api.get(path, headers=bearer(token)).status_code == 403
    login = api.post("/api/v1/auth/login", json=body).get_json()["data"]
    assert api.get("/api/v1/admin/problems", headers=bearer(login["session_token"])).status_code == 403
    me = api.get("/api/user", headers=bearer(token)).get_json()
    assert "admin" not in str(me)


def test_key_belongs_to_the_caller(api: FlaskClient, ada: Person, eve: Person) -> None:
    body = {"name": "shop", "environment": "test", "user_id": eve.id, "owner_id": eve.id}
    key = api.post("/api/v1/dashboard/keys", json=body, headers=bearer(ada.token)).get_json()["data"]
    assert [one["id"] for one in ada.get("/api/v1/dashboard/keys").get_json()["data"]] == [key["id"]]
    assert eve.get("/api/v1/dashboard/keys").get_json()["data"] == []
