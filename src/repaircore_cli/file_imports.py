"""The shared part of all import commands: opening the file, showing progress and reporting the result."""

import csv
import gc
import gzip
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial, wraps
from inspect import Parameter, signature
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Final, TypeAlias, cast

import typer
from typing_extensions import override

from repaircore_cli.bar import phases
from repaircore_cli.options import AsJson, environment_of
from repaircore_cli.terminal import print_json

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from repaircore.core import Core
    from repaircore.kernel.imports import ImportOptions, ImportResult, RejectedRow, Upload

    ImportFile: TypeAlias = Callable[[Upload, ImportOptions], ImportResult]

Run: TypeAlias = Callable[..., None]
"""``run_import`` with the command's file and options filled in: ``run(core.catalog.import_file, updates=True)``."""

_OPTIONS: Final = {
    "file": Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to import; .gz and .zip work too.")
    ],
    "dry_run": Annotated[bool, typer.Option("--dry-run", help="Check every row and save nothing.")],
    "errors": Annotated[
        Path | None,
        typer.Option(
            "--errors",
            metavar="FILE",
            help="Write rejected rows and the reasons to this file; - for standard output.",
        ),
    ],
    "keep_good": Annotated[
        bool, typer.Option("--keep-good", help="Import the good rows even if others are rejected.")
    ],
    "as_json": AsJson,
}
_DEFAULTS: Final = {"file": Parameter.empty, "errors": None}

_COLLECTED_AFTER: Final = 1_000_000
_READ_AT_ONCE: Final = 128 * 1024
_STDOUT: Final = Path("-")


def import_command(function: Callable[..., None]) -> Callable[..., None]:
    """Add an import's file and options to a command, and pass it a ``Run`` instead of them (see ``imports``)."""

    @wraps(function)
    def command(core: "Core", **arguments: Any) -> None:
        run = partial(run_import, **{name: arguments.pop(name) for name in _OPTIONS})
        function(core, run, **arguments)

    core, _run, *own = signature(function).parameters.values()
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=option, default=_DEFAULTS.get(name, False))
        for name, option in _OPTIONS.items()
    ]
    command.__signature__ = signature(function).replace(parameters=[core, *options, *own])  # type: ignore[attr-defined]
    return command


def run_import(
    import_file: "ImportFile",
    *,
    file: Path,
    dry_run: bool,
    errors: Path | None,
    keep_good: bool,
    as_json: bool,
    test: bool = False,
    updates: bool = False,
    learns: bool = False,
    print_result: "Callable[..., bool]" = lambda **_: False,
) -> None:
    """Import a file and print the result; with ``updates``, also print how many records were updated.

    One bar shows the progress over all phases; if the import ``learns``, the last phase is called learning.
    ``print_result`` is called with ``as_json``, ``dry_run`` and ``err`` (print to standard error), and returns
    whether it printed the result itself.

    Raises:
        Invalid: on ``errors``: it is the imported file itself, or standard output, where the JSON goes.
        Exit: with status 1: nothing was saved because rows were rejected.
    """
    from repaircore.kernel.imports import ImportOptions, ImportResultView, Upload

    _require_separate_output(file, errors, as_json=as_json)
    # An import allocates millions of small values without reference cycles: collecting them finds nothing.
    gc.set_threshold(_COLLECTED_AFTER)
    with ExitStack() as stack:
        report = stack.enter_context(phases())
        content = stack.enter_context(_opened(file, partial(report, "reading")))
        on_rejected = stack.enter_context(_rejected_rows_writer(errors))
        result = import_file(
            Upload(name=file.name, content=content, environment=environment_of(test=test)),
            ImportOptions(
                dry_run=dry_run,
                keep_good=keep_good,
                on_rejected=on_rejected,
                on_read=partial(report, "matching"),
                on_checked=partial(_report_counted, report, "checking"),
                on_progress=partial(report, "learning" if learns else "saving"),
            ),
        )
    if print_result(as_json=as_json, dry_run=dry_run, err=errors == _STDOUT):
        pass
    elif as_json:
        print_json(ImportResultView.of(result, updates=updates))
    else:
        rows = "row" if result.read == 1 else "rows"
        # If rejected rows go to standard output, nothing else may.
        typer.echo(
            f"{result.read:,} {rows} read: {_outcome(result, updates=updates)}.", err=errors == _STDOUT
        )
    _print_hints(result, dry_run=dry_run, has_errors_file=errors is not None)
    if result.rejected and not result.saved:
        raise typer.Exit(1)


