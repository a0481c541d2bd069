"""Messages, as operators see them."""

from datetime import datetime
from typing import Self

from repaircore.kernel.callers import Environment
from repaircore.kernel.views import view
from repaircore.messages.model import Channel, MessageState, StoredMessage


@view
class OutboxMessageView:
    """A message and its delivery status. ``body`` is empty once an expiring message has ended."""

    id: int
    environment: Environment
    channel: Channel
    recipient: str
    subject: str
    body: str
    about: str
    state: MessageState
    attempts: int
    last_error: str | None
    expires_at: datetime | None
    created_at: datetime
    ended_at: datetime | None

    @classmethod
    def of(cls, message: StoredMessage) -> Self:
        """Return the view of a message."""
        content = message.content
        return cls(
            id=message.id,
            environment=content.environment,
            channel=content.channel,
            recipient=content.recipient,
            subject=content.subject,
            body=content.body,
            about=content.about,
            state=message.state,
            attempts=message.attempts,
            last_error=message.last_error,
            expires_at=content.expires_at,
            created_at=message.created_at,
            ended_at=message.ended_at,
        )
