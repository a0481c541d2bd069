"""Mails."""

from datetime import datetime

from attrs import frozen


@frozen(kw_only=True)
class NewMail:
    """A mail to be sent: plain text. ``about`` is the reference of the record that it tells of."""

    recipient: str
    subject: str
    body: str
    about: str


@frozen(kw_only=True)
class Mail:
    """A kept mail that is being sent for the ``attempts``-th time."""

    id: int
    mail: NewMail
    attempts: int
    created_at: datetime


@frozen(kw_only=True)
class DeliveryCounts:
    """What became of the mails that were due: how many were sent, are tried again later, or are given up."""

    sent: int = 0
    postponed: int = 0
    dead: int = 0
