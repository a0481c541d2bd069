"""What all exports share: a file appears when it is whole, and what it holds is told."""

import csv
import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from repaircore_cli.terminal import print_json
from repaircore_cli.whole_files import written_whole

OutFile = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="The file; with .gz at its end it is packed. - is the output."),
]

_OUTPUT = Path("-")


def give_out(file: Path, head: Iterable[object], rows: Iterable[Iterable[object]], *, as_json: bool) -> None:
    """Write a table, row by row, and say how long it is.

    A file that is there already is replaced at the end, so that one that breaks off leaves it as it was.
    """
    count = 0
    with _written(file) as text:
        table = csv.writer(text, lineterminator="\n")
        table.writerow(head)
        for row in rows:
            table.writerow(row)
            count += 1
    if file == _OUTPUT:
        return
    if as_json:
        print_json({"file": str(file), "rows": count})
    else:
        typer.echo(f"{count:,} {'row' if count == 1 else 'rows'} written to {file}.")


@contextmanager
def _written(file: Path) -> Iterator[IO[str]]:
    if file == _OUTPUT:
        yield sys.stdout
        return
    with written_whole(file) as beside, _opened(beside, packed=file.suffix == ".gz") as text:
        yield text


def _opened(path: Path, *, packed: bool) -> IO[str]:
    if packed:
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")
