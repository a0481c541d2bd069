"""How much is left of a set of tires."""

from flask import Response

from repaircore.health.tire_estimates import EstimateTires, TireEstimate
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import coded
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_body, reply
from repaircore_http.main.fleet.shown import factors_shown
from repaircore_http.routes import Routes
from repaircore_http.told.fleets import Tires

tires = Routes("fleet_tires", url_prefix="/api/v1/fleet/tires", auth=Auth.SECRET, dialect=coded, tag="fleet")


@tires.post("/estimate", accepts=EstimateTires, returns=Data[Tires])
def estimate() -> Response:
    """Judge tires as they were measured; nothing is kept."""
    served = core().tires
    asked = read_body(EstimateTires, validate=served.validate)
    return reply({"success": True, "data": _shown(served.estimate(asked))})


def _shown(told: TireEstimate) -> dict[str, object]:
    return {
        "health": told.health,
        "miles_left": told.miles_left,
        "replace_by": told.replace_by,
        "limited_by": told.limited_by,
        "worst": told.tires.worst,
        "uneven": told.tires.uneven,
        "tires": {
            position.value: {
                "health": round(100 * one.health, 1),
                "tread": round(one.tread, 4),
                "age": round(one.age, 4),
                "pressure": round(one.pressure, 4),
                "miles_left": round(one.miles_left),
                "status": told.statuses[position],
            }
            for position, one in told.tires.tires.items()
        },
        "factors": factors_shown(told.factors),
        "basis": told.basis,
        "sample_size": told.sample_size,
        "as_of": told.as_of,
    }
