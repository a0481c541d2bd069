"""The shop of the caller's account."""

from flask import Response

from repaircore.kernel.errors import NotFound
from repaircore.shops.model import SaveShop
from repaircore.shops.views import ShopView
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

shops = Routes("shops", url_prefix="/api/v1/shop", auth=Auth.SECRET, tag="visits")


@shops.get("", safe=True, returns=Data[ShopView], raises=(NotFound,))
def show() -> Response:
    """Return the shop that stands at the head of the caller's documents."""
    shop = core().shops.find(caller())
    if shop is None:
        raise NotFound("Your shop is not set up yet.")
    return reply(Data(data=ShopView.of(shop)))


@shops.put("", accepts=SaveShop, returns=DataWithMessage[ShopView])
def save() -> Response:
    """Save the shop; fields that are not sent become empty, and its logo stays."""
    shop = core().shops.save(read_body(SaveShop), caller())
    return reply(DataWithMessage(message="The shop was saved.", data=ShopView.of(shop)))
