"""The two passes of ``FileImport`` with whole numbers as rows, on both databases."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from io import BytesIO

import pytest

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.kernel.imports import (
    DEFAULT_OPTIONS,
    FileImport,
    ImportOptions,
    ImportResult,
    RejectedRow,
    Upload,
)

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


class Killed(BaseException):
    """Simulates a killed process."""


def read_numbers(lines: Iterable[str]) -> Iterator[int | RejectedRow]:
    for number, line in enumerate(lines, 1):
        text = line.strip()
        yield int(text) if text.isdigit() else RejectedRow(line=number, row=text, reasons=("Not a number.",))


class NumberImport:
    """An import that saves rows as settings, so that they follow the unit of work's commit or rollback."""

    def __init__(self, database: Database, *, killed_at: int | None = None) -> None:
        self.database = database
        self.killed_at = killed_at
        self.batches: list[list[int]] = []

    def save(self, unit: SqlWork, rows: Sequence[int]) -> int:
        new = [row for row in dict.fromkeys(rows) if unit.settings.get(f"row {row}") is None]
        for row in new:
            unit.settings.set(f"row {row}", "saved")
        if self.killed_at in rows:
            raise Killed
        self.batches.append([*rows])
        return len(new)

    def run(
        self,
        text: str,
        options: ImportOptions = DEFAULT_OPTIONS,
        *,
        prepare: Callable[[Sequence[int]], None] = lambda _: None,
    ) -> ImportResult:
        return FileImport(
            kind="numbers",
            read_rows=read_numbers,
            save_rows=self.save,
            transaction=lambda: work.open_work(self.database, write=True),
            clock=lambda: NOW,
            prepare=prepare,
            batch_size=2,
        ).run(Upload(name="numbers", content=BytesIO(text.encode())), options)

    def has_saved(self, row: int) -> bool:
        with work.open_work(self.database, write=False) as unit:
            return unit.settings.get(f"row {row}") is not None


def lines(*rows: object) -> str:
    return "".join(f"{row}\n" for row in rows)


def test_file_import_saves_good_rows_in_batches(database: Database) -> None:
    numbers = NumberImport(database)

    assert numbers.run(lines(1, 2, 3, 4, 5)) == ImportResult(read=5, added=5)
    assert numbers.batches == [[1, 2], [3, 4], [5]]


def test_file_import_skips_a_byte_order_mark(database: Database) -> None:
    assert NumberImport(database).run("\ufeff1\n") == ImportResult(read=1, added=1)


def test_file_import_counts_stored_and_repeated_rows_as_unchanged(database: Database) -> None:
    numbers = NumberImport(database)
    numbers.run(lines(1, 2))

    assert numbers.run(lines(1, 2, 3, 3)) == ImportResult(read=4, added=1, unchanged=3)


def test_file_import_of_the_same_file_changes_nothing(database: Database) -> None:
    numbers = NumberImport(database)
    numbers.run(lines(1, 2))

    assert numbers.run(lines(1, 2)) == ImportResult(read=2, unchanged=2)


def test_file_import_saves_nothing_when_a_row_is_rejected(database: Database) -> None:
    rejected: list[RejectedRow] = []
    numbers = NumberImport(database)

    assert numbers.run(lines(1, "x", 3, "y"), ImportOptions(on_rejected=rejected.append)) == ImportResult(
        read=4, rejected=2, saved=False
    )
    assert [row.line for row in rejected] == [2, 4]
    assert numbers.batches == []


def test_file_import_with_keep_good_saves_the_other_rows(database: Database) -> None:
    numbers = NumberImport(database)

    assert numbers.run(lines(1, "x", 3, "y", 5), ImportOptions(keep_good=True)) == ImportResult(
        read=5, added=3, rejected=2
    )
    assert numbers.batches == [[1], [3], [5]]


@pytest.mark.parametrize("rows", [(1, 2, "x"), ("x", "y"), ("x",)])
def test_file_import_counts_rejected_rows_after_the_last_good_one(
    database: Database, rows: tuple[object, ...]
) -> None:
    rejected = sum(isinstance(row, str) for row in rows)

    result = NumberImport(database).run(lines(*rows), ImportOptions(keep_good=True))

    assert result == ImportResult(read=len(rows), added=len(rows) - rejected, rejected=rejected)


def test_file_import_prepares_each_batch_before_its_unit_of_work_opens(database: Database) -> None:
    numbers = NumberImport(database)
    prepared: list[tuple[list[int], bool]] = []

    def prepare(rows: Sequence[int]) -> None:
        with work.open_work(database, write=True) as unit:  # blocks while another is open
            prepared.append(([*rows], unit.settings.get(f"row {rows[0]}") is not None))

    numbers.run(lines(1, 2, 3), prepare=prepare)

    assert prepared == [([1, 2], False), ([3], False)]


def test_file_import_dry_run_saves_nothing(database: Database) -> None:
    numbers = NumberImport(database)

    assert numbers.run(lines(1, 2, 3), ImportOptions(dry_run=True)) == ImportResult(read=3, saved=False)
    assert numbers.batches == []
    with work.open_work(database, write=False) as unit:
        assert unit.imports.list_unfinished() == []


def test_file_import_resumes_after_the_last_saved_batch(database: Database) -> None:
    killed = NumberImport(database, killed_at=4)
    with pytest.raises(Killed):
        killed.run(lines(1, 2, 3, 4, 5, 6))
    assert [killed.has_saved(row) for row in (2, 3)] == [True, False]

    again = NumberImport(database)

    assert again.run(lines(1, 2, 3, 4, 5, 6)) == ImportResult(read=6, added=6)
    assert again.batches == [[3, 4], [5, 6]]
    with work.open_work(database, write=False) as unit:
        assert unit.imports.list_unfinished() == []


@pytest.mark.parametrize(("rows", "reported"), [(0, []), (3, [2, 3]), (4, [2, 4])])
def test_file_import_reports_progress_once_a_batch(
    database: Database, rows: int, reported: list[int]
) -> None:
    progress: list[tuple[int, int]] = []

    NumberImport(database).run(
        lines(*range(rows)), ImportOptions(on_progress=lambda done, total: progress.append((done, total)))
    )

    assert progress == [(done, rows) for done in reported]


def test_file_import_accepts_an_empty_file(database: Database) -> None:
    assert NumberImport(database).run("") == ImportResult()
