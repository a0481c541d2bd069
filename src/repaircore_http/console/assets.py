"""Styles, scripts and the icon, under addresses that name their content, so that browsers may keep them for ever."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from attrs import frozen
from flask import Response, url_for
from werkzeug.exceptions import NotFound

from repaircore_http.console.pages import Pages
from repaircore_http.guards import Need

__all__ = ["asset", "assets"]

assets = Pages("assets", need=Need.NONE)

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@frozen
class _Asset:
    content: bytes
    kind: str
    digest: str


@assets.get("/static/<digest>/<name>")
def file(digest: str, name: str) -> Response:
    """Give a file of the console."""
    found = _found().get(name)
    if found is None or found.digest != digest:
        raise NotFound
    return Response(
        found.content,
        content_type=found.kind,
        headers={"Cache-Control": "public, max-age=31536000, immutable"},
    )


def asset(name: str) -> str:
    """Give the address of a file of the console."""
    return url_for("assets.file", digest=_found()[name].digest, name=name)


@cache
def _found() -> dict[str, _Asset]:
    folder = files("repaircore_http.console").joinpath("static")
    return {
        one.name: _Asset(content := one.read_bytes(), _TYPES[one.name.rpartition(".")[2]], _digest(content))
        for one in folder.iterdir()
        if one.name.rpartition(".")[2] in _TYPES
    }


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:16]
