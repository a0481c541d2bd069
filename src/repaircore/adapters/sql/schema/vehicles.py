"""Vehicles, their plates, and the imported part of the catalog."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, Text

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    PROSE,
    THINGS,
    Big,
    environment_check,
    table,
    where,
)

vehicles = table(
    "vehicles",
    Column("id", Text, primary_key=True, info=THINGS),
    Column("vin", Text, info=PROSE),
    Column("vin11", Text, unique=True, info=THINGS),  # NULL for the record of one full VIN
    Column("make", Text, nullable=False, info=PROSE),
    Column("model", Text, nullable=False, info=PROSE),
    Column("year", Integer, nullable=False),
    Column("trim", Text, info=PROSE),
    Column("engine", Text, info=PROSE),
    Column("powertrain", Text, info=THINGS),
    Column("drive", Text, info=THINGS),
    Column("body", Text, info=THINGS),
    Column("source", Text, nullable=False, info=THINGS),
    Column("created_at", Big, nullable=False),
    Column("make_key", Text, nullable=False, info=PROSE),
    Column("model_key", Text, nullable=False, info=PROSE),
    Column("motor_vehicle_type", Text, info=PROSE),
    Column("motor_vehicle_type_group", Text, info=PROSE),
    Column("current_mileage", Big),
    Column("version", Big, nullable=False),
    Column("plate_no", Text, info=PROSE),  # as an operator entered it
    Column("facility_id", Big, ForeignKey("facilities.id"), index=True),  # where it was first seen
    Column("plate_state", Text, info=THINGS),
    Column("facts", Text, info=THINGS),  # JSON of the mechanical facts; NULL if they were never looked up
    CheckConstraint("vin11 = substr(vin, 1, 11)", name="vin11"),
    CheckConstraint("current_mileage >= 0", name="current_mileage"),
    Index(None, "year", "make_key", "model_key"),
    Index(None, "make_key", "model_key", "year"),
    Index("uq_vehicles_whole_vin", "vin", unique=True, **where("vin11 IS NULL AND vin IS NOT NULL")),
    Index("ix_vehicles_plate", "plate_state", "plate_no", **where("plate_state IS NOT NULL")),
    # Lists are sorted by this index, and searches read nothing else.
    Index("ix_vehicles_newest", "created_at", "id", "make_key", "model_key", "year", "vin", "plate_no"),
)

plates = table(
    "plates",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("state", Text, primary_key=True, info=THINGS),
    Column("number", Text, primary_key=True, info=PERSON),
    Column("vin", Text, nullable=False, info=PERSON),
    Column("vehicle_id", Text, ForeignKey("vehicles.id"), nullable=False, index=True, info=THINGS),
    Column("source", Text, nullable=False, info=THINGS),
    Column("reported_at", Big, nullable=False),
    environment_check(),
    Index(None, "environment", "vin"),
)

catalog_entries = table(
    "catalog_entries",
    Column("make_key", Text, primary_key=True, info=THINGS),
    Column("year", Integer, primary_key=True, autoincrement=False),
    Column("published_key", Text, primary_key=True, info=THINGS),
    Column("tenths", Integer, primary_key=True, autoincrement=False),  # of a liter; 0: none
    Column("cylinders", Integer, primary_key=True, autoincrement=False),  # 0: none
    Column("fuel", Text, primary_key=True, info=THINGS),
    Column("drive", Text, primary_key=True, info=THINGS),  # empty: unknown
    Column("make", Text, nullable=False, info=THINGS),
    Column("model", Text, nullable=False, info=THINGS),
    Column("model_key", Text, nullable=False, info=THINGS),
    Column("published", Text, nullable=False, info=THINGS),
    Column("trim", Text, info=THINGS),
    Column("body", Text, info=THINGS),
    Index(None, "make_key", "model_key", "year"),
)
