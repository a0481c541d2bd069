"""In the APIs of partners and providers, null is allowed for exactly the optional fields, both in the document and by the service."""

from collections.abc import Iterator
from typing import Any

import pytest
from attrs import frozen
from tests.http.partners import PREFIX, PartnerApp, partner_app
from tests.http.test_endpoints import blank
from tests.http.test_partner_endpoints import CALLS

from repaircore.core import Core
from repaircore_http.openapi import document
from repaircore_http.service import serve_core

DOCUMENT: dict[str, Any] = document()
INVOICE = {
    "labor_hours": 1.5,
    "labor_rate": 120.0,
    "parts": [{"name": "Pads", "unit_price": 80.0}],
    "problem_identifier": "brake-pads-front",
    "vin": "1HGCM82633A004352",
}
EXAMPLES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/mobile-rides/{}/complete"): {"invoice": INVOICE},
    ("POST", "/tow-rides/{}/complete"): {"invoice": INVOICE},
}
"""Bodies with more fields than those of the usual calls."""


@frozen
class Field:
    """A field of a body, with its path."""

    path: tuple[str, ...]
    is_required: bool
    takes_null: bool


def fields(schema: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[Field]:
    """Yield every field of a body, including nested objects and lists."""
    schema = _resolved(schema)
    for inner in schema.get("anyOf", ()):
        yield from fields(inner, path)
    if "items" in schema:
        yield from fields(schema["items"], (*path, "0"))
    for name, each in schema.get("properties", {}).items():
        yield Field((*path, name), name in schema.get("required", ()), _takes_null(each))
        yield from fields(each, (*path, name))


def bodies(prefix: str = PREFIX) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the method, the path and the schema of every JSON body under a prefix."""
    for path, operations in DOCUMENT["paths"].items():
        if path.startswith(prefix):
            for method, operation in operations.items():
                content = operation.get("requestBody", {}).get("content", {})
                if "application/json" in content:
                    name = blank(path.removeprefix(prefix)) or "/"
                    yield method.upper(), name, content["application/json"]["schema"]


BODIES = [*bodies()]
PROVIDER_BODIES = [*bodies("/api/v1/provider")]
each_body = pytest.mark.parametrize(
    ("method", "path", "schema"), BODIES, ids=[f"{method} {path}" for method, path, _ in BODIES]
)


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: bodies do not depend on the database."""
    return sqlite_url


@pytest.fixture
def app(core: Core) -> PartnerApp:
    return partner_app(serve_core(core).test_client(), core)


def test_bodies_are_found() -> None:
    assert len(BODIES) > 25
    assert len(PROVIDER_BODIES) == 5


def test_document_allows_null_exactly_for_optional_fields() -> None:
    wrong = [
        (method, path, field.path)
        for method, path, schema in [*BODIES, *PROVIDER_BODIES]
        for field in fields(schema)
        if field.is_required == field.takes_null
    ]

    assert wrong == []


@each_body
def test_null_is_accepted_for_optional_fields(
    app: PartnerApp, method: str, path: str, schema: dict[str, Any]
) -> None:
    call = CALLS.get((method, path))
    if call is None:  # sessions are opened without one
        assert path == "/sdk/sessions"
        session = {"public_key": app.public_key}
        with_nulls = {**session, "sdk_version": None}
        answers = [app.post(path, each) for each in (session, with_nulls)]
        assert [answer.status_code for answer in answers] == [201, 201]
        return
    address, sent = call(app)
    body: dict[str, Any] = {**(sent or {}), **EXAMPLES.get((method, path), {})}
    optional = [field for field in fields(schema) if not field.is_required]
    nulls = [field.path for field in optional if not _is_in(body, field.path)]
    for one in nulls:
        _put_null(body, one)
    answer = app.request(method, address, body)

    assert answer.status_code in {200, 201, 202}, answer.text


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        (path, schema)
        for method, path, schema in BODIES
        if method == "PATCH" and ("GET", path) in CALLS and not path.endswith("accepted")
    ],
)
def test_null_in_an_update_keeps_the_field(app: PartnerApp, path: str, schema: dict[str, Any]) -> None:
    address, _ = CALLS["PATCH", path](app)
    names = [field.path[0] for field in fields(schema) if len(field.path) == 1]
    texts = {
        "description": "It squeaks.",
        "partner_reference": "claim 4711",
        "notes": "blue door",
        "address": "412 W 5th St",
        "vehicle": {"year": 2018, "make": "Honda", "model": "Civic"},
        "metadata": {"a": "b"},
    }
    filled = {name: value for name, value in texts.items() if name in names}
    assert app.patch(address, filled).status_code == 200
    before = app.get(address).get_json()["data"]
    answer = app.patch(address, dict.fromkeys(names))

    assert answer.status_code == 200, answer.text
    assert app.get(address).get_json()["data"] == before
    texts_of = [name for name, value in filled.items() if isinstance(value, str)]
    cleared = app.patch(address, dict.fromkeys(texts_of, ""))
    assert cleared.status_code == 200, cleared.text
    after = app.get(address).get_json()["data"]
    assert {name: after[name] for name in texts_of} == dict.fromkeys(texts_of)


@each_body
def test_null_for_a_required_field_is_reported(
    app: PartnerApp, method: str, path: str, schema: dict[str, Any]
) -> None:
    required = [field.path[0] for field in fields(schema) if field.is_required and len(field.path) == 1]
    if not required:
        return
    call = CALLS.get((method, path))
    address = path if call is None else call(app)[0]
    answer = app.request(method, address, dict.fromkeys(required))

    assert answer.status_code == 400
    assert {*required} <= answer.get_json()["error"]["details"].keys()


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def _takes_null(schema: dict[str, Any]) -> bool:
    schema = _resolved(schema)
    return "null" in schema.get("type", ()) or any(map(_takes_null, schema.get("anyOf", ())))


def _is_in(body: Any, path: tuple[str, ...]) -> bool:
    """Return whether a body has a field, or lacks one of the objects that would contain it."""
    for name in path[:-1]:
        body = body[int(name)] if isinstance(body, list) else body.get(name)
        if not body:
            return True
    return path[-1] in body


def _put_null(body: Any, path: tuple[str, ...]) -> None:
    for name in path[:-1]:
        body = body[int(name)] if isinstance(body, list) else body[name]
    body[path[-1]] = None
