"""The shared part of all export commands: writing the file and reporting its row count."""

import csv
import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from repaircore_cli.session import Output
from repaircore_cli.whole_files import replacing

OutFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="The file to write, compressed if it ends in .gz; - for standard output."
    ),
]

_STDOUT = Path("-")


def write_export(file: Path, header: Iterable[object], rows: Iterable[Iterable[object]]) -> Output:
    """Write a table row by row, and report the row count unless it goes to standard output.

    An existing file is replaced only once all rows are written.
    """
    count = 0
    with _opened(file) as text:
        table = csv.writer(text, lineterminator="\n")
        table.writerow(header)
        for row in rows:
            table.writerow(row)
            count += 1
    if file == _STDOUT:
        return
    yield {"file": str(file), "rows": count}
    typer.echo(f"{count:,} {'row' if count == 1 else 'rows'} written to {file}.")


@contextmanager
def _opened(file: Path) -> Iterator[IO[str]]:
    if file == _STDOUT:
        yield sys.stdout
        return
    with replacing(file) as temporary, _open_text(temporary, compressed=file.suffix == ".gz") as text:
        yield text


def _open_text(path: Path, *, compressed: bool) -> IO[str]:
    if compressed:
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")
