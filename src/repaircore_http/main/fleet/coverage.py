"""The questions that can be answered about a vehicle."""

from flask import Response

from repaircore.health.views import CoverageView
from repaircore.kernel.errors import Invalid
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import reply
from repaircore_http.routes import Routes

coverage = Routes(
    "fleet_coverage", url_prefix="/api/v1/fleet/vehicles", auth=Auth.SECRET, dialect=coded, tag="fleet"
)


@coverage.get("/<vin>/coverage", safe=True, returns=Data[CoverageView], raises=(Invalid,))
def show(vin: str) -> Response:
    """Show what can be answered about the vehicle with this VIN, and from which source."""
    return reply(Data(data=CoverageView.of(core().coverage.of(vin, caller()))))
