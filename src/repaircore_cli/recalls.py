"""``repaircore recalls``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.recalls.model import Campaign


app = commands("Look up safety recalls.")


@app.callback()
def _group() -> None:
    """Look up safety recalls."""


@app.command("list", epilog="Example: repaircore recalls list Honda Accord 2003", opening=reading, rows=True)
def list_(
    core: "Core",
    *,
    make: Annotated[str, typer.Argument(help="The make.")],
    model: Annotated[str, typer.Argument(help="The model.")],
    year: Annotated[int, typer.Argument(min=1900, max=2100, help="The model year.")],
) -> Output:
    """List the imported recalls that may cover a vehicle, newest first, and the campaign years that are missing."""
    from repaircore.recalls.views import ImportedRecallsView

    imported = core.recalls.find(make, model, year)
    found, years = imported.recalls, imported.years
    yield ImportedRecallsView.of(imported)
    print_rows(
        ("campaign", "reported", "vehicle", "component", "advice", "defect"),
        [
            (
                recall.campaign.campaign,
                recall.campaign.reported_on,
                f"{recall.vehicle.model} {recall.vehicle.year or '(no model year)'}",
                recall.vehicle.component,
                _advice(recall.campaign),
                recall.campaign.summary,
            )
            for recall in found
        ],
        none="No imported recall covers this vehicle.",
    )
    if years.gap:
        typer.echo(years.gap, err=True)


def _advice(campaign: "Campaign") -> str:
    advice = {"do not drive": campaign.park_it, "park outside": campaign.park_outside}
    return ", ".join(text for text, is_advised in advice.items() if is_advised)
