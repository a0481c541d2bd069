"""What can be answered of a vehicle."""

from flask import Response

from repaircore_http.core import core
from repaircore_http.errors import coded
from repaircore_http.guards import Need, Routes, caller
from repaircore_http.main.fleet.shown import vehicle_shown, warnings_of
from repaircore_http.wire import reply

__all__ = ["coverage"]

coverage = Routes("fleet_coverage", url_prefix="/api/v1/fleet/vehicles", need=Need.SECRET, dialect=coded)


@coverage.get("/<vin>/coverage", safe=True)
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
