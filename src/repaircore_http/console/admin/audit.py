"""The audit log: who changed what, with filters and as a CSV file."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Final

from attrs import asdict, frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.audit.model import AuditFilter
from repaircore.kernel.paging import sort_by
from repaircore_http.console.admin.audit_changes import changes_of, csv_lines
from repaircore_http.console.lists import ListQuery, read_list, sort_links
from repaircore_http.console.pages import Pages, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params

audit = Pages("audit", auth=Auth.ADMIN)

_FIELDS: Final = ("who", "action", "date_from", "date_to")


@frozen(kw_only=True)
class AuditPage(ListQuery):
    """Filters, sort order and page for the list of changes."""

    sort: Annotated[str, sort_by("at")] = ""
    who: str | None = None
    action: str | None = None
    date_from: date | None = None
    date_to: date | None = None

    def filter(self) -> AuditFilter:
        """Return the filters without the sort order and the page."""
        return AuditFilter(**{name: getattr(self, name) for name in _FIELDS})


def unfiltered() -> ResponseReturnValue:
    """List all changes if the filter is invalid; the field keeps what was typed."""
    typed = dict.fromkeys(_FIELDS, "") | read_query_params(AuditPage)
    return _list(AuditPage(), typed, query={})


@audit.get("/admin/audit", again=unfiltered)
def index() -> ResponseReturnValue:
    """List changes, newest first."""
    wanted, query = read_list(AuditPage)
    return _list(wanted, asdict(wanted), query=query)


@audit.get("/admin/audit.csv")
def download() -> Response:
    """Download the changes that the filters select, as CSV."""
    entries = core().audit.list_each(read_list(AuditPage)[0].filter(), caller())
    answer = Response(csv_lines(entries), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = 'attachment; filename="audit.csv"'
    return answer


def _list(wanted: AuditPage, typed: Mapping[str, Any], *, query: Mapping[str, Any]) -> str:
    served = core().audit
    return show(
        "admin/audit.html",
        page=served.page(wanted.filter(), request=wanted.request(), caller=caller()),
        sorts=sort_links({"-at": "Date"}, wanted.sort, usual="-at"),
        actions=served.list_actions(caller()),
        fields=typed,
        query=query,
        changes_of=changes_of,
    )
