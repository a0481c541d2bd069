"""The OpenAPI document and the page that shows it."""

import csv
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest
from attrs import frozen
from flask import Response
from flask.testing import FlaskClient
from openapi_spec_validator import validate
from tests.http.example import ExampleCore, authenticate, partner
from tests.http.partners import PREFIX
from tests.http.test_endpoints import LIST, OPTIONAL_ENDPOINTS, blank
from tests.http.watched import Document, schema_errors

from repaircore.kernel.rules import Length, OneOf, Pattern, Range
from repaircore.kernel.views import UNSET, UnsetType, view
from repaircore_http.app import create_app
from repaircore_http.document.descriptions import BY_SHAPE, CHOICES
from repaircore_http.document.document import document_of, serialized
from repaircore_http.document.schemas import Schemas
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.openapi import detached_app, document
from repaircore_http.routes import GuardedRule, Routes

BODY = json.dumps(document()).encode()
DOCUMENT = Document(BODY)
RECORD = "record its example: python -m tests.http.recorded"
SUCCESSES = {"200", "201", "202"}


def operations() -> list[tuple[str, str]]:
    return [(path, method) for path, methods in DOCUMENT.content["paths"].items() for method in methods]


each_operation = pytest.mark.parametrize(("path", "method"), operations())


def endpoints() -> Iterator[dict[str, str]]:
    with LIST.open(newline="") as file:
        yield from csv.DictReader(file)


def test_document_is_valid() -> None:
    validate(DOCUMENT.content)


def test_document_has_the_operations_of_the_endpoint_list_with_their_groups_and_statuses() -> None:
    expected = {
        (endpoint["method"], blank(endpoint["path"])): (
            endpoint["group"],
            {*endpoint["success"].split("/")},
        )
        for endpoint in endpoints()
    }
    documented = {
        (method.upper(), blank(path)): (
            DOCUMENT.operation(path, method)["tags"][0],
            SUCCESSES & DOCUMENT.operation(path, method)["responses"].keys(),
        )
        for path, method in operations()
    }
    assert documented == expected


def test_document_has_the_credentials_of_the_endpoint_list() -> None:
    auth_of = {(endpoint["method"], blank(endpoint["path"])): endpoint["auth"] for endpoint in endpoints()}
    for path, method in operations():
        operation = DOCUMENT.operation(path, method)
        auth = auth_of[method.upper(), blank(path)]
        schemes = [sorted(scheme) for scheme in operation["security"]]
        assert schemes == {
            "none": [],
            "optional": [[], ["credential"]],
            "partner": [["partner"]],
            "provider": [["provider"]],
        }.get(auth, [["credential"]])
        assert ("401" in operation["responses"]) == (
            auth != "none" or path.endswith(("/login", "/sessions", "/metrics"))
        )


def test_document_has_idempotency_headers_as_in_the_endpoint_list() -> None:
    idempotent = {
        (endpoint["method"], blank(endpoint["path"]))
        for endpoint in endpoints()
        if endpoint["idempotent"] == "yes"
    }
    for path, method in operations():
        operation = DOCUMENT.operation(path, method)
        headers = {
            parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "header"
        }
        is_idempotent = (method.upper(), blank(path)) in idempotent
        assert ("Idempotency-Key" in headers) == is_idempotent
        replayed = {
            status
            for status, response in operation["responses"].items()
            if "Idempotent-Replayed" in DOCUMENT.dereferenced(response)["headers"]
        }
        if is_idempotent:
            assert replayed >= {"400", "409", *(SUCCESSES & operation["responses"].keys())}
            assert operation["responses"].keys() >= {"413", "415"}


@pytest.mark.parametrize("path", [path for path in DOCUMENT.content["paths"] if path.startswith(PREFIX)])
def test_document_has_rate_limit_headers_in_every_answer_to_a_partner(path: str) -> None:
    for operation in DOCUMENT.content["paths"][path].values():
        for status, response in operation["responses"].items():
            headers = DOCUMENT.dereferenced(response)["headers"]
            assert {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} <= headers.keys()
            assert status != "429" or headers["Retry-After"]["required"]


@each_operation
def test_operation_is_fully_described(path: str, method: str) -> None:
    operation = DOCUMENT.operation(path, method)
    parameters = operation.get("parameters", [])
    assert operation["summary"]
    assert operation["description"]
    assert "500" in operation["responses"]
    assert re.findall(r"\{(\w+)\}", path) == [
        parameter["name"] for parameter in parameters if parameter["in"] == "path"
    ]
    for parameter in parameters:
        assert "null" not in str(parameter["schema"])


def test_every_tag_is_described() -> None:
    used = {tag for path, method in operations() for tag in DOCUMENT.operation(path, method)["tags"]}

    assert used <= {tag["name"] for tag in DOCUMENT.content["tags"] if tag["description"]}


