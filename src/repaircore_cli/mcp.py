"""``repaircore mcp``."""

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Final

import typer

from repaircore_cli.session import commands

if TYPE_CHECKING:
    from repaircore.core import Core

_TRANSPORTS: Final = "repaircore_http.mcp.transports"
"""Looked up by name, since the command line must not import the HTTP package directly."""

_SDK: Final = frozenset({"mcp", "mcp_types", "anyio", "uvicorn"})

app = commands("Serve AI agents over the Model Context Protocol.")


@app.command(epilog="Example: repaircore mcp --http --port 8100")
def mcp(
    core: "Core",
    *,
    http: Annotated[
        bool,
        typer.Option(
            "--http",
            help="Serve many agents over HTTP, each with an API key, instead of one on standard input.",
        ),
    ] = False,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="The address to listen on, with --http.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option("--port", metavar="PORT", min=1, max=65535, help="The port to listen on, with --http."),
    ] = 8100,
) -> None:
    """Serve AI agents over the Model Context Protocol: estimates, visits, quote checks, diagnoses and more as tools."""
    try:
        transports = import_module(_TRANSPORTS)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in _SDK:
            raise
        from repaircore.kernel.errors import Unavailable

        raise Unavailable("The MCP SDK is not installed. Run: pip install 'repaircore[mcp]'") from None
    if not http:
        transports.serve_stdio(core)
        return
    typer.echo(f"Serving agents at http://{host}:{port}{transports.PATH} (Ctrl+C stops).", err=True)
    transports.serve_http(core, host, port)
