"""Events in the database, and a delivery of each to whoever is subscribed."""

import json
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.tables import events, webhook_deliveries, webhook_subscriptions
from repaircore.adapters.sql.values import micros
from repaircore.kernel.events import Event, Outbox
from repaircore.kernel.moments import zulu

__all__ = ["SqlOutbox"]

_ALL: Final = '["*"]'


class SqlOutbox(Outbox):
    """The kept events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, event: Event) -> None:
        sequence = self._next_of(event.subject)
        self._connection.execute(
            sa.insert(events).values(
                id=event.id,
                partner_id=event.partner_id,
                environment=event.environment,
                type=event.type,
                subject=event.subject,
                sequence=sequence,
                payload=_payload(event, sequence),
                created_at=micros(event.created_at),
            )
        )
        self._connection.execute(_deliveries_of(event))

    def _next_of(self, subject: str) -> int:
        last = sa.select(sa.func.coalesce(sa.func.max(events.c.sequence), 0)).where(
            events.c.subject == subject
        )
        return int(self._connection.execute(last).scalar_one()) + 1


def _payload(event: Event, sequence: int) -> str:
    told: dict[str, Any] = {
        "id": event.id,
        "type": event.type,
        "created_at": zulu(event.created_at),
        "environment": event.environment,
        "sequence": sequence,
        "data": event.data,
    }
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False)


def _deliveries_of(event: Event) -> sa.Insert:
    """Add a delivery to each active subscription of the partner that lists the type, or everything."""
    at = micros(event.created_at)
    named = sa.literal(f'%"{event.type}"%')  # types are words of ours: no wildcard stands in one
    wanted = sa.select(
        sa.literal(event.id),
        webhook_subscriptions.c.id,
        sa.literal("pending"),
        sa.literal(0),
        sa.literal(at),
        sa.literal(at),
    ).where(
        webhook_subscriptions.c.partner_id == event.partner_id,
        webhook_subscriptions.c.environment == event.environment,
        webhook_subscriptions.c.active == 1,
        sa.or_(webhook_subscriptions.c.events == _ALL, webhook_subscriptions.c.events.like(named)),
    )
    columns = ["event_id", "subscription_id", "state", "attempts", "due_at", "created_at"]
    return sa.insert(webhook_deliveries).from_select(columns, wanted)
