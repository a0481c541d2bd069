"""Events, webhook subscriptions and deliveries."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Text, UniqueConstraint

from repaircore.adapters.sql.schema.metadata import (
    PROSE,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
    where,
)

_OWNER = "(partner_id IS NULL) <> (user_id IS NULL)"
"""An event or a subscription belongs either to a partner or to an account of the main service."""

# Events as they are delivered, and the subscriptions to them. An account may be gone: erasures delete its events.
events = table(
    "events",
    Column("id", Text, primary_key=True, info=THINGS),
    Column("partner_id", Big, ForeignKey("partners.id")),
    Column("user_id", Big),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("type", Text, nullable=False, info=THINGS),
    Column("subject", Text, nullable=False, info=THINGS),
    Column("sequence", Big, nullable=False),
    Column("payload", Text, nullable=False, info=PROSE),  # JSON, the exact bytes that are signed
    Column("created_at", Big, nullable=False),
    environment_check(),
    CheckConstraint(_OWNER, name="owner"),
    UniqueConstraint("subject", "sequence"),
    Index(None, "partner_id", "environment", "created_at"),
    Index(None, "user_id", "environment", "created_at"),
)

webhook_subscriptions = table(
    "webhook_subscriptions",
    row_id(),
    Column("ref", Text, nullable=False, unique=True, info=THINGS),
    Column("partner_id", Big, ForeignKey("partners.id")),
    Column("user_id", Big, ForeignKey("users.id", ondelete="CASCADE")),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("url", Text, nullable=False, info=THINGS),
    Column("events", Text, nullable=False, info=THINGS),  # JSON
    Column("description", Text, info=PROSE),
    Column("active", Big, nullable=False),
    Column("sealed", Text, nullable=False, info=THINGS),  # the signing secret, encrypted
    Column("previous_sealed", Text, info=THINGS),
    Column("previous_until", Big),
    Column("last_delivery_at", Big),
    Column("last_status", Big),
    Column("failing_since", Big),
    Column("disabled_reason", Text, info=THINGS),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint(_OWNER, name="owner"),
    Index(None, "partner_id", "environment", "id"),
    Index(None, "user_id", "environment", "id"),
)

webhook_deliveries = table(
    "webhook_deliveries",
    row_id(),
    Column("event_id", Text, ForeignKey("events.id"), nullable=False, index=True, info=THINGS),
    Column(
        "subscription_id", Big, ForeignKey("webhook_subscriptions.id", ondelete="CASCADE"), nullable=False
    ),
    Column("state", Text, nullable=False, info=THINGS),
    Column("attempts", Big, nullable=False),
    Column("due_at", Big, nullable=False),
    Column("holder", Text, info=THINGS),  # the worker with the lease
    Column("held_until", Big),
    Column("last_status", Big),
    Column("last_error", Text, info=PROSE),
    Column("delivered_at", Big),
    Column("created_at", Big, nullable=False),
    CheckConstraint("state IN ('pending', 'delivered', 'dead', 'dropped')", name="state"),
    Index("ix_webhook_deliveries_due", "subscription_id", "due_at", **where("state = 'pending'")),
    Index(None, "subscription_id", "id"),
)

webhook_attempts = table(
    "webhook_attempts",
    row_id(),
    Column(
        "delivery_id",
        Big,
        ForeignKey("webhook_deliveries.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("at", Big, nullable=False),
    Column("status", Big),
    Column("error", Text, info=PROSE),
    Column("milliseconds", Big, nullable=False),
)
