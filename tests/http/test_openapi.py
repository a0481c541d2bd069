"""The document of the API and the page that shows it."""

import csv
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Annotated, Any, Generic, Literal, NotRequired, TypedDict, TypeVar

import pytest
from attrs import frozen
from flask import Response
from flask.testing import FlaskClient
from openapi_spec_validator import validate
from tests.http.example import ExampleCore, authenticate, partner
from tests.http.partners import PREFIX
from tests.http.test_endpoints import LIST, SWITCHED_ON, blank
from tests.http.watched import Document, faults

from repaircore.kernel.rules import Length, OneOf, Pattern, Range
from repaircore_http.app import create_app
from repaircore_http.document.schemas import Schemas
from repaircore_http.document.whole import document_of, written
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.openapi import document, standing_alone
from repaircore_http.routes import GuardedRule, Routes

_BODY = json.dumps(document()).encode()
_TOLD = Document(_BODY)
_SUCCESSES = {"200", "201"}


def operations() -> list[tuple[str, str]]:
    return [(path, method) for path, told in _TOLD.told["paths"].items() for method in told]


each_operation = pytest.mark.parametrize(("path", "method"), operations())


def lines() -> Iterator[dict[str, str]]:
    with LIST.open(newline="") as file:
        yield from csv.DictReader(file)


def test_the_document_is_valid() -> None:
    validate(_TOLD.told)


def test_the_document_has_the_operations_of_the_list_and_their_groups_and_statuses() -> None:
    listed = {
        (line["method"], blank(line["path"])): (line["group"], {*line["success"].split("/")})
        for line in lines()
    }
    told = {
        (method.upper(), blank(path)): (
            _TOLD.operation(path, method)["tags"][0],
            _SUCCESSES & _TOLD.operation(path, method)["responses"].keys(),
        )
        for path, method in operations()
    }
    assert told == listed


def test_what_needs_a_credential_says_so() -> None:
    needs = {(line["method"], blank(line["path"])): line["auth"] for line in lines()}
    for path, method in operations():
        told = _TOLD.operation(path, method)
        need = needs[method.upper(), blank(path)]
        schemes = [sorted(one) for one in told["security"]]
        assert schemes == {"none": [], "optional": [[], ["credential"]], "partner": [["partner"]]}.get(
            need, [["credential"]]
        )
        assert ("401" in told["responses"]) == (
            need != "none" or path.endswith(("/login", "/sessions", "/metrics"))
        )


def test_what_acts_once_for_a_key_takes_one_and_says_when_an_answer_is_told_again() -> None:
    once = {(line["method"], blank(line["path"])) for line in lines() if line["idempotent"] == "yes"}
    for path, method in operations():
        told = _TOLD.operation(path, method)
        taken = {one["name"] for one in told.get("parameters", ()) if one["in"] == "header"}
        acts_once = (method.upper(), blank(path)) in once
        assert ("Idempotency-Key" in taken) == acts_once
        again = {
            status
            for status, answer in told["responses"].items()
            if "Idempotent-Replayed" in _TOLD.resolved(answer)["headers"]
        }
        if acts_once:
            assert again >= {"400", "409", *(_SUCCESSES & told["responses"].keys())}
            assert told["responses"].keys() >= {"413", "415"}


@pytest.mark.parametrize("path", [path for path in _TOLD.told["paths"] if path.startswith(PREFIX)])
def test_every_answer_to_a_partner_says_how_many_requests_are_left(path: str) -> None:
    for told in _TOLD.told["paths"][path].values():
        for status, answer in told["responses"].items():
            headers = _TOLD.resolved(answer)["headers"]
            assert {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} <= headers.keys()
            assert status != "429" or headers["Retry-After"]["required"]


@each_operation
def test_an_operation_is_described_in_full(path: str, method: str) -> None:
    told = _TOLD.operation(path, method)
    assert told["summary"]
    assert told["description"]
    assert "500" in told["responses"]
    assert re.findall(r"\{(\w+)\}", path) == [
        one["name"] for one in told.get("parameters", []) if one["in"] == "path"
    ]
    for parameter in told.get("parameters", []):
        assert "null" not in str(parameter["schema"])


