"""Vision models: requests, and accepted answers."""

import base64
import json
from typing import Any

import pytest

from repaircore.adapters.ai.chat_completions import ChatServer
from repaircore.adapters.ai.factory import build_vision
from repaircore.adapters.ai.messages import MessagesServer
from repaircore.adapters.ai.vision import ServedVisionModel
from repaircore.external_settings import VisionSettings
from repaircore.kernel.errors import Unavailable
from repaircore.testing.upstream import Body, MisbehavingUpstream

VIN = "1HGCM82633A004352"
PHOTO = b"\xff\xd8\xff\xe0 a photo"


def _chat(answer: Any) -> bytes:
    return json.dumps({"choices": [{"message": {"content": json.dumps(answer)}}]}).encode()


def _messages(answer: Any) -> bytes:
    return json.dumps({"content": [{"type": "tool_use", "name": "report_vin", "input": answer}]}).encode()


ANSWERS = {"openai": _chat, "anthropic": _messages}
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}


def _read(kind: str, reply: bytes) -> str | None:
    with MisbehavingUpstream(Body(reply)) as upstream:
        model = build_vision(VisionSettings(kind=kind, url=upstream.url, name="seeing"))
        return model.read_vin(PHOTO)


@pytest.mark.parametrize("kind", ANSWERS)
def test_photo_is_sent_and_the_vin_returned(kind: str) -> None:
    with MisbehavingUpstream(Body(ANSWERS[kind]({"vin": VIN}))) as upstream:
        settings = VisionSettings(kind=kind, url=upstream.url, api_key="sk-1", name="seeing")

        assert build_vision(settings).read_vin(PHOTO) == VIN
        (sent,) = upstream.received(PATHS[kind])

    assert base64.b64encode(PHOTO).decode() in sent.body.decode()
    assert sent.document["model"] == "seeing"
    assert "sk-1" in sent.headers.get("x-api-key", "") + sent.headers.get("authorization", "")


@pytest.mark.parametrize("kind", ANSWERS)
def test_read_vin_returns_none_without_a_vin(kind: str) -> None:
    assert _read(kind, ANSWERS[kind]({"vin": None})) is None
    assert _read(kind, ANSWERS[kind]({"vin": "x" * 41})) is None


@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize("answer", [{}, {"vin": 5}, [], "no", {"vin": [VIN]}])
def test_parse_reply_rejects_an_invalid_document(kind: str, answer: Any) -> None:
    with pytest.raises(Unavailable):
        _read(kind, ANSWERS[kind](answer))


@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize("reply", [b"", b"<html>", b'{"choices": []}', b'{"content": []}', b"[" * 100_000])
def test_reply_without_an_answer_fails(kind: str, reply: bytes) -> None:
    with pytest.raises(Unavailable):
        _read(kind, reply)


def test_kind_chooses_the_protocol() -> None:
    for kind, server in (("openai", ChatServer), ("anthropic", MessagesServer)):
        model = build_vision(VisionSettings(kind=kind, name="m"))

        assert isinstance(model, ServedVisionModel)
        assert isinstance(model.server, server)
