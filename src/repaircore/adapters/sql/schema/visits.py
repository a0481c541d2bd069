"""Visits: estimates for several repairs of one vehicle."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Text

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    PROSE,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
    where,
)

# Estimates of several repairs of one vehicle.
visits = table(
    "visits",
    row_id(),
    Column("number", Text, nullable=False, unique=True, info=PERSON),  # V-20260131-7KXM4P
    Column("environment", Text, nullable=False, info=THINGS),
    Column("owner_id", Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("status", Text, nullable=False, info=THINGS),
    Column("vin", Text, info=PERSON),
    Column("vehicle", Text, nullable=False, info=THINGS),  # its name
    Column("customer_name", Text, info=PERSON),
    Column("customer_email", Text, info=PERSON),
    Column("customer_key", Text, index=True, info=PERSON),  # the e-mail, case-folded
    Column("customer_phone", Text, info=PERSON),
    Column("notes", Text, info=PERSON),
    Column("search", Text, nullable=False, info=PERSON),  # number, customer, VIN and vehicle, case-folded
    Column("facility_id", Big, ForeignKey("facilities.id"), index=True),
    Column("valid_until", Text, nullable=False, info=THINGS),  # 2026-01-31
    Column("total", Big, nullable=False),
    Column("line_count", Big, nullable=False),
    Column("estimate", Text, nullable=False, info=PROSE),  # JSON
    Column("estimated_at", Big, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint(
        "status IN ('draft', 'sent', 'approved', 'partly_approved', 'declined', 'in_progress', 'invoiced', 'cancelled')",
        name="status",
    ),
    Index(None, "environment", "owner_id", "id"),
    # What an owner was paid, or has paid, for a vehicle.
    Index(
        "ix_visits_invoiced",
        "environment",
        "owner_id",
        "vin",
        **where("status = 'invoiced' AND vin IS NOT NULL"),
    ),
)
