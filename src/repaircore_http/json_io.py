"""Request parsing and JSON responses.

A handler has four steps: read the request (``read_body(CreateKey)``), call the use case, make a view of the result, and
return ``reply(…)``.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import attrs
from flask import Response, request
from flask.globals import request_ctx
from flask.json.provider import JSONProvider
from typing_extensions import override
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from repaircore.json_text import NotJsonError, decode_strict, encode
from repaircore.kernel.errors import Invalid
from repaircore.structuring import from_query, structure, structure_partially
from repaircore_http.fast_path.request_body import RequestBody
from repaircore_http.fast_path.responses import CompleteResponse
from repaircore_http.routes import MAX_BODY_BYTES, GuardedRule

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


T = TypeVar("T")

Validate: TypeAlias = Callable[..., Mapping[str, Sequence[str]]]
"""Return the errors of the fields that are given as keyword arguments; absent fields are not checked."""

_CACHED_JSON: Final = "repaircore.json"


# Requests


def read_body(shape: type[T], *, validate: Validate | None = None) -> T:
    """Return the JSON body as an instance of ``shape``.

    If some fields are invalid, ``validate`` is called with the others, so that one response reports both a ZIP code
    that does not exist and a VIN that is not a string; if all are valid, the use case checks them itself. What
    ``validate`` reports about a field replaces what the field's type reports.

    Raises:
        Invalid: with every invalid field (422).
        HTTPException: 400, 413 or 415 for a body that is not a JSON object of the allowed size.
    """
    _require_declared(shape, query=False)
    return parse_input(shape, read_json(), validate=validate)


def parse_input(shape: type[T], data: dict[str, Any], *, validate: Validate | None = None) -> T:
    """Return a JSON object as an instance of ``shape``: see ``read_body``."""
    if validate is None:
        return structure(shape, data)
    valid, errors = structure_partially(shape, data)
    if errors:
        raise Invalid(_in_field_order(shape, {**errors, **validate(**valid)}))
    return shape(**valid)


def read_json() -> dict[str, Any]:
    """Return the JSON object in the body, or an empty one if there is no body, so that missing fields are reported."""
    current = request_ctx.request
    cached: dict[str, Any] | None = current.environ.get(_CACHED_JSON)
    if cached is not None:
        return cached
    rule = current.url_rule
    return read_environ_json(
        current.environ, rule.max_bytes if isinstance(rule, GuardedRule) else MAX_BODY_BYTES
    )


def cache_json() -> dict[str, Any]:
    """Return the JSON object in the body, and cache it for later reads: a body can be read only once."""
    data = request_ctx.request.environ[_CACHED_JSON] = read_json()
    return data


def read_environ_json(environ: "WSGIEnvironment", max_bytes: int) -> dict[str, Any]:
    """Return the JSON object in the body of a WSGI request: see ``read_json``."""
    body = RequestBody(environ, max_bytes).read()
    if not body:
        return {}
    _require_json(environ)
    try:
        value = decode_strict(body)
    except NotJsonError as error:
        raise BadRequest(f"The body {error}.") from None
    if type(value) is not dict:
        raise BadRequest("The body must be a JSON object.")
    return value


def read_query(shape: type[T], *, body_too: bool = False) -> T:
    """Return the query parameters as an instance of ``shape``; with ``body_too``, a JSON body supplies missing ones.

    Raises:
        Invalid: with every invalid parameter (422).
        HTTPException: 400 for a NUL character; with ``body_too``, 400, 413 or 415 as for ``read_body``.
    """
    _require_declared(shape, query=True)
    require_known_params(shape)
    params = read_query_params(shape)
    if not body_too:
        return structure(shape, params)
    body = read_json()
    valid, errors = structure_partially(shape, {**body, **params})
    # An invalid field of the body is an error even if the query overrides it.
    _, body_errors = structure_partially(shape, body)
    errors = {name: texts for name, texts in body_errors.items() if name.split(".")[0] in body} | errors
    if errors:
        raise Invalid(_in_field_order(shape, errors))
    return shape(**valid)


def require_known_params(shape: type[Any], *, also: Collection[str] = ()) -> None:
    """Check that the query string has only parameters that ``shape`` has fields for, or that are in ``also``.

    Otherwise a misspelled filter would select everything.

    Raises:
        Invalid: with every unknown parameter, the allowed ones, and what is wrong with the known ones.
    """
    known = [field.name for field in attrs.fields(shape)]
    unknown = [name for name in request.args if name not in known and name not in also]
    if unknown:
        allowed = f"Allowed: {', '.join(known)}." if known else "This URL takes no query parameters."
        errors: dict[str, Sequence[str]] = {
            name: [f"The {name[:60]} parameter is unknown. {allowed}"] for name in unknown
        }
        raise Invalid(errors | _wrong_params(shape))


def _wrong_params(shape: type[Any]) -> dict[str, Sequence[str]]:
    """Return what is wrong with the query parameters that ``shape`` has fields for."""
    params = read_query_params(shape)
    _, errors = structure_partially(shape, params)
    return {name: texts for name, texts in errors.items() if name.partition(".")[0] in params}


def read_query_params(shape: type[Any]) -> dict[str, Any]:
    """Return the query parameters that ``shape`` has fields for, parsed as JSON values."""
    params = request.args.to_dict(flat=False)
    if any("\x00" in text for texts in params.values() for text in texts):
        raise BadRequest("The query string contains a NUL character.")
    return from_query(shape, params)


def _require_declared(shape: type[Any], *, query: bool) -> None:
    rule = request_ctx.request.url_rule
    if isinstance(rule, GuardedRule):
        rule.spec.require(shape, query=query)


def _require_json(environ: "WSGIEnvironment") -> None:
    content_type = environ.get("CONTENT_TYPE", "")
    if content_type != "application/json":
        media_type = content_type.partition(";")[0].strip().lower()
        if media_type != "application/json" and not (
            media_type.startswith("application/") and media_type.endswith("+json")
        ):
            raise UnsupportedMediaType
    if environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise UnsupportedMediaType("The body must not be compressed.")


def _in_field_order(shape: type[Any], errors: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    names = [field.name for field in attrs.fields(shape) if field.name in errors]
    return {name: errors[name] for name in (*names, *(name for name in errors if name not in names))}


# Responses


def reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response for a view or for plain values: see ``json_text.encode``."""
    return reply_json(encode(value), status, headers)


def reply_json(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with serialized JSON."""
    all_headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    if headers:
        all_headers += headers.items()
    return CompleteResponse([body], status, all_headers)


class StrictJson(JSONProvider):
    """Flask's JSON provider, with our serializer and parser."""

    @override
    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return encode(obj).decode()

    @override
    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        return decode_strict(s.encode() if isinstance(s, str) else s)
