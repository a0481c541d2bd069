"""Partners who subscribe, and what happens to them."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.partners import partners
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.events import Event
from repaircore.kernel.references import Kind, reference
from repaircore.shared_services import new_id
from repaircore.webhooks.model import Subscription


def a_partner(database: Database, name: str, *, at: datetime, test: bool = True) -> PartnerCaller:
    with database.transaction() as connection:
        added = connection.execute(sa.insert(partners).values(name=name, created_at=micros(at)))
    key: Any = added.inserted_primary_key
    return PartnerCaller(partner_id=key[0], environment=Environment.TEST if test else Environment.LIVE)


def a_subscription(
    database: Database, caller: PartnerCaller, *, at: datetime, **changes: Any
) -> Subscription:
    made = Subscription(
        ref=reference(Kind.WEBHOOK, new_id()),
        partner_id=caller.partner_id,
        environment=caller.environment,
        url="https://example.com/hooks",
        events=("*",),
        description=None,
        active=True,
        sealed="sealed",
        created_at=at,
        updated_at=at,
    )
    with work.open_work(database, write=True) as unit:
        return unit.subscriptions.add(evolve(made, **changes))


def an_event(
    database: Database,
    caller: PartnerCaller,
    *,
    at: datetime,
    of: str = "customer.created",
    subject: str | None = None,
) -> Event:
    event = Event(
        id=reference(Kind.EVENT, new_id()),
        type=of,
        partner_id=caller.partner_id,
        environment=caller.environment,
        subject=subject or reference(Kind.CUSTOMER, new_id()),
        data={"name": "Zoë", "amount": 12.5},
        created_at=at,
    )
    with work.open_work(database, write=True) as unit:
        unit.outbox.add(event)
    return event
