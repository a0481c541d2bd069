"""``repaircore price-adjustment``."""

from typing import Annotated

import typer

from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json

app = commands("Adjust all prices by a percentage.")


@app.command(epilog="Example: repaircore price-adjustment show")
def show(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """Show the percentage by which all prices are adjusted."""
    with opened(ctx, database) as core:
        percent = core.predictions.price_adjustment()
    _print(percent, as_json=as_json)


@app.command(
    "set",
    epilog="Example: repaircore price-adjustment set -5",
    context_settings={"ignore_unknown_options": True},  # a negative number is not an option
)
def set_(
    ctx: typer.Context,
    *,
    percent: Annotated[float, typer.Argument(help="-90 to 500; 0 for no adjustment.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Adjust all prices by a percentage from now on."""
    with opened(ctx, database) as core:
        percent = core.predictions.adjust_prices(percent)
    _print(percent, as_json=as_json)


def _print(percent: float, *, as_json: bool) -> None:
    if as_json:
        from repaircore.predictions.views import PriceAdjustmentView

        print_json(PriceAdjustmentView(percent=percent))
    elif percent == 0:
        typer.echo("Prices are not adjusted.")
    else:
        typer.echo(f"All prices are adjusted by {percent:+g} %.")
