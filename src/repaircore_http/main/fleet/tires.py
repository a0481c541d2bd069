"""The remaining life of a set of tires."""

from flask import Response

from repaircore.health.tire_estimates import EstimateTires
from repaircore.health.views import TireEstimateView
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import coded
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

tires = Routes("fleet_tires", url_prefix="/api/v1/fleet/tires", auth=Auth.SECRET, dialect=coded, tag="fleet")


@tires.post("/estimate", accepts=EstimateTires, returns=Data[TireEstimateView])
def estimate() -> Response:
    """Estimate the remaining life of measured tires; nothing is stored."""
    return reply(Data(data=TireEstimateView.of(core().tires.estimate(read_body(EstimateTires)))))
