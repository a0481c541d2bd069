"""The shop of the caller's account."""

from typing import Final

from flask import Response

from repaircore.kernel.errors import NotFound
from repaircore.shops.model import MAX_LOGO_BYTES, SaveShop
from repaircore.shops.service import logo_too_large
from repaircore.shops.views import ShopView
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage, Message
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import FormFile, RawResponse, Routes
from repaircore_http.uploads import FORM_OVERHEAD, uploaded_file

shops = Routes("shops", url_prefix="/api/v1/shop", auth=Auth.SECRET, tag="visits")

_LOGO: Final = FormFile(field="logo", media_types="image/png, image/jpeg")


@shops.get("", safe=True, returns=Data[ShopView], raises=(NotFound,))
def show() -> Response:
    """Return the shop that appears at the top of the caller's documents."""
    shop = core().shops.find(caller())
    if shop is None:
        raise NotFound("Your shop is not set up yet. Set it up with PUT /api/v1/shop.")
    return reply(Data(data=ShopView.of(shop)))


@shops.put("", accepts=SaveShop, returns=DataWithMessage[ShopView])
def save() -> Response:
    """Save the shop; fields that are not sent become empty, and the logo is kept."""
    shop = core().shops.save(read_body(SaveShop), caller())
    return reply(DataWithMessage(message="The shop was saved.", data=ShopView.of(shop)))


@shops.get(
    "/logo",
    safe=True,
    returns=RawResponse(media_type="image/png", description="The logo, at most 1,200 by 600 pixels."),
    raises=(NotFound,),
)
def logo() -> Response:
    """Return the logo."""
    found = core().shops.logo(caller())
    if found is None:
        raise NotFound("Your shop has no logo.")
    return Response(found.png, content_type="image/png")


@shops.put("/logo", max_bytes=MAX_LOGO_BYTES + FORM_OVERHEAD, file=_LOGO, returns=DataWithMessage[ShopView])
def replace_logo() -> Response:
    """Replace the logo with a PNG or JPEG file of at most 500 KB; it is stored as a PNG without metadata."""
    with uploaded_file("logo", max_bytes=MAX_LOGO_BYTES, too_large=logo_too_large) as image:
        shop = core().shops.set_logo(image, caller())
    return reply(DataWithMessage(message="The logo was saved.", data=ShopView.of(shop)))


@shops.delete("/logo", returns=Message)
def delete_logo() -> Response:
    """Delete the logo, if there is one."""
    core().shops.delete_logo(caller())
    return reply(Message(message="The shop no longer has a logo."))
