"""``repaircore openapi``."""

from pkgutil import resolve_name
from typing import Final

from repaircore_cli.options import AsJson
from repaircore_cli.session import commands
from repaircore_cli.terminal import print_json

_DOCUMENT: Final = "repaircore_http.openapi:document"
"""Named as the server's application is: neither door imports the other."""

app = commands("Print the HTTP API as an OpenAPI 3.1 document.")


@app.command(epilog="Example: repaircore openapi > openapi.json")
def openapi(*, as_json: AsJson = False) -> None:  # noqa: ARG001 - it is JSON in any case
    """Print the HTTP API as an OpenAPI 3.1 document, as /api/openapi.json serves it."""
    print_json(resolve_name(_DOCUMENT)())
