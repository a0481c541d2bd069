"""Fleets: connected cars, and the agreements of their drivers."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0004"
down_revision = "0002"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_ENVIRONMENT = "environment IN ('test', 'live')"


def upgrade() -> None:
    """Create the tables."""
    _create_flows()
    _create_connections()
    _create_connected_cars()


def _create_flows() -> None:
    op.create_table(
        "car_flows",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("email", sa.Text()),
        sa.Column("begun_at", _BIG, nullable=False),
        sa.Column("ends_at", _BIG, nullable=False),
        sa.CheckConstraint(_ENVIRONMENT, name=op.f("ck_car_flows_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_car_flows")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index("ix_car_flows_ends_at", "car_flows", ["ends_at"])


def _create_connections() -> None:
    op.create_table(
        "car_connections",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("email", sa.Text()),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Text()),
        sa.Column("connected_at", _BIG, nullable=False),
        sa.Column("revoked_at", _BIG),
        sa.Column("refresh_until", _BIG),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint(_ENVIRONMENT, name=op.f("ck_car_connections_environment")),
        sa.CheckConstraint("standing IN ('active', 'revoked')", name=op.f("ck_car_connections_standing")),
        sa.CheckConstraint(
            "(standing = 'active') = (sealed IS NOT NULL)", name=op.f("ck_car_connections_sealed")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_car_connections")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index("ix_car_connections_environment_email", "car_connections", ["environment", "email"])


def _create_connected_cars() -> None:
    op.create_table(
        "connected_cars",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("vin", sa.Text(), nullable=False),
        sa.Column("connection_id", sa.Text(), nullable=False),
        sa.Column("connected_at", _BIG, nullable=False),
        sa.Column("synced_at", _BIG),
        sa.CheckConstraint(_ENVIRONMENT, name=op.f("ck_connected_cars_environment")),
        sa.ForeignKeyConstraint(
            ["connection_id"],
            ["car_connections.id"],
            name=op.f("fk_connected_cars_connection_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("environment", "owner_id", "vin", name=op.f("pk_connected_cars")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index("ix_connected_cars_connection_id", "connected_cars", ["connection_id"])
    op.create_index("ix_connected_cars_environment_vin", "connected_cars", ["environment", "vin"])


def downgrade() -> None:
    """Take all of it away."""
    for table in ("connected_cars", "car_connections", "car_flows"):
        op.drop_table(table)
