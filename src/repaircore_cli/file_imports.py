"""What all imports share: how the file is opened, what is shown meanwhile, and what is told in the end."""

import csv
import gc
import gzip
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Final, TypeAlias, cast

import typer

from repaircore_cli.bar import bars
from repaircore_cli.terminal import print_json

if TYPE_CHECKING:
    from rich.progress import Progress

    from repaircore.kernel.imports import ImportOptions, ImportResult, RejectedRow, Upload

    Take: TypeAlias = Callable[[Upload, ImportOptions], ImportResult]


File = Annotated[Path, typer.Argument(metavar="FILE", help="The file; .gz and .zip are read as well.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check every row, and keep nothing.")]
Errors = Annotated[
    Path | None,
    typer.Option(
        "--errors", metavar="FILE", help="Where refused rows are written, with reasons; - is the output."
    ),
]
KeepGood = Annotated[
    bool, typer.Option("--keep-good", help="Keep the sound rows, also where others are refused.")
]

_SELDOM: Final = 1_000_000
_OUTPUT: Final = Path("-")
"""Stands for the standard output, as it does elsewhere."""


def take(
    run: "Take",
    file: Path,
    *,
    dry_run: bool,
    errors: Path | None,
    keep_good: bool,
    as_json: bool,
    test: bool = False,
    updates: bool = False,
) -> None:
    """Take a file over and say what became of it; with ``updates`` also how many records it changed.

    Raises:
        Invalid: on ``errors``: it is the file itself, or the output where JSON is printed.
        Exit: with 1, when rows were refused and so nothing was kept.
    """
    from repaircore.kernel.callers import Environment
    from repaircore.kernel.errors import Invalid
    from repaircore.kernel.imports import ImportOptions, Upload

    if (
        errors is not None
        and errors != _OUTPUT
        and errors.exists()
        and file.exists()
        and errors.samefile(file)
    ):
        raise Invalid({"errors": ["The refused rows would be written over the file that is read."]})
    if errors == _OUTPUT and as_json:
        raise Invalid({"errors": ["The refused rows and the JSON would both be written to the output."]})
    # Millions of small values come and go, and refer to nothing that refers to them: looking for such rings is in vain.
    gc.set_threshold(_SELDOM)
    with ExitStack() as stack:
        drawn = stack.enter_context(bars()) if sys.stderr.isatty() else None
        content = stack.enter_context(_opened(file, drawn))
        refused = stack.enter_context(_written(errors))
        taken = run(
            Upload(
                name=file.name, content=content, environment=Environment.TEST if test else Environment.LIVE
            ),
            ImportOptions(dry_run=dry_run, keep_good=keep_good, refused=refused, progress=_second(drawn)),
        )
    if as_json:
        print_json(_counts(taken, updates=updates))
    else:
        rows = "row" if taken.read == 1 else "rows"
        # Where the output has the refused rows, it has nothing else.
        typer.echo(f"{taken.read:,} {rows} read: {_outcome(taken, updates=updates)}.", err=errors == _OUTPUT)
    _advise(taken, dry_run=dry_run, listed=errors is not None)
    if taken.refused and not taken.kept:
        raise typer.Exit(1)


@contextmanager
def _opened(file: Path, drawn: "Progress | None") -> "Iterator[IO[bytes]]":
    """Open a file, unpacked where it is packed, with a bar that shows how far it is read."""
    with ExitStack() as stack:
        raw: Any = stack.enter_context(file.open("rb"))
        if drawn is not None:
            raw = drawn.wrap_file(raw, file.stat().st_size, description="Reading")
        unpacked = _UNPACKED.get(file.suffix.casefold())
        yield raw if unpacked is None else stack.enter_context(unpacked(raw))


@contextmanager
def _from_gzip(raw: Any) -> "Iterator[IO[bytes]]":
    from repaircore.kernel.errors import Invalid

    try:
        with gzip.open(raw) as content:
            yield cast("IO[bytes]", content)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise Invalid({"file": ["The file is not, or not wholly, packed by gzip."]}) from None


@contextmanager
def _from_zip(raw: Any) -> "Iterator[IO[bytes]]":
    from repaircore.kernel.errors import Invalid

    try:
        with zipfile.ZipFile(raw) as folder, _only_file(folder) as content:
            yield content
    except (zipfile.BadZipFile, EOFError, zlib.error):
        raise Invalid({"file": ["The file is not, or not wholly, packed by zip."]}) from None


def _only_file(folder: zipfile.ZipFile) -> IO[bytes]:
    from repaircore.kernel.errors import Invalid

    files = [one for one in folder.infolist() if not one.is_dir()]
    if len(files) != 1:
        raise Invalid({"file": [f"The file holds {len(files)} files, not one: unpack it first."]})
    try:
        return folder.open(files[0])
    except (RuntimeError, NotImplementedError):
        raise Invalid({"file": ["The file needs a password, or is packed in an unusual way."]}) from None


_UNPACKED: "Final[dict[str, Callable[[Any], AbstractContextManager[IO[bytes]]]]]" = {
    ".gz": _from_gzip,
    ".zip": _from_zip,
}


def _second(drawn: "Progress | None") -> "Callable[[int, int], None]":
    """Give what is told how far the second pass is: a bar appears when it begins."""
    if drawn is None:
        return lambda _done, _of_all: None
    bar = drawn.add_task("Keeping", total=None, visible=False)
    return lambda done, of_all: drawn.update(bar, completed=done, total=of_all, visible=True)


@contextmanager
def _written(errors: Path | None) -> "Iterator[Callable[[RejectedRow], None]]":
    """Give what refused rows are told to."""
    if errors is None:
        yield lambda _: None
        return
    with (
        nullcontext(sys.stdout)
        if errors == _OUTPUT
        else errors.open("w", encoding="utf-8", newline="") as file
    ):
        table = csv.writer(file, lineterminator="\n" if errors == _OUTPUT else "\r\n")
        table.writerow(("line", "reasons", "row"))
        yield lambda one: table.writerow((one.line, " ".join(one.reasons), one.row))


def _counts(taken: "ImportResult", *, updates: bool) -> dict[str, int | bool]:
    names = ("read", "added", *(["updated"] if updates else []), "known", "refused", "kept")
    return {name: getattr(taken, name) for name in names}


def _advise(taken: "ImportResult", *, dry_run: bool, listed: bool) -> None:
    if taken.refused and not listed:
        typer.echo("--errors FILE writes the refused rows with the reasons.", err=True)
    if taken.refused and not taken.kept and not dry_run:
        typer.echo("--keep-good keeps the others.", err=True)


def _outcome(taken: "ImportResult", *, updates: bool) -> str:
    refused = f"{taken.refused:,} refused"
    if not taken.kept:
        return f"{taken.read - taken.refused:,} sound, {refused}; nothing was kept"
    updated = f"{taken.updated:,} updated, " if updates else ""
    return f"{taken.added:,} added, {updated}{taken.known:,} known already or repeated, {refused}"
