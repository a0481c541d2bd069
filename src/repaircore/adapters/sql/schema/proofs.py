"""Job proofs, and the links for tracking jobs."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, LargeBinary, Text

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    SECRET,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
    where,
)

# Photos and signatures that providers take at the pickup and at the dropoff.
job_proofs = table(
    "job_proofs",
    row_id(),
    Column("ref", Text, nullable=False, unique=True, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("kind", Text, nullable=False, info=THINGS),
    Column("ride_ref", Text, ForeignKey("rides.ref"), nullable=False, info=THINGS),
    Column("provider_ref", Text, nullable=False, info=THINGS),
    Column("stage", Text, nullable=False, info=THINGS),
    Column("form", Text, nullable=False, info=THINGS),
    Column("signed_by", Text, info=PERSON),
    Column("media_type", Text, nullable=False, info=THINGS),
    Column("width", Big, nullable=False),
    Column("height", Big, nullable=False),
    Column("size", Big, nullable=False),
    Column("sha256", LargeBinary, nullable=False, info=THINGS),
    Column("image", LargeBinary, info=PERSON),  # NULL after its retention period
    Column("added_at", Big, nullable=False),
    environment_check(),
    CheckConstraint("kind IN ('ride', 'tow')", name="kind"),
    CheckConstraint("stage IN ('pickup', 'dropoff')", name="stage"),
    CheckConstraint("form IN ('photo', 'signature')", name="form"),
    Index("ix_job_proofs_ride", "ride_ref", "id"),
    Index("ix_job_proofs_stored", "added_at", **where("image IS NOT NULL")),
)

# One link per ride: creating another one replaces it.
tracking_links = table(
    "tracking_links",
    Column("ride_ref", Text, ForeignKey("rides.ref"), primary_key=True, info=THINGS),
    Column("kind", Text, nullable=False, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("number", Big, nullable=False),
    Column("token_hash", LargeBinary, nullable=False, unique=True, info=SECRET),
    Column("created_at", Big, nullable=False),
    Column("revoked_at", Big),
    environment_check(),
    CheckConstraint("kind IN ('ride', 'tow')", name="kind"),
)
