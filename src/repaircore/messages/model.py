"""Messages, and the status of their delivery."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from repaircore.kernel.callers import Environment
from repaircore.messages.texts import LONGEST, is_sms


class Channel(StrEnum):
    """How a message reaches its recipient."""

    EMAIL = "email"
    SMS = "sms"
    WEBHOOK = "webhook"


class MessageState(StrEnum):
    """Whether a message is yet to be sent, was sent, or was given up on."""

    PENDING = "pending"
    SENT = "sent"
    DEAD = "dead"


SANDBOXED: Final = frozenset({Channel.EMAIL, Channel.SMS})
"""The channels that reach people: in the test environment their messages are stored and never leave."""


@frozen(kw_only=True)
class NewMessage:
    """A message to send. ``about`` is the reference of the record that it is about.

    ``recipient`` is an e-mail address, a phone number in E.164 form or an https URL. ``subject`` is used only in an
    e-mail. ``body`` is plain text: for an SMS as ``sms_text`` returns it, for a webhook JSON, which is signed with the
    secret that is encrypted in ``sealed``.

    In the test environment, e-mails and SMS messages are stored as sent, and never leave (docs/decisions/messages.md).

    A message with an ``expires_at`` is not sent after that, and its body is deleted once it has ended, because it may
    contain a link that only the recipient should have.

    Raises:
        ValueError: the body is not a valid SMS, or a webhook has no secret.
    """

    channel: Channel
    environment: Environment
    recipient: str
    subject: str
    body: str
    about: str
    expires_at: datetime | None = None
    sealed: str | None = field(default=None, repr=False)

    def __attrs_post_init__(self) -> None:
        is_ended = not self.body and self.expires_at is not None
        if self.channel is Channel.SMS and not is_ended and not is_sms(self.body):
            raise ValueError(f"An SMS must have 1 to {LONGEST} characters from the GSM 7-bit alphabet.")
        if self.channel is Channel.WEBHOOK and self.sealed is None:
            raise ValueError("A webhook message requires a signing secret.")

    @property
    def is_sandboxed(self) -> bool:
        """Return whether the message is only stored, because it is in the test environment and would reach a person."""
        return self.environment is Environment.TEST and self.channel in SANDBOXED


@frozen(kw_only=True)
class Message:
    """A stored message that is being sent; ``attempts`` includes the current attempt."""

    id: int
    content: NewMessage
    attempts: int
    created_at: datetime


@frozen(kw_only=True)
class StoredMessage:
    """A stored message and its delivery status. ``due_at`` is the time of a pending message's next attempt."""

    id: int
    content: NewMessage
    state: MessageState
    attempts: int
    created_at: datetime
    due_at: datetime
    ended_at: datetime | None
    last_error: str | None


@frozen(kw_only=True)
class MessageFilter:
    """Selects messages by environment, record, state and channel; None matches all.

    Messages about a ride include those to providers about their requests for it.
    """

    environment: Environment | None = None
    about: str | None = None
    state: MessageState | None = None
    channel: Channel | None = None


@frozen(kw_only=True)
class DeliveryCounts:
    """How many due messages were sent, postponed until a later attempt, or given up on."""

    sent: int = 0
    postponed: int = 0
    dead: int = 0
