"""The service as tests ask it: every answer, and every request that was granted, is held to the document.

Answers must be what the document says of their operation and status, and nothing more: a field that the document does not
know is a departure too, though callers are told to expect additions.
"""

import io
import json
from collections.abc import Hashable, Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import jsonschema_rs
from werkzeug.exceptions import HTTPException

from repaircore.bootstrap import Core
from repaircore_http import service
from repaircore_http.app import Api
from repaircore_http.document.paths import path_of
from repaircore_http.document.refusals import WORDINGS, shape_of_refusal
from repaircore_http.document.schemas import Schemas
from repaircore_http.document.whole import written
from repaircore_http.errors import dialect_of
from repaircore_http.routes import GuardedRule

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class Departure(AssertionError):
    """Something is not as the document says."""


class Document:
    """What an application says of itself, as checks."""

    def __init__(self, body: bytes) -> None:
        self.told: dict[str, Any] = json.loads(body)
        self._closed = _closed(self.told)

    def operation(self, path: str, method: str) -> dict[str, Any]:
        """Give what is said of an operation; a HEAD is answered as its GET."""
        asked = "get" if method == "HEAD" else method.lower()
        found: dict[str, Any] = self.told["paths"][path][asked]
        return found

    def validate_answer(self, path: str, method: str, status: int, kind: str, body: bytes) -> list[str]:
        """Say in what an answer departs."""
        responses = self.operation(path, method)["responses"]
        if str(status) not in responses:
            return [f"{status} is not documented; {', '.join(responses)} are."]
        answer = self.resolved(responses[str(status)])
        content = answer.get("content", {})
        if not content or "*/*" in content:
            return []
        if kind.partition(";")[0] not in content:
            return [f"{kind} is not documented; {', '.join(content)} is."]
        schema = content[kind.partition(";")[0]]["schema"]
        return [] if kind != "application/json" else faults(self.checked(schema, closed=True), body)

    def validate_request(self, path: str, method: str, body: bytes) -> list[str]:
        """Say in what a JSON body that was taken departs."""
        asked = self.operation(path, method).get("requestBody", {}).get("content", {}).get("application/json")
        if asked is None:
            return []
        return faults(self.checked(asked["schema"], closed=False), body)

    def checked(self, schema: dict[str, Any], *, closed: bool) -> "jsonschema_rs.Validator":
        """Make a check of a schema that refers to the document's components."""
        return _checked(json.dumps(schema), closed, self)

    def components(self, *, closed: bool) -> dict[str, Any]:
        """Give the components; closed ones allow no field that they do not name."""
        told: dict[str, Any] = (self._closed if closed else self.told)["components"]
        return told

    def resolved(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Give an answer, also where it is referred to."""
        if "$ref" not in answer:
            return answer
        found: dict[str, Any] = self.told["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        return found


@cache
def _checked(schema: str, closed: bool, document: Document) -> "jsonschema_rs.Validator":  # noqa: FBT001 - a key of the cache
    own = json.loads(schema)
    whole = {**(_closed(own) if closed else own), "components": document.components(closed=closed)}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def faults(check: "jsonschema_rs.Validator", body: bytes) -> list[str]:
    return [
        f"{'.'.join(map(str, one.instance_path)) or 'body'}: {one.message}"
        for one in check.iter_errors(json.loads(body))
    ]


def _closed(schema: Any) -> Any:
    """Forbid what an object does not name."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
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
    """Make the service, watched."""
    return watched(service.serve_core(core))


def watched(app: Api) -> Api:
    """Hold every answer of an application to its document."""
    app.wsgi_app = _Watch(app, app.wsgi_app)  # type: ignore[method-assign]
    return app


_DOCUMENTS: Final[dict[Hashable, Document]] = {}
"""The documents of applications by their routes and views: each test makes the service anew, which says the same each time."""


class _Watch:
    """Stands before an application and looks at what goes in and comes out."""

    def __init__(self, app: Api, inner: "WSGIApplication") -> None:
        self._app, self._inner = app, inner

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        told: dict[str, Any] = {}
        sent = _sent(environ)

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            told.update(status=int(status[:3]), kind=dict(headers).get("Content-Type", ""))
            return start_response(status, headers, exc_info)

        answer = self._inner(environ, start)
        try:
            body = b"".join(answer)
        finally:
            getattr(answer, "close", lambda: None)()
        self._look(environ, sent, body=body, **told)
        return [body]

    def _look(self, environ: "WSGIEnvironment", sent: bytes, *, status: int, kind: str, body: bytes) -> None:
        path, method = unquote(environ["PATH_INFO"]), environ["REQUEST_METHOD"]
        if method == "OPTIONS" and status < 400:
            return  # a preflight, which is about no operation
        rule = self._rule(environ)
        if rule is None or "\0" in path:
            found = [] if method == "HEAD" else self._unrouted(environ["PATH_INFO"], status, body)
        else:
            document = self._document
            found = (
                document.validate_answer(path_of(rule), method, status, kind, body)
                if method != "HEAD"
                else []
            )
            if 200 <= status < 300 and sent:
                found += document.validate_request(path_of(rule), method, sent)
        if found:
            raise Departure(f"{method} {path} {status}: " + "\n".join(found) + f"\n{body[:500]!r}")

    @cached_property
    def _document(self) -> Document:
        views = self._app.view_functions
        routes = frozenset(
            (rule.rule, frozenset(rule.methods or ()), views[rule.endpoint])
            for rule in self._app.url_map.iter_rules()
        )
        if routes not in _DOCUMENTS:
            _DOCUMENTS[routes] = _document(written(self._app).body)
        return _DOCUMENTS[routes]

    def _rule(self, environ: "WSGIEnvironment") -> GuardedRule | None:
        try:
            rule, _ = self._app.url_map.bind_to_environ(environ).match(return_rule=True)
        except HTTPException:
            return None
        return rule if isinstance(rule, GuardedRule) else None

    def _unrouted(self, path: str, status: int, body: bytes) -> list[str]:
        """Say in what the answer of an unknown address or method departs from its area's dialect."""
        if status < 400:
            return []
        wording = WORDINGS[dialect_of(path, self._app._dialects)]
        schemas = Schemas()
        schema = schemas.of(shape_of_refusal(wording, status))
        whole = {**_closed(schema), "components": {"schemas": _closed(schemas.components)}}
        return faults(jsonschema_rs.Draft202012Validator(whole), body)


def _sent(environ: "WSGIEnvironment") -> bytes:
    """Give the JSON of a request, and leave it there for the application; nothing when it is no plain body."""
    stream = environ["wsgi.input"]
    if environ.get("CONTENT_TYPE") != "application/json" or not isinstance(stream, io.BytesIO):
        return b""
    sent = stream.read()
    stream.seek(0)
    return sent
