"""Diagnosis cases and the learned word model in the database."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.diagnosis import diagnosis_cases
from repaircore.adapters.sql.schema.problems import problems
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.settings import SqlSettings
from repaircore.diagnosis.cases import Case, CaseSource, ConfirmedBy, InvoicedRepair
from repaircore.diagnosis.ports import CaseRecords, WordModels
from repaircore.json_text import decoder_of, encode_text
from repaircore.kernel.callers import Environment

_EDITION: Final = "word_model_edition"
_MODEL: Final = "word_model"

_suggested = decoder_of(tuple[str, ...])


class SqlCases(CaseRecords):
    """The stored diagnosis cases."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, case: Case) -> bool:
        insert = upsert(self._connection, diagnosis_cases).values(
            reference=case.reference,
            environment=case.environment,
            owner_id=case.owner_id,
            source=case.source,
            text=case.text,
            car=case.car,
            suggested=encode_text(case.suggested),
            confidence=case.confidence,
            repair=case.repair,
            confirmed_by=case.confirmed_by,
            created_at=micros(case.created_at),
            confirmed_at=None if case.confirmed_at is None else micros(case.confirmed_at),
        )
        added = insert.on_conflict_do_nothing(index_elements=["reference"]).returning(diagnosis_cases.c.id)
        return self._connection.execute(added).one_or_none() is not None

    @override
    def find(self, reference: str) -> Case | None:
        query = sa.select(diagnosis_cases).where(diagnosis_cases.c.reference == reference)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _case(row)

    @override
    def confirm(self, reference: str, repair: str, by: ConfirmedBy, at: datetime) -> bool:
        change = (
            sa.update(diagnosis_cases)
            .where(diagnosis_cases.c.reference == reference)
            .values(repair=repair, confirmed_by=by, confirmed_at=micros(at))
        )
        if by is ConfirmedBy.INVOICE:  # an operator may have confirmed it since it was listed as unconfirmed
            change = change.where(diagnosis_cases.c.repair.is_(None))
        return self._connection.execute(change).rowcount == 1

    @override
    def list_confirmed(self, environment: Environment, *, limit: int | None = None) -> Sequence[Case]:
        query = (
            sa.select(diagnosis_cases)
            .where(diagnosis_cases.c.environment == environment, diagnosis_cases.c.repair.is_not(None))
            .order_by(diagnosis_cases.c.id.desc())
            .limit(limit)
        )
        return [_case(row) for row in self._connection.execute(query)]

    @override
    def list_unconfirmed(self, environment: Environment, *, since: datetime) -> Sequence[Case]:
        query = (
            sa.select(diagnosis_cases)
            .where(
                diagnosis_cases.c.environment == environment,
                diagnosis_cases.c.repair.is_(None),
                diagnosis_cases.c.car.is_not(None),
                diagnosis_cases.c.created_at >= micros(since),
            )
            .order_by(diagnosis_cases.c.created_at, diagnosis_cases.c.id)
        )
        return [_case(row) for row in self._connection.execute(query)]

    @override
    def list_invoiced(self, case: Case, *, within: timedelta) -> Sequence[InvoicedRepair]:
        categories = problems.alias("categories")
        query = (
            sa.select(transactions.c.performed_on, transactions.c.id, problems.c.slug, categories.c.slug)
            .join(transactions, transactions.c.problem_id == problems.c.id)
            .join(categories, problems.c.parent_id == categories.c.id)
            .where(
                transactions.c.environment == case.environment,
                transactions.c.car == case.car,
                transactions.c.performed_on >= case.created_at.date().isoformat(),
                transactions.c.performed_on <= (case.created_at + within).date().isoformat(),
            )
        )
        # A car has few invoices in that time, so sorting them here needs no index on dates.
        rows = sorted(tuple(row) for row in self._connection.execute(query))
        return [InvoicedRepair(repair, category) for _, _, repair, category in rows]

    @override
    def count(self, environment: Environment) -> int:
        query = sa.select(sa.func.count()).where(diagnosis_cases.c.environment == environment)
        counted: int = self._connection.execute(query).scalar_one()
        return counted

    @override
    def delete(self, reference: str) -> None:
        self._connection.execute(sa.delete(diagnosis_cases).where(diagnosis_cases.c.reference == reference))

    @override
    def delete_unconfirmed(self, *, before: datetime) -> int:
        old = sa.delete(diagnosis_cases).where(
            diagnosis_cases.c.repair.is_(None), diagnosis_cases.c.created_at < micros(before)
        )
        return self._connection.execute(old).rowcount


class SqlWordModels(WordModels):
    """The learned word model, stored as settings."""

    def __init__(self, settings: SqlSettings) -> None:
        self._settings = settings

    @override
    def edition(self) -> str:
        return self._settings.get(_EDITION) or ""

    @override
    def text(self) -> str:
        return self._settings.get(_MODEL) or ""

    @override
    def replace(self, text: str) -> None:
        self._settings.set(_MODEL, text)
        self._settings.set(_EDITION, sha256(text.encode()).hexdigest()[:16] if text else "")


def _case(row: "Row[tuple[object, ...]]") -> Case:
    return Case(
        reference=row.reference,
        environment=Environment(row.environment),
        owner_id=row.owner_id,
        source=CaseSource(row.source),
        text=row.text,
        car=row.car,
        suggested=_suggested(row.suggested),
        confidence=row.confidence,
        repair=row.repair,
        confirmed_by=None if row.confirmed_by is None else ConfirmedBy(row.confirmed_by),
        created_at=moment(row.created_at),
        confirmed_at=None if row.confirmed_at is None else moment(row.confirmed_at),
    )
