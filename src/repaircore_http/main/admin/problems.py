"""The repair book as operators see it."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.book.model import Problem
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.paging import MOST_PER_PAGE
from repaircore.kernel.rules import Length, Range
from repaircore.problems.overview import ProblemDetails, ProblemEntry, ProblemFilter
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataPage
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query, reply
from repaircore_http.paging import PageQuery, meta
from repaircore_http.routes import Routes
from repaircore_http.told.problems import AdminProblem, AdminProblemDetails, AdminProblemStats

problems = Routes(
    "admin_problems", url_prefix="/api/v1/admin/problems", auth=Auth.ADMIN, tag="admin problems"
)


@frozen(kw_only=True)
class ListProblems(PageQuery):
    """Which categories and repairs, and which page of them."""

    search: Annotated[str | None, Length(0, 255)] = None
    parent_id: int | None = None


@frozen(kw_only=True)
class ListChildren:
    """Which page of the repairs of a category; the largest category fits on one."""

    page: Annotated[int, Range(1)] = 1
    per_page: Annotated[int, Range(1, MOST_PER_PAGE)] = MOST_PER_PAGE


@problems.get("", safe=True, query=ListProblems, returns=DataPage[AdminProblem])
def index() -> Response:
    """List main categories and repairs in pages."""
    asked = read_query(ListProblems)
    page = core().problem_overview.page(
        ProblemFilter(search=asked.search, parent_id=asked.parent_id),
        caller(),
        number=asked.page,
        per_page=asked.per_page,
    )
    return reply({"success": True, "data": [_shown(entry) for entry in page], "meta": meta(page)})


@problems.get("/stats", safe=True, returns=Data[AdminProblemStats])
def stats() -> Response:
    """Tell what the book holds and what was invoiced of it."""
    found = core().problem_overview.stats(caller())
    data = {
        "total": len(found.categories) + len(found.repairs),
        "categories": len(found.categories),
        "repairs": len(found.repairs),
        "repairs_with_transactions": sum(entry.invoices > 0 for entry in found.repairs),
        "transactions_count": found.invoices,
        "transactions_total": dollars(found.total),
        "average_total": dollars_or_none(found.average),
        "by_category": [_shown(entry) for entry in found.categories],
        "most_frequent": [_shown(entry) for entry in found.most_frequent],
        "by_month": [
            {"month": month, "transactions_count": one.n, "transactions_total": dollars(one.total)}
            for month, one in found.months.items()
        ],
    }
    return reply({"success": True, "data": data})


@problems.get("/<parent_id>/children", safe=True, query=ListChildren, returns=DataPage[AdminProblem])
def children(parent_id: str) -> Response:
    """List the repairs of a main category."""
    asked = read_query(ListChildren)
    page = core().problem_overview.list_children(
        parent_id, caller(), number=asked.page, per_page=asked.per_page
    )
    return reply({"success": True, "data": [_shown(entry) for entry in page], "meta": meta(page)})


@problems.get("/<problem_id>/show", safe=True, returns=Data[AdminProblem])
def show(problem_id: str) -> Response:
    """Show a main category or a repair."""
    return reply({"success": True, "data": _shown(core().problem_overview.get(problem_id, caller()))})


@problems.get("/<problem_id>/details", safe=True, returns=Data[AdminProblemDetails])
def details(problem_id: str) -> Response:
    """Show a main category or a repair with all that the book says of it."""
    return reply(
        {"success": True, "data": _detailed(core().problem_overview.get_details(problem_id, caller()))}
    )


def _shown(entry: ProblemEntry) -> dict[str, object]:
    about, parent = entry.about, entry.parent
    return {
        "id": about.id,
        "slug": about.slug,
        "name": about.name,
        "description": about.description,
        "parent": None if parent is None else {"id": parent.id, "name": parent.name},
        "children_count": entry.children,
        "transactions_count": entry.invoices,
        "average_total": dollars_or_none(entry.average),
    }


def _detailed(found: ProblemDetails) -> dict[str, object]:
    about = found.entry.about
    return {
        **_shown(found.entry),
        **(_said(about) if isinstance(about, Problem) else _UNSAID),
        "symptoms": [{"slug": slug, "name": name, "share": share} for slug, name, share in found.symptoms],
        "related_repairs": [
            {"id": one.id, "slug": one.slug, "name": one.name, "display_name": one.display_name}
            for one in found.related
        ],
    }


def _said(problem: Problem) -> dict[str, object]:
    again = problem.recurrence
    return {
        "display_name": problem.display_name,
        "labor_hours": problem.labor_hours,
        "parts": [
            {"name": part.name, "unit_price": dollars(part.price), "quantity": part.quantity}
            for part in problem.parts
        ],
        "price_range": {"low": dollars(problem.low), "high": dollars(problem.high)},
        "recurrence": {"miles": again.miles, "months": again.months, "kind": again.kind},
        "urgency": problem.urgency,
        "safe_to_drive": problem.safe_to_drive,
        "keywords": problem.keywords,
    }


_UNSAID: dict[str, object] = {
    "display_name": None,
    "labor_hours": None,
    "parts": (),
    "price_range": None,
    "recurrence": None,
    "urgency": None,
    "safe_to_drive": None,
    "keywords": (),
}
"""What the book says of repairs alone."""
