"""Messages to providers, through the channels that reach them."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from attrs import frozen
from typing_extensions import override

from repaircore.dispatch.model import Delivery, Notice
from repaircore.dispatch.ports import Notices
from repaircore.json_text import encode_text
from repaircore.kernel.callers import Environment
from repaircore.messages.model import Channel, MessageState, NewMessage
from repaircore.providers.model import Provider


@frozen(kw_only=True)
class MessageNotices(Notices):
    """Sends notices to a provider's webhook, and to the person by SMS or, if that is not possible, by e-mail.

    ``seal`` returns the encrypted secret that signs a provider's webhooks.
    """

    channels_in: Callable[[Environment], AbstractSet[Channel]]
    seal: Callable[[str], str]

    @override
    def reaches(self, provider: Provider) -> bool:
        return bool(self._contacts(provider))

    @override
    def send(self, work: Any, provider: Provider, notice: Notice, *, at: datetime) -> None:
        for channel, recipient in self._contacts(provider).items():
            message = NewMessage(
                channel=channel,
                environment=provider.environment,
                recipient=recipient,
                subject=notice.subject,
                body=_body(channel, notice),
                about=notice.about,
                expires_at=notice.expires_at,
                sealed=self.seal(provider.ref) if channel is Channel.WEBHOOK else None,
            )
            work.messages.add(message, at)

    @override
    def withdraw(self, work: Any, about: str) -> None:
        work.messages.withdraw(about)

    @override
    def delivery(self, work: Any, about: str) -> Delivery:
        states = {message.state for message in work.messages.list_about(about)}
        if MessageState.SENT in states:
            return Delivery.SENT
        return Delivery.WAITING if MessageState.PENDING in states else Delivery.FAILED

    def _contacts(self, provider: Provider) -> dict[Channel, str]:
        on = self.channels_in(provider.environment)
        known = {
            Channel.WEBHOOK: provider.webhook_url,
            Channel.SMS: provider.phone,
            Channel.EMAIL: provider.email,
        }
        contacts = {channel: to for channel, to in known.items() if to is not None and channel in on}
        if Channel.SMS in contacts:
            contacts.pop(Channel.EMAIL, None)
        return contacts


def _body(channel: Channel, notice: Notice) -> str:
    match channel:
        case Channel.SMS:
            return notice.text
        case Channel.WEBHOOK:
            return encode_text(dict(notice.payload))
        case _:
            return notice.body
