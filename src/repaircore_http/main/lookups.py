"""Vehicles looked up by their VIN or by their plate."""

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Unresolvable
from repaircore.vehicle_facts.views import facts_shape
from repaircore.vehicles.lookups import PlateLookup, VinLookup
from repaircore.vehicles.motor_types import motor_type_of
from repaircore_http.core import core
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes
from repaircore_http.told.vehicles import PlateFound, VehicleLookedUp

lookups = Routes("lookups", url_prefix="/api/v1/predict", auth=Auth.KEY, dialect=flagged, tag="predictions")


@frozen(kw_only=True)
class LookupVin:
    """A vehicle by 11 to 17 characters of its VIN."""

    vin: str


@frozen(kw_only=True)
class LookupPlate:
    """A vehicle by its license plate."""

    plate: str
    state: str


@lookups.post("/vehicle-lookup", accepts=LookupVin, returns=VehicleLookedUp, raises=(Unresolvable,))
def look_up_vehicle() -> Response:
    """Say what vehicle a VIN belongs to."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    asked = read_body(LookupVin, validate=served.lookups.validate)
    return reply(_vehicle(served.lookups.find_by_vin(asked.vin, known)))


@lookups.post("/plate-to-vin", accepts=LookupPlate, returns=PlateFound, raises=(Unresolvable,))
def find_plate() -> Response:
    """Say which vehicle carries a license plate."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    asked = read_body(LookupPlate, validate=served.lookups.validate)
    return reply(_plate(served.lookups.find_by_plate(asked.plate, asked.state, known)))


def _vehicle(found: VinLookup) -> dict[str, object]:
    about = found.vehicle.specs
    data = {
        "vin": found.vin,
        "display_name": about.display_name,
        "make": about.make,
        "model": about.model,
        "year": about.year,
        "trim": about.trim,
        **facts_shape(about.facts),
        "plate_no": found.plate_no,
        "plate_state": found.plate_state,
    }
    return {"success": True, "data": data, "warnings": found.warnings}


def _plate(found: PlateLookup) -> dict[str, object]:
    vehicle, kind = found.vehicle, motor_type_of(found.vehicle)
    return {
        "success": True,
        "vin": found.vin,
        "plate": found.plate.number,
        "state": found.plate.state,
        "vehicle": {
            "id": vehicle.id,
            "display_name": vehicle.display_name,
            "motor_vehicle_type": None if kind is None else kind.name,
            "motor_vehicle_type_group": None if kind is None else kind.group,
        },
        "message": "The vehicle with this plate was found.",
    }
