"""The mechanic directory, and appointments with mechanics."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Text

from repaircore.adapters.sql.schema.metadata import (
    PROSE,
    THINGS,
    Big,
    Real,
    environment_check,
    row_id,
    table,
    where,
)

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
    Column("ratings", Big, nullable=False, server_default="0"),  # how many
    Column("stars", Big, nullable=False, server_default="0"),  # the sum of all ratings
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    Index(None, "environment", "state", "id"),
    Index(None, "environment", "name_key"),
    Index("ix_mechanics_place", "environment", "latitude", "longitude"),
)

mechanic_services = table(
    "mechanic_services",
    Column("mechanic_id", Big, ForeignKey("mechanics.id", ondelete="CASCADE"), primary_key=True),
    Column("service", Text, primary_key=True, info=THINGS),
    Column("minutes", Big),  # NULL: a slot
    Column("price", Big),  # cents
)

mechanic_languages = table(
    "mechanic_languages",
    Column("mechanic_id", Big, ForeignKey("mechanics.id", ondelete="CASCADE"), primary_key=True),
    Column("language", Text, primary_key=True, info=THINGS),  # ISO 639-1
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
    Column("cancel_fee", Big),  # cents
    Column("no_show_fee", Big),  # cents, as of the booking
    Column("service", Text, info=THINGS),
    Column("price", Big),  # cents, as of the booking
    Column("vehicle", Text, info=PROSE),  # JSON: VIN, year, make and model
    Column("address", Text, info=PROSE),  # where the vehicle is
    Column("response", Text, nullable=False, server_default="pending", info=THINGS),  # of the mechanic
    Column("response_reason", Text, info=PROSE),
    Column("responded_at", Big),
    Column("rating", Big),  # of the mechanic, 1 to 5
    Column("moves", Big, nullable=False, server_default="0"),  # the SEQUENCE of its calendar entry
    Column("remind_at", Big),  # when the next reminder is due
    Column("late_start", Big),  # the start that counts for the fee after a late move
    Column("phones", Text, info=PROSE),  # JSON: the number by which customer and mechanic call each other
    Column("bill", Text, info=THINGS),  # JSON: the transaction of its invoice, totals, and the estimate
    Column("notified_step", Text, info=THINGS),
    Column("notified_at", Big),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint("status IN ('scheduled', 'completed', 'cancelled', 'no_show')", name="status"),
    Index(None, "partner_id", "environment", "id"),
    Index("ix_appointments_start", "partner_id", "environment", "starts_at", "id"),
    Index(None, "mechanic_id", "starts_at"),
    Index(None, "remind_at", **where("remind_at IS NOT NULL")),
    # Those that still need a masked number, by the mechanic's answer.
    Index(
        "ix_appointments_unmasked",
        "response",
        "phones",
        "starts_at",
        **where("phones IS NOT NULL AND status = 'scheduled'"),
    ),
)

# Times that a partner has reserved for some minutes, before booking them.
appointment_holds = table(
    "appointment_holds",
    row_id(),
    Column("ref", Text, nullable=False, unique=True, info=THINGS),
    Column("partner_id", Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("mechanic_id", Big, ForeignKey("mechanics.id"), nullable=False),
    Column("service", Text, info=THINGS),
    Column("starts_at", Big, nullable=False),
    Column("ends_at", Big, nullable=False),
    Column("local_date", Text, nullable=False, info=THINGS),
    Column("local_time", Text, nullable=False, info=THINGS),
    Column("created_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False, index=True),
    environment_check(),
    Index(None, "mechanic_id", "expires_at"),
)

# Taken seats: a row for each five minutes of an appointment or a hold. The key gives each seat to one of them.
# The seats of an expired hold are free: counting ignores them, and taking a seat deletes them.
appointment_slots = table(
    "appointment_slots",
    Column("mechanic_id", Big, ForeignKey("mechanics.id"), primary_key=True, autoincrement=False),
    Column("starts_at", Big, primary_key=True, autoincrement=False),
    Column("seat", Big, primary_key=True, autoincrement=False),
    Column("appointment_id", Big, ForeignKey("appointments.id", ondelete="CASCADE"), index=True),
    Column("hold_id", Big, ForeignKey("appointment_holds.id", ondelete="CASCADE"), index=True),
    Column("held_until", Big),  # the hold's
    CheckConstraint("(appointment_id IS NULL) <> (hold_id IS NULL)", name="holder"),
    CheckConstraint("(held_until IS NULL) = (hold_id IS NULL)", name="held"),
)