def test_the_names_of_operations_are_unlike() -> None:
    names = [_TOLD.operation(path, method)["operationId"] for path, method in operations()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z_]+", name) for name in names)


@each_operation
def test_the_examples_of_an_operation_are_what_it_takes_and_tells(path: str, method: str) -> None:
    told = _TOLD.operation(path, method)
    status = next(status for status in told["responses"] if status in _SUCCESSES)
    content = told["responses"][status]["content"]
    if path.startswith("/docs") or path in {"/api/openapi.json", *SWITCHED_ON}:
        return
    shown = content["application/json"]
    assert faults(_TOLD.checked(shown["schema"], closed=True), json.dumps(shown["example"]).encode()) == []
    body = told.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None and told["requestBody"]["required"]:
        assert faults(_TOLD.checked(body["schema"], closed=True), json.dumps(body["example"]).encode()) == []
    for parameter in told.get("parameters", []):
        if parameter["required"]:
            check = _TOLD.checked(parameter["schema"], closed=True)
            assert faults(check, json.dumps(parameter["example"]).encode()) == []


def test_the_examples_of_refusals_are_what_is_told() -> None:
    for answer in _TOLD.told["components"]["responses"].values():
        shown = answer["content"]["application/json"]
        for example in shown["examples"].values():
            check = _TOLD.checked(shown["schema"], closed=True)
            assert faults(check, json.dumps(example["value"]).encode()) == []


def test_no_example_holds_what_looks_like_a_credential() -> None:
    assert re.findall(rb"\b(?:mst|whsec|[sp]k_(?:live|test))_[A-Za-z0-9_-]{8,}", _BODY) == []


