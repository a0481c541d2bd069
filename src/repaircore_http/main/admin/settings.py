"""Settings that an admin changes while the service runs."""

from flask import Response

from repaircore.predictions.price_adjustment import UpdatePriceAdjustment
from repaircore.predictions.views import PriceAdjustmentView
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

settings = Routes(
    "admin_settings", url_prefix="/api/v1/admin/settings", auth=Auth.ADMIN, tag="admin settings"
)


@settings.get("/price-adjustment", safe=True, returns=Data[PriceAdjustmentView])
def show_price_adjustment() -> Response:
    """Return the percentage by which every price is adjusted."""
    return reply(Data(data=PriceAdjustmentView(percent=core().predictions.price_adjustment())))


@settings.put(
    "/price-adjustment", accepts=UpdatePriceAdjustment, returns=DataWithMessage[PriceAdjustmentView]
)
def change_price_adjustment() -> Response:
    """Adjust every price by a percentage from now on."""
    percent = core().predictions.adjust_prices(read_body(UpdatePriceAdjustment).percent, caller())
    message = (
        "Prices are no longer adjusted." if percent == 0 else f"All prices are adjusted by {percent:+g}%."
    )
    return reply(DataWithMessage(message=message, data=PriceAdjustmentView(percent=percent)))
