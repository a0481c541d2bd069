"""The service for tests, with every answer and every accepted request validated against its OpenAPI document.

Answers must match the document's schema for their operation and status exactly: an undocumented field is an error too, though
callers must expect additions.
"""

import io
import json
import os
from collections.abc import Hashable, Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import jsonschema_rs
from werkzeug.exceptions import HTTPException

from repaircore.core import Core
from repaircore_http import service
from repaircore_http.app import Api
from repaircore_http.document.document import serialized
from repaircore_http.document.error_responses import ERROR_SHAPES, error_body
from repaircore_http.document.operations import path_of
from repaircore_http.document.schemas import Schemas
from repaircore_http.errors import dialect_of
from repaircore_http.routes import GuardedRule

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class Undocumented(AssertionError):
    """A request or an answer differs from the document."""


class Document:
    """The OpenAPI document of an application, with validators."""

    def __init__(self, body: bytes) -> None:
        self.content: dict[str, Any] = json.loads(body)
        self._closed = _closed(self.content)

    def operation(self, path: str, method: str) -> dict[str, Any]:
        """Return an operation; a HEAD is answered as its GET."""
        operation: dict[str, Any] = self.content["paths"][path]["get" if method == "HEAD" else method.lower()]
        return operation

    def validate_answer(
        self, path: str, method: str, status: int, content_type: str, body: bytes
    ) -> list[str]:
        """List how an answer differs from the document."""
        responses = self.operation(path, method)["responses"]
        if str(status) not in responses:
            return [f"{status} is not documented; {', '.join(responses)} are."]
        content = self.dereferenced(responses[str(status)]).get("content", {})
        if not content or "*/*" in content:
            return []
        media_type = content_type.partition(";")[0]
        if media_type not in content:
            return [f"{content_type} is not documented; {', '.join(content)} is."]
        if content_type != "application/json":
            return []
        return schema_errors(self.validator(content[media_type]["schema"], closed=True), body)

    def validate_request(self, path: str, method: str, body: bytes) -> list[str]:
        """List how an accepted JSON body differs from the document."""
        content = self.operation(path, method).get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            return []
        return schema_errors(self.validator(content["application/json"]["schema"], closed=False), body)

    def validator(self, schema: dict[str, Any], *, closed: bool) -> "jsonschema_rs.Validator":
        """Return a validator for a schema that refers to the document's components."""
        return _validator(json.dumps(schema), closed, self)

    def components(self, *, closed: bool) -> dict[str, Any]:
        """Return the components; closed ones allow only the fields they name."""
        components: dict[str, Any] = (self._closed if closed else self.content)["components"]
        return components

    def dereferenced(self, response: dict[str, Any]) -> dict[str, Any]:
        """Return a response, following a reference."""
        if "$ref" not in response:
            return response
        component: dict[str, Any] = self.content["components"]["responses"][
            response["$ref"].rpartition("/")[2]
        ]
        return component


@cache
def _validator(schema: str, closed: bool, document: Document) -> "jsonschema_rs.Validator":  # noqa: FBT001 - a key of the cache
    own = json.loads(schema)
    whole = {**(_closed(own) if closed else own), "components": document.components(closed=closed)}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def schema_errors(validator: "jsonschema_rs.Validator", body: bytes) -> list[str]:
    return [
        f"{'.'.join(map(str, error.instance_path)) or 'body'}: {error.message}"
        for error in validator.iter_errors(json.loads(body))
    ]


def _closed(schema: Any) -> Any:
    """Return a schema whose objects allow only the fields they name."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: _closed(value) for name, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        inner.setdefault("additionalProperties", False)
    return inner


@cache
def _document(body: bytes) -> Document:
    return Document(body)


def serve_core(core: Core) -> Api:
    """Return the service, validated; without its fast lane where REPAIRCORE_TEST_FAST_LANE is ``off``."""
    has_fast_lane = os.environ.get("REPAIRCORE_TEST_FAST_LANE") != "off"
    return validated(service.serve_core(core, has_fast_lane=has_fast_lane))


def validated(app: Api) -> Api:
    """Validate every request and answer of an application against its document."""
    app.wsgi_app = _Validation(app, app.wsgi_app)  # type: ignore[method-assign]
    return app


_DOCUMENTS: Final[dict[Hashable, Document]] = {}
"""Documents by the routes and views of their applications: each test creates a new service, with the same document."""


class _Validation:
    """WSGI middleware that validates requests and answers."""

    def __init__(self, app: Api, inner: "WSGIApplication") -> None:
        self._app, self._inner = app, inner

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        response: dict[str, Any] = {}
        sent = _json_body(environ)

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            response.update(status=int(status[:3]), content_type=dict(headers).get("Content-Type", ""))
            return start_response(status, headers, exc_info)

        answer = self._inner(environ, start)
        try:
            body = b"".join(answer)
        finally:
            getattr(answer, "close", lambda: None)()
        self._validate(environ, sent, body=body, **response)
        return [body]

    def _validate(
        self, environ: "WSGIEnvironment", sent: bytes, *, status: int, content_type: str, body: bytes
    ) -> None:
        path, method = unquote(environ["PATH_INFO"]), environ["REQUEST_METHOD"]
        if method == "OPTIONS" and status < 400:
            return  # a preflight, which belongs to no operation
        rule = self._rule(environ)
        if rule is None or "\0" in path:
            errors = [] if method == "HEAD" else self._validate_unrouted(environ["PATH_INFO"], status, body)
        else:
            document, errors = self._document, []
            if method != "HEAD":
                errors += document.validate_answer(path_of(rule), method, status, content_type, body)
            if 200 <= status < 300 and sent:
                errors += document.validate_request(path_of(rule), method, sent)
        if errors:
            raise Undocumented(f"{method} {path} {status}: " + "\n".join(errors) + f"\n{body[:500]!r}")

    @cached_property
    def _document(self) -> Document:
        views = self._app.view_functions
        routes = frozenset(
            (rule.rule, frozenset(rule.methods or ()), views[rule.endpoint])
            for rule in self._app.url_map.iter_rules()
        )
        if routes not in _DOCUMENTS:
            _DOCUMENTS[routes] = _document(serialized(self._app).body)
        return _DOCUMENTS[routes]

    def _rule(self, environ: "WSGIEnvironment") -> GuardedRule | None:
        try:
            rule, _ = self._app.url_map.bind_to_environ(environ).match(return_rule=True)
        except HTTPException:
            return None
        return rule if isinstance(rule, GuardedRule) else None

    def _validate_unrouted(self, path: str, status: int, body: bytes) -> list[str]:
        """List how the answer to an unknown address or method differs from its area's dialect."""
        if status < 400:
            return []
        shapes = ERROR_SHAPES[dialect_of(path, self._app._dialects)]
        schemas = Schemas()
        schema = schemas.of(error_body(shapes, status))
        whole = {**_closed(schema), "components": {"schemas": _closed(schemas.components)}}
        return schema_errors(jsonschema_rs.Draft202012Validator(whole), body)


def _json_body(environ: "WSGIEnvironment") -> bytes:
    """Return the JSON body of a request, and leave it for the application; empty when it is not a plain body."""
    stream = environ["wsgi.input"]
    if environ.get("CONTENT_TYPE") != "application/json" or not isinstance(stream, io.BytesIO):
        return b""
    body = stream.read()
    stream.seek(0)
    return body
