"""The tools for AI agents, called through the protocol's own client."""

import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import anyio
import httpx2
import pytest
import uvicorn
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from tests.conftest import OpenCore
from tests.http.people import Person, person
from tests.http.watched import serve_core

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller
from repaircore_http.mcp.server import make_server
from repaircore_http.mcp.tools import TOOLS
from repaircore_http.mcp.transports import PATH, http_app

T = TypeVar("T")

CAMRY = {"year": 2015, "make": "Toyota", "model": "Camry"}
PLACE = {"zip_code": "60601"}


def run(core: Core, conversation: Callable[[Client], Awaitable[T]], caller: Caller = LOCAL) -> T:
    """Return the result of a conversation between a client and the server of a core."""

    async def converse() -> T:
        async with Client(make_server(core, lambda: caller)) as client:
            return await conversation(client)

    return anyio.run(converse)


def call_tool(core: Core, tool: str, **arguments: Any) -> Any:
    return run(core, lambda client: client.call_tool(tool, arguments))


def protocol_error(core: Core, request: Callable[[Client], Awaitable[Any]]) -> str:
    """Return the message of the protocol error that a request gets."""

    async def conversation(client: Client) -> str:
        with pytest.raises(MCPError) as refusal:
            await request(client)
        return refusal.value.message

    return run(core, conversation)


def text_of(result: Any) -> str:
    return "\n".join(content.text for content in result.content)


def test_tool_schemas_are_self_contained(core: Core) -> None:
    tools = run(core, lambda client: client.list_tools()).tools
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    for tool in tools:
        assert tool.description
        assert tool.input_schema["type"] == "object"
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        assert "#/components" not in tool.model_dump_json()


def test_agent_gets_from_words_to_a_priced_visit(core: Core) -> None:
    async def conversation(client: Client) -> Any:
        complaint = {"words": "grinding when braking", **CAMRY, **PLACE}
        first = (await client.call_tool("diagnose", complaint)).structured_content
        answers = [f"{first['question']['id']}:yes"]
        second = (await client.call_tool("diagnose", {**complaint, "answers": answers})).structured_content
        assert [each["reply"] for each in second["answered"]] == ["yes"]
        slug = second["recommendations"][0]["problem"]["slug"]
        assert slug.startswith("brake-")
        lines = [{"problem_identifier": slug}, {"problem_identifier": "brake-fluid-flush"}]
        return await client.call_tool("visit", {**CAMRY, **PLACE, "lines": lines})

    visit = run(core, conversation)
    totals = visit.structured_content["totals"]
    assert 0 < totals["low_total"] < totals["average_total"] < totals["high_total"]
    assert f"${totals['average_total']:,.2f}" in text_of(visit)


@pytest.mark.parametrize("vehicle", [CAMRY, {"vin": "4T1BF1FK5FU"}], ids=["by name", "by VIN"])
def test_estimate_explains_its_range(core: Core, vehicle: dict[str, Any]) -> None:
    estimate = call_tool(core, "predict", **vehicle, **PLACE, repair="brake-pads-front")
    found = estimate.structured_content
    assert found["vehicle"] == "2015 Toyota Camry"
    assert found["labor_total"] + found["parts_total"] == pytest.approx(found["average_total"])
    assert "Eight out of ten pay" in text_of(estimate)
    assert core.past_predictions.get(UUID(found["session_id"])).prediction is not None


def test_dangers_come_before_the_repairs(core: Core) -> None:
    found = call_tool(core, "diagnose", words="brake pedal goes to the floor and the car does not stop")
    assert found.structured_content["safety"]["stop_driving"] is True
    assert text_of(found).startswith(found.structured_content["safety"]["warnings"][0]["text"])


def test_meaningless_words_suggest_no_repair(core: Core) -> None:
    assert "Nothing in the description points to a repair" in text_of(
        call_tool(core, "diagnose", words="xyzzy")
    )


def test_quote_gets_a_verdict_and_questions(core: Core) -> None:
    quote = "Front brake pads $390\nAlternator $300\nShop supplies $20"
    checked = call_tool(core, "quote_check", **CAMRY, **PLACE, text=quote)
    assert text_of(checked).startswith(checked.structured_content["whole"]["headline"])
    assert "Ask the shop:" in text_of(checked)


def test_code_vehicle_and_search(core: Core) -> None:
    assert "catalytic-converter" in text_of(call_tool(core, "codes", code="p0420"))
    assert text_of(call_tool(core, "vehicle", vin="4T1BF1FK5FU")).startswith("2015 Toyota Camry: 2.5L I4")
    assert "(brake-pads-front)" in text_of(call_tool(core, "search", query="front brakes"))
    assert call_tool(core, "search", query="front brakes", limit=1).structured_content["repairs"][1:] == []


