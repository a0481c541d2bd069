"""The repair book as operators see it."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.paging import MOST_PER_PAGE, sort_by
from repaircore.kernel.rules import Length, Range
from repaircore.problems.overview import ProblemFilter
from repaircore.problems.views import ProblemDetailsView, ProblemEntryView, ProblemStatsView
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query, reply
from repaircore_http.listing import ListPage, ListQuery, reply_list
from repaircore_http.routes import Routes

problems = Routes(
    "admin_problems", url_prefix="/api/v1/admin/problems", auth=Auth.ADMIN, tag="admin problems"
)


_Sort = Annotated[str, sort_by("id", "name", "invoices", "total")]


@frozen(kw_only=True)
class ListProblems(ListQuery):
    """Filters, sort order and page for the list of categories and repairs."""

    sort: _Sort = ""

    search: Annotated[str | None, Length(0, 255)] = None
    parent_id: int | None = None


@frozen(kw_only=True)
class ListChildren(ListQuery):
    """Sort order and page for the list of a category's repairs; the largest category fits on one page."""

    sort: _Sort = ""
    per_page: Annotated[int, Range(1, MOST_PER_PAGE)] = MOST_PER_PAGE


@problems.get("", safe=True, query=ListProblems, returns=ListPage[ProblemEntryView])
def index() -> Response:
    """List main categories and repairs, paginated."""
    query, overview, known = read_query(ListProblems), core().problem_overview, caller()
    wanted = ProblemFilter(search=query.search, parent_id=query.parent_id)
    return reply_list(
        query,
        lambda request: overview.page(wanted, known, request=request),
        ProblemEntryView,
        ProblemEntryView.of,
        name="repairs",
    )


@problems.get("/stats", safe=True, returns=Data[ProblemStatsView])
def stats() -> Response:
    """Count the entries of the book and their invoices."""
    return reply(Data(data=ProblemStatsView.of(core().problem_overview.stats(caller()))))


@problems.get("/<parent_id>/children", safe=True, query=ListChildren, returns=ListPage[ProblemEntryView])
def children(parent_id: str) -> Response:
    """List the repairs of a main category."""
    query, overview, known = read_query(ListChildren), core().problem_overview, caller()
    return reply_list(
        query,
        lambda request: overview.list_children(parent_id, known, request=request),
        ProblemEntryView,
        ProblemEntryView.of,
        name="repairs",
    )


@problems.get("/<problem_id>/show", safe=True, returns=Data[ProblemEntryView])
def show(problem_id: str) -> Response:
    """Show a main category or a repair."""
    return reply(Data(data=ProblemEntryView.of(core().problem_overview.get(problem_id, caller()))))


@problems.get("/<problem_id>/details", safe=True, returns=Data[ProblemDetailsView])
def details(problem_id: str) -> Response:
    """Show a main category or a repair with everything that the book says about it."""
    found = core().problem_overview.get_details(problem_id, caller())
    return reply(Data(data=ProblemDetailsView.of(found)))
