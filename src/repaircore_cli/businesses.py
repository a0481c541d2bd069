"""``repaircore businesses``."""

from typing import TYPE_CHECKING

import typer

from repaircore_cli.directory import Trade, directory_app

if TYPE_CHECKING:
    from repaircore.providers.businesses import Business
    from repaircore.providers.views import BusinessView


def _view(business: "Business") -> "BusinessView":
    from repaircore.providers.views import BusinessView

    return BusinessView.of(business)


app = directory_app(
    Trade(
        command="businesses",
        singular="towing business",
        plural="towing businesses",
        purpose="Manage the towing businesses that tow rides are offered to.",
        directory=lambda core: core.businesses,
        view=_view,
        abilities=(
            "ride_types",
            typer.Option(
                "--ride-types",
                metavar="TYPES",
                help="How they can tow: Flatbed,Hook,Wheel-Lift.",
                show_default=False,
            ),
        ),
        extra=("address", typer.Option("--address", metavar="TEXT", help="The address.")),
        example="'Capital Towing' '(614) 555-0150' --ride-types Flatbed,Hook"
        " --latitude 39.96 --longitude -83 --time-zone America/New_York",
        example_ref="biz_06dtd4e8rg0007h2m7xyz5k3wq",
    )
)
