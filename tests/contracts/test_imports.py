"""What the port ``ImportJournal`` promises, on both databases."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.imports import ImportRecord, ImportResult

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
SOME = ImportResult(read=6, added=3, updated=1, known=1, refused=1)


def begun(
    database: Database,
    digest: str = "a",
    *,
    kind: str = "vehicles",
    environment: Environment = Environment.LIVE,
) -> ImportRecord:
    with work.open_work(database, write=True) as unit:
        return unit.imports.begin(kind, environment=environment, digest=digest, file="v.csv", at=NOW)


def marked(database: Database, intake: ImportRecord, taken: ImportResult = SOME) -> ImportRecord:
    with work.open_work(database, write=True) as unit:
        return unit.imports.mark(intake, taken)


def finished(database: Database, intake: ImportRecord) -> None:
    with work.open_work(database, write=True) as unit:
        unit.imports.finish(intake, NOW + timedelta(hours=1))


def unfinished(database: Database) -> Sequence[ImportRecord]:
    with work.open_work(database, write=False) as unit:
        return unit.imports.unfinished()


def test_a_new_intake_has_nothing_done(database: Database) -> None:
    intake = begun(database)
    assert (intake.taken, intake.started_at, intake.finished_at) == (ImportResult(), NOW, None)
    assert unfinished(database) == [intake]


def test_the_same_file_goes_on_where_it_stopped(database: Database) -> None:
    before = marked(database, begun(database))
    assert before.taken == SOME
    assert begun(database) == before


def test_another_file_kind_or_environment_is_another_intake(database: Database) -> None:
    intakes = [
        begun(database),
        begun(database, "b"),
        begun(database, kind="recalls"),
        begun(database, environment=Environment.TEST),
    ]
    assert len({intake.id for intake in intakes}) == 4
    assert unfinished(database) == intakes


def test_a_finished_file_may_be_taken_over_anew(database: Database) -> None:
    first = marked(database, begun(database))
    finished(database, first)
    assert unfinished(database) == []
    again = begun(database)
    assert (again.id != first.id, again.taken) == (True, ImportResult())


def test_of_two_that_go_on_with_a_file_one_does(database: Database) -> None:
    mine, theirs = begun(database), begun(database)
    marked(database, mine)
    with pytest.raises(Conflict, match=r"v\.csv"):
        marked(database, theirs)


def test_a_finished_intake_is_not_gone_on_with(database: Database) -> None:
    intake = begun(database)
    finished(database, intake)
    with pytest.raises(Conflict):
        marked(database, intake)