def _require_separate_output(file: Path, errors: Path | None, *, as_json: bool) -> None:
    from repaircore.kernel.errors import Invalid

    if errors == _STDOUT:
        if as_json:
            raise Invalid(
                {
                    "errors": [
                        "The rejected rows and the JSON cannot both go to standard output. Name a file with --errors."
                    ]
                }
            )
    elif errors is not None and errors.exists() and file.exists() and errors.samefile(file):
        raise Invalid(
            {
                "errors": [
                    "The rejected rows would overwrite the file being imported. Name another file with --errors."
                ]
            }
        )


@contextmanager
def _opened(file: Path, report: "Callable[[int, int | None], None]") -> "Iterator[IO[bytes]]":
    """Open a file and decompress it if needed; ``report`` is called with the bytes read and the file's size."""
    with ExitStack() as stack:
        raw: Any = _Reported(stack.enter_context(file.open("rb", buffering=0)), file.stat().st_size, report)
        decompress = _DECOMPRESSORS.get(file.suffix.casefold())
        buffered = BufferedReader(raw, _READ_AT_ONCE)
        yield buffered if decompress is None else stack.enter_context(decompress(buffered))


class _Reported(RawIOBase):
    """A file that reports how much of it was read; parts that a zip archive skips count as read."""

    def __init__(self, file: Any, size: int, report: "Callable[[int, int | None], None]") -> None:
        self._file = file
        self._size = size
        self._report = report

    @override
    def readable(self) -> bool:
        return True

    @override
    def seekable(self) -> bool:
        seekable: bool = self._file.seekable()
        return seekable

    @override
    def seek(self, offset: int, whence: int = 0) -> int:
        place: int = self._file.seek(offset, whence)
        return place

    @override
    def readinto(self, buffer: "WriteableBuffer") -> int:
        count: int = self._file.readinto(buffer)
        if self._size:
            self._report(min(self._file.tell(), self._size), self._size)
        return count


@contextmanager
def _from_gzip(raw: Any) -> "Iterator[IO[bytes]]":
    from repaircore.kernel.errors import Invalid

    try:
        with gzip.open(raw) as content:
            yield cast("IO[bytes]", content)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise Invalid({"file": ["The file is not a complete gzip file."]}) from None


@contextmanager
def _from_zip(raw: Any) -> "Iterator[IO[bytes]]":
    from repaircore.kernel.errors import Invalid

    try:
        with zipfile.ZipFile(raw) as archive, _only_member(archive) as content:
            yield content
    except (zipfile.BadZipFile, EOFError, zlib.error):
        raise Invalid({"file": ["The file is not a complete zip file."]}) from None


def _only_member(archive: zipfile.ZipFile) -> IO[bytes]:
    from repaircore.kernel.errors import Invalid

    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        raise Invalid(
            {
                "file": [
                    f"The zip file must contain exactly one file, not {len(members)}. Unzip it, and import one."
                ]
            }
        )
    try:
        return archive.open(members[0])
    except NotImplementedError:
        text = "The zip file uses an unsupported compression or encryption method. Unzip it first."
        raise Invalid({"file": [text]}) from None
    except RuntimeError:
        raise Invalid({"file": ["The zip file is encrypted. Unzip it first."]}) from None


_DECOMPRESSORS: "Final[dict[str, Callable[[Any], AbstractContextManager[IO[bytes]]]]]" = {
    ".gz": _from_gzip,
    ".zip": _from_zip,
}


def _report_counted(
    report: "Callable[[str, int, int | None], None]", phase: str, done: int, total: int | None
) -> None:
    """Report the progress of a phase if its total is known; otherwise the bytes that were read show the progress."""
    if total is not None:
        report(phase, done, total)


@contextmanager
def _rejected_rows_writer(errors: Path | None) -> "Iterator[Callable[[RejectedRow], None]]":
    if errors is None:
        yield lambda _: None
        return
    with (
        nullcontext(sys.stdout)
        if errors == _STDOUT
        else errors.open("w", encoding="utf-8", newline="") as file
    ):
        table = csv.writer(file, lineterminator="\n" if errors == _STDOUT else "\r\n")
        table.writerow(("line", "reasons", "row"))
        yield lambda row: table.writerow((row.line, " ".join(row.reasons), row.row))


def _print_hints(result: "ImportResult", *, dry_run: bool, has_errors_file: bool) -> None:
    if result.rejected and not has_errors_file:
        typer.echo("Use --errors FILE to save the rejected rows and the reasons.", err=True)
    if result.rejected and not result.saved and not dry_run:
        typer.echo("Use --keep-good to import the good rows.", err=True)


def _outcome(result: "ImportResult", *, updates: bool) -> str:
    rejected = f"{result.rejected:,} rejected"
    if not result.saved:
        return f"{result.read - result.rejected:,} good, {rejected}; nothing was saved"
    updated = f"{result.updated:,} updated, " if updates else ""
    return f"{result.added:,} added, {updated}{result.unchanged:,} already known or repeated, {rejected}"
