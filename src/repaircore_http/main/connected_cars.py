"""Connected cars: a driver gives consent, and the car reports its data."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.connected_cars.views import (
    AuthorizationView,
    ConnectedVinsView,
    DriverVinsView,
    SyncedCarView,
)
from repaircore.kernel.errors import Conflict, Invalid, Unavailable
from repaircore.kernel.rules import Length
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query, reply
from repaircore_http.routes import Routes

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
    """The driver, if already known."""

    email: str | None = None


@frozen(kw_only=True)
class OAuthCallback:
    """The parameters of a provider's redirect (RFC 6749, 4.1.2)."""

    state: _Text = None
    code: _Text = None
    error: _Text = None


@frozen(kw_only=True)
class ListDriverVins:
    """The driver whose VINs are listed."""

    email: str


@connected_cars.get("/connect", query=StartConnection, returns=Data[AuthorizationView])
def connect() -> Response:
    """Return the URL where a driver gives consent."""
    started = core().connected_cars.connect(read_query(StartConnection).email, caller())
    return reply(Data(data=AuthorizationView.of(started)))


@connected_cars.get(
    "/callback",
    auth=Auth.NONE,
    query=OAuthCallback,
    returns=DataWithMessage[ConnectedVinsView],
    raises=(Conflict, Unavailable),
)
def callback() -> Response:
    """Complete a connection when the provider redirects the driver back."""
    query = read_query(OAuthCallback)
    connected = core().connected_cars.complete(state=query.state, code=query.code, error=query.error)
    message = "The car is connected. You can close this page."
    return reply(DataWithMessage(message=message, data=ConnectedVinsView(vins=[*connected.vins])))


@connected_cars.get("/vin-lookup", safe=True, query=ListDriverVins, returns=Data[DriverVinsView])
def vin_lookup() -> Response:
    """List the VINs that a driver has connected."""
    email = read_query(ListDriverVins).email
    found = core().connected_cars.list_vins(email, caller())
    return reply(Data(data=DriverVinsView(email=email, vins=[*found])))


@compliance.get("/<vin>/connectedcar-compliance", returns=Data[SyncedCarView], raises=(Conflict, Invalid))
def sync(vin: str) -> Response:
    """Read the signals of a car, record them, and update its health score."""
    return reply(Data(data=SyncedCarView.of(core().connected_cars.sync(vin, caller()))))
