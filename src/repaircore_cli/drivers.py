"""``repaircore drivers``."""

from typing import TYPE_CHECKING

import typer

from repaircore_cli.directory import Trade, directory_app

if TYPE_CHECKING:
    from repaircore.providers.drivers import Driver
    from repaircore.providers.views import DriverView


def _view(driver: "Driver") -> "DriverView":
    from repaircore.providers.views import DriverView

    return DriverView.of(driver)


app = directory_app(
    Trade(
        command="drivers",
        singular="driver",
        plural="drivers",
        purpose="Manage the drivers that mobile rides are offered to.",
        directory=lambda core: core.drivers,
        view=_view,
        abilities=(
            "services",
            typer.Option(
                "--services",
                metavar="SERVICES",
                help="What they can do: towing,tire_change,…",
                show_default=False,
            ),
        ),
        extra=("vehicle", typer.Option("--vehicle", metavar="TEXT", help="What they drive.")),
        example="'Sam Reyes' '(614) 555-0123' --services tire_change,fuel_delivery"
        " --latitude 39.96 --longitude -83 --time-zone America/New_York",
        example_ref="drv_06dtd4e8rg0007h2m7xyz5k3wq",
    )
)
