"""How agents reach the server: standard input and output, or HTTP with an API key."""

from collections.abc import Awaitable, Callable, MutableMapping
from contextvars import ContextVar
from typing import Any, Final

import anyio
import anyio.to_thread
import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from repaircore.core import Core
from repaircore.json_text import encode
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Failure, Unauthenticated
from repaircore_http.errors import plain, to_error_reply
from repaircore_http.guards import bearer_token
from repaircore_http.mcp.server import make_server

PATH: Final = "/mcp"
_NO_KEY: Final = "Send an API key: Authorization: Bearer …"

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]


def serve_stdio(core: Core) -> None:
    """Serve one agent on standard input and output, as the installation itself, until its input ends."""

    async def serve() -> None:
        server = make_server(core, lambda: LOCAL)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)


def http_app(core: Core, host: str) -> _App:
    """Return the ASGI application: each request carries the API key of an account, and counts toward its limits.

    Each request is handled on its own, without sessions, so that any of several servers may handle the next one.
    """
    caller: ContextVar[Caller] = ContextVar("caller")
    server = make_server(core, caller.get)
    is_local = host in {"127.0.0.1", "localhost", "::1"}
    # The Host header is checked against DNS rebinding in browsers on this machine; elsewhere a proxy does that.
    security = None if is_local else TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        transport_security=security,
        host=host,
    )

    def authenticate(scope: _Scope) -> Caller:
        headers = dict(scope["headers"])
        known = core.accounts.authenticate(bearer_token(headers.get(b"authorization", b"").decode("latin-1")))
        core.limits.count_request(known)
        return known

    async def guarded(scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        try:
            caller.set(await anyio.to_thread.run_sync(authenticate, scope))
        except Failure as failure:
            await _refuse(failure, send)
            return
        await app(scope, receive, send)

    return guarded


def serve_http(core: Core, host: str, port: int) -> None:
    """Serve agents over HTTP until the process is stopped."""
    uvicorn.run(http_app(core, host), host=host, port=port, log_level="warning", access_log=False)


async def _refuse(failure: Failure, send: _Send) -> None:
    shown = Unauthenticated(_NO_KEY) if isinstance(failure, Unauthenticated) else failure
    reply = to_error_reply(shown, request_id="")
    if reply is None:  # every failure has a reply
        raise failure
    status, body = plain(reply)
    headers = [(b"content-type", b"application/json")]
    headers += [(name.lower().encode(), value.encode()) for name, value in reply.headers]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": encode(body)})
