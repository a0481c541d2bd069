"""The whole document, as bytes that are made once."""

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from attrs import frozen
from flask import Flask

from repaircore.json_text import decode, encode
from repaircore_http.document.paths import Paths, operations_of
from repaircore_http.document.schemas import Schema
from repaircore_http.document.words import INTRODUCTION, TAGS

VERSION: Final = "1.0.0"
"""The version of the API, which changes by addition only."""

_KEPT: Final = "repaircore.document"
_SCHEMES: Final[Schema] = {
    "credential": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key (`sk_…` secret, `pk_…` publishable) or a management session (`mst_…`).",
    },
    "partner": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "The session token of a partner, from `POST /api/v1/partner/sdk/sessions`.",
    },
}


@frozen
class SerializedDocument:
    """The document as it is sent, and its name as a version."""

    body: bytes
    etag: str


def document_of(app: Flask) -> Schema:
    """Describe every operation of an application.

    Raises:
        LookupError: a route does not say what it tells; the sentence names it.
    """
    writer = Paths(app.view_functions, _examples())
    paths: dict[str, Schema] = {}
    for path, method, rule in operations_of(app.url_map.iter_rules()):
        paths.setdefault(path, {})[method.lower()] = writer.operation(method, rule)
    used = {tag for path in paths.values() for told in path.values() for tag in told["tags"]}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Repaircore",
            "version": VERSION,
            "summary": "What a repair will cost, and whether the price is fair.",
            "description": INTRODUCTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "This installation."}],
        "tags": [{"name": name, "description": words} for name, words in TAGS.items() if name in used],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(writer.schemas.components.items())),
            "responses": dict(sorted(writer.responses.items())),
            "securitySchemes": _SCHEMES,
        },
    }


def written(app: Flask) -> SerializedDocument:
    """Give the document of an application; two threads at the same moment write the same."""
    kept: SerializedDocument | None = app.extensions.get(_KEPT)
    if kept is None:
        body = encode(document_of(app))
        kept = app.extensions[_KEPT] = SerializedDocument(body, hashlib.sha256(body).hexdigest()[:32])
    return kept


def _examples() -> Mapping[str, Any]:
    text = files("repaircore_http").joinpath("document/examples.json").read_bytes()
    recorded: Mapping[str, Any] = decode(text)
    return recorded
