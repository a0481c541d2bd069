"""What a vehicle is worth, and how it stands with its insurer."""

from datetime import date
from typing import Any

from attrs import frozen
from flask import Response

from repaircore.fleet.model import FleetVehicle
from repaircore.kernel.money import dollars
from repaircore.valuation.depreciation import ValueInMonth
from repaircore.valuation.service import InsuranceReport, VehicleValue
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query, reply
from repaircore_http.main.fleet.shown import factors_shown, vehicle_shown, warnings_of
from repaircore_http.routes import Routes
from repaircore_http.told.fleets import InsuranceRisk, Valuation

worth = Routes(
    "fleet_worth", url_prefix="/api/v1/fleet/vehicles", auth=Auth.SECRET, dialect=coded, tag="fleet"
)


@frozen(kw_only=True)
class GetValuation:
    """How far the vehicle was driven, in miles; not told, the newest signal of its odometer counts."""

    mileage: int | None = None


@worth.get("/<vin>/valuation", safe=True, query=GetValuation, returns=Data[Valuation])
def valuation(vin: str) -> Response:
    """Say what a vehicle is worth."""
    asked = read_query(GetValuation)
    return reply(
        {"success": True, "data": _valued(core().valuations.valuation(vin, caller(), mileage=asked.mileage))}
    )


@worth.get("/<vin>/insurance-risk", safe=True, query=GetValuation, returns=Data[InsuranceRisk])
def insurance_risk(vin: str) -> Response:
    """Say how likely a vehicle is to cost its insurer much, beside others."""
    asked = read_query(GetValuation)
    return reply(
        {
            "success": True,
            "data": _insured(core().valuations.insurance_risk(vin, caller(), mileage=asked.mileage)),
        }
    )


def _valued(told: VehicleValue) -> dict[str, Any]:
    value = told.worth
    return {
        **_named(told.vehicle, told.as_of),
        "value": {"low": dollars(value.low), "mid": dollars(value.middle), "high": dollars(value.high)},
        "mileage_adjustment": dollars(value.mileage_adjustment),
        "odometer": told.odometer,
        "price_trend": [_priced(one) for one in value.trend],
        "basis": "editorial_levels",
        "sample_size": told.sample_size,
        "factors": factors_shown(told.factors),
    }


def _priced(one: ValueInMonth) -> dict[str, Any]:
    return {"month": f"{one.month:%Y-%m}", "value": dollars(one.value), "projected": one.ahead}


def _insured(told: InsuranceReport) -> dict[str, Any]:
    return {
        **_named(told.vehicle, told.as_of),
        "score": told.risk.score,
        "band": told.risk.band,
        "basis": "editorial_weights",
        "sample_size": 0,
        "factors": factors_shown(told.factors),
    }


def _named(vehicle: FleetVehicle, as_of: date) -> dict[str, Any]:
    return {
        "vin": vehicle.vin,
        "vehicle": vehicle_shown(vehicle),
        "as_of": as_of,
        "warnings": warnings_of(vehicle),
    }
