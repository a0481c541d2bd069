"""Facilities, transactions, and the monthly sums of transactions."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, Text, text

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

facilities = table(
    "facilities",
    row_id(),
    Column("name", Text, nullable=False, info=PROSE),
    Column("city", Text, info=PROSE),
    Column("state", Text, info=PROSE),
    Column("zip_code", Text, info=THINGS),
    Column("country", Text, info=PROSE),
    Column("avg_labor_rate", Big),
    Column("latitude", Real),
    Column("longitude", Real),
    Column("created_at", Big, nullable=False),
    Column("version", Big, nullable=False, server_default=text("1")),
    Column("sample_size", Big, nullable=False, server_default=text("0")),  # invoices behind the rate
    Column("name_key", Text, nullable=False, server_default=text("''"), info=PROSE),
    Column("city_key", Text, info=PROSE),
    CheckConstraint("avg_labor_rate >= 0", name="avg_labor_rate"),
    Index(None, "state"),
    Index(None, "name_key"),
)

transactions = table(
    "transactions",
    row_id(),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("vehicle_id", Text, ForeignKey("vehicles.id"), nullable=False, index=True, info=THINGS),
    Column("facility_id", Big, ForeignKey("facilities.id")),
    Column("problem_id", Big, ForeignKey("problems.id"), nullable=False),
    Column("prediction_id", Big, ForeignKey("predictions.id")),  # the prediction that it answers
    Column("performed_on", Text, nullable=False, info=THINGS),
    Column("mileage", Big),
    Column("parts", Text, nullable=False, info=PROSE),
    Column("labor_hours", Real, nullable=False),
    Column("labor_rate", Big, nullable=False),
    Column("parts_total", Big, nullable=False),
    Column("labor_total", Big, nullable=False),
    Column("total", Big, nullable=False),
    Column("notes", Text, info=PROSE),
    Column(
        "evidence", Text, info=PROSE
    ),  # JSON: what it added to the cells; NULL: nothing was learned from it
    Column("review", Integer, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("make_key", Text, nullable=False, server_default=text("''"), info=PROSE),  # its vehicle's
    Column("fingerprint", Big),  # of a row of a file, by which it is recognized
    Column("version", Big, nullable=False, server_default=text("1")),
    Column("car", Big),  # identifies the car among vehicles of its kind; NULL: its full VIN is not known
    Column("import_id", Big),  # the import that it came with; NULL: recorded individually
    environment_check(),
    CheckConstraint("total >= 0", name="total"),
    Index("ix_transactions_linked", "environment", "id", **where("prediction_id IS NOT NULL")),
    # Deleting a prediction looks for its invoice.
    Index("ix_transactions_prediction", "prediction_id", **where("prediction_id IS NOT NULL")),
    Index(
        "uq_transactions_fingerprint",
        "fingerprint",
        "environment",
        unique=True,
        **where("fingerprint IS NOT NULL"),
    ),
    # A list, latest repair first, is one range of an index for each filter; the index contains the columns of the other
    # filters too, so that a list is counted without reading the rows.
    Index("ix_transactions_all", "environment", "performed_on", "id"),
    Index(
        "ix_transactions_problem",
        "problem_id",
        "environment",
        "performed_on",
        "id",
        "make_key",
        "facility_id",
    ),
    Index(
        "ix_transactions_facility",
        "facility_id",
        "environment",
        "performed_on",
        "id",
        "make_key",
        "problem_id",
    ),
    Index("ix_transactions_make", "make_key", "environment", "performed_on", "id"),
    # The history of a car is read from the index only.
    Index(
        "ix_transactions_car", "environment", "car", "performed_on", "problem_id", **where("car IS NOT NULL")
    ),
)

# The monthly sums of invoices, in total and by problem, make and facility: counts and statistics read a few of these
# rows, however many invoices there are.
transaction_sums = table(
    "transaction_sums",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("dimension", Text, primary_key=True, info=THINGS),
    Column(
        "value", Text, primary_key=True, info=THINGS
    ),  # the problem's id, the make's key, the facility's id; empty: all
    Column("month", Text, primary_key=True, info=THINGS),  # 2026-01
    Column("n", Big, nullable=False),
    Column("parts_total", Big, nullable=False),
    Column("labor_total", Big, nullable=False),
    environment_check(),
    CheckConstraint("dimension IN ('all', 'problem', 'make', 'facility')", name="dimension"),
    CheckConstraint("n >= 0", name="n"),
)
