"""``repaircore quote-check``."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.session import Output, commands, reading_shipped
from repaircore_cli.terminal import look

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Check whether a shop's quote is fair.")


@app.command(
    epilog="Example: repaircore quote-check quote.txt --vin 1HGCM82633A004352 --zip 90210",
    opening=reading_shipped,
)
def quote_check(
    core: "Core",
    *,
    file: Annotated[
        str,
        typer.Argument(
            help="The quote: its text, a photo (.jpg, .png, .webp) or PDF of it, a JSON file as the HTTP API takes it, or a CSV file of its lines; - reads standard input."
        ),
    ],
    vin: Annotated[
        str | None, typer.Option("--vin", metavar="VIN", help="The vehicle, if the file has no VIN.")
    ] = None,
    zip_code: Annotated[
        str | None, typer.Option("--zip", metavar="ZIP", help="The shop's ZIP code, if the file has none.")
    ] = None,
    year: Annotated[
        int | None, typer.Option("--year", metavar="YEAR", help="The model year, instead of a VIN.")
    ] = None,
    make: Annotated[
        str | None, typer.Option("--make", metavar="MAKE", help="The make, instead of a VIN.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="MODEL", help="The model, instead of a VIN.")
    ] = None,
    trim: Annotated[
        str | None, typer.Option("--trim", metavar="TRIM", help="The trim, if there is no VIN.")
    ] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", metavar="ENGINE", help="The engine, if there is no VIN.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also compare repairs that do not fit the vehicle.")
    ] = False,
) -> Output:
    """Check whether a shop's quote is fair, as a whole and line by line, and suggest what to ask the shop."""
    from repaircore.quotes.views import CheckedQuoteView
    from repaircore_cli.quote_file import read_quote
    from repaircore_cli.quote_page import page

    specs = {"year": year, "make": make, "model": model, "trim": trim, "engine": engine}
    options = {"vin": vin, "zip_code": zip_code, **specs}
    data = read_quote(file, options, read_document=core.text_extraction.read_text, force=force)
    checked = core.quotes.check(core.quotes.parse(data))
    yield CheckedQuoteView.of(checked)
    sys.stdout.write(page(checked, look()))
