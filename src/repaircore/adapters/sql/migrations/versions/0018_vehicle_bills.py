"""Add vehicle bills."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create the table of vehicle bills."""
    op.create_table(
        "vehicle_bills",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("paid_on", sa.Text(), nullable=False),
        sa.Column("total", _BIG, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("problem_slug", sa.Text(), nullable=True),
        sa.Column("shop_name", sa.Text(), nullable=True),
        sa.Column("mileage", _BIG, nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["fleet_vehicles.id"],
            name=op.f("fk_vehicle_bills_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vehicle_bills")),
        sqlite_strict=True,
    )
    op.create_index(
        "ix_vehicle_bills_vehicle", "vehicle_bills", ["fleet_vehicle_id", "paid_on", "id"], unique=False
    )


def downgrade() -> None:
    """Drop the table of vehicle bills."""
    op.drop_table("vehicle_bills")