def test_operation_ids_are_unique() -> None:
    names = [DOCUMENT.operation(path, method)["operationId"] for path, method in operations()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z_]+", name) for name in names)


def test_every_description_by_shape_belongs_to_an_existing_field() -> None:
    fields = {
        (schema.get("title", name), field)
        for name, schema in _object_schemas()
        for field in schema["properties"]
    }
    assert {*BY_SHAPE, *CHOICES} <= fields


def _object_schemas() -> Iterator[tuple[str, Any]]:
    """Yield the schema of each component, request body and query, with its name."""
    yield from DOCUMENT.content["components"]["schemas"].items()
    for rule in detached_app().url_map.iter_rules():
        if isinstance(rule, GuardedRule):
            for shape in filter(None, (rule.spec.accepts, rule.spec.query)):
                yield shape.__name__, Schemas().body(shape)


@each_operation
def test_examples_of_an_operation_match_its_schemas(path: str, method: str) -> None:
    operation = DOCUMENT.operation(path, method)
    status = next(status for status in operation["responses"] if status in SUCCESSES)
    content = operation["responses"][status]["content"]
    if path.startswith("/docs") or path in {"/api/openapi.json", *OPTIONAL_ENDPOINTS}:
        return
    if "application/json" in content:  # a file has no example
        assert "example" in content["application/json"], RECORD
        assert example_errors(content["application/json"]) == [], RECORD
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None and operation["requestBody"]["required"]:
        assert example_errors(body) == [], RECORD
    for parameter in operation.get("parameters", []):
        if parameter["required"]:
            assert example_errors(parameter) == []


def test_description_does_not_repeat_the_summary() -> None:
    info = DOCUMENT.content["info"]

    assert info["summary"].startswith("What a repair will cost")
    assert "repair cost" not in info["description"]


def test_environment_of_a_new_key_is_an_enumeration() -> None:
    body = DOCUMENT.content["paths"]["/api/v1/dashboard/keys"]["post"]["requestBody"]["content"]

    assert body["application/json"]["schema"]["properties"]["environment"]["enum"] == ["live", "test"]


def test_examples_of_error_responses_match_their_schemas() -> None:
    for response in DOCUMENT.content["components"]["responses"].values():
        content = response["content"]["application/json"]
        for example in content["examples"].values():
            assert example_errors({"schema": content["schema"], "example": example["value"]}) == []


def example_errors(content: dict[str, Any]) -> list[str]:
    """List the differences of an example from its schema."""
    validator = DOCUMENT.validator(content["schema"], closed=True)
    return schema_errors(validator, json.dumps(content["example"]).encode())


def test_no_example_contains_a_credential() -> None:
    assert re.findall(rb"\b(?:mst|whsec|[sp]k_(?:live|test))_[A-Za-z0-9_-]{8,}", BODY) == []


def test_document_is_served_and_revalidated_by_its_etag(api: FlaskClient) -> None:
    first = api.get("/api/openapi.json")
    again = api.get("/api/openapi.json", headers={"If-None-Match": first.headers["ETag"]})

    assert first.status_code == 200
    paths = {
        path: methods for path, methods in DOCUMENT.content["paths"].items() if path not in OPTIONAL_ENDPOINTS
    }
    assert first.json == {**DOCUMENT.content, "paths": paths}
    assert (again.status_code, again.data) == (304, b"")
    assert api.get("/api/openapi.json", headers={"If-None-Match": '"another"'}).status_code == 200
    assert api.head("/api/openapi.json").data == b""


def test_document_is_serialized_once(api: FlaskClient) -> None:
    app = api.application
    assert serialized(app) is serialized(app)


def test_docs_page_loads_only_files_of_this_service(api: FlaskClient) -> None:
    page = api.get("/docs")

    assert page.mimetype == "text/html"
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    links = re.findall(r'(?:href|src)="([^"]+)"', page.text)
    assets = [link for link in links if link.startswith("docs/")]
    assert {link.rpartition("/")[2] for link in assets} >= {
        "swagger-ui-bundle.js",
        "swagger-ui.css",
        "start.js",
    }
    assert "api/openapi.json" in links
    for link in {*links} - {"#api", ".", "console/keys"}:  # which are the console's
        assert api.get(f"/{link}").status_code == 200, link
    for link in assets:  # their addresses contain a hash of their content, so that they may be cached forever
        asset = api.get(f"/{link}")
        assert asset.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        digest = sha256(asset.data).hexdigest()
        assert link.split("/")[1] == digest[: len(link.split("/")[1])]
        assert api.get(f"/{link.replace(link.split('/')[1], '0' * 16)}").status_code == 404
    assert "//" not in re.sub(r"<!doctype[^>]*>", "", "".join(links))


