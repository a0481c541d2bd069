"""Users, their management sessions and their API keys."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, LargeBinary, Text

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    SECRET,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
)

users = table(
    "users",
    row_id(),
    Column("name", Text, nullable=False, info=PERSON),
    Column("email", Text, nullable=False, unique=True, info=PERSON),
    Column("password_hash", Text, nullable=False, info=SECRET),
    Column("role", Text, nullable=False, info=THINGS),
    Column("created_at", Big, nullable=False),
    CheckConstraint("role IN ('user', 'admin')", name="role"),
)

sessions = table(
    "sessions",
    Column("token_hash", LargeBinary, primary_key=True, info=SECRET),
    Column("user_id", Big, ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Big, nullable=False),
    Column("seen_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False, index=True),
)

api_keys = table(
    "api_keys",
    row_id(),
    Column("user_id", Big, ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", Text, nullable=False, info=PERSON),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("public_key", Text, nullable=False, info=PERSON),
    Column("public_hash", LargeBinary, nullable=False, unique=True, info=SECRET),
    Column("secret_hash", LargeBinary, nullable=False, unique=True, info=SECRET),
    Column("secret_last4", Text, nullable=False, info=PERSON),
    Column("created_at", Big, nullable=False),
    Column("last_used_at", Big),
    environment_check(),
)
