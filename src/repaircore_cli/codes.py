"""``repaircore codes``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.completion import make_names, trouble_codes
from repaircore_cli.options import AtMost
from repaircore_cli.session import Output, commands, reading_shipped
from repaircore_cli.terminal import look, print_more, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.trouble_codes.meaning import CodeMeaning
    from repaircore.trouble_codes.model import LikelyCause


_LABEL = 10

Make = Annotated[
    str | None,
    typer.Option(
        "--make", metavar="MAKE", help="The make of the vehicle, such as Toyota.", autocompletion=make_names
    ),
]

app = commands("Look up trouble codes.")


@app.command(epilog="Example: repaircore codes show P0420", opening=reading_shipped)
def show(
    core: "Core",
    *,
    code: Annotated[
        str,
        typer.Argument(
            metavar="CODE", help="The code, as the scan tool shows it.", autocompletion=trouble_codes
        ),
    ],
    make: Make = None,
    vin: Annotated[
        str | None, typer.Option("--vin", metavar="VIN", help="The VIN, which identifies the make.")
    ] = None,
) -> Output:
    """Explain a trouble code: its meaning, its causes, and whether to keep driving."""
    from repaircore.trouble_codes.views import TroubleCodeView

    meaning = core.trouble_codes.show(code, make=make, vin=vin)
    causes = core.trouble_codes.causes(meaning)
    yield TroubleCodeView.of(meaning, causes)
    _print_meaning(meaning, causes)


@app.command(
    "list", epilog="Example: repaircore codes list --search misfire", opening=reading_shipped, rows=True
)
def list_(
    core: "Core",
    *,
    search: Annotated[
        str | None,
        typer.Option("--search", metavar="WORDS", help="The start of a code, or words from its description."),
    ] = None,
    make: Make = None,
    limit: AtMost = None,
) -> Output:
    """List the standard trouble codes or, with --make, that make's codes."""
    from repaircore.trouble_codes.views import ListedCodeView

    all_found = core.trouble_codes.list(search, make=make)
    found = all_found[:limit]
    yield [ListedCodeView.of(each) for each in found]
    print_rows(
        ("code", "title", "urgency", "drivable"),
        [(code.code, code.title, code.urgency.value, code.safe_to_drive.value) for code in found],
        none="No known code starts with this text or has these words in its description.",
    )
    print_more(len(all_found) - len(found))


def _print_meaning(meaning: "CodeMeaning", causes: "Sequence[LikelyCause]") -> None:
    from repaircore_cli.tables import labeled

    rows = [("Code", meaning.code), ("Title", meaning.title), ("Meaning", meaning.meaning)]
    if meaning.entry is not None:
        if meaning.entry.makes:
            rows.append(("Makes", ", ".join(meaning.entry.makes)))
        rows += [("Urgency", meaning.entry.urgency.value), ("Drivable", meaning.entry.safe_to_drive.value)]
    rows += [
        ("Cause", f"{cause.likelihood:4.0%}  {cause.problem.display_name} ({cause.problem.slug})")
        for cause in causes
    ]
    rows += [("Maker", f"{', '.join(code.makes)}: {code.title}") for code in meaning.by_maker]
    for label, text in rows:
        for line in labeled(label, text, look().width, column=_LABEL):
            typer.echo(line)