def test_every_bad_argument_is_reported(core: Core) -> None:
    wrong = call_tool(core, "predict", vin="SHORT", zip_code="1", repair="")
    assert wrong.is_error
    assert [line.partition(":")[0] for line in text_of(wrong).splitlines()] == ["zip_code", "repair"]
    assert "vin: " in text_of(call_tool(core, "predict", **PLACE, repair="alternator"))


def test_unknown_repair_lists_the_nearest_ones(core: Core) -> None:
    wrong = call_tool(core, "predict", **CAMRY, **PLACE, repair="front pads")
    assert text_of(wrong).startswith("repair: There is no such repair. The nearest are brake-pads-front")


def test_repair_that_does_not_fit_gets_a_readable_error(core: Core) -> None:
    leaf = {"year": 2019, "make": "Nissan", "model": "Leaf"}
    wrong = call_tool(core, "predict", **leaf, **PLACE, repair="spark-plugs")
    assert wrong.is_error
    assert text_of(wrong) == "A 2019 Nissan Leaf is electric: it has no spark plugs."


def test_unexpected_error_shows_no_details(core: Core) -> None:
    class Broken:
        def search(self, *_: object, **__: object) -> None:
            raise RuntimeError("the inside")

    wrong = run(
        core.replacing(problems=Broken()), lambda client: client.call_tool("search", {"query": "brakes"})
    )
    assert wrong.is_error
    assert text_of(wrong) == "Something went wrong on our side."


def test_unknown_tool_is_a_protocol_error(core: Core) -> None:
    assert protocol_error(core, lambda client: client.call_tool("mend", {})) == "There is no tool mend."


def test_book_has_a_page_for_each_repair(core: Core) -> None:
    async def conversation(client: Client) -> tuple[list[str], str]:
        uris, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            uris += [resource.uri for resource in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
        read = await client.read_resource("repaircore://repairs/brake-pads-front")
        return uris, read.contents[0].text  # type: ignore[union-attr]

    uris, text = run(core, conversation)
    assert len(uris) == len(set(uris)) == len(core.repair_guides.list_slugs())
    assert "## Typical prices in" in text


@pytest.mark.parametrize(
    "uri", ["repaircore://repairs/none", "file:///etc/passwd", "repaircore://other/alternator"]
)
def test_other_resources_do_not_exist(core: Core, uri: str) -> None:
    assert protocol_error(core, lambda client: client.read_resource(uri)) == f"There is no resource {uri}."


# Over HTTP


@contextmanager
def serve_http(core: Core) -> Iterator[str]:
    """Serve a core over HTTP on a free local port; yield the address."""
    server = uvicorn.Server(uvicorn.Config(http_app(core, "127.0.0.1"), port=0, log_level="critical"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}{PATH}"
    finally:
        server.should_exit = True
        thread.join()


def call_over_http(url: str, key: str, tool: str, arguments: dict[str, Any]) -> Any:
    async def converse() -> Any:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await client.call_tool(tool, arguments)

    return anyio.run(converse)


def test_http_requests_need_a_key_of_the_right_kind(core: Core, ada: Person) -> None:
    keys = ada.keys()
    with serve_http(core) as url:
        vehicle = call_over_http(url, keys.public_key, "vehicle", CAMRY)
        assert vehicle.structured_content["display_name"] == "2015 Toyota Camry"
        recalls = call_over_http(url, keys.public_key, "recalls", {"vin": "4T1BF1FK5FU000001"})
        assert recalls.is_error
        assert text_of(recalls) == "This action is unauthorized."
        for headers in ({}, {"Authorization": "Bearer rc_unknown"}, {"Authorization": "Basic eDp5"}):
            answer = httpx2.post(url, json={}, headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.json() == {"message": "Send an API key: Authorization: Bearer …"}


def test_http_requests_are_rate_limited(open_core: OpenCore) -> None:
    core = open_core(requests_per_minute=3)
    keys = person(serve_core(core).test_client(), "Ada").keys()
    with serve_http(core) as url:
        headers = {"Authorization": f"Bearer {keys.secret_key}"}
        answers = [httpx2.post(url, json={}, headers=headers) for _ in range(5)]
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) > 0


def test_predictions_of_a_publishable_key_are_limited(open_core: OpenCore) -> None:
    core = open_core(predictions_per_minute=2)
    caller = core.accounts.authenticate(person(serve_core(core).test_client(), "Ada").keys().public_key)

    async def conversation(client: Client) -> list[bool]:
        return [(await client.call_tool("search", {"query": "brakes"})).is_error for _ in range(3)]

    assert run(core, conversation, caller) == [False, False, True]


# Over standard input and output


@pytest.mark.long
def test_agent_starts_the_command_and_talks_to_it(sqlite_url: str, tmp_path: Path) -> None:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "repaircore_cli", "mcp", "--database", sqlite_url],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name.startswith(("PYTHON", "XDG", "PATH"))},
    )

    async def converse() -> Any:
        async with Client(stdio_client(command)) as client:
            return await client.call_tool("search", {"query": "front brakes"})

    assert "(brake-pads-front)" in text_of(anyio.run(converse))
