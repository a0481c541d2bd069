"""Fleet vehicles, their signals, recalls, schedules and lifecycle predictions, and connected cars."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Text

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

# Drivers who were sent to the connected-car provider and have not returned.
car_flows = table(
    "car_flows",
    Column("id", Text, primary_key=True, info=PERSON),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("owner_id", Big, nullable=False),  # 0 is the installation itself
    Column("email", Text, info=PERSON),
    Column("begun_at", Big, nullable=False),
    Column("ends_at", Big, nullable=False, index=True),
    environment_check(),
)

# The consents of drivers. Tokens are encrypted, and NULL once the consent is withdrawn.
car_connections = table(
    "car_connections",
    Column("id", Text, primary_key=True, info=PERSON),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("owner_id", Big, nullable=False),  # 0 is the installation itself
    Column("email", Text, info=PERSON),
    Column("standing", Text, nullable=False, info=THINGS),
    Column("sealed", Text, info=SECRET),
    Column("connected_at", Big, nullable=False),
    Column("revoked_at", Big),
    Column("refresh_until", Big),  # a worker holds the lease on refreshing until then
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint("standing IN ('active', 'revoked')", name="standing"),
    CheckConstraint("(standing = 'active') = (sealed IS NOT NULL)", name="sealed"),
    Index(None, "environment", "owner_id", "email"),
)

connected_cars = table(
    "connected_cars",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("owner_id", Big, primary_key=True, autoincrement=False),
    Column("vin", Text, primary_key=True, info=PERSON),
    Column(
        "connection_id",
        Text,
        ForeignKey("car_connections.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
        info=PERSON,
    ),
    Column("connected_at", Big, nullable=False),
    Column("synced_at", Big),
    environment_check(),
    Index(None, "environment", "vin"),
)


def fleet_vehicle_column() -> "Column[str]":
    """Return a column that refers to an owner's car; deleting the car deletes the row."""
    owner = ForeignKey("fleet_vehicles.id", ondelete="CASCADE")
    return Column("fleet_vehicle_id", Text, owner, nullable=False, info=PERSON)


# Fleets: the cars of owners, their signals, and the recalls that are marked as done.
fleet_vehicles = table(
    "fleet_vehicles",
    Column("id", Text, primary_key=True, info=PERSON),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("owner_id", Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("vin", Text, nullable=False, info=PERSON),
    Column("vehicle_id", Text, ForeignKey("vehicles.id"), nullable=False, index=True, info=THINGS),
    Column("created_at", Big, nullable=False),
    environment_check(),
    # Full VINs are unique. Those of erased persons are shortened to eleven characters, which several may share.
    Index(
        "uq_fleet_vehicles_vin", "environment", "owner_id", "vin", unique=True, **where("length(vin) = 17")
    ),
    Index("ix_fleet_vehicles_vin", "environment", "owner_id", "vin"),
)

fleet_signals = table(
    "fleet_signals",
    row_id(),
    fleet_vehicle_column(),
    Column("kind", Text, nullable=False, info=THINGS),
    Column("value", Text, nullable=False, info=PERSON),  # JSON
    Column("source", Text, nullable=False, info=THINGS),
    Column("at", Big, nullable=False),
    CheckConstraint("source IN ('owner', 'connected_car')", name="source"),
    # The newest signal of each kind, and a page of all signals, are each one range of an index.
    Index("ix_fleet_signals_kind", "fleet_vehicle_id", "kind", "at", "id"),
    Index("ix_fleet_signals_all", "fleet_vehicle_id", "at", "id"),
)

fleet_recall_marks = table(
    "fleet_recall_marks",
    Column(
        "fleet_vehicle_id",
        Text,
        ForeignKey("fleet_vehicles.id", ondelete="CASCADE"),
        primary_key=True,
        info=PERSON,
    ),
    Column("campaign", Text, primary_key=True, info=PERSON),
    Column("dealt_with_at", Big, nullable=False),
)

service_schedules = table(
    "service_schedules",
    Column("id", Text, primary_key=True, info=PERSON),
    fleet_vehicle_column(),
    Column("problem_id", Big, ForeignKey("problems.id")),
    Column("title", Text, nullable=False, info=PERSON),
    Column("notes", Text, info=PERSON),
    Column("due_on", Text, info=PERSON),  # 2026-01-31: compared as text
    Column("due_mileage", Big),
    Column("interval_months", Big),
    Column("interval_miles", Big),
    Column(
        "stage", Text, nullable=False, info=THINGS
    ),  # upcoming, due and overdue follow from the day and the odometer
    Column("completed_on", Text, info=PERSON),
    Column("completed_mileage", Big),
    Column("created_at", Big, nullable=False),
    Column("ended_at", Big),
    Column("version", Big, nullable=False),
    CheckConstraint("stage IN ('planned', 'completed', 'cancelled')", name="stage"),
    CheckConstraint("due_on IS NOT NULL OR due_mileage IS NOT NULL", name="due"),
    Index(None, "fleet_vehicle_id", "stage"),
)

# Predictions of when repairs are needed again.
lifecycle_predictions = table(
    "lifecycle_predictions",
    row_id(),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("owner_id", Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("vin", Text, nullable=False, info=PERSON),
    Column("problem_id", Big, ForeignKey("problems.id"), nullable=False),
    Column("mileage", Big),
    Column("performed_on", Text, info=PERSON),
    Column("answer", Text, nullable=False, info=PERSON),  # JSON
    Column("created_at", Big, nullable=False),
    environment_check(),
    Index(None, "environment", "id"),
    Index(None, "environment", "owner_id", "id"),
)
