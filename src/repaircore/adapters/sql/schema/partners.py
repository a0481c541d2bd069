"""The partner platform: partners, their keys and members, idempotent replies, and customers."""

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, Text, UniqueConstraint

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    PROSE,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
    where,
)

# Rows of a partner have its id.
partners = table(
    "partners",
    row_id(),
    Column("name", Text, nullable=False, unique=True, info=THINGS),
    Column("created_at", Big, nullable=False),
    Column("suspended_at", Big),
    Column("test_sessions_ended_at", Big),  # sessions that were opened until then have ended
    Column("live_sessions_ended_at", Big),
)

partner_keys = table(
    "partner_keys",
    row_id(),
    Column("partner_id", Big, ForeignKey("partners.id"), nullable=False, index=True),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("public_key", Text, nullable=False, info=THINGS),
    Column("public_hash", LargeBinary, nullable=False, unique=True, info=THINGS),
    Column("secret_hash", LargeBinary, nullable=False, unique=True, info=THINGS),
    Column("secret_last4", Text, nullable=False, info=THINGS),
    Column("created_at", Big, nullable=False),
    Column("revoked_at", Big),  # from then on it opens no session
    environment_check(),
)

# The accounts with access to a partner's data in the console; an account belongs to one partner.
partner_members = table(
    "partner_members",
    Column("user_id", Big, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("partner_id", Big, ForeignKey("partners.id"), nullable=False, index=True),
    Column("created_at", Big, nullable=False),
)

# The first response to each idempotency key, byte for byte.
idempotent_replies = table(
    "idempotent_replies",
    Column("partner_id", Big, ForeignKey("partners.id"), primary_key=True, autoincrement=False),
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("key", Text, primary_key=True, info=PROSE),
    Column("fingerprint", LargeBinary, nullable=False, info=THINGS),
    Column("status", Big),  # NULL inside the transaction that claims the key
    Column("body", LargeBinary, info=PROSE),
    Column("stored_at", Big, nullable=False, index=True),
    environment_check(),
)

customers = table(
    "customers",
    row_id(),
    Column("ref", Text, nullable=False, unique=True, info=THINGS),
    Column("partner_id", Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("first_name", Text, nullable=False, info=PERSON),
    Column("last_name", Text, nullable=False, info=PERSON),
    Column("email", Text, info=PERSON),  # NULL after an erasure, like the columns below
    Column("email_key", Text, info=PERSON),  # case-folded
    Column("phone", Text, info=PERSON),  # E.164
    Column("address", Text, info=PERSON),
    Column("metadata", Text, info=PERSON),  # JSON: the partner's own strings by name
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    environment_check(),
    UniqueConstraint("partner_id", "environment", "email_key"),
    UniqueConstraint("partner_id", "environment", "phone"),
    Index("ix_customers_listed", "partner_id", "environment", "id", **where("email IS NOT NULL")),
)
