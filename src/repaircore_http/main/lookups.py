"""Look up vehicles by VIN or license plate."""

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Unresolvable
from repaircore.kernel.views import view
from repaircore.vehicles.views import PlateVehicleView, VinLookupView
from repaircore_http.core import core
from repaircore_http.envelopes import Data, Message
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

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


@view
class VinLookupResponse(Data[VinLookupView]):
    """A vehicle by its VIN; ``vin_check_digit`` in ``warnings`` says that the VIN may be mistyped."""

    warnings: list[str]


@view
class PlateLookupResponse(Message):
    """A vehicle by its plate."""

    vin: str
    plate: str
    state: str
    vehicle: PlateVehicleView


@lookups.post("/vehicle-lookup", accepts=LookupVin, returns=VinLookupResponse, raises=(Unresolvable,))
def look_up_vehicle() -> Response:
    """Look up a vehicle by its VIN."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    request = read_body(LookupVin, validate=served.lookups.validate)
    found = served.lookups.find_by_vin(request.vin, known)
    return reply(VinLookupResponse(data=VinLookupView.of(found), warnings=[*found.warnings]))


@lookups.post("/plate-to-vin", accepts=LookupPlate, returns=PlateLookupResponse, raises=(Unresolvable,))
def find_plate() -> Response:
    """Look up a vehicle by its license plate."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    request = read_body(LookupPlate, validate=served.lookups.validate)
    found = served.lookups.find_by_plate(request.plate, request.state, known)
    return reply(
        PlateLookupResponse(
            message="The vehicle with this plate was found.",
            vin=found.vin,
            plate=found.plate.number,
            state=found.plate.state,
            vehicle=PlateVehicleView.of(found.vehicle),
        )
    )
