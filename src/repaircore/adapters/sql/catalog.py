"""Imported catalog entries in the database."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.vehicles import catalog_entries
from repaircore.catalog.model import CatalogEntry, Engine, Fuel
from repaircore.catalog.ports import CatalogEntries
from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.traits import Body, Drive


def _entry(row: "Row[tuple[object, ...]]") -> CatalogEntry:
    return CatalogEntry(
        make=row.make,
        model=row.model,
        published=row.published,
        year=row.year,
        engine=Engine(tenths=row.tenths or None, cylinders=row.cylinders or None, fuel=Fuel(row.fuel)),
        trim=row.trim,
        drive=Drive(row.drive) if row.drive else None,
        body=None if row.body is None else Body(row.body),
    )


def _values(entry: CatalogEntry) -> dict[str, Any]:
    # No column of the key is NULL: two NULLs are never equal.
    return {
        "make_key": make_key(entry.make),
        "year": entry.year,
        "published_key": key(entry.published),
        "tenths": entry.engine.tenths or 0,
        "cylinders": entry.engine.cylinders or 0,
        "fuel": entry.engine.fuel.value,
        "drive": "" if entry.drive is None else entry.drive.value,
        "make": entry.make,
        "model": entry.model,
        "model_key": key(entry.model),
        "published": entry.published,
        "trim": entry.trim,
        "body": None if entry.body is None else entry.body.value,
    }


class SqlCatalog(CatalogEntries):
    """The imported catalog entries."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def list_makes(self, year: int | None = None) -> Sequence[str]:
        found = sa.select(sa.func.min(catalog_entries.c.make)).group_by(catalog_entries.c.make_key)
        return self._names(found, year)

    @override
    def list_models(self, make: str, year: int | None = None) -> Sequence[str]:
        found = (
            sa.select(sa.func.min(catalog_entries.c.model))
            .where(catalog_entries.c.make_key == make_key(make))
            .group_by(catalog_entries.c.model_key)
        )
        return self._names(found, year)

    @override
    def list_for_model(self, *, make: str, model: str, year: int) -> Sequence[CatalogEntry]:
        named = key(model)
        found = sa.select(catalog_entries).where(
            catalog_entries.c.make_key == make_key(make),
            catalog_entries.c.year == year,
            sa.or_(catalog_entries.c.model_key == named, catalog_entries.c.published_key == named),
        )
        ordered = found.order_by(*catalog_entries.primary_key)
        return [_entry(row) for row in self._connection.execute(ordered)]

    @override
    def add(self, entries: Sequence[CatalogEntry]) -> int:
        if not entries:
            return 0
        insert = upsert(self._connection, catalog_entries).on_conflict_do_nothing()
        new = insert.returning(catalog_entries.c.year)
        return len(self._connection.execute(new, [_values(entry) for entry in entries]).all())

    @override
    def list_after(self, last: CatalogEntry | None, *, limit: int) -> Sequence[CatalogEntry]:
        keys = [*catalog_entries.primary_key]
        rest = sa.select(catalog_entries).order_by(*keys).limit(limit)
        if last is not None:
            values = _values(last)
            rest = rest.where(
                sa.tuple_(*keys) > sa.tuple_(*(sa.literal(values[column.name]) for column in keys))
            )
        return [_entry(row) for row in self._connection.execute(rest)]

    @override
    def count(self) -> int:
        return self._connection.execute(sa.select(sa.func.count()).select_from(catalog_entries)).scalar_one()

    def _names(self, found: "sa.Select[Any]", year: int | None) -> Sequence[str]:
        if year is not None:
            found = found.where(catalog_entries.c.year == year)
        return [*self._connection.execute(found).scalars()]
