"""The repair book as operators see it."""

from typing import Annotated

from attrs import frozen
from flask.typing import ResponseReturnValue

from repaircore.kernel.rules import Length
from repaircore.problems.overview import ProblemFilter
from repaircore.structuring import structure
from repaircore_http.console.pages import Pages, show
from repaircore_http.console.paging import PER_PAGE, PageQuery
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params

problems = Pages("problems", auth=Auth.ADMIN)


@frozen(kw_only=True)
class SearchProblems(PageQuery):
    """A search for categories and repairs."""

    search: Annotated[str | None, Length(0, 255)] = None
    parent_id: int | None = None


@problems.get("/admin/repairs")
def index() -> ResponseReturnValue:
    """List main categories and repairs, with their invoices."""
    params = {name: text for name, text in read_query_params(SearchProblems).items() if text != ""}
    search = structure(SearchProblems, params)
    page = core().problem_overview.page(
        ProblemFilter(search=search.search, parent_id=search.parent_id),
        caller(),
        number=search.page,
        per_page=PER_PAGE,
    )
    query = {name: text for name, text in params.items() if name != "page"}
    categories = core().problems.list_categories()
    return show("admin/problems.html", page=page, categories=categories, search=search, query=query)


@problems.get("/admin/repairs/<identifier>")
def detail(identifier: str) -> ResponseReturnValue:
    """Show a main category or a repair with everything in the book."""
    return show("admin/problem.html", details=core().problem_overview.get_details(identifier, caller()))
