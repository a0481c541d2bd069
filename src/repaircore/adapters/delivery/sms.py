"""Sends SMS through the operator's gateway or through Twilio.

A gateway accepts a text message or rejects it for good; if the response says that the gateway is busy, or that its key
or URL is wrong, the message is sent again later.
"""

import re
from base64 import b64encode
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urlencode

from attrs import field, frozen
from typing_extensions import override

from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.exchange import Response
from repaircore.json_text import NotJsonError, decode, encode
from repaircore.messages.errors import MessageRejected
from repaircore.messages.model import Message
from repaircore.messages.ports import Sender

SECONDS: Final = 10.0
"""Seconds until a request times out."""

_LATER: Final = frozenset(
    status.value
    for status in (
        HTTPStatus.UNAUTHORIZED,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.METHOD_NOT_ALLOWED,
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_EARLY,
        HTTPStatus.TOO_MANY_REQUESTS,
    )
)
"""Statuses that do not reject the message itself: a wrong key or URL, or a busy gateway."""

_DEFINITE: Final = frozenset({*range(200, 300), *range(400, 500)}) - _LATER
_FORM: Final = "application/x-www-form-urlencoded"
_SERVICE: Final = "MG"
"""The prefix of the IDs of Twilio's messaging services, which choose the number to send from."""
_CODE: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}", re.ASCII)


@frozen(kw_only=True)
class HttpSms(Sender):
    """A sender that uses a gateway over the SMS gateway protocol (docs/reference/sms-gateway-protocol.md)."""

    seconds: float
    _api: Outbound = field(repr=False)

    @classmethod
    def at(cls, url: str, *, token: str | None, seconds: float = SECONDS) -> "HttpSms":
        """Return a sender for the gateway at ``url``."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        return cls(seconds=seconds, api=Outbound(url=url, headers=headers, accepts=_DEFINITE))

    @override
    def send(self, message: Message) -> None:
        content = message.content
        body = encode({"to": content.recipient, "text": content.body, "id": f"msg_{message.id}"})
        # The ID makes a retry safe: the gateway sends a text message with the same ID only once.
        response = self._api.post(content=body, repeatable=True, seconds=self.seconds)
        _require_accepted(response, "The SMS gateway")


@frozen(kw_only=True)
class TwilioSms(Sender):
    """A sender that uses Twilio's Messages resource or a compatible server.

    ``sender`` is a phone number or the ID of a messaging service. Twilio has no idempotency keys, so a request whose
    connection breaks is not retried immediately; a later attempt may send a recipient the same message twice.
    """

    account: str
    sender: str
    seconds: float
    _api: Outbound = field(repr=False)

    @classmethod
    def at(cls, url: str, *, account: str, token: str, sender: str, seconds: float = SECONDS) -> "TwilioSms":
        """Return a sender for an account on the server at ``url``."""
        api = Outbound(url=url, headers={"authorization": _basic_auth(account, token)}, accepts=_DEFINITE)
        return cls(account=account, sender=sender, seconds=seconds, api=api)

    @override
    def send(self, message: Message) -> None:
        content = message.content
        origin = "MessagingServiceSid" if self.sender.startswith(_SERVICE) else "From"
        form = {"To": content.recipient, origin: self.sender, "Body": content.body}
        response = self._api.post(
            f"/2010-04-01/Accounts/{quote(self.account, safe='')}/Messages.json",
            content=urlencode(form).encode(),
            content_type=_FORM,
            seconds=self.seconds,
        )
        _require_accepted(response, "Twilio")


def _basic_auth(account: str, token: str) -> str:
    return "Basic " + b64encode(f"{account}:{token}".encode()).decode()


def _require_accepted(response: Response, gateway: str) -> None:
    if response.status < HTTPStatus.BAD_REQUEST:
        return
    raise MessageRejected(f"{gateway} rejected the message ({response.status}{_reason(response)}).")


def _reason(response: Response) -> str:
    """Return the error code in a rejection, or ""; the error message is left out because it may quote the recipient."""
    try:
        data: Any = decode(response.body)
    except NotJsonError:
        return ""
    code = data.get("code") if isinstance(data, dict) else None
    return f", code {code}" if isinstance(code, int) or _is_code(code) else ""


def _is_code(code: object) -> bool:
    return isinstance(code, str) and _CODE.fullmatch(code) is not None
