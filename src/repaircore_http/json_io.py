"""What goes over the wire: bodies and query strings in, JSON out.

The four beats of a handler: read (``read_body(CreateKey)``), call, present, ``reply(…)``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import attrs
import orjson
from flask import Response, request
from flask.globals import request_ctx
from flask.json.provider import JSONProvider
from typing_extensions import override
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from repaircore.json_text import NotJsonError, decode_strict
from repaircore.kernel.errors import Invalid
from repaircore.kernel.views import UNSET
from repaircore.structuring import from_query, structure, structure_partially
from repaircore_http.fast_path.request_body import Body
from repaircore_http.routes import MAX_BODY_BYTES, GuardedRule

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


T = TypeVar("T")

Validate: TypeAlias = Callable[..., Mapping[str, Sequence[str]]]
"""Name what is wrong with the fields given by keyword; those that are not given are not judged."""

_KEPT = "repaircore.object"
_BODILESS = frozenset({204, 304})


# In


def read_body(shape: type[T], *, validate: Validate | None = None) -> T:
    """Read the JSON body as a shape.

    ``validate`` is asked about the good fields when others are bad, so that a ZIP code that does not exist
    is named beside a VIN that is no string; when all are good, the use case judges them itself. What it says of a
    field stands in place of what is said of its type.

    Raises:
        Invalid: with every bad field (422).
        HTTPException: 400, 413 or 415, for a body that is not a JSON object of the allowed size.
    """
    _require_declared(shape, query=False)
    return parse_input(shape, read_json(), validate=validate)


def parse_input(shape: type[T], body: dict[str, Any], *, validate: Validate | None = None) -> T:
    """Make a shape of a JSON object: see ``read_body``."""
    if validate is None:
        return structure(shape, body)
    good, told = structure_partially(shape, body)
    if told:
        raise Invalid(_in_order(shape, {**told, **validate(**good)}))
    return shape(**good)


def _require_declared(shape: type[Any], *, query: bool) -> None:
    rule = request_ctx.request.url_rule
    if isinstance(rule, GuardedRule):
        rule.spec.require(shape, query=query)


def _in_order(shape: type[Any], told: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Tell faults in the order of the fields, whoever found them."""
    names = [field.name for field in attrs.fields(shape) if field.name in told]
    return {name: told[name] for name in (*names, *(name for name in told if name not in names))}


def read_json() -> dict[str, Any]:
    """Read the JSON object in the body; a missing body is an empty one, so that its missing fields are told."""
    asked = request_ctx.request
    kept: dict[str, Any] | None = asked.environ.get(_KEPT)
    if kept is not None:
        return kept
    rule = asked.url_rule
    return read_environ_json(
        asked.environ, rule.max_bytes if isinstance(rule, GuardedRule) else MAX_BODY_BYTES
    )


def cache_json() -> dict[str, Any]:
    """Read the JSON object in the body ahead of the view, which reads the same one."""
    told = request_ctx.request.environ[_KEPT] = read_json()
    return told


def read_environ_json(environ: dict[str, Any], max_bytes: int) -> dict[str, Any]:
    """Read the JSON object in the body of a WSGI request: see ``read_json``."""
    body = Body(environ, max_bytes).whole()
    if not body:
        return {}
    _require_json(environ)
    try:
        value = decode_strict(body)
    except NotJsonError as odd:
        raise BadRequest(f"The body {odd}.") from None
    if type(value) is not dict:
        raise BadRequest("The body must be a JSON object.")
    return value


def read_query(shape: type[T], *, body_too: bool = False) -> T:
    """Read the query parameters as a shape; with ``body_too`` a JSON body fills in what they leave out.

    Raises:
        Invalid: with every bad parameter (422).
        HTTPException: 400, and with ``body_too`` 413 or 415.
    """
    _require_declared(shape, query=True)
    if not body_too:
        return structure(shape, read_query_params(shape))
    asked, body = read_query_params(shape), read_json()
    good, told = structure_partially(shape, {**body, **asked})
    # What is wrong in the body is wrong even where the query says the same.
    _, of_body = structure_partially(shape, body)
    told = {name: texts for name, texts in of_body.items() if name.split(".")[0] in body} | told
    if told:
        raise Invalid(_in_order(shape, told))
    return shape(**good)


def read_query_params(shape: type[Any]) -> dict[str, Any]:
    """Read the query parameters that ``shape`` has fields for, as the JSON values that they spell."""
    asked = request.args.to_dict(flat=False)
    if any("\x00" in text for texts in asked.values() for text in texts):
        raise BadRequest("The query holds a NUL character.")
    return from_query(shape, asked)


def _require_json(environ: dict[str, Any]) -> None:
    sent = environ.get("CONTENT_TYPE", "")
    if sent != "application/json":
        kind = sent.partition(";")[0].strip().lower()
        if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
            raise UnsupportedMediaType
    if environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise UnsupportedMediaType("The body must not be compressed.")


# Out


def reply(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Answer with JSON: see ``encode``."""
    return reply_json(encode(value), status, headers)


def reply_json(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Answer with JSON that is written already."""
    told = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    return _Whole([body], status, [*told, *headers.items()] if headers else told)


class _Whole(Response):
    """An answer that is complete: werkzeug would look for what is missing, and copy the headers for it."""

    @override
    def get_wsgi_response(
        self, environ: "WSGIEnvironment"
    ) -> tuple[Iterable[bytes], str, list[tuple[str, str]]]:
        if self._on_close or environ["REQUEST_METHOD"] == "HEAD" or self.status_code in _BODILESS:
            return super().get_wsgi_response(environ)
        return cast("list[bytes]", self.response), self.status, self.headers.to_wsgi_list()


def encode(value: Any) -> bytes:
    """Write JSON: attrs classes as objects, times in UTC as ``2026-01-31T12:00:00Z``, days, ids and enums as strings.

    Raises:
        TypeError: for what has no form in JSON, and for a time without a zone.
    """
    return orjson.dumps(value, _form, orjson.OPT_PASSTHROUGH_DATETIME)


def _form(value: Any) -> Any:
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return value.isoformat()
    kind = type(value)
    if attrs.has(kind):
        fields = {name: getattr(value, name) for name in _names(kind)}
        return {name: one for name, one in fields.items() if one is not UNSET}
    msg = f"{kind.__name__} has no form in JSON."
    raise TypeError(msg)


def _moment(at: datetime) -> str:
    if at.tzinfo is None:
        msg = "A time without a zone has no form in JSON."
        raise TypeError(msg)
    return at.astimezone(UTC).isoformat(timespec="seconds")[:19] + "Z"


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in attrs.fields(kind))


class StrictJson(JSONProvider):
    """Make Flask's own JSON the same as ours."""

    @override
    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return encode(obj).decode()

    @override
    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        return decode_strict(s.encode() if isinstance(s, str) else s)