def test_the_document_is_served_and_a_caller_who_has_it_is_told_so(api: FlaskClient) -> None:
    first = api.get("/api/openapi.json")
    assert first.status_code == 200
    usual = {path: told for path, told in _TOLD.told["paths"].items() if path not in SWITCHED_ON}
    assert first.json == {**_TOLD.told, "paths": usual}
    again = api.get("/api/openapi.json", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert api.get("/api/openapi.json", headers={"If-None-Match": '"another"'}).status_code == 200
    assert api.head("/api/openapi.json").data == b""


def test_the_document_is_written_once(api: FlaskClient) -> None:
    app = api.application
    assert written(app) is written(app)


def test_the_page_and_all_that_it_names_are_served_and_nothing_else_is_asked(api: FlaskClient) -> None:
    page = api.get("/docs")
    assert page.mimetype == "text/html"
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    named = re.findall(r'(?:href|src)="([^"]+)"', page.text)
    pieces = [name for name in named if name.startswith("docs/")]
    assert {name.rpartition("/")[2] for name in pieces} >= {
        "swagger-ui-bundle.js",
        "swagger-ui.css",
        "start.js",
    }
    assert "api/openapi.json" in named
    for name in named:
        assert api.get(f"/{name}").status_code == 200, name
    for name in pieces:  # their addresses name their content, so that they may be kept for ever
        piece = api.get(f"/{name}")
        assert piece.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        digest = sha256(piece.data).hexdigest()
        assert name.split("/")[1] == digest[: len(name.split("/")[1])]
        assert api.get(f"/{name.replace(name.split('/')[1], '0' * 16)}").status_code == 404
    assert "//" not in re.sub(r"<!doctype[^>]*>", "", "".join(named))


@pytest.mark.parametrize("name", ["..%2fsetup.py", "nothing.js", "swagger-ui.js", "LICENSE", "%00"])
def test_the_page_is_made_of_nothing_else(api: FlaskClient, name: str) -> None:
    start = re.findall(r'src="([^"]+)start\.js"', api.get("/docs").text)[0]
    assert api.get(f"/{start}{name}").status_code == 404
    assert api.get(f"/docs/{name}").status_code == 404


def test_a_route_that_does_not_say_what_it_tells_is_named() -> None:
    routes = Routes("silent", url_prefix="/silent", auth=Auth.NONE)

    @routes.get("/thing", safe=True)
    def thing() -> Response:
        return reply({})

    app = create_app(ExampleCore(), authenticate=authenticate, blueprints=[routes])
    with pytest.raises(LookupError, match=r"GET /silent/thing does not declare its answer"):
        document_of(app)


@frozen(kw_only=True)
class Asked:
    name: str


@frozen(kw_only=True)
class AskedElse:
    name: str


class Told(TypedDict):
    name: str


@pytest.mark.parametrize("where", ["body", "query"])
def test_a_view_that_reads_another_shape_than_its_route_declares_fails(where: str) -> None:
    routes = Routes("drifting", url_prefix="/drifting", auth=Auth.NONE)

    @routes.post("/body", accepts=Asked, returns=Told)
    def body() -> Response:
        return reply({"name": read_body(AskedElse).name})

    @routes.post("/query", query=Asked, returns=Told)
    def query() -> Response:
        return reply({"name": read_query(AskedElse).name})

    app = create_app(ExampleCore(), authenticate=authenticate, blueprints=[routes])
    assert app.test_client().post(f"/drifting/{where}?name=a", json={"name": "a"}).status_code == 500


def test_a_dialect_without_words_is_refused() -> None:
    routes = Routes("foreign", url_prefix="/foreign", auth=Auth.KEY, dialect=partner)

    @routes.get("/thing", safe=True, returns=Told)
    def thing() -> Response:
        return reply({"name": "a"})

    app = create_app(ExampleCore(), authenticate=authenticate, blueprints=[routes])
    with pytest.raises(LookupError, match="partner"):
        document_of(app)


# Schemas

T = TypeVar("T")


class Envelope(TypedDict, Generic[T]):
    data: T
    also: NotRequired[str]


class Filled(Envelope[list[Told]]):
    more: int | None


WHOLE = {"type": "integer", "format": "int64", "minimum": -(2**63), "maximum": 2**63 - 1}
NAME = {"type": "string", "description": "What it is called."}


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (str, {"type": "string"}),
        (int, WHOLE),
        (str | None, {"type": ["string", "null"]}),
        (list[bool], {"type": "array", "items": {"type": "boolean"}}),
        (tuple[float, ...], {"type": "array", "items": {"type": "number"}}),
        (Literal["a"], {"const": "a"}),
        (Literal["a", "b"] | None, {"type": ["string", "null"], "enum": ["a", "b", None]}),
        (float | str | None, {"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "null"}]}),
        (Annotated[int, Range(1, 9)], {**WHOLE, "minimum": 1, "maximum": 9}),
        (Annotated[str, Length(1, 9)], {"type": "string", "minLength": 1, "maxLength": 9}),
        (
            Annotated[list[str], Length(0, 9)],
            {"type": "array", "items": {"type": "string"}, "maxItems": 9},
        ),
        (Annotated[str, Pattern("a+", "must be a")], {"type": "string", "pattern": "^(?:a+)$"}),
        (Annotated[str, OneOf("a", "b")], {"type": "string", "enum": ["a", "b"]}),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
        (
            dict[Auth, bool],
            {
                "type": "object",
                "additionalProperties": {"type": "boolean"},
                "propertyNames": {"type": "string", "enum": [need.value for need in Auth]},
            },
        ),
    ],
)
def test_a_type_becomes_a_schema(kind: Any, schema: dict[str, Any]) -> None:
    assert Schemas().of(kind) == schema


def test_a_class_becomes_a_component_and_what_it_inherits_is_in_it() -> None:
    schemas = Schemas()
    assert schemas.of(Filled) == {"$ref": "#/components/schemas/Filled"}
    assert schemas.components["Told"]["properties"] == {"name": NAME}
    filled = schemas.components["Filled"]
    assert filled["required"] == ["data", "more"]
    assert filled["properties"]["data"] == {"type": "array", "items": {"$ref": "#/components/schemas/Told"}}


def test_two_shapes_of_one_name_are_refused() -> None:
    schemas = Schemas()
    schemas.of(Told)
    other = type("Told", (Asked,), {})
    with pytest.raises(TypeError, match="Two shapes are called Told"):
        schemas.of(other)


def test_a_type_of_which_no_schema_is_known_is_refused() -> None:
    with pytest.raises(TypeError, match="complex"):
        Schemas().of(complex)


def test_every_route_has_its_shapes_declared() -> None:
    silent = [
        rule.rule
        for rule in standing_alone().url_map.iter_rules()
        if isinstance(rule, GuardedRule) and not rule.spec.is_declared
    ]
    assert silent == []
