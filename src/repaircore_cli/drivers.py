"""``repaircore drivers``."""

from typing import TYPE_CHECKING, Any

import typer

from repaircore_cli.directory import Trade, directory_app

if TYPE_CHECKING:
    from repaircore.providers.drivers import Driver


def _told(driver: "Driver") -> dict[str, Any]:
    from repaircore.providers.drivers import driver_told

    return driver_told(driver)


app = directory_app(
    Trade(
        command="drivers",
        one="driver",
        many="drivers",
        purpose="Manage the drivers that mobile rides are offered to.",
        directory=lambda core: core.drivers,
        told=_told,
        abilities=(
            "services",
            typer.Option(
                "--services",
                metavar="SERVICES",
                help="What they can do: towing,tire_change …",
                show_default=False,
            ),
        ),
        extra=("vehicle", typer.Option("--vehicle", metavar="TEXT", help="What they drive.")),
        example="'Sam Reyes' '(614) 555-0123' --services tire_change,fuel_delivery"
        " --latitude 39.96 --longitude -83 --time-zone America/New_York",
        example_ref="drv_06dtd4e8rg0007h2m7xyz5k3wq",
    )
)
