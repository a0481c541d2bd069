"""Users, their management sessions and their API keys."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, LargeBinary, Text

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    SECRET,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
    where,
)

users = table(
    "users",
    row_id(),
    Column("name", Text, nullable=False, info=PERSON),
    Column("email", Text, nullable=False, unique=True, info=PERSON),
    Column("password_hash", Text, nullable=False, info=SECRET),
    Column("role", Text, nullable=False, info=THINGS),
    Column("created_at", Big, nullable=False),
    Column("locked_at", Big),  # NULL: not locked
    CheckConstraint("role IN ('user', 'admin')", name="role"),
    Index("ix_users_admins", "id", **where("role = 'admin'")),
)

sessions = table(
    "sessions",
    Column("token_hash", LargeBinary, primary_key=True, info=SECRET),
    Column("user_id", Big, ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Big, nullable=False),
    Column("seen_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False, index=True),
    Column("browser", Text, info=PERSON),  # short names of the browser and system that started it
    Column("network", Text, info=PERSON),
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

# Replaced secret keys, which still work for some hours.
old_secrets = table(
    "old_secrets",
    Column(
        "key_id", Big, ForeignKey("api_keys.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("secret_hash", LargeBinary, nullable=False, unique=True, info=SECRET),
    Column("ends_at", Big, nullable=False),
)

# Requests for a password-reset link, for e-mails with and without an account.
reset_requests = table(
    "reset_requests",
    row_id(),
    Column("email", Text, nullable=False, index=True, info=PERSON),
    Column("requested_at", Big, nullable=False),
)

# The password-reset link of each user.
password_resets = table(
    "password_resets",
    Column("user_id", Big, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("token_hash", LargeBinary, nullable=False, unique=True, info=SECRET),
    Column("expires_at", Big, nullable=False),
)
