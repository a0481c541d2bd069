"""``repaircore quote-check``."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import look

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Check whether a shop's quote is fair.")


@app.command(epilog="Example: repaircore quote-check quote.csv --vin 1HGCM82633A004352 --zip 90210")
def quote_check(
    core: "Core",
    *,
    file: Annotated[
        str,
        typer.Argument(help="The quote: a JSON file as the HTTP API takes it, or a CSV file of its lines."),
    ],
    vin: Annotated[
        str | None, typer.Option("--vin", metavar="VIN", help="The vehicle, if the file has no VIN.")
    ] = None,
    zip_code: Annotated[
        str | None, typer.Option("--zip", metavar="ZIP", help="The shop's ZIP code, if the file has none.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also compare repairs that do not fit the vehicle.")
    ] = False,
) -> Output:
    """Check whether a shop's quote is fair, line by line and as a whole, and why not."""
    from repaircore.quotes.views import CheckedQuoteView
    from repaircore_cli.quote_file import read_quote
    from repaircore_cli.quote_page import page

    data = read_quote(Path(file), vin=vin, zip_code=zip_code, force=force)
    checked = core.quotes.check(core.quotes.parse(data))
    yield CheckedQuoteView.of(checked)
    sys.stdout.write(page(checked, look()))