@pytest.mark.parametrize("name", ["..%2fsetup.py", "nothing.js", "swagger-ui.js", "LICENSE", "%00"])
def test_docs_page_serves_no_other_file(api: FlaskClient, name: str) -> None:
    start = re.findall(r'src="([^"]+)start\.js"', api.get("/docs").text)[0]
    assert api.get(f"/{start}{name}").status_code == 404
    assert api.get(f"/docs/{name}").status_code == 404


def test_document_names_a_route_that_does_not_declare_its_answer() -> None:
    routes = Routes("silent", url_prefix="/silent", auth=Auth.NONE)

    @routes.get("/thing", safe=True)
    def thing() -> Response:
        return reply({})

    app = create_app(ExampleCore(), authenticate=authenticate, blueprints=[routes])
    with pytest.raises(LookupError, match=r"GET /silent/thing does not declare its response"):
        document_of(app)


@frozen(kw_only=True)
class Input:
    name: str


@frozen(kw_only=True)
class OtherInput:
    name: str


@view
class OutputView:
    name: str


@pytest.mark.parametrize("part", ["body", "query"])
def test_route_fails_when_its_view_reads_another_shape(part: str) -> None:
    routes = Routes("drifting", url_prefix="/drifting", auth=Auth.NONE)

    @routes.post("/body", accepts=Input, returns=OutputView)
    def body() -> Response:
        return reply({"name": read_body(OtherInput).name})

    @routes.post("/query", query=Input, returns=OutputView)
    def query() -> Response:
        return reply({"name": read_query(OtherInput).name})

    app = create_app(ExampleCore(), authenticate=authenticate, blueprints=[routes])
    assert app.test_client().post(f"/drifting/{part}?name=a", json={"name": "a"}).status_code == 500


def test_document_names_a_dialect_without_error_shapes() -> None:
    routes = Routes("foreign", url_prefix="/foreign", auth=Auth.KEY, dialect=partner)

    @routes.get("/thing", safe=True, returns=OutputView)
    def thing() -> Response:
        return reply({"name": "a"})

    app = create_app(ExampleCore(), authenticate=authenticate, blueprints=[routes])
    with pytest.raises(LookupError, match="partner"):
        document_of(app)


# Schemas

T = TypeVar("T")


@view
class EnvelopeView(Generic[T]):
    data: T
    also: str | UnsetType = UNSET


@view
class FilledView(EnvelopeView[list[OutputView]]):
    more: int | None


INTEGER = {"type": "integer", "format": "int64", "minimum": -(2**63), "maximum": 2**63 - 1}
NAME = {"type": "string", "description": "The name."}


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (str, {"type": "string"}),
        (int, INTEGER),
        (str | None, {"type": ["string", "null"]}),
        (list[bool], {"type": "array", "items": {"type": "boolean"}}),
        (tuple[float, ...], {"type": "array", "items": {"type": "number"}}),
        (Literal["a"], {"const": "a"}),
        (Literal["a", "b"] | None, {"type": ["string", "null"], "enum": ["a", "b", None]}),
        (float | str | None, {"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "null"}]}),
        (Annotated[int, Range(1, 9)], {**INTEGER, "minimum": 1, "maximum": 9}),
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
                "propertyNames": {"type": "string", "enum": [auth.value for auth in Auth]},
            },
        ),
    ],
)
def test_schemas_of_types(kind: Any, schema: dict[str, Any]) -> None:
    assert Schemas().of(kind) == schema


def test_schemas_make_a_class_a_component_with_its_inherited_fields() -> None:
    schemas = Schemas()
    assert schemas.of(FilledView) == {"$ref": "#/components/schemas/Filled"}
    assert schemas.components["Output"]["properties"] == {"name": NAME}
    filled = schemas.components["Filled"]
    assert filled["required"] == ["data", "more"]
    assert filled["properties"]["data"] == {"type": "array", "items": {"$ref": "#/components/schemas/Output"}}


def test_schemas_reject_two_classes_with_the_same_name() -> None:
    schemas = Schemas()
    schemas.of(OutputView)
    other = type("OutputView", (Input,), {})
    with pytest.raises(TypeError, match="Two classes are called Output"):
        schemas.of(other)


def test_schemas_reject_a_type_without_schema() -> None:
    with pytest.raises(TypeError, match="complex"):
        Schemas().of(complex)


def test_every_route_declares_its_answer() -> None:
    undeclared = [
        rule.rule
        for rule in detached_app().url_map.iter_rules()
        if isinstance(rule, GuardedRule) and not rule.spec.is_declared
    ]
    assert undeclared == []
