"""``repaircore book``."""

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from repaircore.json_text import pretty
from repaircore.kernel.wording import counted
from repaircore_cli.completion import problem_slugs
from repaircore_cli.options import AsJson, Yes
from repaircore_cli.session import Output, commands, reading, reading_shipped
from repaircore_cli.terminal import print_json, print_rows
from repaircore_cli.whole_files import read_json, replacing

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Export the repair book as open data, and correct its figures.")

_LARGEST: Final = 20_000_000
_FORMATS: Final = (".json", ".csv")


@app.command(epilog="Example: repaircore book export book.json", opening=reading_shipped)
def export(
    core: "Core",
    *,
    file: Annotated[
        str, typer.Argument(help="The file to write: .json or .csv; - writes JSON to standard output.")
    ],
    as_json: AsJson = False,
) -> None:
    """Export the repair book with the installation's own changes and the source of every figure."""
    from repaircore.book.open_data import COLUMNS, export_document, figure_rows
    from repaircore.kernel.errors import Invalid

    path = Path(file)
    if file != "-" and path.suffix.lower() not in _FORMATS:
        raise Invalid({"file": ["The file name must end in .json or .csv."]})
    problems, changes, version = core.book_revisions.export()
    vehicles = core.book_revisions.vehicles()
    if path.suffix.lower() == ".csv":
        with replacing(path) as whole, whole.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(figure_rows(problems, changes, vehicles=vehicles, version=version))
    else:
        document = export_document(problems, changes, vehicles=vehicles, version=version)
        text = pretty(document, indent=1) + "\n"
        if file == "-":
            sys.stdout.write(text)
        else:
            with replacing(path) as whole:
                whole.write_text(text, encoding="utf-8")
    if as_json and file != "-":
        print_json({"file": file, "repairs": len(problems), "edition": version})
    elif not as_json:
        typer.echo(f"{counted(len(problems), 'repair')}, edition {version}, CC0.", err=True)


@app.command("import", epilog="Example: repaircore book import corrections.json")
def import_(
    core: "Core",
    *,
    file: Annotated[
        str,
        typer.Argument(help="A JSON file with the changed repairs, or an edited export."),
    ],
) -> Output:
    """Import the installation's own figures; all workers use them immediately."""
    rows = _rows(Path(file))
    found = core.book_revisions.import_changes(rows)
    yield {"changed": [change.slug for change in found]}
    typer.echo(f"{len(found)} repair{'' if len(found) == 1 else 's'} changed.")


@app.command(epilog="Example: repaircore book changes", opening=reading, rows=True)
def changes(core: "Core") -> Output:
    """List the installation's own changes to the book."""
    found = core.book_revisions.list_changes()
    rows = [
        (change.slug, figure, value, change.source)
        for change in found.values()
        for figure, value in _figures(change)
    ]
    yield [
        {"slug": slug, "figure": figure, "value": value, "source": source}
        for slug, figure, value, source in rows
    ]
    print_rows(("repair", "figure", "value", "source"), rows, none="The book has no changes.")


@app.command(epilog="Example: repaircore book reset brake-pads-front")
def reset(
    core: "Core",
    *,
    slug: Annotated[
        str | None,
        typer.Argument(
            metavar="SLUG", help="The repair; all of them if omitted.", autocompletion=problem_slugs
        ),
    ] = None,
    yes: Yes = False,
) -> Output:
    """Reset the installation's own figures to the book's."""
    if slug is None and not yes:
        typer.confirm("Reset all changes to the book?", abort=True)
    deleted = core.book_revisions.reset(slug)
    yield {"taken_back": deleted}
    typer.echo(f"{deleted} change{'' if deleted == 1 else 's'} reset.")


@app.command(epilog="Example: repaircore book schema > book.schema.json")
def schema(*, as_json: AsJson = False) -> None:  # noqa: ARG001 - the output is always JSON
    """Print the JSON Schema of an export."""
    from importlib.resources import files

    sys.stdout.write((files("repaircore") / "data" / "book.schema.json").read_text("utf-8"))


def _figures(change: Any) -> list[tuple[str, float]]:
    plain = [
        (name, value / 100 if name in {"low", "high"} else value)
        for name in ("labor_hours", "low", "high")
        if (value := getattr(change, name)) is not None
    ]
    parts = [
        (f"{figure} of {name}", value / 100 if figure == "price" else value)
        for name, figures in change.parts.items()
        for figure, value in zip(("price", "quantity"), figures, strict=True)
        if value is not None
    ]
    return [*plain, *parts]


def _rows(path: Path) -> list[Any]:
    """Return the repairs in a JSON file; they are not validated here.

    Raises:
        Invalid: on ``file``: it is too large, not JSON, or has no list of repairs.
        OSError: the file cannot be read.
    """
    from repaircore.kernel.errors import Invalid

    document = read_json(path, _LARGEST)
    rows = document.get("repairs") if isinstance(document, dict) else document
    if not isinstance(rows, list):
        raise Invalid(
            {
                "file": [
                    "The file must contain a list of repairs, or an object with that list under `repairs`."
                ]
            }
        )
    return rows
