"""Count references to a row through every foreign key in the schema."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.schema.metadata import METADATA


def count_references(connection: Connection, column: "sa.Column[Any]", value: object) -> Mapping[str, int]:
    """Return how many rows refer to a value in a column, by the referring table's name in the singular."""
    counts = {}
    for table in METADATA.sorted_tables:
        for reference in table.foreign_keys:
            if reference.column is column:
                found = sa.select(sa.func.count()).select_from(table).where(reference.parent == value)
                counts[table.name.replace("_", " ").removesuffix("s")] = connection.execute(
                    found
                ).scalar_one()
    return counts
