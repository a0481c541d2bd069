"""The document and the page that shows it, both from this package alone."""

from functools import cache
from importlib.resources import files
from typing import Final

from flask import Response, current_app, request

from repaircore_http.document.whole import written
from repaircore_http.guards import Auth
from repaircore_http.pieces import Pieces
from repaircore_http.routes import RawResponse, Routes

pages = Routes("document", auth=Auth.NONE, tag="service")

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_OWN: Final = "repaircore_http.document"
_SWAGGER: Final = ("swagger-ui.css", "index.css", "swagger-ui-bundle.js", "favicon-32x32.png")
"""What the page takes of Swagger UI."""

_UNCHANGED = RawResponse(media_type="", description="The caller has this version.")


@pages.get(
    "/api/openapi.json",
    safe=True,
    returns=RawResponse(media_type="application/json", description="This document."),
    responses={304: _UNCHANGED},
    headers=("If-None-Match",),
)
def document() -> Response:
    """Give the OpenAPI document of this service."""
    made = written(current_app)
    answer = Response(made.body, mimetype="application/json", headers={"Cache-Control": "no-cache"})
    answer.set_etag(made.etag)
    answer.make_conditional(request)
    return answer


@pages.get("/docs", safe=True, returns=RawResponse(media_type="text/html", description="A page for people."))
def page() -> Response:
    """Show the document to people."""
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}
    return Response(_page(), mimetype="text/html", headers=headers)


@pages.get(
    "/docs/<digest>/<asset>",
    safe=True,
    returns=RawResponse(media_type="*/*", description="A style, a script or a picture of the page."),
)
def piece(digest: str, asset: str) -> Response:
    """Give what the page is made of."""
    return _pieces().answer(digest, asset)


@cache
def _page() -> bytes:
    """Give the page, with the addresses of its pieces: relative ones, as a proxy may put the service somewhere else."""
    page = files(_OWN).joinpath("static", "page.html").read_text(encoding="utf-8")
    for name, one in _pieces().named.items():
        page = page.replace(f'"docs/{name}"', f'"docs/{one.digest}/{name}"')
    return page.encode()


@cache
def _pieces() -> Pieces:
    swagger = files("flask_swagger_ui").joinpath("dist")
    return Pieces.read([*map(swagger.joinpath, _SWAGGER), files(_OWN).joinpath("static", "start.js")])
