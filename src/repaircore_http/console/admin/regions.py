"""Regions: the facilities that labor rates come from."""

from typing import Any

from attrs import asdict, frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.facilities.model import CreateFacility
from repaircore.facilities.views import FacilityView
from repaircore_http.console.forms import filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.paging import PER_PAGE, PageQuery
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query

regions = Pages("regions", auth=Auth.ADMIN)


@frozen(kw_only=True)
class SearchRegions(PageQuery):
    """The filters of the list, and the page."""

    search: str = ""
    state: str | None = None


@regions.get("/admin/regions")
def index() -> ResponseReturnValue:
    """List regions by name."""
    return _list(message=None)


@regions.post("/admin/regions/recalculate", again=index)
def recalculate() -> ResponseReturnValue:
    """Set each region's labor rate to that of its invoices."""
    return _list(message=core().facilities.recalculate(caller()).text)


@regions.get("/admin/regions/recalculate")
def after_recalculating() -> Response:
    """Redirect to the list: reloading the result of the recalculation is a GET."""
    return go("regions.index")


@regions.get("/admin/regions/new")
def new() -> ResponseReturnValue:
    """Show an empty form."""
    return show("admin/region.html", region=None)


@regions.post("/admin/regions/new", again=new)
def create() -> Response:
    """Create a region."""
    core().facilities.create(_filled_in(), caller())
    return go("regions.index", done="region-added")


@regions.get("/admin/regions/<int:facility_id>")
def detail(facility_id: int) -> ResponseReturnValue:
    """Show a region in a form."""
    return show("admin/region.html", region=core().facilities.get(facility_id))


@regions.post("/admin/regions/<int:facility_id>", again=detail)
def update(facility_id: int) -> Response:
    """Update a region."""
    core().facilities.update(facility_id, caller(), **_changes(facility_id))
    return go("regions.index", done="region-changed")


@regions.post("/admin/regions/<int:facility_id>/delete", again=detail)
def delete(facility_id: int) -> Response:
    """Delete a region that nothing refers to."""
    core().facilities.delete(facility_id, caller())
    return go("regions.index", done="region-deleted")


def _list(*, message: str | None) -> str:
    query, facilities = read_query(SearchRegions), core().facilities
    page = facilities.page(
        search=query.search, state=query.state or None, number=query.page, per_page=PER_PAGE
    )
    filters = {name: text for name, text in (("search", query.search), ("state", query.state)) if text}
    return show(
        "admin/regions.html",
        page=page,
        states=facilities.states(),
        fields=query,
        query=filters,
        message=message,
    )


def _filled_in() -> CreateFacility:
    return filled(CreateFacility, numbers=("avg_labor_rate",))


def _changes(facility_id: int) -> dict[str, Any]:
    """Return the fields that differ from the region's: a rate that was computed from invoices stays computed."""
    before = FacilityView.of(core().facilities.get(facility_id))
    return {name: value for name, value in asdict(_filled_in()).items() if value != getattr(before, name)}
