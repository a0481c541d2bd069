"""Events in the database, and a delivery of each to whoever is subscribed."""

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.schema.webhooks import events, webhook_deliveries, webhook_subscriptions
from repaircore.json_text import encode_text
from repaircore.kernel.events import Event, Outbox
from repaircore.kernel.views import iso_utc

_ALL: Final = '["*"]'

DELIVERY: Final = ("event_id", "subscription_id", "state", "attempts", "due_at", "created_at")
"""What a new delivery is made of."""


def wanting(event_type: "sa.ColumnElement[str]") -> "sa.ColumnElement[bool]":
    """Choose the active subscriptions that list a type, or everything."""
    # Types are words of ours: none is a part of another between its quotes, and no wildcard but _ stands in one.
    named = sa.literal('%"').concat(event_type).concat(sa.literal('"%'))
    return sa.and_(
        webhook_subscriptions.c.active == 1,
        sa.or_(webhook_subscriptions.c.events == _ALL, webhook_subscriptions.c.events.like(named)),
    )


# Built once: each would take several times as long to build as to run, while nobody else may write (python -m bench durable_writes).
_LAST: Final = sa.select(sa.func.coalesce(sa.func.max(events.c.sequence), 0)).where(
    events.c.subject == sa.bindparam("subject")
)
_KEEP: Final = sa.insert(events)
_DELIVER: Final = sa.insert(webhook_deliveries).from_select(
    list(DELIVERY),
    sa.select(
        sa.bindparam("event", type_=sa.Text),
        webhook_subscriptions.c.id,
        sa.literal("pending"),
        sa.literal(0),
        sa.bindparam("at", type_=sa.BigInteger),
        sa.bindparam("at", type_=sa.BigInteger),
    ).where(
        webhook_subscriptions.c.partner_id == sa.bindparam("partner"),
        webhook_subscriptions.c.environment == sa.bindparam("place"),
        wanting(sa.bindparam("type", type_=sa.Text)),
    ),
)


class SqlOutbox(Outbox):
    """The kept events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, event: Event) -> None:
        keep_event(self._connection, event)
        asked = {
            "event": event.id,
            "at": micros(event.created_at),
            "partner": event.partner_id,
            "place": event.environment,
            "type": event.type,
        }
        self._connection.execute(_DELIVER, asked)


def keep_event(connection: Connection, event: Event) -> None:
    """Keep an event, numbered next of its subject's; nobody is told of it by that."""
    sequence = int(connection.execute(_LAST, {"subject": event.subject}).scalar_one()) + 1
    kept = {
        "id": event.id,
        "partner_id": event.partner_id,
        "environment": event.environment,
        "type": event.type,
        "subject": event.subject,
        "sequence": sequence,
        "payload": _payload(event, sequence),
        "created_at": micros(event.created_at),
    }
    connection.execute(_KEEP, kept)


def _payload(event: Event, sequence: int) -> str:
    told: dict[str, Any] = {
        "id": event.id,
        "type": event.type,
        "created_at": iso_utc(event.created_at),
        "environment": event.environment,
        "sequence": sequence,
        "data": event.data,
    }
    return encode_text(told)
