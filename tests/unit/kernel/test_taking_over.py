"""The two passes of an import, on rows that are whole numbers, over both databases."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from io import BytesIO

import pytest

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.kernel.imports import AS_USUAL, FileImport, ImportOptions, ImportResult, RejectedRow, Upload

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


class Killed(BaseException):
    """The process ends here."""


def read(lines: Iterable[str]) -> Iterator[int | RejectedRow]:
    for number, line in enumerate(lines, 1):
        text = line.strip()
        yield int(text) if text.isdigit() else RejectedRow(line=number, row=text, reasons=("No number.",))


class OneSlotCache:
    """What keeps the rows, as settings of the database so that they come and go with the unit of work."""

    def __init__(self, database: Database, *, killed_at: int | None = None) -> None:
        self.database = database
        self.killed_at = killed_at
        self.batches: list[list[int]] = []

    def keep(self, unit: SqlWork, rows: Sequence[int]) -> int:
        new = [row for row in dict.fromkeys(rows) if unit.settings.get(f"row {row}") is None]
        for row in new:
            unit.settings.set(f"row {row}", "kept")
        if self.killed_at in rows:
            raise Killed
        self.batches.append([*rows])
        return len(new)

    def takes(
        self,
        text: str,
        terms: ImportOptions = AS_USUAL,
        *,
        prepare: Callable[[Sequence[int]], None] = lambda _: None,
    ) -> ImportResult:
        return FileImport(
            kind="numbers",
            read=read,
            keep=self.keep,
            transaction=lambda: work.open_work(self.database, write=True),
            clock=lambda: NOW,
            prepare=prepare,
            batch=2,
        ).run(Upload(name="numbers", content=BytesIO(text.encode())), terms)

    def kept(self, row: int) -> bool:
        with work.open_work(self.database, write=False) as unit:
            return unit.settings.get(f"row {row}") is not None


def lines(*rows: object) -> str:
    return "".join(f"{row}\n" for row in rows)


def test_sound_rows_are_kept_in_batches(database: Database) -> None:
    shelf = OneSlotCache(database)
    assert shelf.takes(lines(1, 2, 3, 4, 5)) == ImportResult(read=5, added=5)
    assert shelf.batches == [[1, 2], [3, 4], [5]]


def test_a_byte_order_mark_is_passed_over(database: Database) -> None:
    assert OneSlotCache(database).takes("\ufeff1\n") == ImportResult(read=1, added=1)


def test_rows_that_are_kept_or_repeated_are_known(database: Database) -> None:
    shelf = OneSlotCache(database)
    shelf.takes(lines(1, 2))
    assert shelf.takes(lines(1, 2, 3, 3)) == ImportResult(read=4, added=1, known=3)


def test_the_same_file_again_is_recognized_row_by_row(database: Database) -> None:
    shelf = OneSlotCache(database)
    shelf.takes(lines(1, 2))
    assert shelf.takes(lines(1, 2)) == ImportResult(read=2, known=2)


def test_a_refused_row_keeps_the_whole_file_out(database: Database) -> None:
    told: list[RejectedRow] = []
    shelf = OneSlotCache(database)
    assert shelf.takes(lines(1, "x", 3, "y"), ImportOptions(refused=told.append)) == ImportResult(
        read=4, refused=2, kept=False
    )
    assert [one.line for one in told] == [2, 4]
    assert shelf.batches == []


def test_the_others_are_kept_when_that_is_asked_for(database: Database) -> None:
    shelf = OneSlotCache(database)
    assert shelf.takes(lines(1, "x", 3, "y", 5), ImportOptions(keep_good=True)) == ImportResult(
        read=5, added=3, refused=2
    )
    assert shelf.batches == [[1], [3], [5]]


@pytest.mark.parametrize("rows", [(1, 2, "x"), ("x", "y"), ("x",)])
def test_refused_rows_behind_the_last_sound_one_are_counted(
    database: Database, rows: tuple[object, ...]
) -> None:
    refused = sum(isinstance(row, str) for row in rows)
    told = OneSlotCache(database).takes(lines(*rows), ImportOptions(keep_good=True))
    assert told == ImportResult(read=len(rows), added=len(rows) - refused, refused=refused)


def test_others_are_asked_before_a_unit_of_work_opens(database: Database) -> None:
    shelf = OneSlotCache(database)
    asked: list[tuple[list[int], bool]] = []

    def prepare(rows: Sequence[int]) -> None:
        with work.open_work(database, write=True) as unit:  # which waits while another is open
            asked.append(([*rows], unit.settings.get(f"row {rows[0]}") is not None))

    shelf.takes(lines(1, 2, 3), prepare=prepare)
    assert asked == [([1, 2], False), ([3], False)]


def test_a_dry_run_keeps_nothing(database: Database) -> None:
    shelf = OneSlotCache(database)
    assert shelf.takes(lines(1, 2, 3), ImportOptions(dry_run=True)) == ImportResult(read=3, kept=False)
    assert shelf.batches == []
    with work.open_work(database, write=False) as unit:
        assert unit.imports.unfinished() == []


def test_a_killed_import_goes_on_behind_its_last_whole_batch(database: Database) -> None:
    killed = OneSlotCache(database, killed_at=4)
    with pytest.raises(Killed):
        killed.takes(lines(1, 2, 3, 4, 5, 6))
    assert [killed.kept(row) for row in (2, 3)] == [True, False]
    again = OneSlotCache(database)
    assert again.takes(lines(1, 2, 3, 4, 5, 6)) == ImportResult(read=6, added=6)
    assert again.batches == [[3, 4], [5, 6]]
    with work.open_work(database, write=False) as unit:
        assert unit.imports.unfinished() == []


def test_how_far_it_is_is_told(database: Database) -> None:
    told: list[tuple[int, int]] = []
    OneSlotCache(database).takes(
        lines(1, 2, 3), ImportOptions(progress=lambda done, of_all: told.append((done, of_all)))
    )
    assert told == [(2, 3), (3, 3)]


def test_an_empty_file_is_taken_over_at_once(database: Database) -> None:
    assert OneSlotCache(database).takes("") == ImportResult()
