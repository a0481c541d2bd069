"""Garage vehicles, their latest outlooks, bills and reminders."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Text, text

from repaircore.adapters.sql.schema.fleet import fleet_vehicle_column
from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    THINGS,
    Big,
    Real,
    environment_check,
    row_id,
    table,
)


def _vehicle(*, is_key: bool) -> "Column[str]":
    owner = ForeignKey("garage_vehicles.fleet_vehicle_id", ondelete="CASCADE")
    return Column("fleet_vehicle_id", Text, owner, primary_key=is_key, nullable=False, info=PERSON)


garage_vehicles = table(
    "garage_vehicles",
    Column(
        "fleet_vehicle_id",
        Text,
        ForeignKey("fleet_vehicles.id", ondelete="CASCADE"),
        primary_key=True,
        info=PERSON,
    ),
    Column("unit_number", Text, info=PERSON),
    Column("nickname", Text, info=PERSON),
    Column("department", Text, info=PERSON),
    Column("zip_code", Text, info=PERSON),
    Column("in_service_on", Text, info=PERSON),  # 2026-01-31
    Column("display_name", Text, nullable=False, info=THINGS),
    Column("make", Text, nullable=False, info=THINGS),
    Column("model", Text, nullable=False, info=THINGS),
    Column("model_year", Big, nullable=False),
    Column("search", Text, nullable=False, info=PERSON),  # labels and name, case-folded
    Column("added_at", Big, nullable=False),
    Column("tracked_miles", Big),  # services are tracked from this reading on
    Column("version", Big, nullable=False),
)

# Computed from the vehicle's signals, schedules and recalls, and from prices; an outdated row is recomputed.
garage_outlooks = table(
    "garage_outlooks",
    _vehicle(is_key=True),
    # The day it was computed, 2026-01-31; empty: it is outdated, or was never computed.
    Column("valid_on", Text, nullable=False, info=THINGS),
    Column("computed_on", Text, info=THINGS),
    Column("odometer", Big),  # NULL: it was never read
    Column("odometer_on", Text, info=PERSON),
    Column("pace", Real),  # miles a month
    Column("pace_basis", Text, info=THINGS),
    Column("unplanned", Real),  # cents in a year; NULL: nothing is priced
    Column("unplanned_common", Real),
    Column("unplanned_own", Real),
    Column("planned", Real),
    Column("planned_common", Real),
    Column("planned_own", Real),
    Column("health", Real),
    Column("grade", Text, info=THINGS),
    Column("open_recalls", Big),
    Column("recall_coverage", Text, info=THINGS),
    Column("value_low", Big),
    Column("value_middle", Big),
    Column("value_high", Big),
    Column("past_year", Big, nullable=False, server_default=text("0")),
    Column("cost_per_mile", Real),  # cents
    Column("cost_miles", Big),
    Column("cost_amount", Big),
    Column("cost_since", Text, info=PERSON),
    Column("cost_until", Text, info=PERSON),
    Column("warnings", Text, nullable=False, server_default=text("'[]'"), info=THINGS),  # JSON
    Index("ix_garage_outlooks_valid_on", "valid_on"),
)

# Each due date of a service within the coming year; ``turn`` 1 is the next one.
garage_services = table(
    "garage_services",
    row_id(),
    _vehicle(is_key=False),
    Column("turn", Big, nullable=False),
    Column("name", Text, nullable=False, info=PERSON),  # the repair's slug, or the schedule's id
    Column("title", Text, nullable=False, info=PERSON),
    Column("due_on", Text, nullable=False, info=PERSON),  # 2026-01-31
    Column("due_mileage", Big),
    Column("basis", Text, nullable=False, info=THINGS),
    Column("period", Text, nullable=False, info=PERSON),
    Column("interval_miles", Big),
    Column("interval_months", Big),
    Column("low", Big),  # cents; NULL: it is not priced
    Column("average", Big),
    Column("high", Big),
    Column("deviation", Big),
    CheckConstraint("basis IN ('schedule', 'history', 'plan')", name="basis"),
    Index("ix_garage_services_vehicle", "fleet_vehicle_id", "turn", "due_on"),
    Index("ix_garage_services_due_on", "turn", "due_on"),
)

# What an owner has paid, at any shop. Like odometers, bills stay when a vehicle leaves the garage.
vehicle_bills = table(
    "vehicle_bills",
    Column("id", Text, primary_key=True, info=PERSON),
    fleet_vehicle_column(),
    Column("paid_on", Text, nullable=False, info=PERSON),  # 2026-01-31
    Column("total", Big, nullable=False),  # cents
    Column("title", Text, nullable=False, info=PERSON),
    Column("problem_slug", Text, info=THINGS),
    Column("shop_name", Text, info=PERSON),
    Column("mileage", Big),
    Column("created_at", Big, nullable=False),
    Index("ix_vehicle_bills_vehicle", "fleet_vehicle_id", "paid_on", "id"),
)

garage_reminders = table(
    "garage_reminders",
    _vehicle(is_key=True),
    Column("name", Text, primary_key=True, info=PERSON),
    Column("period", Text, primary_key=True, info=PERSON),
    Column("reminded_at", Big, nullable=False),
)

garage_settings = table(
    "garage_settings",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column(
        "owner_id", Big, primary_key=True, autoincrement=False
    ),  # the user's id; 0 is the installation itself
    Column("zip_code", Text, info=PERSON),
    Column("mail_reminders", Big, nullable=False),
    environment_check(),
    CheckConstraint("mail_reminders IN (0, 1)", name="mail_reminders"),
)
