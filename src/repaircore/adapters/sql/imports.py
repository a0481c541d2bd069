"""The journal of imports in the database."""

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


def _intake(row: "Row[tuple[object, ...]]") -> ImportRecord:
    return ImportRecord(
        id=row.id,
        kind=row.kind,
        environment=Environment(row.environment),
        digest=row.digest,
        file=row.file,
        taken=ImportResult(
            read=row.read, added=row.added, known=row.known, updated=row.updated, refused=row.refused
        ),
        started_at=moment(row.started_at),
        finished_at=moment_or_none(row.finished_at),
    )


def _counts(taken: ImportResult) -> dict[str, int]:
    return {name: getattr(taken, name) for name in ("read", "added", "known", "updated", "refused")}


class SqlImports(ImportJournal):
    """How far files are taken over."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def begin(
        self, kind: str, *, environment: Environment, digest: str, file: str, at: datetime
    ) -> ImportRecord:
        which = {"kind": kind, "environment": environment, "digest": digest}
        insert = upsert(self._connection, imports).values(
            **which, **_counts(ImportResult()), file=file, started_at=micros(at)
        )
        self._connection.execute(
            insert.on_conflict_do_nothing(
                index_elements=list(which), index_where=imports.c.finished_at.is_(None)
            )
        )
        same = [imports.c[name] == value for name, value in which.items()]
        found = sa.select(imports).where(*same, imports.c.finished_at.is_(None))
        return _intake(self._connection.execute(found).one())

    @override
    def mark(self, intake: ImportRecord, taken: ImportResult) -> ImportRecord:
        where_it_was = (
            imports.c.id == intake.id,
            imports.c.read == intake.taken.read,
            imports.c.finished_at.is_(None),
        )
        done = self._connection.execute(sa.update(imports).where(*where_it_was).values(_counts(taken)))
        if done.rowcount != 1:
            raise Conflict(f"Somebody else is taking {intake.file} over.")
        return evolve(intake, taken=taken)

    @override
    def finish(self, intake: ImportRecord, at: datetime) -> None:
        self._connection.execute(
            sa.update(imports)
            .where(imports.c.id == intake.id, imports.c.finished_at.is_(None))
            .values(finished_at=micros(at))
        )

    @override
    def unfinished(self) -> Sequence[ImportRecord]:
        open_ones = sa.select(imports).where(imports.c.finished_at.is_(None)).order_by(imports.c.id)
        return [_intake(row) for row in self._connection.execute(open_ones)]
