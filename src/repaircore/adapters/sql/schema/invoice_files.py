"""Invoice files: the columns of each source, the repairs that descriptions mean, and the lines awaiting a decision."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Text, UniqueConstraint

from repaircore.adapters.sql.schema.metadata import (
    PROSE,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
)

import_sources = table(
    "import_sources",
    Column("name", Text, primary_key=True, info=PROSE),
    Column("columns", Text, nullable=False, info=PROSE),  # JSON: column names by field
    Column("updated_at", Big, nullable=False),
)

repair_decisions = table(
    "repair_decisions",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("source", Text, primary_key=True, info=PROSE),  # empty: files without a source
    Column("text_key", Text, primary_key=True, info=PROSE),
    Column("problem_id", Big, ForeignKey("problems.id")),  # NULL: no repair, left out
    Column("decided_at", Big, nullable=False),
    environment_check(),
)

invoice_lines = table(
    "invoice_lines",
    row_id(),
    Column("import_id", Big, ForeignKey("imports.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("source", Text, nullable=False, info=PROSE),
    Column("line", Big, nullable=False),
    Column("text", Text, nullable=False, info=PROSE),
    Column("text_key", Text, nullable=False, info=PROSE),
    Column("outcome", Text, nullable=False, info=THINGS),
    Column("reason", Text, info=PROSE),
    Column("suggestions", Text, nullable=False, info=THINGS),  # JSON: slugs
    Column("row", Text, nullable=False, info=PROSE),  # JSON: the cells by the names of our own format
    Column("total", Big, nullable=False),
    Column("fingerprint", Big, nullable=False),
    Column("created_at", Big, nullable=False),
    environment_check(),
    CheckConstraint("outcome IN ('unsure', 'several', 'unmatched')", name="outcome"),
    UniqueConstraint("environment", "fingerprint"),
    Index(None, "environment", "text_key", "id"),
)
