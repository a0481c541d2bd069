"""Checked quotes and estimates that are shared through links."""

from sqlalchemy import Column, Index, LargeBinary, Text

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    PROSE,
    SECRET,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
)

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

estimate_links = table(
    "estimate_links",
    Column("session_id", Text, primary_key=True, info=PERSON),  # the prediction's
    Column("environment", Text, nullable=False, info=THINGS),
    Column("owner_id", Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("token_hash", LargeBinary, nullable=False, unique=True, info=SECRET),
    Column(
        "seed", LargeBinary, nullable=False, info=SECRET
    ),  # the token is derived from it, with the installation's secret
    Column("estimate", Text, nullable=False, info=PROSE),  # JSON, without a VIN and the like
    Column("created_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False, index=True),
    environment_check(),
    Index("ix_estimate_links_owner", "owner_id", "environment", "created_at", "session_id"),
)
