"""``repaircore openapi``."""

from pkgutil import resolve_name
from typing import Final

from repaircore_cli.options import AsJson
from repaircore_cli.session import commands
from repaircore_cli.terminal import print_json

_DOCUMENT: Final = "repaircore_http.openapi:document"
"""Looked up by name, since the command line must not import the HTTP package directly."""

app = commands("Print the HTTP API as an OpenAPI 3.1 document.")


@app.command(epilog="Example: repaircore openapi > openapi.json")
def openapi(*, as_json: AsJson = False) -> None:  # noqa: ARG001 - the output is always JSON
    """Print the HTTP API as an OpenAPI 3.1 document: that of /api/openapi.json, plus /metrics."""
    print_json(resolve_name(_DOCUMENT)())
