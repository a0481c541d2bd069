"""How well a vehicle is."""

from flask import Response

from repaircore.kernel.errors import Invalid
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import reply
from repaircore_http.main.fleet.shown import health_shown, vehicle_shown, warnings_of
from repaircore_http.routes import Routes
from repaircore_http.told.fleets import HealthTold

health = Routes(
    "fleet_health", url_prefix="/api/v1/fleet/vehicles", auth=Auth.SECRET, dialect=coded, tag="fleet"
)


@health.get("/<vin>/health", safe=True, returns=Data[HealthTold], raises=(Invalid,))
def show(vin: str) -> Response:
    """Score the health of the vehicle with a VIN, from 0 to 100."""
    report = core().health_scores.of(vin, caller())
    data = {
        "vin": report.vehicle.vin,
        "vehicle": vehicle_shown(report.vehicle),
        **health_shown(report),
        "warnings": warnings_of(report.vehicle),
    }
    return reply({"success": True, "data": data})
