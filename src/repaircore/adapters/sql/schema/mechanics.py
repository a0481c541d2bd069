"""The directory of mechanics, and appointments with them."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Text

from repaircore.adapters.sql.schema.metadata import PROSE, THINGS, Big, Real, environment_check, row_id, table

# The directory of mechanics, which operators fill.
mechanics = table(
    "mechanics",
    row_id(),
    Column("ref", Text, nullable=False, unique=True, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("name", Text, nullable=False, info=THINGS),
    Column("name_key", Text, nullable=False, info=THINGS),  # the name, folded for comparisons
    Column("email", Text, info=THINGS),
    Column("phone", Text, info=THINGS),
    Column("address", Text, info=THINGS),
    Column("city", Text, info=THINGS),
    Column("state", Text, nullable=False, info=THINGS),
    Column("zip_code", Text, info=THINGS),
    Column("latitude", Real),
    Column("longitude", Real),
    Column("time_zone", Text, nullable=False, info=THINGS),
    Column("slot_minutes", Big, nullable=False),
    Column("capacity", Big, nullable=False),  # how many appointments may overlap
    Column(
        "weekly", Text, nullable=False, info=THINGS
    ),  # JSON: the intervals of each day of the week, in local time
    Column("active", Big, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    Index(None, "environment", "state", "id"),
    Index(None, "environment", "name_key"),
)

mechanic_services = table(
    "mechanic_services",
    Column("mechanic_id", Big, ForeignKey("mechanics.id", ondelete="CASCADE"), primary_key=True),
    Column("service", Text, primary_key=True, info=THINGS),
)

mechanic_exceptions = table(
    "mechanic_exceptions",
    Column("mechanic_id", Big, ForeignKey("mechanics.id", ondelete="CASCADE"), primary_key=True),
    Column("day", Text, primary_key=True, info=THINGS),  # 2026-12-24, local
    Column("intervals", Text, nullable=False, info=THINGS),  # JSON; none: closed
)

appointments = table(
    "appointments",
    row_id(),
    Column("ref", Text, nullable=False, unique=True, info=THINGS),
    Column("partner_id", Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("mechanic_id", Big, ForeignKey("mechanics.id"), nullable=False),
    Column("customer_id", Big, ForeignKey("customers.id"), nullable=False, index=True),
    Column("starts_at", Big, nullable=False),
    Column("ends_at", Big, nullable=False),
    Column("local_date", Text, nullable=False, info=THINGS),
    Column("local_time", Text, nullable=False, info=THINGS),
    Column("status", Text, nullable=False, info=THINGS),
    Column("pickup_step", Text, nullable=False, info=THINGS),
    Column("description", Text, info=PROSE),
    Column("partner_reference", Text, info=PROSE),
    Column("session_id", Text, info=THINGS),  # the prediction that led to it
    Column("cancel_reason", Text, info=PROSE),
    Column("bill", Text, info=THINGS),  # JSON: the transaction of its invoice, totals, and the estimate
    Column("notified_step", Text, info=THINGS),
    Column("notified_at", Big),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint("status IN ('scheduled', 'completed', 'cancelled', 'no_show')", name="status"),
    Index(None, "partner_id", "environment", "id"),
    Index(None, "mechanic_id", "starts_at"),
)

# Taken seats: a row for each five minutes of an appointment. The key gives each seat to one appointment.
appointment_slots = table(
    "appointment_slots",
    Column("mechanic_id", Big, ForeignKey("mechanics.id"), primary_key=True, autoincrement=False),
    Column("starts_at", Big, primary_key=True, autoincrement=False),
    Column("seat", Big, primary_key=True, autoincrement=False),
    Column(
        "appointment_id", Big, ForeignKey("appointments.id", ondelete="CASCADE"), nullable=False, index=True
    ),
)
