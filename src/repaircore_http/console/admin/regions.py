"""Regions: the shops that labor rates come from."""

from typing import Annotated, Any, cast

import attrs
from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.facilities.model import Facility, FacilityInput
from repaircore.kernel.money import cents
from repaircore.kernel.rules import Range
from repaircore_http.console.forms import filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.paging import PER_PAGE, WhichPage
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query

regions = Pages("regions", auth=Auth.ADMIN)


@frozen(kw_only=True)
class SearchRegions(WhichPage):
    """Which regions."""

    search: str = ""
    state: str | None = None


@frozen(kw_only=True)
class RegionForm:
    """A region as the form has it, ``avg_labor_rate`` in dollars; what is left empty is taken away."""

    facility_name: str
    city: str | None = None
    state: str | None = None
    zip_code: str | None = None
    country: str | None = None
    avg_labor_rate: Annotated[float | None, Range(0)] = None


@regions.get("/admin/regions")
def index() -> ResponseReturnValue:
    """List regions by name."""
    return _list(told=None)


@regions.post("/admin/regions/recalculate", again=index)
def recalculate() -> ResponseReturnValue:
    """Set each region's labor rate to what its invoices say."""
    return _list(told=core().facilities.recalculate(caller()).text)


@regions.get("/admin/regions/recalculate")
def after_recalculating() -> Response:
    """Lead to the list whoever reloads what they posted."""
    return go("regions.index")


@regions.get("/admin/regions/new")
def new() -> ResponseReturnValue:
    """Show the form of a new region."""
    return show("admin/region.html", region=None)


@regions.post("/admin/regions/new", again=new)
def create() -> Response:
    """Keep a new region."""
    core().facilities.add(caller(), **_read())
    return go("regions.index", done="region-added")


@regions.get("/admin/regions/<int:facility_id>")
def detail(facility_id: int) -> ResponseReturnValue:
    """Show a region, in a form that changes it."""
    return show("admin/region.html", region=core().facilities.show(facility_id))


@regions.post("/admin/regions/<int:facility_id>", again=detail)
def update(facility_id: int) -> Response:
    """Change a region."""
    core().facilities.change(facility_id, caller(), **_changed(core().facilities.show(facility_id)))
    return go("regions.index", done="region-changed")


@regions.post("/admin/regions/<int:facility_id>/delete", again=detail)
def delete(facility_id: int) -> Response:
    """Remove a region that nothing refers to."""
    core().facilities.remove(facility_id, caller())
    return go("regions.index", done="region-deleted")


def _list(*, told: str | None) -> str:
    asked, served = read_query(SearchRegions), core().facilities
    page = served.page(search=asked.search, state=asked.state or None, number=asked.page, per_page=PER_PAGE)
    query = {name: text for name, text in (("search", asked.search), ("state", asked.state)) if text}
    return show("admin/regions.html", page=page, states=served.states(), asked=asked, query=query, told=told)


def _read() -> FacilityInput:
    return _fields(attrs.asdict(filled(RegionForm, validate=_faults, numbers=("avg_labor_rate",))))


def _changed(kept: Facility) -> FacilityInput:
    """Read what the form has that is not so already: a rate that was taken from invoices stays theirs."""
    told = {name: value for name, value in _read().items() if value != getattr(kept, name)}
    return cast("FacilityInput", told)


def _faults(**told: Any) -> dict[str, list[str]]:
    return core().facilities.validate(**_fields(told))


def _fields(told: dict[str, Any]) -> FacilityInput:
    fields = {"name" if name == "facility_name" else name: value for name, value in told.items()}
    if fields.get("avg_labor_rate") is not None:
        fields["avg_labor_rate"] = cents(fields["avg_labor_rate"])
    return cast("FacilityInput", fields)
