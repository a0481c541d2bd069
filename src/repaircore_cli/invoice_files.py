"""Invoice files from any shop system: print their columns and jobs, and decide on the lines that wait."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from repaircore.kernel.wording import counted
from repaircore_cli.session import Output
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.invoice_files.reviews import Decided, WaitingList
    from repaircore.invoice_files.service import FileOptions, FileOutcome
    from repaircore.kernel.callers import Caller
    from repaircore.kernel.imports import ImportOptions, ImportResult, Upload


class InvoiceFileRun:
    """One run of ``repaircore import transactions``."""

    def __init__(self, core: "Core", columns: Sequence[str], source: str) -> None:
        self._core = core
        self._options = _file_options(columns, source)
        self._outcome: FileOutcome | None = None

    def import_file(self, upload: "Upload", options: "ImportOptions") -> "ImportResult":
        """Import a file, and keep the result for ``report``."""
        self._outcome = self._core.invoice_files.import_file(upload, self._options, options)
        return self._outcome.result

    def report(self, *, as_json: bool, dry_run: bool, err: bool) -> bool:
        """Print the result of a file from another system and return True; return False for a file in our own format."""
        from repaircore.invoice_files.views import FileOutcomeView

        outcome = self._outcome
        if outcome is None or outcome.columns is None:
            return False
        if as_json:
            print_json(FileOutcomeView.of(outcome))
        else:
            _print_outcome(outcome, dry_run=dry_run, err=err)
        return True


def decide(core: "Core", accepted: Sequence[str], skipped: Sequence[str], caller: "Caller") -> Output:
    """Accept or skip the lines with the given texts, and print what became of them.

    Raises:
        Invalid: on ``accept``: a value is not of the form TEXT=SLUG.
        NothingWaits: no line with such a text is waiting.
        ProblemNotFound: a repair does not exist.
    """
    from repaircore.invoice_files.views import DecidedView

    pairs = [_accepted(text) for text in accepted]
    decided = [core.invoice_reviews.accept(text, slug, caller) for text, slug in pairs]
    decided += [core.invoice_reviews.skip(text, caller) for text in skipped]
    yield [DecidedView.of(job) for job in decided]
    for job in decided:
        _print_decided(job)


def print_waiting(found: "WaitingList") -> None:
    """Print the lines that wait for a decision, grouped by text."""
    print_rows(
        ("lines", "text", "price", "why", "may be"),
        [
            (
                text.waiting.lines,
                text.waiting.text,
                _price(text.waiting.low, text.waiting.high),
                text.waiting.reason or "",
                ", ".join(problem.slug for problem in text.problems),
            )
            for text in found.texts
        ],
        none="No lines are waiting for a decision.",
    )
    if found.texts:
        typer.echo(
            f'{counted(found.lines, "line")} {"is" if found.lines == 1 else "are"} waiting. To decide: repaircore import review --accept "TEXT=SLUG"',
            err=True,
        )


def _file_options(columns: Sequence[str], source: str) -> "FileOptions":
    from repaircore.invoice_files.service import FileOptions
    from repaircore.kernel.errors import Invalid
    from repaircore.shop_tables.model import Field

    stated = {}
    for text in columns:
        field, mark, name = text.partition("=")
        if not mark or field not in {*Field}:
            raise Invalid({
                "column": [f"Use --column FIELD=NAME, not {text!r}. The fields are: {', '.join(Field)}."]
            })  # fmt: skip
        stated[Field(field)] = name.strip()
    return FileOptions(columns=stated, source=source.strip())


def _accepted(text: str) -> tuple[str, str]:
    from repaircore.kernel.errors import Invalid

    # A text may contain "="; a slug cannot.
    words, mark, slug = text.rpartition("=")
    if not mark or not words.strip():
        raise Invalid({"accept": [f'Use --accept "TEXT=SLUG", not {text!r}.']})
    return words.strip(), slug.strip()


def _print_outcome(outcome: "FileOutcome", *, dry_run: bool, err: bool) -> None:
    from repaircore.job_matching.model import Outcome

    columns = outcome.columns
    if columns is None:
        return
    if dry_run:
        _print_columns(outcome, err=err)
        _print_preview(outcome, err=err)
    else:
        named = ", ".join(f"{column.field}={column.name}" for column in columns.columns.values())
        typer.echo(f"Columns: {named}", err=err)
    counts = outcome.counts
    shares = (
        f"{counts.get(Outcome.SURE, 0):,} sure, {counts.get(Outcome.UNSURE, 0):,} unsure, "
        f"{counts.get(Outcome.SEVERAL, 0):,} with several repairs, {counts.get(Outcome.UNMATCHED, 0):,} unmatched"
    )
    typer.echo(
        f"{_counted(outcome.rows, 'row')} read: {_counted(sum(counts.values()), 'job')} ({shares}), "
        f"{outcome.left_out:,} left out, {outcome.result.rejected:,} rejected.",
        err=err,
    )
    if outcome.unknown_shops:
        typer.echo(
            f"{_counted(outcome.unknown_shops, 'job')} at shops that are not stored: imported without a shop.",
            err=err,
        )
    if not outcome.result.saved:
        typer.echo("Nothing was saved.", err=err)
        return
    result = outcome.result
    typer.echo(
        f"Import {outcome.import_id}: {result.added:,} added, {result.unchanged:,} already known or repeated; "
        f"{_counted(outcome.waiting, 'new line')} waiting for a decision.",
        err=err,
    )
    if outcome.waiting:
        typer.echo("To see them: repaircore import review", err=True)


def _print_columns(outcome: "FileOutcome", *, err: bool) -> None:
    from repaircore.invoice_files.views import ColumnView

    if outcome.columns is None:
        return
    for column in outcome.columns.columns.values():
        shown = ColumnView.of(column)
        read_as = f", {shown.read_as.replace('_', ' ')}" if shown.read_as else ""
        how = "as stated" if shown.stated else f"{shown.confidence:.0%} sure"
        typer.echo(f"  {shown.field:<12} {shown.column}  ({how}{read_as})", err=err)
    if outcome.columns.ignored:
        typer.echo(f"  {'left out':<12} {', '.join(outcome.columns.ignored)}", err=err)


def _print_preview(outcome: "FileOutcome", *, err: bool) -> None:
    from repaircore.invoice_files.views import UnderstoodJobView

    typer.echo("The first jobs:", err=err)
    for found in outcome.preview:
        job = UnderstoodJobView.of(found)
        total = (job.labor or 0) + (job.parts or 0) if job.total is None else job.total
        meant = job.repair or job.outcome or "left out"
        typer.echo(
            f"  line {job.line}: {job.date}, {job.vehicle}, {job.text[:60]}, ${total:,.2f}: {meant}", err=err
        )
        if job.reason:
            typer.echo(f"    {job.reason}", err=err)


def _print_decided(decided: "Decided") -> None:
    if decided.problem is None:
        typer.echo(f"{decided.text}: {_counted(decided.left_out, 'line')} left out.")
        return
    typer.echo(
        f"{decided.text}: {decided.problem.slug}; {decided.added:,} added, {decided.known:,} already known or repeated, "
        f"{len(decided.rejected):,} rejected."
    )
    for row in decided.rejected:
        typer.echo(f"  line {row.line}: {' '.join(row.reasons)}", err=True)


def _price(low: int, high: int) -> str:
    return f"${low / 100:,.0f}" if low == high else f"${low / 100:,.0f} to ${high / 100:,.0f}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
