"""A model behind the chat-completions protocol, which OpenAI and most local servers speak."""

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

__all__ = ["ChatPriceModel"]

DEFAULT_URL: Final = "https://api.openai.com/v1"


@frozen(kw_only=True)
class ChatPriceModel(PriceModel):
    """Ask for a price with a response format that the server enforces.

    ``name`` is the model's name at the server. Neither temperature nor a token limit is sent: servers
    disagree about both, and the deadline limits the answer.
    """

    name: str
    server: Outbound = field(repr=False)

    @classmethod
    def at(cls, url: str | None, *, api_key: str | None, name: str) -> "ChatPriceModel":
        """Build the model at an address; without one, at OpenAI's. A local server may need no key."""
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        address = endpoint(url or DEFAULT_URL, version="/v1", operation="/chat/completions")
        return cls(name=name, server=Outbound(url=address, headers=headers))

    @property
    @override
    def source(self) -> str:
        return "openai"

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> Cents:
        reply = self.server.post(content=self._document(question), repeatable=True, seconds=seconds)
        return priced(_content(reply.body), question.problem)

    def _document(self, question: PriceQuestion) -> bytes:
        schema = {"name": TOOL, "strict": True, "schema": ANSWER_SCHEMA}
        return msgspec.json.encode(
            {
                "model": self.name,
                "messages": [
                    {"role": "system", "content": INSTRUCTIONS},
                    {"role": "user", "content": facts_as_json(question)},
                ],
                "response_format": {"type": "json_schema", "json_schema": schema},
            }
        )


@frozen
class _Message:
    content: str | None = None


@frozen
class _Choice:
    message: _Message


@frozen
class _Reply:
    choices: list[_Choice]


def _content(body: bytes) -> str:
    for choice in understood(body, _Reply).choices[:1]:
        if choice.message.content:
            return choice.message.content
    raise ModelFailed("declined to answer")
