"""What can be answered of a vehicle."""

from flask import Response

from repaircore.kernel.errors import Invalid
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import reply
from repaircore_http.main.fleet.shown import vehicle_shown, warnings_of
from repaircore_http.routes import Routes
from repaircore_http.told.fleets import Coverage

coverage = Routes(
    "fleet_coverage", url_prefix="/api/v1/fleet/vehicles", auth=Auth.SECRET, dialect=coded, tag="fleet"
)


@coverage.get("/<vin>/coverage", safe=True, returns=Data[Coverage], raises=(Invalid,))
def show(vin: str) -> Response:
    """Say what can be answered of the vehicle with a VIN, and from which source."""
    report = core().coverage.of(vin, caller())
    data = {
        "vin": report.vehicle.vin,
        "vehicle": vehicle_shown(report.vehicle),
        "answers": report.answers,
        "signals": {"told": report.told, "missing": report.missing},
        "warnings": warnings_of(report.vehicle),
    }
    return reply({"success": True, "data": data})
