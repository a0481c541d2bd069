"""Add the garage: vehicles with labels, what they need and cost, reminders and settings."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_INVOICED = "status = 'invoiced' AND vin IS NOT NULL"
_REAL = sa.Float(53).with_variant(sqlite.REAL(), "sqlite")


def upgrade() -> None:
    """Add the tables, and an index that finds what was paid for a vehicle."""
    op.create_table(
        "garage_settings",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("zip_code", sa.Text(), nullable=True),
        sa.Column("mail_reminders", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_garage_settings_environment")),
        sa.CheckConstraint("mail_reminders IN (0, 1)", name=op.f("ck_garage_settings_mail_reminders")),
        sa.PrimaryKeyConstraint("environment", "owner_id", name=op.f("pk_garage_settings")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "garage_vehicles",
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("unit_number", sa.Text(), nullable=True),
        sa.Column("nickname", sa.Text(), nullable=True),
        sa.Column("department", sa.Text(), nullable=True),
        sa.Column("zip_code", sa.Text(), nullable=True),
        sa.Column("in_service_on", sa.Text(), nullable=True),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("make", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("model_year", _BIG, nullable=False),
        sa.Column("search", sa.Text(), nullable=False),
        sa.Column("added_at", _BIG, nullable=False),
        sa.Column("tracked_miles", _BIG, nullable=True),
        sa.Column("version", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["fleet_vehicles.id"],
            name=op.f("fk_garage_vehicles_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("fleet_vehicle_id", name=op.f("pk_garage_vehicles")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "garage_outlooks",
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("valid_on", sa.Text(), nullable=False),
        sa.Column("computed_on", sa.Text(), nullable=True),
        sa.Column("odometer", _BIG, nullable=True),
        sa.Column("odometer_on", sa.Text(), nullable=True),
        sa.Column("pace", _REAL, nullable=True),
        sa.Column("pace_basis", sa.Text(), nullable=True),
        sa.Column("unplanned", _REAL, nullable=True),
        sa.Column("unplanned_common", _REAL, nullable=True),
        sa.Column("unplanned_own", _REAL, nullable=True),
        sa.Column("planned", _REAL, nullable=True),
        sa.Column("planned_common", _REAL, nullable=True),
        sa.Column("planned_own", _REAL, nullable=True),
        sa.Column("health", _REAL, nullable=True),
        sa.Column("grade", sa.Text(), nullable=True),
        sa.Column("open_recalls", _BIG, nullable=True),
        sa.Column("recall_coverage", sa.Text(), nullable=True),
        sa.Column("value_low", _BIG, nullable=True),
        sa.Column("value_middle", _BIG, nullable=True),
        sa.Column("value_high", _BIG, nullable=True),
        sa.Column("past_year", _BIG, server_default=sa.text("0"), nullable=False),
        sa.Column("cost_per_mile", _REAL, nullable=True),
        sa.Column("cost_miles", _BIG, nullable=True),
        sa.Column("cost_amount", _BIG, nullable=True),
        sa.Column("cost_since", sa.Text(), nullable=True),
        sa.Column("cost_until", sa.Text(), nullable=True),
        sa.Column("warnings", sa.Text(), server_default=sa.text("'[]'"), nullable=False),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["garage_vehicles.fleet_vehicle_id"],
            name=op.f("fk_garage_outlooks_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("fleet_vehicle_id", name=op.f("pk_garage_outlooks")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index("ix_garage_outlooks_valid_on", "garage_outlooks", ["valid_on"], unique=False)
    op.create_table(
        "garage_services",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("turn", _BIG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("due_on", sa.Text(), nullable=False),
        sa.Column("due_mileage", _BIG, nullable=True),
        sa.Column("basis", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("interval_miles", _BIG, nullable=True),
        sa.Column("interval_months", _BIG, nullable=True),
        sa.Column("low", _BIG, nullable=True),
        sa.Column("average", _BIG, nullable=True),
        sa.Column("high", _BIG, nullable=True),
        sa.Column("deviation", _BIG, nullable=True),
        sa.CheckConstraint("basis IN ('schedule', 'history', 'plan')", name=op.f("ck_garage_services_basis")),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["garage_vehicles.fleet_vehicle_id"],
            name=op.f("fk_garage_services_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_garage_services")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_garage_services_vehicle", "garage_services", ["fleet_vehicle_id", "turn", "due_on"], unique=False
    )
    op.create_index("ix_garage_services_due_on", "garage_services", ["turn", "due_on"], unique=False)
    op.create_table(
        "garage_reminders",
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("reminded_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["garage_vehicles.fleet_vehicle_id"],
            name=op.f("fk_garage_reminders_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("fleet_vehicle_id", "name", "period", name=op.f("pk_garage_reminders")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_visits_invoiced",
        "visits",
        ["environment", "owner_id", "vin"],
        unique=False,
        sqlite_where=sa.text(_INVOICED),
        postgresql_where=sa.text(_INVOICED),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_index("ix_visits_invoiced", table_name="visits")
    op.drop_table("garage_reminders")
    op.drop_table("garage_services")
    op.drop_table("garage_outlooks")
    op.drop_table("garage_vehicles")
    op.drop_table("garage_settings")
