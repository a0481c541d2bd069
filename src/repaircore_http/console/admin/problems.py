"""The repair book as operators see it."""

from collections.abc import Mapping
from typing import Annotated, Any

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.paging import sort_by
from repaircore.kernel.rules import Length
from repaircore.problems.overview import ProblemFilter
from repaircore.problems.views import ProblemEntryView
from repaircore_http.console.lists import ListQuery, read_list, sort_links
from repaircore_http.console.pages import Pages, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.listing import csv_reply

problems = Pages("problems", auth=Auth.ADMIN)


@frozen(kw_only=True)
class SearchProblems(ListQuery):
    """Filters, sort order and page for the list of categories and repairs."""

    sort: Annotated[str, sort_by("id", "name", "invoices", "total")] = ""

    search: Annotated[str | None, Length(0, 255)] = None
    parent_id: int | None = None

    def filter(self) -> ProblemFilter:
        """Return the filters without the sort order and the page."""
        return ProblemFilter(search=self.search, parent_id=self.parent_id)


def unfiltered() -> ResponseReturnValue:
    """List everything if the filter is invalid."""
    return _list(SearchProblems(), {})


@problems.get("/admin/repairs", again=unfiltered)
def index() -> ResponseReturnValue:
    """List main categories and repairs, with the number of invoices for each."""
    return _list(*read_list(SearchProblems))


@problems.get("/admin/repairs.csv")
def download() -> Response:
    """Download the categories and repairs that the filters select, as CSV."""
    wanted, _ = read_list(SearchProblems)
    overview, known = core().problem_overview, caller()
    return csv_reply(
        wanted.sort,
        lambda request: overview.page(wanted.filter(), known, request=request),
        ProblemEntryView,
        ProblemEntryView.of,
        name="repairs",
    )


def _list(wanted: SearchProblems, query: Mapping[str, Any]) -> str:
    return show(
        "admin/problems.html",
        page=core().problem_overview.page(wanted.filter(), caller(), request=wanted.request()),
        categories=core().problems.list_categories(),
        search=wanted,
        sorts=sort_links({"name": "Name", "-invoices": "Invoices"}, wanted.sort, usual="id"),
        query=query,
    )


@problems.get("/admin/repairs/<identifier>")
def detail(identifier: str) -> ResponseReturnValue:
    """Show a main category or a repair with everything that the book says about it."""
    return show("admin/problem.html", details=core().problem_overview.get_details(identifier, caller()))
