"""Shops, which are named at the top of documents, and the links that share visits."""

from sqlalchemy import Column, ForeignKey, LargeBinary, Text

from repaircore.adapters.sql.schema.metadata import PERSON, PROSE, SECRET, THINGS, Big, table

shops = table(
    "shops",
    Column("owner_id", Big, primary_key=True, autoincrement=False),  # 0: the installation itself
    Column("name", Text, nullable=False, info=PERSON),
    Column("address", Text, info=PERSON),
    Column("zip_code", Text, info=THINGS),
    Column("phone", Text, info=PERSON),
    Column("email", Text, info=PERSON),
    Column("license_number", Text, info=PERSON),
    Column("terms", Text, info=PROSE),
    Column("valid_days", Big, nullable=False),
    Column("facility_id", Big, ForeignKey("facilities.id", ondelete="SET NULL"), index=True),
    Column("logo", LargeBinary, info=PERSON),  # PNG
    Column("logo_width", Big),
    Column("logo_height", Big),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
)

# The link to each visit that was shared.
visit_links = table(
    "visit_links",
    Column(
        "visit_id", Big, ForeignKey("visits.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("token_hash", LargeBinary, nullable=False, unique=True, info=SECRET),
    Column(
        "seed", LargeBinary, nullable=False, info=SECRET
    ),  # the token is derived from it, with the installation's secret
    Column("created_at", Big, nullable=False),
)
