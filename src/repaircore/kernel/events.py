"""Events: changes to records that partners and accounts subscribe to, stored in the same transaction as the change."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from attrs import frozen

from repaircore.kernel.callers import Environment


@frozen(kw_only=True)
class Event:
    """One change to one record of a partner or of an account.

    Exactly one of ``partner_id`` and ``user_id`` is set. ``id`` is a reference (``evt_…``), ``type`` names the change
    (``appointment.booked``), ``subject`` is the record's reference. ``data`` is the record after the change, as the API
    shows it: strings, numbers, booleans, None, and lists and mappings of them.
    """

    id: str
    type: str
    partner_id: int | None = None
    user_id: int | None = None
    environment: Environment
    subject: str
    data: Mapping[str, Any]
    created_at: datetime


class Outbox(Protocol):
    """The stored events; part of a unit of work, so that a change and its event are committed together."""

    def add(self, event: Event) -> None:
        """Store an event with its subject's next sequence number, and a delivery to each current subscriber.

        Write the subject's row earlier in the same unit of work: its lock keeps two changes of one subject
        from taking the same number.
        """
