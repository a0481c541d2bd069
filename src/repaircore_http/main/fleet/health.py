"""The health of a vehicle."""

from flask import Response

from repaircore.health.views import VehicleHealthView
from repaircore.kernel.errors import Invalid
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import reply
from repaircore_http.routes import Routes

health = Routes(
    "fleet_health", url_prefix="/api/v1/fleet/vehicles", auth=Auth.SECRET, dialect=coded, tag="fleet"
)


@health.get("/<vin>/health", safe=True, returns=Data[VehicleHealthView], raises=(Invalid,))
def show(vin: str) -> Response:
    """Score the health of the vehicle with this VIN, from 0 to 100."""
    return reply(Data(data=VehicleHealthView.of(core().health_scores.of(vin, caller()))))
