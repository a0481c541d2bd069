"""The import journal in the database."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment, moment_or_none
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.operations import imports
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.imports import ImportJournal, ImportRecord, ImportResult


def import_record(row: "Row[tuple[object, ...]]") -> ImportRecord:
    """Return the import record in a row."""
    return ImportRecord(
        id=row.id,
        kind=row.kind,
        environment=Environment(row.environment),
        digest=row.digest,
        file=row.file,
        result=ImportResult(
            read=row.read, added=row.added, unchanged=row.known, updated=row.updated, rejected=row.refused
        ),
        started_at=moment(row.started_at),
        finished_at=moment_or_none(row.finished_at),
    )


def _counts(result: ImportResult) -> dict[str, int]:
    return {
        "read": result.read,
        "added": result.added,
        "known": result.unchanged,
        "updated": result.updated,
        "refused": result.rejected,
    }


class SqlImports(ImportJournal):
    """The stored import records, with the progress of each import."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def begin(
        self, kind: str, *, environment: Environment, digest: str, file: str, at: datetime
    ) -> ImportRecord:
        keys = {"kind": kind, "environment": environment, "digest": digest}
        insert = upsert(self._connection, imports).values(
            **keys, **_counts(ImportResult()), file=file, started_at=micros(at)
        )
        self._connection.execute(
            insert.on_conflict_do_nothing(
                index_elements=list(keys), index_where=imports.c.finished_at.is_(None)
            )
        )
        same = [imports.c[name] == value for name, value in keys.items()]
        query = sa.select(imports).where(*same, imports.c.finished_at.is_(None))
        return import_record(self._connection.execute(query).one())

    @override
    def update(self, record: ImportRecord, result: ImportResult) -> ImportRecord:
        unchanged = (
            imports.c.id == record.id,
            imports.c.read == record.result.read,
            imports.c.finished_at.is_(None),
        )
        done = self._connection.execute(sa.update(imports).where(*unchanged).values(_counts(result)))
        if done.rowcount != 1:
            raise Conflict(f"{record.file} is already being imported.")
        return evolve(record, result=result)

    @override
    def finish(self, record: ImportRecord, at: datetime) -> None:
        self._connection.execute(
            sa.update(imports)
            .where(imports.c.id == record.id, imports.c.finished_at.is_(None))
            .values(finished_at=micros(at))
        )

    @override
    def list_unfinished(self) -> Sequence[ImportRecord]:
        query = sa.select(imports).where(imports.c.finished_at.is_(None)).order_by(imports.c.id)
        return [import_record(row) for row in self._connection.execute(query)]
