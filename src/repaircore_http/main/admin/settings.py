"""Settings that an admin changes while the service runs."""

from attrs import frozen
from flask import Response

from repaircore_http.core import core
from repaircore_http.guards import Need, Routes, caller
from repaircore_http.json_io import read, reply
from repaircore_http.told.envelopes import Data, Kept
from repaircore_http.told.operators import Adjustment

settings = Routes(
    "admin_settings", url_prefix="/api/v1/admin/settings", need=Need.ADMIN, tag="admin settings"
)


@frozen(kw_only=True)
class NewAdjustment:
    """By how many percent every price is moved."""

    percent: float


@settings.get("/price-adjustment", safe=True, tells=Data[Adjustment])
def show_price_adjustment() -> Response:
    """Tell by how many percent every price is moved."""
    return reply({"success": True, "data": {"percent": core().predictions.price_adjustment()}})


@settings.put("/price-adjustment", asks=NewAdjustment, tells=Kept[Adjustment])
def change_price_adjustment() -> Response:
    """Move every price by a percentage from now on."""
    percent = core().predictions.adjust_prices(read(NewAdjustment).percent, caller())
    message = "Prices are no longer adjusted." if percent == 0 else f"Every price is moved by {percent:+g} %."
    return reply({"success": True, "message": message, "data": {"percent": percent}})
