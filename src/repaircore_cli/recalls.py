"""``repaircore recalls``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.recalls.model import RecallCampaign


app = commands("Look safety recalls up.")


@app.callback()
def _group() -> None:
    """Look safety recalls up."""


@app.command("list", epilog="Example: repaircore recalls list Honda Accord 2003")
def list_(
    core: "Core",
    *,
    make: Annotated[str, typer.Argument(help="The make.")],
    model: Annotated[str, typer.Argument(help="The model.")],
    year: Annotated[int, typer.Argument(min=1900, max=2100, help="The model year.")],
) -> Output:
    """List the imported recalls that may be of a vehicle, newest first, and the years of campaigns that are missing."""
    imported = core.recalls.find(make, model, year)
    found, years = imported.recalls, imported.years
    yield {
        "recalls": [_shape(recall) for recall in found],
        "coverage": years.coverage.value,
        "campaign_years": {
            "needed": list(years.needed),
            "covered": list(years.covered),
            "missing": list(years.missing),
        },
    }
    print_rows(
        ("campaign", "reported", "of", "component", "advice", "what"),
        [
            (
                recall.campaign,
                recall.reported_on,
                f"{recall.model} {recall.year or '(no year told)'}",
                recall.component,
                _advice(recall),
                recall.summary,
            )
            for recall in found
        ],
    )
    if not found:
        typer.echo("None of the imported recalls is of this vehicle.", err=True)
    if years.gap:
        typer.echo(years.gap, err=True)


def _advice(recall: "RecallCampaign") -> str:
    told = {"do not drive": recall.park_it, "park outside": recall.park_outside}
    return ", ".join(text for text, advised in told.items() if advised)


def _shape(recall: "RecallCampaign") -> dict[str, Any]:
    return {
        "campaign": recall.campaign,
        "make": recall.make,
        "model": recall.model,
        "year": recall.year,
        "component": recall.component,
        "summary": recall.summary,
        "consequence": recall.consequence,
        "remedy": recall.remedy,
        "park_it": recall.park_it,
        "park_outside": recall.park_outside,
        "reported_on": None if recall.reported_on is None else recall.reported_on.isoformat(),
        "source": recall.source.value,
    }
