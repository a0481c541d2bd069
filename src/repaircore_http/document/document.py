"""The whole document, serialized once for each application."""

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from attrs import frozen
from flask import Flask

from repaircore.json_text import decode, encode
from repaircore_http.document.descriptions import INTRODUCTION, TAGS
from repaircore_http.document.events import event_webhooks
from repaircore_http.document.operations import Operations, operations_of
from repaircore_http.document.schemas import Schema

VERSION: Final = "1.0.0"
"""The version of the API, which changes only by additions."""

_CACHED: Final = "repaircore.document"
_SECURITY_SCHEMES: Final[Schema] = {
    "credential": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key (`sk_…` secret, `pk_…` publishable) or a management session (`mst_…`).",
    },
    "partner": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "The session token of a partner, from `POST /api/v1/partner/sdk/sessions`, or, from the partner's servers, the secret key.",
    },
    "provider": {
        "type": "http",
        "scheme": "bearer",
        "description": "The key of a driver or a towing business (`prv_…`), which an operator creates.",
    },
}


@frozen
class SerializedDocument:
    """The document as sent, and the hash that identifies its version."""

    body: bytes
    etag: str


def document_of(app: Flask) -> Schema:
    """Return the document with every operation of an application.

    Raises:
        LookupError: a route does not declare its response; the message names it.
    """
    operations = Operations(app.view_functions, _examples())
    paths: dict[str, Schema] = {}
    for path, method, rule in operations_of(app.url_map.iter_rules()):
        paths.setdefault(path, {})[method.lower()] = operations.describe(method, rule)
    webhooks = event_webhooks(operations.schemas)
    used_tags = {tag for path in paths.values() for operation in path.values() for tag in operation["tags"]}
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
        "tags": [
            {"name": name, "description": description}
            for name, description in TAGS.items()
            if name in used_tags
        ],
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": dict(sorted(operations.schemas.components.items())),
            "responses": dict(sorted(operations.responses.items())),
            "securitySchemes": _SECURITY_SCHEMES,
        },
    }


def serialized(app: Flask) -> SerializedDocument:
    """Return the serialized document of an application; threads that create it at the same time get equal ones."""
    document: SerializedDocument | None = app.extensions.get(_CACHED)
    if document is None:
        body = encode(document_of(app))
        document = app.extensions[_CACHED] = SerializedDocument(body, hashlib.sha256(body).hexdigest()[:32])
    return document


def _examples() -> Mapping[str, Any]:
    examples: Mapping[str, Any] = decode(
        files("repaircore_http").joinpath("document/examples.json").read_bytes()
    )
    return examples
