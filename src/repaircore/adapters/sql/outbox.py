"""Events in the database, and their deliveries to subscribers."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.schema.webhooks import events, webhook_deliveries, webhook_subscriptions
from repaircore.json_text import encode_text
from repaircore.kernel.events import Event, Outbox
from repaircore.kernel.views import iso_utc
from repaircore.webhooks.event_types import GROUPS

_ALL: Final = '["*"]'

DELIVERY_COLUMNS: Final = ("event_id", "subscription_id", "state", "attempts", "due_at", "created_at")
"""The columns that a new delivery sets."""


def subscribed_to(event_type: "sa.ColumnElement[str]") -> "sa.ColumnElement[bool]":
    """Return the condition that a subscription is active, and lists an event type, a pattern for it, or all types."""
    # Types are constants: in quotes, none is part of another, and their only LIKE wildcard is _.
    quoted = sa.literal('%"').concat(event_type).concat(sa.literal('"%'))
    return sa.and_(
        webhook_subscriptions.c.active == 1,
        sa.or_(
            webhook_subscriptions.c.events == _ALL,
            webhook_subscriptions.c.events.like(quoted),
            *(
                sa.and_(event_type.like(f"{group}.%"), webhook_subscriptions.c.events.like(f'%"{group}.*"%'))
                for group in GROUPS
            ),
        ),
    )


# Built once: each takes several times longer to build than to run, and runs under the write lock
# (python -m bench durable_writes).
_LAST_SEQUENCE: Final = sa.select(sa.func.coalesce(sa.func.max(events.c.sequence), 0)).where(
    events.c.subject == sa.bindparam("subject")
)
_INSERT_EVENT: Final = sa.insert(events)


def _insert_deliveries(owner: "sa.ColumnElement[int]") -> "sa.Insert":
    """Return the statement that adds a delivery for each of an owner's active subscriptions to an event's type."""
    subscriptions = sa.select(
        sa.bindparam("event", type_=sa.Text),
        webhook_subscriptions.c.id,
        sa.literal("pending"),
        sa.literal(0),
        sa.bindparam("at", type_=sa.BigInteger),
        sa.bindparam("at", type_=sa.BigInteger),
    ).where(
        owner == sa.bindparam("owner"),
        webhook_subscriptions.c.environment == sa.bindparam("environment"),
        subscribed_to(sa.bindparam("type", type_=sa.Text)),
    )
    return sa.insert(webhook_deliveries).from_select(list(DELIVERY_COLUMNS), subscriptions)


_INSERT_OF_PARTNER: Final = _insert_deliveries(webhook_subscriptions.c.partner_id)
_INSERT_OF_ACCOUNT: Final = _insert_deliveries(webhook_subscriptions.c.user_id)


class SqlOutbox(Outbox):
    """The stored events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, event: Event) -> None:
        store_event(self._connection, event)
        values = {
            "event": event.id,
            "at": micros(event.created_at),
            "owner": event.user_id if event.partner_id is None else event.partner_id,
            "environment": event.environment,
            "type": event.type,
        }
        insert = _INSERT_OF_ACCOUNT if event.partner_id is None else _INSERT_OF_PARTNER
        self._connection.execute(insert, values)


def store_event(connection: Connection, event: Event) -> None:
    """Store an event with its subject's next sequence number, without deliveries."""
    sequence = int(connection.execute(_LAST_SEQUENCE, {"subject": event.subject}).scalar_one()) + 1
    values = {
        "id": event.id,
        "partner_id": event.partner_id,
        "user_id": event.user_id,
        "environment": event.environment,
        "type": event.type,
        "subject": event.subject,
        "sequence": sequence,
        "payload": _payload(event, sequence),
        "created_at": micros(event.created_at),
    }
    connection.execute(_INSERT_EVENT, values)


def delete_events(connection: Connection, criterion: "sa.ColumnElement[bool]") -> int:
    """Delete the matching events with their deliveries, and return how many events were deleted."""
    ids = sa.select(events.c.id).where(criterion)
    connection.execute(sa.delete(webhook_deliveries).where(webhook_deliveries.c.event_id.in_(ids)))
    return connection.execute(sa.delete(events).where(criterion)).rowcount


def _payload(event: Event, sequence: int) -> str:
    envelope = {
        "id": event.id,
        "type": event.type,
        "created_at": iso_utc(event.created_at),
        "environment": event.environment,
        "sequence": sequence,
        "data": event.data,
    }
    return encode_text(envelope)
