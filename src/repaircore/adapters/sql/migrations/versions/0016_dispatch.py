"""Add requests to providers, provider keys, providers' contacts, and the details of providers in rides."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_REAL = sa.Float(53).with_variant(sqlite.REAL(), "sqlite")
_ACTIVE = "status IN ('sent', 'offered', 'expired', 'chosen')"
_PROVIDERS = ("drivers", "businesses")


def upgrade() -> None:
    """Add the columns and tables. Providers in the directory continue to make offers automatically."""
    for name in ("provider_card", "position", "dispatch"):
        op.add_column("rides", sa.Column(name, sa.Text(), nullable=True))
    op.add_column("rides", sa.Column("en_route_at", _BIG, nullable=True))
    op.add_column("rides", sa.Column("wave", _BIG, server_default="0", nullable=False))
    for table in _PROVIDERS:
        _add_contacts(table)
    op.create_table(
        "dispatch_requests",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("ref", "environment", "kind")),
        sa.Column("ride_ref", sa.Text(), nullable=False),
        sa.Column("provider_ref", sa.Text(), nullable=False),
        sa.Column("provider_id", _BIG, nullable=False),
        sa.Column("distance_miles", _REAL, nullable=False),
        sa.Column("wave", _BIG, nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("offer_id", _BIG, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("sent_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.Column("answered_at", _BIG, nullable=True),
        sa.Column("closed_at", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_dispatch_requests_environment")),
        sa.CheckConstraint("kind IN ('ride', 'tow')", name=op.f("ck_dispatch_requests_kind")),
        sa.CheckConstraint(
            "status IN ('sent', 'offered', 'declined', 'expired', 'closed', 'chosen', 'not_chosen',"
            " 'dropped_out', 'ended')",
            name=op.f("ck_dispatch_requests_status"),
        ),
        sa.ForeignKeyConstraint(["ride_ref"], ["rides.ref"], name=op.f("fk_dispatch_requests_ride_ref")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dispatch_requests")),
        sa.UniqueConstraint("ref", name=op.f("uq_dispatch_requests_ref")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_dispatch_requests_token_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_dispatch_requests_ride", "dispatch_requests", ["ride_ref", "id"])
    op.create_index(
        "ix_dispatch_requests_provider", "dispatch_requests", ["provider_ref", "environment", "id"]
    )
    for name, columns, unique in (
        ("ix_dispatch_requests_active", ["id"], False),
        ("uq_dispatch_requests_active", ["ride_ref", "provider_ref"], True),
    ):
        op.create_index(
            name,
            "dispatch_requests",
            columns,
            unique=unique,
            sqlite_where=sa.text(_ACTIVE),
            postgresql_where=sa.text(_ACTIVE),
        )
    op.create_table(
        "provider_keys",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("provider_ref", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("last4", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("revoked_at", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_provider_keys_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_provider_keys")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_provider_keys_key_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_provider_keys_provider_ref"), "provider_keys", ["provider_ref"])


def _add_contacts(table: str) -> None:
    op.add_column(table, sa.Column("offers", sa.Text(), server_default="automatic", nullable=False))
    for name in _contacts(table):
        op.add_column(table, sa.Column(name, sa.Text(), nullable=True))


def _contacts(table: str) -> list[str]:
    return ["email", "webhook_url", *(["vehicle"] if table == "businesses" else []), "plate"]


def downgrade() -> None:
    """Drop the tables and the columns."""
    op.drop_table("provider_keys")
    op.drop_table("dispatch_requests")
    for table in _PROVIDERS:
        for name in ("offers", *_contacts(table)):
            op.drop_column(table, name)
    for name in ("provider_card", "position", "dispatch", "en_route_at", "wave"):
        op.drop_column("rides", name)
