"""The chat-completions protocol, which OpenAI and most local servers speak, and a price model that uses it."""

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

DEFAULT_URL: Final = "https://api.openai.com/v1"


@frozen(kw_only=True)
class ChatServer:
    """A server that fills in forms, enforcing their schema as the response format.

    ``name`` is the model's name on the server. Neither a temperature nor a token limit is sent: servers
    disagree about both, and the deadline limits the answer.
    """

    name: str
    server: Outbound = field(repr=False)

    @classmethod
    def at(cls, url: str | None, *, api_key: str | None, name: str) -> "ChatServer":
        """Return the server at ``url``, by default OpenAI's. A local server may not need a key."""
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        address = endpoint(url or DEFAULT_URL, version="/v1", operation="/chat/completions")
        return cls(name=name, server=Outbound(url=address, headers=headers))

    def fill_in(self, form: Form, facts: str, *, seconds: float, photo: bytes | None = None) -> str:
        """Return the filled-in form, an unchecked JSON document; ``photo`` is a JPEG.

        Raises:
            Unavailable: there is no usable response; the message says why.
        """
        schema = {"name": form.name, "strict": True, "schema": form.schema}
        content = encode(
            {
                "model": self.name,
                "messages": [
                    {"role": "system", "content": form.instructions},
                    {"role": "user", "content": facts if photo is None else _with_photo(facts, photo)},
                ],
                "response_format": {"type": "json_schema", "json_schema": schema},
            }
        )
        return _content(self.server.post(content=content, repeatable=True, seconds=seconds).body)


@frozen
class ChatPriceModel(PriceModel):
    """A price model on a chat-completions server."""

    server: ChatServer

    @classmethod
    def at(cls, url: str | None, *, api_key: str | None, name: str) -> "ChatPriceModel":
        """Return the model at ``url``; see ``ChatServer.at``."""
        return cls(ChatServer.at(url, api_key=api_key, name=name))

    @property
    @override
    def source(self) -> str:
        return "openai"

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> Cents:
        return parse_price(
            self.server.fill_in(PRICE, facts_as_json(question), seconds=seconds), question.problem
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


def _with_photo(facts: str, photo: bytes) -> list[dict[str, Any]]:
    url = f"data:image/jpeg;base64,{b64encode(photo).decode()}"
    return [{"type": "text", "text": facts}, {"type": "image_url", "image_url": {"url": url}}]


def _content(body: bytes) -> str:
    for choice in parse_reply(body, _Reply).choices[:1]:
        if choice.message.content:
            return choice.message.content
    raise ModelFailed("declined to answer")
