"""Replace mails with messages on several channels; add metadata to customers and rides."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_PENDING = sa.text("state = 'pending'")
_DEAD = sa.text("state = 'dead'")
_KNOWN = sa.text("email IS NOT NULL")
_REFERRED = sa.text("partner_reference IS NOT NULL")
_SHARED = (
    "id, recipient, recipient_key, subject, body, about, state, attempts, due_at, last_error, created_at,"
    " ended_at, expires_at"
)


def upgrade() -> None:
    """Replace the table of mails, moving its rows, and add the columns and indexes."""
    op.create_table(
        "messages",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("recipient_key", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", _BIG, nullable=False),
        sa.Column("due_at", _BIG, nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("ended_at", _BIG, nullable=True),
        sa.Column("expires_at", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_messages_environment")),
        sa.CheckConstraint("channel IN ('email', 'sms', 'webhook')", name=op.f("ck_messages_channel")),
        sa.CheckConstraint("state IN ('pending', 'sent', 'dead')", name=op.f("ck_messages_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    # Mails were written for people of the live environment only.
    op.execute(
        f"INSERT INTO messages (channel, environment, {_SHARED})"  # noqa: S608 - constants
        f" SELECT 'email', 'live', {_SHARED} FROM mails"
    )
    _number_on("messages", "mails")
    op.drop_table("mails")
    op.create_index(op.f("ix_messages_recipient_key"), "messages", ["recipient_key"], unique=False)
    op.create_index(op.f("ix_messages_about"), "messages", ["about"], unique=False)
    op.create_index(
        "ix_messages_due",
        "messages",
        ["channel", "due_at"],
        unique=False,
        sqlite_where=_PENDING,
        postgresql_where=_PENDING,
    )
    op.create_index(
        "ix_messages_dead",
        "messages",
        ["ended_at"],
        unique=False,
        sqlite_where=_DEAD,
        postgresql_where=_DEAD,
    )
    op.add_column("customers", sa.Column("metadata", sa.Text(), nullable=True))
    op.create_index(
        "ix_customers_listed",
        "customers",
        ["partner_id", "environment", "id"],
        unique=False,
        sqlite_where=_KNOWN,
        postgresql_where=_KNOWN,
    )
    op.add_column("rides", sa.Column("metadata", sa.Text(), nullable=True))
    op.create_index(
        "ix_rides_partner_reference",
        "rides",
        ["partner_id", "environment", "partner_reference", "id"],
        unique=False,
        sqlite_where=_REFERRED,
        postgresql_where=_REFERRED,
    )


def downgrade() -> None:
    """Restore the table of mails; other messages and all metadata are lost."""
    op.drop_index("ix_rides_partner_reference", table_name="rides")
    op.drop_column("rides", "metadata")
    op.drop_index("ix_customers_listed", table_name="customers")
    op.drop_column("customers", "metadata")
    op.create_table(
        "mails",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("recipient_key", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", _BIG, nullable=False),
        sa.Column("due_at", _BIG, nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("ended_at", _BIG, nullable=True),
        sa.Column("expires_at", _BIG, nullable=True),
        sa.CheckConstraint("state IN ('pending', 'sent', 'dead')", name=op.f("ck_mails_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.execute(
        f"INSERT INTO mails ({_SHARED})"  # noqa: S608 - constants
        f" SELECT {_SHARED} FROM messages WHERE channel = 'email' AND environment = 'live'"
    )
    _number_on("mails", "messages")
    op.drop_table("messages")
    op.create_index(op.f("ix_mails_recipient_key"), "mails", ["recipient_key"], unique=False)
    op.create_index(
        "ix_mails_due",
        "mails",
        ["due_at"],
        unique=False,
        sqlite_where=_PENDING,
        postgresql_where=_PENDING,
    )


def _number_on(table: str, old: str) -> None:
    """Continue the numbering of the old table, so that ids of deleted rows are never reused."""
    bind = op.get_bind()
    if bind.dialect.name == "postgresql":
        op.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), last_value, is_called)"  # noqa: S608 - constants
            f" FROM {old}_id_seq"
        )
        return
    number = f"(SELECT seq FROM sqlite_sequence WHERE name = '{old}')"  # noqa: S608 - constants
    op.execute(f"DELETE FROM sqlite_sequence WHERE name = '{table}'")  # noqa: S608 - constants
    op.execute(
        f"INSERT INTO sqlite_sequence (name, seq) SELECT '{table}', {number} WHERE {number} IS NOT NULL"
    )
