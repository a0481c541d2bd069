"""Regions: the shops that labor rates come from."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

import attrs
from attrs import frozen
from flask import Response

from repaircore.facilities.model import FacilityInput, FacilityStats, MonthOfShops, StateSummary
from repaircore.facilities.views import region_shape
from repaircore.kernel.errors import Conflict
from repaircore.kernel.money import cents, dollars, dollars_or_none, round_half_up
from repaircore.kernel.rules import Range
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataPage, DataWithMessage, Message
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import parse_input, read_json, read_query, reply
from repaircore_http.paging import PageQuery, meta
from repaircore_http.routes import Routes
from repaircore_http.told.operators import Recalculated, Region, RegionStats, StateListed

regions = Routes("admin_regions", url_prefix="/api/v1/admin/regions", auth=Auth.ADMIN, tag="admin regions")


@frozen(kw_only=True)
class RegionInput:
    """A region as it is told; a change leaves what is not told as it is. ``avg_labor_rate`` is in dollars."""

    facility_name: str
    city: str | None = None
    state: str | None = None
    zip_code: str | None = None
    country: str | None = None
    avg_labor_rate: Annotated[float | None, Range(0)] = None


@frozen(kw_only=True)
class ListRegions(PageQuery):
    """Which regions."""

    search: str = ""
    state: str | None = None


@regions.get("", safe=True, query=ListRegions, returns=DataPage[Region])
def index() -> Response:
    """List regions by name, in pages."""
    asked = read_query(ListRegions)
    page = core().facilities.page(
        search=asked.search, state=asked.state or None, number=asked.page, per_page=asked.per_page
    )
    return reply({"success": True, "data": [region_shape(region) for region in page], "meta": meta(page)})


@regions.get("/stats", safe=True, returns=Data[RegionStats])
def stats() -> Response:
    """Tell how many regions there are, and what their invoices add up to."""
    return reply({"success": True, "data": _shape_of_stats(core().facilities.stats(caller()))})


@regions.get("/states", safe=True, returns=Data[list[StateListed]])
def states() -> Response:
    """List the states, with the number of regions and the mean rate of each."""
    return reply({"success": True, "data": [_shape_of_state(state) for state in core().facilities.states()]})


@regions.post("/recalculate", returns=DataWithMessage[Recalculated])
def recalculate() -> Response:
    """Set each region's labor rate to what its invoices say."""
    done = core().facilities.recalculate(caller())
    data = {"updated": done.updated, "skipped": done.skipped}
    return reply({"success": True, "message": done.text, "data": data})


@regions.post("", accepts=RegionInput, returns=DataWithMessage[Region], status=201)
def create() -> Response:
    """Keep a new region."""
    kept = core().facilities.add(caller(), **_read())
    return reply({"success": True, "message": "The region was added.", "data": region_shape(kept)}, 201)


@regions.get("/<int:facility_id>", safe=True, returns=Data[Region])
def show(facility_id: int) -> Response:
    """Show a region."""
    return reply({"success": True, "data": region_shape(core().facilities.show(facility_id))})


@regions.put("/<int:facility_id>", accepts=RegionInput, returns=DataWithMessage[Region], raises=(Conflict,))
def update(facility_id: int) -> Response:
    """Change a region."""
    kept = core().facilities.change(facility_id, caller(), **_read())
    return reply({"success": True, "message": "The region was changed.", "data": region_shape(kept)})


@regions.delete("/<int:facility_id>", returns=Message, raises=(Conflict,))
def delete(facility_id: int) -> Response:
    """Remove a region that nothing refers to."""
    core().facilities.remove(facility_id, caller())
    return reply({"success": True, "message": "The region was deleted."})


def _read() -> FacilityInput:
    """Read what is told of a region, and nothing that is not."""
    body = read_json()
    asked = parse_input(RegionInput, body, validate=_faults)
    return _fields({name: value for name, value in attrs.asdict(asked).items() if name in body})


def _faults(**told: Any) -> dict[str, list[str]]:
    return core().facilities.validate(**_fields(told))


def _fields(told: Mapping[str, Any]) -> FacilityInput:
    fields = {"name" if name == "facility_name" else name: value for name, value in told.items()}
    if fields.get("avg_labor_rate") is not None:
        fields["avg_labor_rate"] = cents(fields["avg_labor_rate"])
    return cast("FacilityInput", fields)


def _shape_of_state(state: StateSummary) -> dict[str, object]:
    return {
        "state": state.state,
        "count": state.shops,
        "with_labor_rate": state.with_rate,
        "avg_labor_rate": _mean(state.mean_rate),
    }


def _shape_of_stats(told: FacilityStats) -> dict[str, object]:
    months = told.by_month
    return {
        "total": told.shops,
        "with_labor_rate": told.with_rate,
        "states": told.states,
        "avg_labor_rate": _mean(told.mean_rate),
        "min_labor_rate": dollars_or_none(told.lowest_rate),
        "max_labor_rate": dollars_or_none(told.highest_rate),
        "sample_size": told.sample_size,
        "transactions": sum(month.transactions for month in months),
        "parts_total": dollars(sum(month.parts_total for month in months)),
        "labor_total": dollars(sum(month.labor_total for month in months)),
        "by_month": [_shape_of_month(month) for month in months],
    }


def _shape_of_month(month: MonthOfShops) -> dict[str, object]:
    return {
        "month": month.month,
        "transactions": month.transactions,
        "parts_total": dollars(month.parts_total),
        "labor_total": dollars(month.labor_total),
        "total": dollars(month.parts_total + month.labor_total),
    }


def _mean(rate: float | None) -> float | None:
    return None if rate is None else dollars(round_half_up(rate))
