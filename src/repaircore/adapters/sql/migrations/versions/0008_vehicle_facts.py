"""The mechanical facts of vehicles, the states of their plates, and records of one whole VIN."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_WHOLE = "length(vin) = 17 AND vin NOT LIKE '%*%'"


def upgrade() -> None:
    """Add the columns; a record of a whole VIN stands for no other from now on."""
    op.add_column("vehicles", sa.Column("plate_state", sa.Text()))
    op.add_column("vehicles", sa.Column("facts", sa.Text()))
    op.execute(f"UPDATE vehicles SET vin11 = NULL WHERE {_WHOLE}")  # noqa: S608 - a constant of ours
    # What was answered about other VINs from such a record is answered anew.
    op.execute(
        "DELETE FROM remembered WHERE vehicle_key IN"  # noqa: S608 - a constant of ours
        f" (SELECT substr(vin, 1, 11) FROM vehicles WHERE {_WHOLE})"
    )
    whole = sa.text("vin11 IS NULL AND vin IS NOT NULL")
    op.create_index(
        "uq_vehicles_whole_vin",
        "vehicles",
        ["vin"],
        unique=True,
        sqlite_where=whole,
        postgresql_where=whole,
    )
    stated = sa.text("plate_state IS NOT NULL")
    op.create_index(
        "ix_vehicles_plate",
        "vehicles",
        ["plate_state", "plate_no"],
        sqlite_where=stated,
        postgresql_where=stated,
    )


def downgrade() -> None:
    """Take them away; of several whole VINs that begin alike, the oldest record stands for all again."""
    op.drop_index("ix_vehicles_plate", "vehicles")
    op.drop_index("uq_vehicles_whole_vin", "vehicles")
    op.execute(
        "UPDATE vehicles SET vin11 = substr(vin, 1, 11) WHERE vin11 IS NULL AND vin IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM vehicles o WHERE o.id <> vehicles.id AND"
        " (o.vin11 = substr(vehicles.vin, 1, 11) OR (o.vin11 IS NULL AND substr(o.vin, 1, 11) = substr(vehicles.vin, 1, 11)"
        " AND o.id < vehicles.id)))"
    )
    op.drop_column("vehicles", "facts")
    op.drop_column("vehicles", "plate_state")
