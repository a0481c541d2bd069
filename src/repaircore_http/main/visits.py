"""Routes for visits: estimate several repairs of one vehicle together, and store, update and delete such estimates."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.kernel.paging import sort_by
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.visits.lifecycle import Status
from repaircore.visits.model import Visit
from repaircore.visits.requests import CreateVisit, EstimateVisit, UpdateVisit
from repaircore.visits.views import DeletedVisitView, VisitEstimateView, VisitSummaryView, VisitView
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.errors import flagged, versioned
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_json, read_query, reply
from repaircore_http.listing import ListPage, ListQuery, reply_list
from repaircore_http.routes import Routes

visit_estimates = Routes(
    "visit_estimates", url_prefix="/api/v1/predict/visit", auth=Auth.KEY, dialect=flagged, tag="predictions"
)
visits = Routes("visits", url_prefix="/api/v1/visits", auth=Auth.SECRET, dialect=versioned, tag="visits")


@frozen(kw_only=True)
class ListVisits(ListQuery):
    """Filters, sort order and page for the list of visits; ``search`` matches numbers, customers, VINs and vehicles."""

    sort: Annotated[
        str, sort_by("created_at", "updated_at", "customer_name", "vehicle", "total", "valid_until")
    ] = ""

    status: Status | None = None
    search: str | None = None


@frozen(kw_only=True)
class DeleteVisit:
    """The version of the visit that the request is based on."""

    version: int | None = None


@visit_estimates.post(
    "", accepts=EstimateVisit, returns=Data[VisitEstimateView], raises=(NotFound, ProblemDoesNotFit)
)
def estimate() -> Response:
    """Estimate several repairs of one vehicle in one visit; nothing is stored."""
    served, known = core(), caller()
    served.limits.count_prediction(known)
    request = served.visit_estimates.parse(read_json())
    return reply(Data(data=VisitEstimateView.of(served.visit_estimates.estimate(request, known))))


@visits.get("", safe=True, query=ListVisits, returns=ListPage[VisitSummaryView])
def index() -> Response:
    """List visits, newest first, paginated."""
    query, listed, known = read_query(ListVisits), core().visits, caller()
    return reply_list(
        query,
        lambda request: listed.page(known, status=query.status, search=query.search, request=request),
        VisitSummaryView,
        VisitSummaryView.of,
        name="visits",
    )


@visits.post(
    "",
    accepts=CreateVisit,
    returns=DataWithMessage[VisitView],
    status=201,
    raises=(NotFound, ProblemDoesNotFit),
)
def create() -> Response:
    """Estimate a visit and store it as a draft."""
    served, known = core(), caller()
    visit = served.visits.create(served.visits.parse(read_json(), CreateVisit), known)
    return reply(DataWithMessage(message=f"Visit {visit.number} was saved.", data=_view(visit)), 201)


@visits.get("/<number>", safe=True, returns=Data[VisitView], raises=(NotFound,))
def show(number: str) -> Response:
    """Show a visit."""
    return reply(Data(data=_view(core().visits.get(number, caller()))))


@visits.put(
    "/<number>",
    accepts=UpdateVisit,
    returns=DataWithMessage[VisitView],
    raises=(NotFound, ProblemDoesNotFit, Conflict),
)
def update(number: str) -> Response:
    """Replace a visit, and estimate it again."""
    served, known = core(), caller()
    served.visits.get(number, known)  # 404 before 422
    request = served.visits.parse(read_json(), UpdateVisit)
    visit = served.visits.update(number, request, known)
    return reply(DataWithMessage(message=f"Visit {visit.number} was updated.", data=_view(visit)))


@visits.delete(
    "/<number>", query=DeleteVisit, returns=DataWithMessage[DeletedVisitView], raises=(NotFound, Conflict)
)
def delete(number: str) -> Response:
    """Delete a draft, or a visit that was sent, declined or canceled."""
    deleted = core().visits.delete(number, caller(), version=read_query(DeleteVisit).version)
    return reply(
        DataWithMessage(
            message=f"Visit {deleted.number} was deleted.", data=DeletedVisitView(number=deleted.number)
        )
    )


def _view(visit: Visit) -> VisitView:
    return VisitView.of_visit(visit, core().visits.timeline(visit))
