"""Regions: the facilities that labor rates come from."""

from typing import Annotated, Any, Final

from attrs import asdict, frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.facilities.model import CreateFacility
from repaircore.facilities.views import FacilityView
from repaircore.kernel.paging import sort_by
from repaircore_http.console.forms import filled
from repaircore_http.console.lists import ListQuery, filters_of, read_list, sort_links
from repaircore_http.console.pages import Pages, error_reply, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.listing import csv_reply

regions = Pages("regions", auth=Auth.ADMIN)


_SORTS: Final = {"facility_name": "Name", "state": "Location", "-avg_labor_rate": "Labor rate"}


@frozen(kw_only=True)
class SearchRegions(ListQuery):
    """Filters, sort order and page for the list of regions."""

    sort: Annotated[str, sort_by("facility_name", "city", "state", "avg_labor_rate", "created_at")] = ""
    search: str = ""
    state: str | None = None


def unfiltered() -> ResponseReturnValue:
    """List all regions if the filter is invalid."""
    return _list(message=None)


@regions.get("/admin/regions", again=unfiltered)
def index() -> ResponseReturnValue:
    """List regions by name."""
    return _list(message=None)


@regions.get("/admin/regions.csv")
def download() -> Response:
    """Download the regions that the filters select, as CSV."""
    wanted, _ = read_list(SearchRegions)
    facilities = core().facilities
    return csv_reply(
        wanted.sort,
        lambda request: facilities.page(search=wanted.search, state=wanted.state, request=request),
        FacilityView,
        FacilityView.of,
        name="regions",
    )


@regions.post("/admin/regions/recalculate", again=index)
def recalculate() -> ResponseReturnValue:
    """Recalculate each region's labor rate from its invoices."""
    return _list(message=core().facilities.recalculate(caller()).text)


@regions.get("/admin/regions/recalculate")
def after_recalculating() -> Response:
    """Redirect to the list when a browser reloads this POST address with GET."""
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
    wanted, filters = (SearchRegions(), {}) if error_reply() is not None else read_list(SearchRegions)
    facilities = core().facilities
    page = facilities.page(search=wanted.search, state=wanted.state, request=wanted.request())
    return show(
        "admin/regions.html",
        page=page,
        sorts=sort_links(_SORTS, wanted.sort, usual="facility_name"),
        states=facilities.states(),
        fields=filters_of(("search", "state"), filters),
        query=filters,
        message=message,
    )


def _filled_in() -> CreateFacility:
    return filled(CreateFacility, numbers=("avg_labor_rate",))


def _changes(facility_id: int) -> dict[str, Any]:
    """Return the fields that the form changes; an unchanged rate that was computed from invoices stays computed."""
    before = FacilityView.of(core().facilities.get(facility_id))
    return {name: value for name, value in asdict(_filled_in()).items() if value != getattr(before, name)}
