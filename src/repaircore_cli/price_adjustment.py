"""``repaircore price-adjustment``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.session import Output, commands, reading

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Adjust all prices by a percentage.")


@app.command(epilog="Example: repaircore price-adjustment show", opening=reading)
def show(core: "Core") -> Output:
    """Show the percentage by which all prices are adjusted."""
    percent = core.predictions.price_adjustment()
    yield from _print(percent)


@app.command(
    "set",
    epilog="Example: repaircore price-adjustment set -5",
    context_settings={"ignore_unknown_options": True},  # a negative number is not an option
)
def set_(
    core: "Core", *, percent: Annotated[float, typer.Argument(help="-90 to 500; 0 for no adjustment.")]
) -> Output:
    """Adjust all prices by a percentage from now on."""
    percent = core.predictions.adjust_prices(percent)
    yield from _print(percent)


def _print(percent: float) -> Output:
    from repaircore.predictions.views import PriceAdjustmentView

    yield PriceAdjustmentView(percent=percent)
    if percent == 0:
        typer.echo("Prices are not adjusted.")
    else:
        typer.echo(f"All prices are adjusted by {percent:+g}%.")
