"""What all imports share: how the file is opened, what is shown meanwhile, and what is told in the end."""

import csv
import gc
import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from repaircore_cli.terminal import look, print_json

if TYPE_CHECKING:
    from rich.progress import Progress

    from repaircore.kernel.intake import Refused, Taken
    from repaircore.kernel.taking_over import Delivery, Terms

    Take: TypeAlias = Callable[[Delivery, Terms], Taken]

__all__ = ["DryRun", "Errors", "File", "KeepGood", "Test", "take"]

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file; .gz is read as well.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check every row, and keep nothing.")]
Errors = Annotated[
    Path | None,
    typer.Option("--errors", metavar="FILE", help="Where refused rows are written, with reasons."),
]
KeepGood = Annotated[
    bool, typer.Option("--keep-good", help="Keep the sound rows, also where others are refused.")
]

_SELDOM: Final = 1_000_000

Test = Annotated[bool, typer.Option("--test", help="Those of the test environment.")]


def take(
    run: "Take",
    file: Path,
    *,
    dry_run: bool,
    errors: Path | None,
    keep_good: bool,
    as_json: bool,
    test: bool = False,
) -> None:
    """Take a file over and say what became of it.

    Raises:
        Exit: with 1, when rows were refused and so nothing was kept.
    """
    from repaircore.kernel.callers import Environment
    from repaircore.kernel.taking_over import Delivery, Terms

    # Millions of small values come and go, and refer to nothing that refers to them: looking for such rings is in vain.
    gc.set_threshold(_SELDOM)
    with ExitStack() as stack:
        bars = stack.enter_context(_bars()) if sys.stderr.isatty() else None
        content = stack.enter_context(_opened(file, bars))
        refused = stack.enter_context(_written(errors))
        taken = run(
            Delivery(
                name=file.name, content=content, environment=Environment.TEST if test else Environment.LIVE
            ),
            Terms(dry_run=dry_run, keep_good=keep_good, refused=refused, progress=_second(bars)),
        )
    _tell(taken, dry_run=dry_run, listed=errors is not None, as_json=as_json)
    if taken.refused and not taken.kept:
        raise typer.Exit(1)


def _bars() -> "Progress":
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True, no_color=not look().color), transient=True)


@contextmanager
def _opened(file: Path, bars: "Progress | None") -> "Iterator[IO[bytes]]":
    """Open a file, unpacked where it is packed, with a bar that shows how far it is read."""
    from repaircore.kernel.errors import Invalid

    with ExitStack() as stack:
        raw: Any = stack.enter_context(file.open("rb"))
        if bars is not None:
            raw = bars.wrap_file(raw, file.stat().st_size, description="Reading")
        if file.suffix == ".gz":
            raw = stack.enter_context(gzip.open(raw))
        try:
            yield raw
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise Invalid({"file": ["The file is not, or not wholly, packed by gzip."]}) from None


def _second(bars: "Progress | None") -> "Callable[[int, int], None]":
    """Give what is told how far the second pass is: a bar appears when it begins."""
    if bars is None:
        return lambda _done, _of_all: None
    bar = bars.add_task("Keeping", total=None, visible=False)
    return lambda done, of_all: bars.update(bar, completed=done, total=of_all, visible=True)


@contextmanager
def _written(errors: Path | None) -> "Iterator[Callable[[Refused], None]]":
    """Give what refused rows are told to."""
    if errors is None:
        yield lambda _: None
        return
    with errors.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("line", "reasons", "row"))
        yield lambda one: table.writerow((one.line, " ".join(one.reasons), one.row))


def _tell(taken: "Taken", *, dry_run: bool, listed: bool, as_json: bool) -> None:
    if as_json:
        counts = {name: getattr(taken, name) for name in ("read", "added", "known", "refused")}
        print_json({**counts, "kept": taken.kept})
    else:
        typer.echo(f"{taken.read:,} {'row' if taken.read == 1 else 'rows'} read: {_outcome(taken)}.")
    if taken.refused and not listed:
        typer.echo("--errors FILE writes the refused rows with the reasons.", err=True)
    if taken.refused and not taken.kept and not dry_run:
        typer.echo("--keep-good keeps the others.", err=True)


def _outcome(taken: "Taken") -> str:
    refused = f"{taken.refused:,} refused"
    if taken.kept:
        return f"{taken.added:,} added, {taken.known:,} known already or repeated, {refused}"
    return f"{taken.read - taken.refused:,} sound, {refused}; nothing was kept"
