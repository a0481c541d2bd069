"""The visitor's shop: what appears at the top of their documents."""

from typing import Final

from flask import Response, request
from flask.typing import ResponseReturnValue

from repaircore.facilities.model import Facility
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.paging import PageRequest
from repaircore.shops.model import MAX_LOGO_BYTES, VALID_DAYS, SaveShop
from repaircore.shops.service import logo_too_large
from repaircore_http.console.forms import FileField, filled, form
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

shops = Pages("shops", auth=Auth.SESSION)

_FOUND: Final = 8
_LONGEST_SEARCH: Final = 100
_LOGO: Final = FileField(field="logo", max_bytes=MAX_LOGO_BYTES, too_large=logo_too_large)


@shops.get("/shop")
def index() -> ResponseReturnValue:
    """Show the shop in a form."""
    search = request.args.get("search", "").replace("\0", "")[:_LONGEST_SEARCH].strip()
    served = core()
    return show(
        "shop.html",
        shop=served.shops.find(caller()),
        valid_days=VALID_DAYS,
        takes_logos=served.shops.takes_logos,
        search=search,
        matches=served.facilities.page(search=search, request=PageRequest(per_page=_FOUND)).items
        if search
        else (),
        chosen=_chosen(),
    )


@shops.post("/shop", again=index)
def save() -> Response:
    """Save the shop."""
    core().shops.save(filled(SaveShop), caller())
    return go("shops.index", done="shop-saved")


@shops.get("/shop/logo")
def logo() -> Response:
    """Return the logo."""
    found = core().shops.logo(caller())
    if found is None:
        raise NotFound("There is no logo.")
    return Response(found.png, content_type="image/png")


@shops.post("/shop/logo", again=index, upload=_LOGO)
def replace_logo() -> Response:
    """Replace the logo."""
    image = form().file
    if image is None:
        raise Invalid({"logo": ["Choose a file first."]})
    core().shops.set_logo(image, caller())
    return go("shops.index", done="shop-saved")


@shops.post("/shop/logo/delete", again=index)
def delete_logo() -> Response:
    """Delete the logo."""
    core().shops.delete_logo(caller())
    return go("shops.index", done="shop-saved")


@shops.get("/shop/logo/delete")
def after_deleting() -> Response:
    """Redirect to the form when a browser opens this POST address with GET."""
    return go("shops.index")


def _chosen() -> Facility | None:
    """Return the region that fills in the form, or None if none was chosen."""
    number = request.args.get("facility", "")
    if not (number.isascii() and number.isdecimal() and len(number) < len(str(2**62))):
        return None
    try:
        return core().facilities.get(int(number))
    except NotFound:
        return None
