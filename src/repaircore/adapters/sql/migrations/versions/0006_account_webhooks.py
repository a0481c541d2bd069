"""Add webhooks for accounts: an event or a subscription belongs to a partner or to an account."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_OWNED = ("events", "webhook_subscriptions")
_CHILDREN = ("webhook_deliveries", "webhook_attempts")
_OWNER = "(partner_id IS NULL) <> (user_id IS NULL)"


def upgrade() -> None:
    """Let accounts own events and subscriptions."""
    if op.get_bind().dialect.name == "sqlite":
        _rebuild(has_users=True)
        return
    for table in _OWNED:
        op.alter_column(table, "partner_id", nullable=True)
        op.add_column(table, sa.Column("user_id", _BIG, nullable=True))
        op.create_check_constraint(op.f(f"ck_{table}_owner"), table, _OWNER)
    op.create_foreign_key(
        op.f("fk_webhook_subscriptions_user_id"),
        "webhook_subscriptions",
        "users",
        ["user_id"],
        ["id"],
        ondelete="CASCADE",
    )
    _create_user_indexes()


def downgrade() -> None:
    """Delete the events and subscriptions that belong to accounts."""
    op.execute(
        "DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id FROM events WHERE user_id IS NOT NULL)"
    )
    op.execute("DELETE FROM webhook_subscriptions WHERE user_id IS NOT NULL")
    op.execute("DELETE FROM events WHERE user_id IS NOT NULL")
    if op.get_bind().dialect.name == "sqlite":
        _rebuild(has_users=False)
        return
    for table in _OWNED:
        op.drop_column(table, "user_id")
        op.alter_column(table, "partner_id", nullable=False)


def _create_user_indexes() -> None:
    op.create_index(
        op.f("ix_events_user_id_environment_created_at"),
        "events",
        ["user_id", "environment", "created_at"],
        unique=False,
    )
    op.create_index(
        op.f("ix_webhook_subscriptions_user_id_environment_id"),
        "webhook_subscriptions",
        ["user_id", "environment", "id"],
        unique=False,
    )


def _rebuild(*, has_users: bool) -> None:
    """Create the tables again with their rows.

    SQLite cannot change a column, and dropping a table deletes the rows that refer to it. So the tables that refer to
    these are created again, too, and the old ones are dropped once nothing refers to them anymore.
    """
    tables = (*_OWNED, *_CHILDREN)
    definitions = {table: _definitions(table) for table in tables}
    for table in tables:
        for index in definitions[table]["index"]:
            op.execute(f"DROP INDEX {index[0]}")
        op.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    _create_events(has_users=has_users)
    _create_subscriptions(has_users=has_users)
    if has_users:
        _create_user_indexes()
    for table in _CHILDREN:
        for _, sql in (*definitions[table]["table"], *definitions[table]["index"]):
            op.execute(sql)
    for table in tables:
        columns = ", ".join(name for name in _columns(f"old_{table}") if has_users or name != "user_id")
        op.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM old_{table}")  # noqa: S608 - constants
        _continue_numbers(table)
    for table in reversed(tables):
        op.execute(f"DROP TABLE old_{table}")


def _continue_numbers(table: str) -> None:
    """Make a new table continue the numbering of the old one, so that ids of deleted rows are never reused."""
    names = {"new": table, "old": f"old_{table}"}
    delete = "DELETE FROM sqlite_sequence WHERE name = :new"
    copy = "INSERT INTO sqlite_sequence (name, seq) SELECT :new, seq FROM sqlite_sequence WHERE name = :old"
    op.get_bind().execute(sa.text(delete), {"new": table})
    op.get_bind().execute(sa.text(copy), names)


def _definitions(table: str) -> dict[str, Sequence[tuple[str, str]]]:
    """Return the names of a table and its indexes, each with the statement that creates it, by kind."""
    query = "SELECT name, sql FROM sqlite_master WHERE type = :type AND tbl_name = :table AND sql IS NOT NULL"
    return {
        kind: [
            (row.name, row.sql)
            for row in op.get_bind().execute(sa.text(query), {"type": kind, "table": table})
        ]
        for kind in ("table", "index")
    }


def _columns(table: str) -> Sequence[str]:
    query = sa.text("SELECT name FROM pragma_table_info(:table)")
    return list(op.get_bind().execute(query, {"table": table}).scalars())


def _owners(table: str, *, has_users: bool, cascades: bool) -> Sequence["sa.Column[int] | sa.Constraint"]:
    """Return the columns for the owner of a table's rows, and their constraints."""
    partner = sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f(f"fk_{table}_partner_id"))
    if not has_users:
        return sa.Column("partner_id", _BIG, nullable=False), partner
    account = [
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f(f"fk_{table}_user_id"), ondelete="CASCADE"
        )
    ]
    return (
        sa.Column("partner_id", _BIG, nullable=True),
        sa.Column("user_id", _BIG, nullable=True),
        partner,
        *(account if cascades else ()),
        sa.CheckConstraint(_OWNER, name=op.f(f"ck_{table}_owner")),
    )


def _create_events(*, has_users: bool) -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.Text(), nullable=False),
        *_owners("events", has_users=has_users, cascades=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("sequence", _BIG, nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_events_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("subject", "sequence", name=op.f("uq_events_subject_sequence")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_events_partner_id_environment_created_at"),
        "events",
        ["partner_id", "environment", "created_at"],
        unique=False,
    )


def _create_subscriptions(*, has_users: bool) -> None:
    op.create_table(
        "webhook_subscriptions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        *_owners("webhook_subscriptions", has_users=has_users, cascades=True),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("previous_sealed", sa.Text(), nullable=True),
        sa.Column("previous_until", _BIG, nullable=True),
        sa.Column("last_delivery_at", _BIG, nullable=True),
        sa.Column("last_status", _BIG, nullable=True),
        sa.Column("failing_since", _BIG, nullable=True),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint(
            "environment IN ('test', 'live')", name=op.f("ck_webhook_subscriptions_environment")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_subscriptions")),
        sa.UniqueConstraint("ref", name=op.f("uq_webhook_subscriptions_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_webhook_subscriptions_partner_id_environment_id"),
        "webhook_subscriptions",
        ["partner_id", "environment", "id"],
        unique=False,
    )
