"""Checked quotes that are shared by a link."""

from sqlalchemy import Column, LargeBinary, Text

from repaircore.adapters.sql.schema.metadata import PROSE, SECRET, Big, row_id, table

shared_quotes = table(
    "shared_quotes",
    row_id(),
    Column("token_hash", LargeBinary, nullable=False, unique=True, info=SECRET),
    Column("deletion_hash", LargeBinary, nullable=False, unique=True, info=SECRET),
    Column(
        "owner_id", Big, index=True
    ),  # the user's id; 0 is the installation itself; NULL: without an account
    Column("report", Text, nullable=False, info=PROSE),  # JSON, without VINs and the like
    Column("created_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False, index=True),
)
