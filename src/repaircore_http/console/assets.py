"""The console's style, scripts and images."""

from functools import cache
from importlib.resources import files

from flask import Response, url_for

from repaircore_http.console.pages import Pages
from repaircore_http.guards import Auth
from repaircore_http.static_files import CONTENT_TYPES, StaticFiles

assets = Pages("assets", auth=Auth.NONE)


@assets.get("/static/<digest>/<name>")
def file(digest: str, name: str) -> Response:
    """Return a static file."""
    return _static_files().response(digest, name)


def asset(name: str) -> str:
    """Return the address of a static file, for templates."""
    return url_for("assets.file", digest=_static_files().digest(name), name=name)


@cache
def _static_files() -> StaticFiles:
    folder = files("repaircore_http.console").joinpath("static")
    return StaticFiles.load(
        file for file in folder.iterdir() if file.name.rpartition(".")[2] in CONTENT_TYPES
    )
