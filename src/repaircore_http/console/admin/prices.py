"""The price adjustment."""

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore_http.console.forms import filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

prices = Pages("prices", auth=Auth.ADMIN)


@frozen(kw_only=True)
class NewAdjustment:
    """By how many percent every price is moved."""

    percent: float


@prices.get("/admin/prices")
def index() -> ResponseReturnValue:
    """Show by how many percent every price is moved, in a form that changes it."""
    return show("admin/prices.html", percent=core().predictions.price_adjustment())


@prices.post("/admin/prices", again=index)
def update() -> Response:
    """Move every price by a percentage from now on."""
    core().predictions.adjust_prices(filled(NewAdjustment, numbers=("percent",)).percent, caller())
    return go("prices.index", done="prices-moved")
