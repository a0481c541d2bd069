"""``repaircore predict --file``: read a CSV file, and write its rows with prices."""

import csv
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import typer

from repaircore.batches.batch_file import PRICES, in_batches, priced_row, read_batch
from repaircore.kernel.wording import counted
from repaircore_cli.bar import bar
from repaircore_cli.session import Output
from repaircore_cli.whole_files import replacing

if TYPE_CHECKING:
    from repaircore.core import Core

_STANDARD: Final = Path("-")


def predict_file(core: "Core", file: Path, out: Path | None) -> Output:
    """Estimate each row of a CSV file, and write it with its price or, if it cannot be estimated, the error.

    Rows are read, estimated and written in batches. An existing output file is only replaced once all rows are written.

    Raises:
        Invalid: the file is not CSV, or a column is missing.
        OSError: a file cannot be read or written.
    """
    done = failed = 0
    with _input(file) as lines, bar("Estimating") as report, _output(out) as text:
        table = read_batch(lines)
        width = len(table.header)
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*table.header, *PRICES])
        for rows in in_batches(table.rows):
            items = [row.item for row in rows]
            results = core.batches.predict(items, report=partial(_report, report, done))
            writer.writerows(
                priced_row(width, row.cells, result) for row, result in zip(rows, results, strict=True)
            )
            done += len(rows)
            failed += sum(result.failure is not None for result in results)
    failures = f"{failed:,} could not be estimated: see the error column." if failed else ""
    if out is None or out == _STANDARD:
        if failed:
            typer.echo(f"Of {counted(done, 'row')}, {failures}", err=True)
        return
    yield {"file": str(out), "estimated": done - failed, "failed": failed}
    ending = f"; {failures}" if failed else "."
    typer.echo(f"{done - failed:,} of {counted(done, 'row')} estimated in {out}{ending}")


def _report(report: Callable[[int, int | None], None], before: int, done: int) -> None:
    report(before + done, None)  # the number of rows is only known at the end


@contextmanager
def _input(file: Path) -> Iterator[IO[str]]:
    if file == _STANDARD:
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="surrogateescape", newline="")  # type: ignore[union-attr]
        yield sys.stdin
        return
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
        yield text


@contextmanager
def _output(out: Path | None) -> Iterator[IO[str]]:
    if out is None or out == _STANDARD:
        yield sys.stdout
        return
    with replacing(out) as temporary, temporary.open("w", encoding="utf-8", newline="") as text:
        yield text
