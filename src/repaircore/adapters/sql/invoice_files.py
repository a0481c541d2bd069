"""Invoice files in the database: sources, decisions and waiting lines."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.imports import import_record
from repaircore.adapters.sql.schema.invoice_files import import_sources, invoice_lines, repair_decisions
from repaircore.adapters.sql.schema.operations import imports
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.invoice_files.model import WaitingLine, WaitingText
from repaircore.invoice_files.ports import InvoiceFileRecords
from repaircore.job_matching.model import Outcome
from repaircore.json_text import decode, encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.imports import ImportRecord
from repaircore.learning.importing import IMPORT_KIND
from repaircore.shop_tables.model import Field

_line = RowCodec(WaitingLine)
_AT_ONCE: Final = 500


class SqlInvoiceFiles(InvoiceFileRecords):
    """The stored sources, repair decisions and waiting lines of invoice files."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def columns_of(self, source: str) -> Mapping[Field, str]:
        query = sa.select(import_sources.c.columns).where(import_sources.c.name == source)
        stored = self._connection.execute(query).scalar_one_or_none()
        found: dict[str, str] = {} if stored is None else decode(stored)
        return {Field(field): name for field, name in found.items() if field in {*Field}}

    @override
    def save_columns(self, source: str, columns: Mapping[Field, str], *, at: datetime) -> None:
        text = encode_text({field.value: name for field, name in columns.items()})
        insert = upsert(self._connection, import_sources).values(
            name=source, columns=text, updated_at=micros(at)
        )
        self._connection.execute(
            insert.on_conflict_do_update(
                index_elements=["name"],
                set_={"columns": insert.excluded["columns"], "updated_at": insert.excluded.updated_at},
            )
        )

    @override
    def decisions(self, environment: Environment, source: str) -> Mapping[str, int | None]:
        query = sa.select(repair_decisions.c.text_key, repair_decisions.c.problem_id).where(
            repair_decisions.c.environment == environment, repair_decisions.c.source == source
        )
        return {row.text_key: row.problem_id for row in self._connection.execute(query)}

    @override
    def decide(
        self, environment: Environment, source: str, text_key: str, problem_id: int | None, *, at: datetime
    ) -> None:
        insert = upsert(self._connection, repair_decisions).values(
            environment=environment,
            source=source,
            text_key=text_key,
            problem_id=problem_id,
            decided_at=micros(at),
        )
        self._connection.execute(
            insert.on_conflict_do_update(
                index_elements=["environment", "source", "text_key"],
                set_={name: insert.excluded[name] for name in ("problem_id", "decided_at")},
            )
        )

    @override
    def add_lines(self, lines: Sequence[WaitingLine]) -> int:
        added = 0
        for start in range(0, len(lines), _AT_ONCE):
            insert = upsert(self._connection, invoice_lines).values(
                [_line.write(line) for line in lines[start : start + _AT_ONCE]]
            )
            done = insert.on_conflict_do_nothing(index_elements=["environment", "fingerprint"])
            added += len(self._connection.execute(done.returning(invoice_lines.c.id)).all())
        return added

    @override
    def list_sources(self) -> Sequence[str]:
        query = sa.select(import_sources.c.name).order_by(import_sources.c.name)
        return list(self._connection.execute(query).scalars())

    @override
    def list_waiting(self, environment: Environment, *, limit: int, start: int = 0) -> Sequence[WaitingText]:
        own = invoice_lines.c
        groups = (
            sa.select(
                sa.func.min(own.id).label("first"),
                sa.func.count().label("lines"),
                sa.func.min(own.total).label("low"),
                sa.func.max(own.total).label("high"),
            )
            .where(own.environment == environment)
            .group_by(own.source, own.text_key)
            .order_by(sa.desc("lines"), sa.func.min(own.id))
            .limit(limit)
            .offset(start)
            .subquery()
        )
        query = (
            sa.select(invoice_lines, groups.c.lines, groups.c.low, groups.c.high)
            .join(groups, groups.c.first == own.id)
            .order_by(groups.c.lines.desc(), own.id)
        )
        return [_waiting_text(row) for row in self._connection.execute(query)]

    @override
    def count_waiting(self, environment: Environment) -> int:
        query = sa.select(sa.func.count()).where(invoice_lines.c.environment == environment)
        return int(self._connection.execute(query).scalar_one())

    @override
    def count_lines(self, import_id: int) -> int:
        query = sa.select(sa.func.count()).where(invoice_lines.c.import_id == import_id)
        return int(self._connection.execute(query).scalar_one())

    @override
    def sources_waiting(self, environment: Environment, text_key: str) -> Sequence[str]:
        query = (
            sa.select(invoice_lines.c.source)
            .where(invoice_lines.c.environment == environment, invoice_lines.c.text_key == text_key)
            .distinct()
            .order_by(invoice_lines.c.source)
        )
        return list(self._connection.execute(query).scalars())

    @override
    def lines_of(
        self, environment: Environment, source: str, text_key: str, *, after: int, limit: int
    ) -> Sequence[tuple[int, WaitingLine]]:
        query = (
            sa.select(invoice_lines)
            .where(
                invoice_lines.c.environment == environment,
                invoice_lines.c.text_key == text_key,
                invoice_lines.c.source == source,
                invoice_lines.c.id > after,
            )
            .order_by(invoice_lines.c.id)
            .limit(limit)
        )
        return [(row.id, _line.read(row)) for row in self._connection.execute(query)]

    @override
    def remove_lines(self, ids: Sequence[int]) -> None:
        for start in range(0, len(ids), _AT_ONCE):
            some = ids[start : start + _AT_ONCE]
            self._connection.execute(sa.delete(invoice_lines).where(invoice_lines.c.id.in_(some)))

    @override
    def find_import(self, import_id: int) -> ImportRecord | None:
        query = sa.select(imports).where(imports.c.id == import_id, imports.c.kind == IMPORT_KIND)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else import_record(row)

    @override
    def list_imports(self, environment: Environment, *, limit: int) -> Sequence[ImportRecord]:
        query = (
            sa.select(imports)
            .where(imports.c.kind == IMPORT_KIND, imports.c.environment == environment)
            .order_by(imports.c.id.desc())
            .limit(limit)
        )
        return [import_record(row) for row in self._connection.execute(query)]

    @override
    def transactions_of(self, import_id: int, *, after: int, limit: int) -> Sequence[int]:
        query = (
            sa.select(transactions.c.id)
            .where(transactions.c.import_id == import_id, transactions.c.id > after)
            .order_by(transactions.c.id)
            .limit(limit)
        )
        return list(self._connection.execute(query).scalars())

    @override
    def remove_import(self, import_id: int) -> int:
        lines = sa.delete(invoice_lines).where(invoice_lines.c.import_id == import_id)
        removed = self._connection.execute(lines).rowcount
        self._connection.execute(sa.delete(imports).where(imports.c.id == import_id))
        return removed


def _waiting_text(row: "Row[Any]") -> WaitingText:
    return WaitingText(
        text=row.text,
        text_key=row.text_key,
        source=row.source,
        outcome=Outcome(row.outcome),
        reason=row.reason,
        suggestions=tuple(decode(row.suggestions)),
        lines=row.lines,
        low=row.low,
        high=row.high,
    )
