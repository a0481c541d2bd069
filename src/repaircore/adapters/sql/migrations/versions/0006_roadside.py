"""Roadside help: the directory of drivers and towing businesses."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_REAL = sa.Float(53).with_variant(sqlite.REAL(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    _create_businesses()
    _create_drivers()


def downgrade() -> None:
    """Take them away; what was kept in them is lost."""
    op.drop_table("drivers")
    op.drop_table("businesses")


def _create_businesses() -> None:
    op.create_table(
        "businesses",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text()),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("phone", sa.Text()),
        sa.Column("ride_types", sa.Text(), nullable=False),
        sa.Column("address", sa.Text()),
        sa.Column("latitude", _REAL, nullable=False),
        sa.Column("longitude", _REAL, nullable=False),
        sa.Column("radius_miles", _REAL, nullable=False),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("weekly", sa.Text()),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("sandbox", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_businesses_environment")),
        sa.CheckConstraint("sandbox = 0 OR environment = 'test'", name=op.f("ck_businesses_sandbox")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_businesses")),
        sa.UniqueConstraint("environment", "identity", name=op.f("uq_businesses_environment_identity")),
        sa.UniqueConstraint("ref", name=op.f("uq_businesses_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_businesses_environment_latitude"), "businesses", ["environment", "latitude"])


def _create_drivers() -> None:
    op.create_table(
        "drivers",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text()),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("phone", sa.Text()),
        sa.Column("services", sa.Text(), nullable=False),
        sa.Column("vehicle", sa.Text()),
        sa.Column("latitude", _REAL, nullable=False),
        sa.Column("longitude", _REAL, nullable=False),
        sa.Column("radius_miles", _REAL, nullable=False),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("weekly", sa.Text()),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("sandbox", _BIG, nullable=False),
        sa.Column("rating_sum", _BIG, nullable=False),
        sa.Column("rating_count", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_drivers_environment")),
        sa.CheckConstraint("sandbox = 0 OR environment = 'test'", name=op.f("ck_drivers_sandbox")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drivers")),
        sa.UniqueConstraint("environment", "identity", name=op.f("uq_drivers_environment_identity")),
        sa.UniqueConstraint("ref", name=op.f("uq_drivers_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_drivers_environment_latitude"), "drivers", ["environment", "latitude"])
