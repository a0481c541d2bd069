"""The document and the page that shows it, both from this package alone."""

from importlib.resources import files
from typing import Final

from flask import Response, current_app, request
from werkzeug.exceptions import NotFound

from repaircore_http.declared import Raw
from repaircore_http.document.whole import written
from repaircore_http.guards import Need, Routes

__all__ = ["pages"]

pages = Routes("document", need=Need.NONE, tag="service")

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_KINDS: Final = {
    "swagger-ui.css": "text/css; charset=utf-8",
    "index.css": "text/css; charset=utf-8",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "start.js": "text/javascript; charset=utf-8",
    "favicon-32x32.png": "image/png",
}
_START: Final = b"""\
"use strict";
SwaggerUIBundle({
  url: new URL("../api/openapi.json", document.currentScript.src).href,
  dom_id: "#api",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "none",
  filter: true,
  validatorUrl: null,
});
"""
_PAGE: Final = b"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Repaircore API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/index.css">
</head>
<body>
<noscript>This page needs JavaScript; the document itself is at <a href="api/openapi.json">api/openapi.json</a>.</noscript>
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""

_UNCHANGED = Raw(kind="", says="The caller has this version.")


@pages.get(
    "/api/openapi.json",
    safe=True,
    tells=Raw(kind="application/json", says="This document."),
    others={304: _UNCHANGED},
    headers=("If-None-Match",),
)
def document() -> Response:
    """Give the OpenAPI document of this service."""
    made = written(current_app)
    answer = Response(made.body, mimetype="application/json", headers={"Cache-Control": "no-cache"})
    answer.set_etag(made.etag)
    answer.make_conditional(request)
    return answer


@pages.get("/docs", safe=True, tells=Raw(kind="text/html", says="A page for people."))
def page() -> Response:
    """Show the document to people."""
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}
    return Response(_PAGE, mimetype="text/html", headers=headers)


@pages.get(
    "/docs/<asset>",
    safe=True,
    tells=Raw(kind="*/*", says="A style, a script or a picture of the page."),
    others={304: _UNCHANGED},
    headers=("If-None-Match",),
)
def piece(asset: str) -> Response:
    """Give what the page is made of."""
    if asset not in _KINDS:
        raise NotFound
    body = _START if asset == "start.js" else files("flask_swagger_ui").joinpath("dist", asset).read_bytes()
    answer = Response(body, content_type=_KINDS[asset], headers={"Cache-Control": "max-age=3600"})
    answer.add_etag()
    answer.make_conditional(request)
    return answer
