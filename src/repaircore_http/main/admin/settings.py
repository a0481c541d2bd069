"""Settings that an admin changes while the service runs."""

from attrs import frozen
from flask import Response

from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes
from repaircore_http.told.operators import Adjustment

settings = Routes(
    "admin_settings", url_prefix="/api/v1/admin/settings", auth=Auth.ADMIN, tag="admin settings"
)


@frozen(kw_only=True)
class NewAdjustment:
    """By how many percent every price is moved."""

    percent: float


@settings.get("/price-adjustment", safe=True, returns=Data[Adjustment])
def show_price_adjustment() -> Response:
    """Tell by how many percent every price is moved."""
    return reply({"success": True, "data": {"percent": core().predictions.price_adjustment()}})


@settings.put("/price-adjustment", accepts=NewAdjustment, returns=DataWithMessage[Adjustment])
def change_price_adjustment() -> Response:
    """Move every price by a percentage from now on."""
    percent = core().predictions.adjust_prices(read_body(NewAdjustment).percent, caller())
    message = "Prices are no longer adjusted." if percent == 0 else f"Every price is moved by {percent:+g} %."
    return reply({"success": True, "message": message, "data": {"percent": percent}})
