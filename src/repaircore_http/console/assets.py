"""Styles, scripts and the icon of the console."""

from functools import cache
from importlib.resources import files

from flask import Response, url_for

from repaircore_http.console.pages import Pages
from repaircore_http.guards import Auth
from repaircore_http.pieces import KINDS, Pieces

assets = Pages("assets", auth=Auth.NONE)


@assets.get("/static/<digest>/<name>")
def file(digest: str, name: str) -> Response:
    """Give a file of the console."""
    return _pieces().answer(digest, name)


def asset(name: str) -> str:
    """Give the address of a file of the console."""
    return url_for("assets.file", digest=_pieces().digest(name), name=name)


@cache
def _pieces() -> Pieces:
    folder = files("repaircore_http.console").joinpath("static")
    return Pieces.read(one for one in folder.iterdir() if one.name.rpartition(".")[2] in KINDS)
