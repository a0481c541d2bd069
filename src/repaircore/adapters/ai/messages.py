"""Anthropic's messages protocol, and a price model that uses it."""

from base64 import b64encode
from typing import Any, Final

from attrs import field, frozen
from typing_extensions import override

from repaircore.adapters.ai.answer import ModelFailed
from repaircore.adapters.ai.endpoint import endpoint
from repaircore.adapters.ai.forms import Form, parse_price, parse_reply
from repaircore.adapters.ai.prompt import PRICE, facts_as_json
from repaircore.adapters.outbound.client import Outbound
from repaircore.json_text import encode
from repaircore.kernel.money import Cents
from repaircore.predictions.ports import PriceModel
from repaircore.pricing.model import PriceQuestion

DEFAULT_URL: Final = "https://api.anthropic.com"
PROTOCOL_VERSION: Final = "2023-06-01"


@frozen(kw_only=True)
class MessagesServer:
    """A server that fills in forms: the model must call a tool, whose input schema is the form's.

    ``name`` is the model's name on the server.
    """

    name: str
    server: Outbound = field(repr=False)

    @classmethod
    def at(cls, url: str | None, *, api_key: str | None, name: str) -> "MessagesServer":
        """Return the server at ``url``, by default Anthropic's. A gateway may not need a key."""
        headers = {"anthropic-version": PROTOCOL_VERSION, **({"x-api-key": api_key} if api_key else {})}
        address = endpoint(url or DEFAULT_URL, version="/v1", operation="/messages")
        return cls(name=name, server=Outbound(url=address, headers=headers))

    def fill_in(self, form: Form, facts: str, *, seconds: float, photo: bytes | None = None) -> bytes:
        """Return the filled-in form, an unchecked JSON document; ``photo`` is a JPEG.

        Raises:
            Unavailable: there is no usable response; the message says why.
        """
        tool = {"name": form.name, "description": form.purpose, "input_schema": form.schema}
        content = encode(
            {
                "model": self.name,
                "max_tokens": form.most_tokens,
                "system": form.instructions,
                "messages": [
                    {"role": "user", "content": facts if photo is None else _with_photo(facts, photo)}
                ],
                "tools": [tool],
                "tool_choice": {"type": "tool", "name": form.name},
            }
        )
        body = self.server.post(content=content, repeatable=True, seconds=seconds).body
        return _tool_input(body, form.name)


@frozen
class MessagesPriceModel(PriceModel):
    """A price model on a messages server."""

    server: MessagesServer

    @classmethod
    def at(cls, url: str | None, *, api_key: str | None, name: str) -> "MessagesPriceModel":
        """Return the model at ``url``; see ``MessagesServer.at``."""
        return cls(MessagesServer.at(url, api_key=api_key, name=name))

    @property
    @override
    def source(self) -> str:
        return "anthropic"

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> Cents:
        return parse_price(
            self.server.fill_in(PRICE, facts_as_json(question), seconds=seconds), question.problem
        )


@frozen
class _Block:
    type: str
    name: str | None = None
    input: object = None


@frozen
class _Reply:
    content: list[_Block]


def _with_photo(facts: str, photo: bytes) -> list[dict[str, Any]]:
    source = {"type": "base64", "media_type": "image/jpeg", "data": b64encode(photo).decode()}
    return [{"type": "image", "source": source}, {"type": "text", "text": facts}]


def _tool_input(body: bytes, tool: str) -> bytes:
    for block in parse_reply(body, _Reply).content:
        if block.type == "tool_use" and block.name == tool:
            return encode(block.input)
    raise ModelFailed("declined to answer")
