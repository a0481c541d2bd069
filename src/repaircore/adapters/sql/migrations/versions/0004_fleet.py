"""Fleets: the cars of an owner, what is told of them, the recalls that were dealt with, and connected cars."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_ENVIRONMENT = "environment IN ('test', 'live')"


def upgrade() -> None:
    """Create the tables."""
    _create_fleet_vehicles()
    _create_fleet_signals()
    _create_fleet_recall_marks()
    _create_service_schedules()
    _tell_cars_apart()
    _create_lifecycle_predictions()
    _create_flows()
    _create_connections()
    _create_connected_cars()


def downgrade() -> None:
    """Take them away; what was told in them is lost."""
    op.drop_table("service_schedules")
    op.drop_table("lifecycle_predictions")
    _forget_cars()
    for table in ("connected_cars", "car_connections", "car_flows"):
        op.drop_table(table)
    op.drop_table("fleet_recall_marks")
    op.drop_table("fleet_signals")
    op.drop_table("fleet_vehicles")


def _create_fleet_vehicles() -> None:
    op.create_table(
        "fleet_vehicles",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("vin", sa.Text(), nullable=False),
        sa.Column("vehicle_id", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_fleet_vehicles_environment")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicles.id"], name=op.f("fk_fleet_vehicles_vehicle_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fleet_vehicles")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index("ix_fleet_vehicles_vehicle_id", "fleet_vehicles", ["vehicle_id"])
    op.create_index("ix_fleet_vehicles_vin", "fleet_vehicles", ["environment", "owner_id", "vin"])
    op.create_index(
        "uq_fleet_vehicles_vin",
        "fleet_vehicles",
        ["environment", "owner_id", "vin"],
        unique=True,
        sqlite_where=sa.text("length(vin) = 17"),
        postgresql_where=sa.text("length(vin) = 17"),
    )


def _create_fleet_signals() -> None:
    op.create_table(
        "fleet_signals",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.CheckConstraint("source IN ('owner', 'connected_car')", name=op.f("ck_fleet_signals_source")),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["fleet_vehicles.id"],
            name=op.f("fk_fleet_signals_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fleet_signals")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_fleet_signals_kind", "fleet_signals", ["fleet_vehicle_id", "kind", "at", "id"])
    op.create_index("ix_fleet_signals_all", "fleet_signals", ["fleet_vehicle_id", "at", "id"])


def _create_fleet_recall_marks() -> None:
    op.create_table(
        "fleet_recall_marks",
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("campaign", sa.Text(), nullable=False),
        sa.Column("dealt_with_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["fleet_vehicles.id"],
            name=op.f("fk_fleet_recall_marks_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("fleet_vehicle_id", "campaign", name=op.f("pk_fleet_recall_marks")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )


# Service schedules


def _create_service_schedules() -> None:
    op.create_table(
        "service_schedules",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("due_on", sa.Text(), nullable=True),
        sa.Column("due_mileage", _BIG, nullable=True),
        sa.Column("interval_months", _BIG, nullable=True),
        sa.Column("interval_miles", _BIG, nullable=True),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("completed_on", sa.Text(), nullable=True),
        sa.Column("completed_mileage", _BIG, nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("ended_at", _BIG, nullable=True),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint(
            "stage IN ('planned', 'completed', 'cancelled')", name=op.f("ck_service_schedules_stage")
        ),
        sa.CheckConstraint(
            "due_on IS NOT NULL OR due_mileage IS NOT NULL", name=op.f("ck_service_schedules_due")
        ),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["fleet_vehicles.id"],
            name=op.f("fk_service_schedules_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["problem_id"], ["problems.id"], name=op.f("fk_service_schedules_problem_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service_schedules")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_service_schedules_fleet_vehicle_id_stage", "service_schedules", ["fleet_vehicle_id", "stage"]
    )


# Value, lifecycle and sequence: cars told apart, and what was foretold.


def _tell_cars_apart() -> None:
    op.add_column("transactions", sa.Column("car", _BIG))
    told = sa.text("car IS NOT NULL")
    op.create_index(
        "ix_transactions_car",
        "transactions",
        ["environment", "car", "performed_on", "problem_id"],
        sqlite_where=told,
        postgresql_where=told,
    )


def _forget_cars() -> None:
    op.drop_index("ix_transactions_car", "transactions")
    op.drop_column("transactions", "car")


def _create_lifecycle_predictions() -> None:
    op.create_table(
        "lifecycle_predictions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("vin", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, nullable=False),
        sa.Column("mileage", _BIG),
        sa.Column("performed_on", sa.Text()),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint(
            "environment IN ('test', 'live')", name=op.f("ck_lifecycle_predictions_environment")
        ),
        sa.ForeignKeyConstraint(
            ["problem_id"], ["problems.id"], name=op.f("fk_lifecycle_predictions_problem_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lifecycle_predictions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_lifecycle_predictions_environment_id"), "lifecycle_predictions", ["environment", "id"]
    )
    op.create_index(
        op.f("ix_lifecycle_predictions_environment_owner_id_id"),
        "lifecycle_predictions",
        ["environment", "owner_id", "id"],
    )


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
