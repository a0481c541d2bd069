"""``repaircore price-adjustment``."""

from typing import Annotated

import typer

from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json

app = commands("Move every price by a percentage.")


@app.command(epilog="Example: repaircore price-adjustment show")
def show(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """Show the percentage that every price is moved by."""
    with opened(ctx, database) as core:
        percent = core.predictions.price_adjustment()
    _told(percent, as_json=as_json)


@app.command(
    "set",
    epilog="Example: repaircore price-adjustment set -5",
    context_settings={"ignore_unknown_options": True},  # a negative number is no option
)
def set_(
    ctx: typer.Context,
    *,
    percent: Annotated[float, typer.Argument(help="-90 to 500; 0 moves nothing.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Move every price by a percentage from now on."""
    with opened(ctx, database) as core:
        _told(core.predictions.adjust_prices(percent), as_json=as_json)


def _told(percent: float, *, as_json: bool) -> None:
    if as_json:
        print_json({"percent": percent})
    elif percent == 0:
        typer.echo("Prices are not moved.")
    else:
        typer.echo(f"Every price is moved by {percent:+g} %.")
