"""Add visits."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create the table of visits."""
    op.create_table(
        "visits",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("vin", sa.Text(), nullable=True),
        sa.Column("vehicle", sa.Text(), nullable=False),
        sa.Column("customer_name", sa.Text(), nullable=True),
        sa.Column("customer_email", sa.Text(), nullable=True),
        sa.Column("customer_key", sa.Text(), nullable=True),
        sa.Column("customer_phone", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("search", sa.Text(), nullable=False),
        sa.Column("facility_id", _BIG, nullable=True),
        sa.Column("valid_until", sa.Text(), nullable=False),
        sa.Column("total", _BIG, nullable=False),
        sa.Column("line_count", _BIG, nullable=False),
        sa.Column("estimate", sa.Text(), nullable=False),
        sa.Column("estimated_at", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint(
            "status IN ('draft', 'sent', 'approved', 'partly_approved', 'declined', 'in_progress', 'invoiced', 'cancelled')",
            name=op.f("ck_visits_status"),
        ),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_visits_environment")),
        sa.ForeignKeyConstraint(["facility_id"], ["facilities.id"], name=op.f("fk_visits_facility_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_visits")),
        sa.UniqueConstraint("number", name=op.f("uq_visits_number")),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_visits_customer_key"), "visits", ["customer_key"], unique=False)
    op.create_index(op.f("ix_visits_facility_id"), "visits", ["facility_id"], unique=False)
    op.create_index(
        op.f("ix_visits_environment_owner_id_id"), "visits", ["environment", "owner_id", "id"], unique=False
    )


def downgrade() -> None:
    """Drop the table of visits."""
    op.drop_index(op.f("ix_visits_environment_owner_id_id"), table_name="visits")
    op.drop_index(op.f("ix_visits_facility_id"), table_name="visits")
    op.drop_index(op.f("ix_visits_customer_key"), table_name="visits")
    op.drop_table("visits")
