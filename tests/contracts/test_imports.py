"""The contract of the port ``ImportJournal``, on both databases."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.imports import ImportRecord, ImportResult

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
RESULT = ImportResult(read=6, added=3, updated=1, unchanged=1, rejected=1)


def begin(
    database: Database,
    digest: str = "a",
    *,
    kind: str = "vehicles",
    environment: Environment = Environment.LIVE,
) -> ImportRecord:
    with work.open_work(database, write=True) as unit:
        return unit.imports.begin(kind, environment=environment, digest=digest, file="v.csv", at=NOW)


def update(database: Database, record: ImportRecord, result: ImportResult = RESULT) -> ImportRecord:
    with work.open_work(database, write=True) as unit:
        return unit.imports.update(record, result)


def finish(database: Database, record: ImportRecord) -> None:
    with work.open_work(database, write=True) as unit:
        unit.imports.finish(record, NOW + timedelta(hours=1))


def list_unfinished(database: Database) -> Sequence[ImportRecord]:
    with work.open_work(database, write=False) as unit:
        return unit.imports.list_unfinished()


def test_begin_creates_a_record_with_nothing_done(database: Database) -> None:
    record = begin(database)

    assert (record.result, record.started_at, record.finished_at) == (ImportResult(), NOW, None)
    assert list_unfinished(database) == [record]


def test_begin_returns_the_unfinished_record_of_the_same_file(database: Database) -> None:
    before = update(database, begin(database))
    assert before.result == RESULT

    assert begin(database) == before


def test_begin_creates_another_record_for_another_file_kind_or_environment(database: Database) -> None:
    records = [
        begin(database),
        begin(database, "b"),
        begin(database, kind="recalls"),
        begin(database, environment=Environment.TEST),
    ]

    assert len({record.id for record in records}) == 4
    assert list_unfinished(database) == records


def test_begin_creates_another_record_once_the_first_is_finished(database: Database) -> None:
    first = update(database, begin(database))
    finish(database, first)
    assert list_unfinished(database) == []

    again = begin(database)

    assert (again.id != first.id, again.result) == (True, ImportResult())


def test_update_lets_one_of_two_continue_a_file(database: Database) -> None:
    mine, theirs = begin(database), begin(database)
    update(database, mine)

    with pytest.raises(Conflict, match=r"v\.csv"):
        update(database, theirs)


def test_update_refuses_a_finished_record(database: Database) -> None:
    record = begin(database)
    finish(database, record)

    with pytest.raises(Conflict):
        update(database, record)
