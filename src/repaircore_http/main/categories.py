"""Problem categories: browse them, find one by everyday words, read what it is."""

from attrs import frozen
from flask import Response

from repaircore.book.model import Category, Problem
from repaircore.kernel.errors import NotFound
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataList
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes
from repaircore_http.told.problems import CategoryListed, Described, Found, MarketMatch, ProblemFitting

categories = Routes(
    "categories", url_prefix="/api/v1/predict", auth=Auth.KEY, dialect=flagged, tag="predictions"
)


@frozen(kw_only=True)
class ForVehicle:
    """The vehicle whose repairs are wanted."""

    vin: str


@frozen(kw_only=True)
class Search:
    """What somebody types, in their own words."""

    query: str
    limit: int | None = None


@categories.post("/problems", accepts=ForVehicle, returns=Data[list[ProblemFitting]], raises=(NotFound,))
def problems() -> Response:
    """List the repairs that fit a vehicle, and after them those that may."""
    served = core()
    served.limits.count_prediction(caller())
    asked = read_body(ForVehicle, validate=served.predictions.validate)
    vehicle = served.vehicles.identify(asked.vin)
    data = [
        {
            "id": one.problem.id,
            "display_name": one.problem.display_name,
            "fit": {"outcome": one.fit.outcome, "reason": one.fit.reason},
        }
        for one in served.problems.list_fitting(vehicle.specs.profile)
    ]
    return reply({"success": True, "data": data})


@categories.get("/categories", safe=True, returns=Data[list[CategoryListed]])
def mains() -> Response:
    """List the main categories."""
    return reply({"success": True, "data": [_listed(one) for one in core().problems.list_categories()]})


@categories.get("/categories/market-match", safe=True, returns=Data[list[MarketMatch]])
def market_match() -> Response:
    """List every repair with the number of invoices that its prices have been learned from."""
    matches = core().problems.market_match(caller())
    data = [{**_placed(one.problem), "samples": one.samples} for one in matches]
    return reply({"success": True, "data": data})


@categories.get("/categories/<int:parent_id>/sub", safe=True, returns=Data[list[CategoryListed]])
def subs(parent_id: int) -> Response:
    """List the repairs of a main category."""
    found = core().problems.list_in_category(parent_id)
    return reply({"success": True, "data": [_listed(problem) for problem in found]})


@categories.post("/categories/search", accepts=Search, returns=DataList[Found])
def search() -> Response:
    """Find repairs by everyday words, mistyped ones too, best first."""
    served = core()
    asked = read_body(Search, validate=served.problems.validate)
    found = served.problems.search(asked.query, limit=asked.limit)
    data = [
        {**_placed(one.problem), "description": one.problem.description, "score": one.score} for one in found
    ]
    return reply({"success": True, "count": len(data), "data": data})


@categories.post("/categories/<int:problem_id>/describe", returns=Data[Described])
def describe(problem_id: int) -> Response:
    """Tell what a repair is; the text is written once and remembered."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    told = served.problems.describe(problem_id, known)
    data = {
        "id": told.problem.id,
        "name": told.problem.name,
        "description": told.description.text,
        "generated_by": told.description.generated_by,
        "generated_at": told.description.generated_at,
        "cached": told.cached,
    }
    return reply({"success": True, "data": data})


def _listed(one: Category | Problem) -> dict[str, object]:
    return {"id": one.id, "name": one.name, "description": one.description}


def _placed(problem: Problem) -> dict[str, object]:
    return {
        "id": problem.id,
        "slug": problem.slug,
        "name": problem.name,
        "parent": {"id": problem.parent.id, "name": problem.parent.name},
        "display_name": problem.display_name,
    }
