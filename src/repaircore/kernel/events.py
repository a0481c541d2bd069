"""What happened, for whoever subscribed to it: kept in the same transaction as the change that it tells of."""

from abc import abstractmethod
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from attrs import frozen

from repaircore.kernel.callers import Environment


@frozen(kw_only=True)
class Event:
    """One change of one record.

    ``id`` is a reference (``evt_…``), ``type`` names what happened (``appointment.booked``), ``subject`` is the
    record's reference. ``data`` is the record since then, as the API shows it: strings, numbers, booleans, None,
    lists and mappings of these alone.
    """

    id: str
    type: str
    partner_id: int
    environment: Environment
    subject: str
    data: Mapping[str, Any]
    created_at: datetime


class Outbox(Protocol):
    """The kept events. A unit of work offers it, so that a change and its event are kept, or lost, together."""

    @abstractmethod
    def add(self, event: Event) -> None:
        """Keep an event, numbered next of its subject's, and have it delivered to who is subscribed now.

        The subject's row is to be written in the same unit of work before, so that two changes of one subject
        cannot be numbered at once.
        """
