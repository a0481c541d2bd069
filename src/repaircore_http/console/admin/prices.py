"""The percentage by which all prices are adjusted."""

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.predictions.price_adjustment import UpdatePriceAdjustment
from repaircore_http.console.forms import filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

prices = Pages("prices", auth=Auth.ADMIN)


@prices.get("/admin/prices")
def index() -> ResponseReturnValue:
    """Show the price adjustment in a form."""
    return show("admin/prices.html", percent=core().predictions.price_adjustment())


@prices.post("/admin/prices", again=index)
def update() -> Response:
    """Adjust every price by a percentage from now on."""
    core().predictions.adjust_prices(filled(UpdatePriceAdjustment, numbers=("percent",)).percent, caller())
    return go("prices.index", done="prices-moved")
