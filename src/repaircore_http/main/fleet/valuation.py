"""The value of a vehicle, and its insurance risk."""

from attrs import frozen
from flask import Response

from repaircore.valuation.views import InsuranceRiskView, ValuationView
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query, reply
from repaircore_http.routes import Routes

valuations = Routes(
    "fleet_worth", url_prefix="/api/v1/fleet/vehicles", auth=Auth.SECRET, dialect=coded, tag="fleet"
)


@frozen(kw_only=True)
class GetValuation:
    """The odometer reading in miles; the newest odometer signal if omitted."""

    mileage: int | None = None


@valuations.get("/<vin>/valuation", safe=True, query=GetValuation, returns=Data[ValuationView])
def valuation(vin: str) -> Response:
    """Estimate the value of a vehicle."""
    mileage = read_query(GetValuation).mileage
    return reply(Data(data=ValuationView.of(core().valuations.valuation(vin, caller(), mileage=mileage))))


@valuations.get("/<vin>/insurance-risk", safe=True, query=GetValuation, returns=Data[InsuranceRiskView])
def insurance_risk(vin: str) -> Response:
    """Score how much a vehicle is likely to cost its insurer, compared with others."""
    mileage = read_query(GetValuation).mileage
    report = core().valuations.insurance_risk(vin, caller(), mileage=mileage)
    return reply(Data(data=InsuranceRiskView.of(report)))
