"""Invoice drafts: invoices that were read from files, for a person to correct and record."""

from sqlalchemy import CheckConstraint, Column, Index, LargeBinary, Text

from repaircore.adapters.sql.schema.metadata import PERSON, THINGS, Big, environment_check, row_id, table

# Invoices that were read from photos and PDFs, until a person has corrected them. The files are not stored.
invoice_drafts = table(
    "invoice_drafts",
    row_id(),
    Column("number", Text, nullable=False, unique=True, info=PERSON),  # D-20260131-7KXM4P
    Column("environment", Text, nullable=False, info=THINGS),
    Column("owner_id", Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("status", Text, nullable=False, info=THINGS),
    Column("file_name", Text, nullable=False, info=PERSON),
    Column("file_hash", LargeBinary, nullable=False, info=THINGS),
    Column("shop_name", Text, info=THINGS),
    Column("vehicle", Text, nullable=False, info=THINGS),  # year, make and model
    Column("vin", Text, info=PERSON),
    Column("performed_on", Text, info=THINGS),  # 2026-01-31
    Column("total", Big, nullable=False),  # of its lines
    Column("line_count", Big, nullable=False),
    Column("doubt_count", Big, nullable=False),
    Column("search", Text, nullable=False, info=PERSON),  # number, shop, VIN and vehicle, case-folded
    Column("invoice", Text, nullable=False, info=PERSON),  # JSON
    Column("doubts", Text, nullable=False, info=PERSON),  # JSON
    Column("unread", Text, nullable=False, info=PERSON),  # JSON
    Column("transactions", Text, nullable=False, info=THINGS),  # JSON: their ids
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False, index=True),
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint("status IN ('draft', 'recorded')", name="status"),
    Index(None, "environment", "owner_id", "id"),
)
