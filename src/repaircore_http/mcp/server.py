"""The MCP server for a core: it lists and calls tools, and reads pages of the repair book.

The use cases block, so each call runs in a thread. If a tool fails, the result has an error that the agent can read and
act on, never an error of the protocol; the cause of an unexpected failure is not revealed, but logged.
"""

import logging
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, Final, TypeVar

import anyio.to_thread
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from repaircore import __version__
from repaircore.core import Core
from repaircore.json_text import decode, encode_text, plain
from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import Failure, Invalid, NotFound
from repaircore_http.document.schemas import Schemas
from repaircore_http.mcp import book
from repaircore_http.mcp.tools import TOOLS, Tool, tool_named

_LOG: Final = logging.getLogger(__name__)
_INSTRUCTIONS: Final = (
    "Car repair: costs in the United States, whether a quote is fair, what a complaint may mean. Prices are in US dollars and come"
    " with the range that eight out of ten customers pay; say the range, too. Pass on safety warnings first. Repairs have slugs: find them"
    " with search or diagnose."
)
_UNEXPECTED: Final = "Something went wrong on our side."
_PAGE: Final = 100

Context = ServerRequestContext[Any]
CallerOf = Callable[[], Caller]
"""Return the caller of the request in progress."""

T = TypeVar("T")


def make_server(core: Core, caller_of: CallerOf) -> Server[Any]:
    """Return the MCP server for a core; the transports run it."""

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[*_listed_tools()])

    async def call_tool(_: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = tool_named(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name}.")
        return await _in_thread(_call, tool, core, caller_of(), params.arguments or {})

    async def list_resources(
        _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return await _in_thread(_list_pages, core, None if params is None else params.cursor)

    async def list_templates(
        _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=book.SCHEME + "{slug}",
            name="repair",
            title="A repair in the book",
            description="What a repair is, its signs, its trouble codes and its prices on typical vehicles.",
            mime_type=book.MEDIA_TYPE,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(_: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        text = await _in_thread(_page_text, core, params.uri)
        content = types.TextResourceContents(uri=params.uri, mime_type=book.MEDIA_TYPE, text=text)
        return types.ReadResourceResult(contents=[content])

    return Server(
        "repaircore",
        title="repaircore",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


async def _in_thread(function: Callable[..., T], *args: Any) -> T:
    return await anyio.to_thread.run_sync(partial(function, *args))


@cache
def _listed_tools() -> tuple[types.Tool, ...]:
    return tuple(
        types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=_alone(tool.accepts, Schemas.body),
            output_schema=_alone(tool.returns, Schemas.of),
            annotations=types.ToolAnnotations(
                read_only_hint=not tool.stores, destructive_hint=False, open_world_hint=False
            ),
        )
        for tool in TOOLS
    )


def _alone(shape: type[Any], schema_of: Callable[[Schemas, type[Any]], Mapping[str, Any]]) -> dict[str, Any]:
    """Return a self-contained schema: what would be components of the OpenAPI document becomes its own definitions."""
    schemas = Schemas()
    schema = schema_of(schemas, shape)
    root = schemas.components[str(schema["$ref"]).rpartition("/")[2]] if "$ref" in schema else schema
    whole = {**root, "$defs": schemas.components} if schemas.components else {**root}
    alone: dict[str, Any] = decode(encode_text(whole).replace("#/components/schemas/", "#/$defs/"))
    return alone


def _call(tool: Tool, core: Core, caller: Caller, arguments: Mapping[str, Any]) -> types.CallToolResult:
    try:
        result = tool.call(core, caller, arguments)
    except Failure as failure:
        return types.CallToolResult(content=[_text(_failure_text(failure))], is_error=True)
    except Exception:  # noqa: BLE001 - the agent learns that it failed, the log has the reason
        _LOG.exception("The tool %s failed", tool.name)
        return types.CallToolResult(content=[_text(_UNEXPECTED)], is_error=True)
    return types.CallToolResult(content=[_text(tool.text(result))], structured_content=plain(result))


def _failure_text(failure: Failure) -> str:
    if not isinstance(failure, Invalid):
        return failure.message
    return "\n".join(f"{name}: {' '.join(texts)}" for name, texts in failure.fields.items())


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _list_pages(core: Core, cursor: str | None) -> types.ListResourcesResult:
    pages = [*book.pages(core)]
    start = int(cursor) if cursor is not None and cursor.isdecimal() else 0
    end = start + _PAGE
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri=page.uri, name=page.slug, title=page.title, mime_type=book.MEDIA_TYPE)
            for page in pages[start:end]
        ],
        next_cursor=str(end) if end < len(pages) else None,
    )


def _page_text(core: Core, uri: str) -> str:
    scheme, _, slug = uri.rpartition("/")
    try:
        return book.page_text(core, slug if f"{scheme}/" == book.SCHEME else "")
    except NotFound:
        raise MCPError(types.INVALID_PARAMS, f"There is no resource {uri}.") from None
