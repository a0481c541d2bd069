"""Payments, their ledger, and the test environment's sandbox charges."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Text

from repaircore.adapters.sql.schema.metadata import (
    PROSE,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
    where,
)

# Payments, their ledger, and the charges of the sandbox.
_Amounts = "amount > 0 AND 0 <= refunded AND refunded <= captured AND captured <= amount"

UNDER_WAY = "state IN ('authorizing', 'capturing', 'voiding', 'refunding')"
"""The condition for payments with a pending step; a partial index covers queries with exactly this text."""

payments = table(
    "payments",
    Column("id", Text, primary_key=True, info=THINGS),
    Column("partner_id", Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("subject", Text, nullable=False, info=THINGS),
    Column("part", Big, nullable=False, server_default="0"),
    Column("offer_ref", Text, nullable=False, info=THINGS),
    Column("amount", Big, nullable=False),
    Column("captured", Big, nullable=False),
    Column("refunded", Big, nullable=False),
    Column("moving", Big),  # the amount of the pending step
    Column("currency", Text, nullable=False, info=THINGS),
    Column("state", Text, nullable=False, info=THINGS),
    Column("gateway", Text, nullable=False, info=THINGS),
    Column("gateway_ref", Text, info=THINGS),
    Column("claim", Text, info=PROSE),
    Column("payment_method", Text, info=PROSE),
    Column("sandbox", Text, info=THINGS),
    Column("reason", Text, info=PROSE),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint(
        "state IN ('authorizing', 'authorized', 'declined', 'capturing', 'captured', 'voiding', 'voided',"
        " 'refunding', 'refunded')",
        name="state",
    ),
    CheckConstraint("gateway IN ('sandbox', 'stripe')", name="gateway"),
    CheckConstraint(_Amounts, name="amount"),
    CheckConstraint("(moving IS NOT NULL) = (state IN ('capturing', 'refunding'))", name="moving"),
    # One charge for each part of a subject, even among concurrent requests.
    Index(
        "uq_payments_living",
        "environment",
        "subject",
        "part",
        unique=True,
        **where("state NOT IN ('declined', 'voided')"),
    ),
    Index("ix_payments_under_way", "id", **where(UNDER_WAY)),
    # With the id, because SQLite would rather read a whole environment in this order than sort the rows of one subject.
    Index(None, "environment", "subject", "id"),
    Index(None, "environment", "id"),
    Index(None, "partner_id", "environment", "id"),
)

payment_entries = table(
    "payment_entries",
    row_id(),
    Column("payment_id", Text, ForeignKey("payments.id"), nullable=False, info=THINGS),
    Column("at", Big, nullable=False),
    Column("kind", Text, nullable=False, info=THINGS),
    Column("account", Text, nullable=False, info=THINGS),
    Column("cents", Big, nullable=False),
    CheckConstraint("kind IN ('authorize', 'capture', 'refund', 'void')", name="kind"),
    CheckConstraint("account IN ('customer', 'held', 'partner_revenue')", name="account"),
    Index(None, "payment_id", "id"),
)

sandbox_charges = table(
    "sandbox_charges",
    Column("ref", Text, primary_key=True, info=THINGS),
    Column("key", Text, nullable=False, unique=True, info=THINGS),
    Column("state", Text, nullable=False, info=THINGS),
    Column("amount", Big, nullable=False),
    Column("captured", Big, nullable=False),
    Column("refunded", Big, nullable=False),
    Column("sandbox", Text, info=THINGS),
    Column("done", Text, nullable=False, info=THINGS),  # JSON: the orders, by key
    Column("created_at", Big, nullable=False),
    CheckConstraint("state IN ('authorized', 'captured', 'canceled', 'declined')", name="state"),
    CheckConstraint(_Amounts, name="amount"),
)
