"""The audit log: who changed what, filtered, and as a file."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from attrs import asdict, frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.audit.model import ALL_CHANGES, AuditFilter
from repaircore.kernel.rules import Range
from repaircore.structuring import structure
from repaircore_http.console.admin.audit_changes import changes_of, csv_lines
from repaircore_http.console.pages import Pages, show
from repaircore_http.console.paging import PER_PAGE
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params

audit = Pages("audit", auth=Auth.ADMIN)

_FIELDS: Final = ("who", "action", "date_from", "date_to")


@frozen(kw_only=True)
class AuditPage(AuditFilter):
    """The filters of the log, and the page."""

    page: Annotated[int, Range(1)] = 1

    def filter(self) -> AuditFilter:
        """Return the filters alone."""
        return AuditFilter(**{name: getattr(self, name) for name in _FIELDS})


def unfiltered() -> ResponseReturnValue:
    """List all changes below an invalid filter, which is shown as it was typed."""
    typed = dict.fromkeys(_FIELDS, "") | read_query_params(AuditPage)
    return _list(ALL_CHANGES, typed, page=1, query={})


@audit.get("/admin/audit", again=unfiltered)
def index() -> ResponseReturnValue:
    """List changes, newest first."""
    params = _params()
    wanted = structure(AuditPage, params)
    return _list(wanted.filter(), asdict(wanted), page=wanted.page, query=params)


@audit.get("/admin/audit.csv")
def download() -> Response:
    """Download what the filters select, as CSV."""
    entries = core().audit.list_each(structure(AuditPage, _params()).filter(), caller())
    answer = Response(csv_lines(entries), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = 'attachment; filename="audit.csv"'
    return answer


def _params() -> dict[str, Any]:
    return {name: text for name, text in read_query_params(AuditPage).items() if text != ""}


def _list(wanted: AuditFilter, typed: Mapping[str, Any], *, page: int, query: Mapping[str, Any]) -> str:
    served = core().audit
    return show(
        "admin/audit.html",
        page=served.page(wanted, number=page, per_page=PER_PAGE, caller=caller()),
        actions=served.list_actions(caller()),
        fields=typed,
        query={name: text for name, text in query.items() if name != "page"},
        changes_of=changes_of,
    )
