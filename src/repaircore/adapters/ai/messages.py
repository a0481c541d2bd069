"""A model behind Anthropic's messages protocol."""

from typing import Final

import msgspec
from attrs import field, frozen
from typing_extensions import override

from repaircore.adapters.ai.endpoint import endpoint
from repaircore.adapters.ai.failures import ModelFailed
from repaircore.adapters.ai.prompt import ANSWER_SCHEMA, INSTRUCTIONS, TOOL, facts_as_json
from repaircore.adapters.ai.reply import priced, understood
from repaircore.adapters.outbound.client import Outbound
from repaircore.estimates.model import PriceQuestion
from repaircore.estimates.ports import PriceModel
from repaircore.kernel.money import Cents

__all__ = ["MessagesPriceModel"]

DEFAULT_URL: Final = "https://api.anthropic.com"
PROTOCOL_VERSION: Final = "2023-06-01"
MOST_TOKENS: Final = 256
"""The protocol wants a limit; a call of the tool takes about fifty tokens."""


@frozen(kw_only=True)
class MessagesPriceModel(PriceModel):
    """Ask for a price that the model must report through a tool, whose input has a schema.

    ``name`` is the model's name at the server.
    """

    name: str
    server: Outbound = field(repr=False)

    @classmethod
    def at(cls, url: str | None, *, api_key: str | None, name: str) -> "MessagesPriceModel":
        """Build the model at an address; without one, at Anthropic's. A gateway may need no key."""
        headers = {"anthropic-version": PROTOCOL_VERSION, **({"x-api-key": api_key} if api_key else {})}
        address = endpoint(url or DEFAULT_URL, version="/v1", operation="/messages")
        return cls(name=name, server=Outbound(url=address, headers=headers))

    @property
    @override
    def source(self) -> str:
        return "anthropic"

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> Cents:
        reply = self.server.post(content=self._document(question), repeatable=True, seconds=seconds)
        return priced(_tool_input(reply.body), question.problem)

    def _document(self, question: PriceQuestion) -> bytes:
        tool = {"name": TOOL, "description": "Report the average price.", "input_schema": ANSWER_SCHEMA}
        return msgspec.json.encode(
            {
                "model": self.name,
                "max_tokens": MOST_TOKENS,
                "system": INSTRUCTIONS,
                "messages": [{"role": "user", "content": facts_as_json(question)}],
                "tools": [tool],
                "tool_choice": {"type": "tool", "name": TOOL},
            }
        )


# Not attrs, unlike the rest: msgspec leaves a piece unread (Raw) in classes of its own only.
class _Block(msgspec.Struct, frozen=True):
    type: str
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw()


@frozen
class _Reply:
    content: list[_Block]


def _tool_input(body: bytes) -> bytes:
    for block in understood(body, _Reply).content:
        if block.type == "tool_use" and block.name == TOOL:
            return bytes(block.input)
    raise ModelFailed("declined to answer")
