"""Connected cars: a driver agrees, and the car is asked."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.connected_cars.model import CarReading, Health, SyncResult
from repaircore.kernel.errors import Conflict, Invalid, Unavailable
from repaircore.kernel.rules import Length
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query, reply
from repaircore_http.routes import Routes
from repaircore_http.told.fleets import CarSynced, Connect, ConnectedVins, DriverVins

connected_cars = Routes(
    "connected_cars", url_prefix="/api/v1/connectedcar", auth=Auth.SECRET, tag="connected car"
)
compliance = Routes(
    "connected_car_compliance",
    url_prefix="/api/v1/fleet/vehicles",
    auth=Auth.SECRET,
    dialect=coded,
    tag="connected car",
)

_Text = Annotated[str | None, Length(0, 4096)]


@frozen(kw_only=True)
class StartConnection:
    """The driver, if they are known by then."""

    email: str | None = None


@frozen(kw_only=True)
class OAuthCallback:
    """What a provider sends a driver back with (RFC 6749, 4.1.2)."""

    state: _Text = None
    code: _Text = None
    error: _Text = None


@frozen(kw_only=True)
class SelectVins:
    """A driver."""

    email: str


@connected_cars.get("/connect", query=StartConnection, returns=Data[Connect])
def connect() -> Response:
    """Give the address at which a driver agrees."""
    begun = core().connected_cars.connect(read_query(StartConnection).email, caller())
    data = {"authorization_url": begun.authorization_url, "expires_at": begun.ends_at}
    return reply({"success": True, "data": data})


@connected_cars.get(
    "/callback",
    auth=Auth.NONE,
    query=OAuthCallback,
    returns=DataWithMessage[ConnectedVins],
    raises=(Conflict, Unavailable),
)
def callback() -> Response:
    """Take what the provider sent the driver back with."""
    sent = read_query(OAuthCallback)
    connected = core().connected_cars.complete(state=sent.state, code=sent.code, error=sent.error)
    message = "The car is connected. This page can be closed."
    return reply({"success": True, "message": message, "data": {"vins": connected.vins}})


@connected_cars.get("/vin-lookup", safe=True, query=SelectVins, returns=Data[DriverVins])
def vin_lookup() -> Response:
    """List the VINs that a driver has connected."""
    asked = read_query(SelectVins)
    found = core().connected_cars.vins_of(asked.email, caller())
    return reply({"success": True, "data": {"email": asked.email, "vins": found}})


@compliance.get("/<vin>/connectedcar-compliance", returns=Data[CarSynced], raises=(Conflict, Invalid))
def sync(vin: str) -> Response:
    """Ask a car how it is, and judge it anew."""
    return reply({"success": True, "data": _synced(core().connected_cars.sync(vin, caller()))})


def _synced(synced: SyncResult) -> dict[str, object]:
    return {
        "vin": synced.reading.vin,
        "measured_at": synced.reading.measured_at,
        "synced_at": synced.synced_at,
        "signals": _signals(synced.reading),
        "health": _health(synced.health),
    }


def _signals(reading: CarReading) -> dict[str, object]:
    return {
        "odometer": reading.odometer,
        "battery_voltage": reading.battery_voltage,
        "battery_percent": reading.battery_percent,
        "oil_life_percent": reading.oil_life_percent,
        "tire_pressures": reading.tire_pressures,
        "dtc_codes": reading.dtc_codes,
    }


def _health(health: Health) -> dict[str, object]:
    return {
        "score": health.score,
        "grade": health.grade,
        "coverage": health.coverage,
        "components": health.components,
        "basis": health.basis,
        "as_of": health.as_of,
    }
