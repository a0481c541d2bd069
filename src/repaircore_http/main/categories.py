"""Problem categories: browse them, search them by everyday words, and describe a repair."""

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import NotFound
from repaircore.problems.service import SearchProblems
from repaircore.problems.views import (
    CategoryItemView,
    FittingProblemView,
    MarketMatchView,
    ProblemDescriptionView,
    SearchHitView,
)
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataList
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.listing import WholeList, reply_whole
from repaircore_http.routes import Routes

categories = Routes(
    "categories", url_prefix="/api/v1/predict", auth=Auth.KEY, dialect=flagged, tag="predictions"
)


@frozen(kw_only=True)
class ListFittingProblems:
    """The vehicle whose repairs are listed."""

    vin: str


@categories.post(
    "/problems", accepts=ListFittingProblems, returns=Data[list[FittingProblemView]], raises=(NotFound,)
)
def problems() -> Response:
    """List the repairs that fit a vehicle, followed by those that may fit it."""
    served = core()
    served.limits.count_prediction(caller())
    request = read_body(ListFittingProblems, validate=served.predictions.validate)
    vehicle = served.vehicles.identify(request.vin)
    found = served.problems.list_fitting(vehicle.specs.profile)
    return reply(Data(data=[FittingProblemView.of(problem) for problem in found]))


@categories.get("/categories", safe=True, query=WholeList, returns=Data[list[CategoryItemView]])
def mains() -> Response:
    """List the main categories."""
    found = [CategoryItemView.of(category) for category in core().problems.list_categories()]
    return reply_whole(found, CategoryItemView, lambda data: Data(data=data), name="categories")


@categories.get("/categories/market-match", safe=True, query=WholeList, returns=Data[list[MarketMatchView]])
def market_match() -> Response:
    """List every repair with the number of invoices that its prices were learned from."""
    found = [MarketMatchView.of(match) for match in core().problems.market_match(caller())]
    return reply_whole(found, MarketMatchView, lambda data: Data(data=data), name="market-match")


@categories.get(
    "/categories/<int:parent_id>/sub", safe=True, query=WholeList, returns=Data[list[CategoryItemView]]
)
def subs(parent_id: int) -> Response:
    """List the repairs of a main category."""
    found = [CategoryItemView.of(problem) for problem in core().problems.list_in_category(parent_id)]
    return reply_whole(found, CategoryItemView, lambda data: Data(data=data), name="repairs")


@categories.post("/categories/search", accepts=SearchProblems, returns=DataList[SearchHitView])
def search() -> Response:
    """Search repairs by everyday words, even misspelled ones; the best match comes first."""
    request = read_body(SearchProblems)
    found = core().problems.search(request.query, limit=request.limit)
    return reply(DataList.of([SearchHitView.of(hit) for hit in found]))


@categories.post("/categories/<int:problem_id>/describe", returns=Data[ProblemDescriptionView])
def describe(problem_id: int) -> Response:
    """Describe a repair; the description is generated once and stored."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    return reply(Data(data=ProblemDescriptionView.of(served.problems.describe(problem_id, known))))
