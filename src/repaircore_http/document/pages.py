"""The document and the page that shows it, which loads nothing from other sites."""

from functools import cache
from importlib.resources import files
from typing import Final

from flask import Response, current_app, request

from repaircore_http.document.document import serialized
from repaircore_http.guards import Auth
from repaircore_http.routes import RawResponse, Routes
from repaircore_http.static_files import StaticFiles

pages = Routes("document", auth=Auth.NONE, tag="service")

_CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PACKAGE: Final = "repaircore_http.document"
_SWAGGER_FILES: Final = ("swagger-ui.css", "swagger-ui-bundle.js")
_CONSOLE_FILES: Final = ("colors.css", "icon.svg")
_OWN_FILES: Final = ("reference.css", "examples.js", "start.js")

_NOT_MODIFIED: Final = RawResponse(media_type="", description="The caller already has this version.")


@pages.get(
    "/api/openapi.json",
    safe=True,
    returns=RawResponse(media_type="application/json", description="This document."),
    responses={304: _NOT_MODIFIED},
    headers=("If-None-Match",),
)
def document() -> Response:
    """Return the OpenAPI document of this service."""
    made = serialized(current_app)
    response = Response(made.body, mimetype="application/json", headers={"Cache-Control": "no-cache"})
    response.set_etag(made.etag)
    response.make_conditional(request)
    return response


@pages.get("/docs", safe=True, returns=RawResponse(media_type="text/html", description="A page for people."))
def page() -> Response:
    """Return the page that shows the document."""
    headers = {"Content-Security-Policy": _CONTENT_SECURITY_POLICY, "Cache-Control": "no-cache"}
    return Response(_page(), mimetype="text/html", headers=headers)


@pages.get(
    "/docs/<digest>/<asset>",
    safe=True,
    returns=RawResponse(media_type="*/*", description="A style, a script or an image of the page."),
)
def piece(digest: str, asset: str) -> Response:
    """Return a file that the page loads."""
    return _static_files().response(digest, asset)


@cache
def _page() -> bytes:
    """Return the page with the URLs of its files, which are relative: a proxy may serve the page under a prefix."""
    page = files(_PACKAGE).joinpath("static", "page.html").read_text(encoding="utf-8")
    for name, file in _static_files().by_name.items():
        page = page.replace(f'"docs/{name}"', f'"docs/{file.digest}/{name}"')
    return page.encode()


@cache
def _static_files() -> StaticFiles:
    swagger = files("flask_swagger_ui").joinpath("dist")
    own = files(_PACKAGE).joinpath("static")
    console = files("repaircore_http.console").joinpath("static")
    return StaticFiles.load(
        [
            *map(swagger.joinpath, _SWAGGER_FILES),
            *map(own.joinpath, _OWN_FILES),
            *map(console.joinpath, _CONSOLE_FILES),
        ]
    )
