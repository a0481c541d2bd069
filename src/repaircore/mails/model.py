"""Mails."""

from datetime import datetime

from attrs import frozen


@frozen(kw_only=True)
class NewMail:
    """A plain-text mail to send. ``about`` is the reference of the record that it is about.

    A mail that expires is not sent after ``expires_at``, and its body is deleted once it has ended: it may hold a link that
    only its recipient should have.
    """

    recipient: str
    subject: str
    body: str
    about: str
    expires_at: datetime | None = None


@frozen(kw_only=True)
class Mail:
    """A stored mail whose ``attempts``-th attempt is in progress."""

    id: int
    mail: NewMail
    attempts: int
    created_at: datetime


@frozen(kw_only=True)
class DeliveryCounts:
    """How many due mails were sent, postponed to a later attempt, or given up."""

    sent: int = 0
    postponed: int = 0
    dead: int = 0
