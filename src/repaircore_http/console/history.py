"""Past estimates: a list with filters, a chart and a CSV file."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Final

from attrs import asdict, frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.paging import sort_by
from repaircore.kernel.rules import Length
from repaircore.predictions.past_predictions import HistoryFilter
from repaircore_http.console.charts import pairs
from repaircore_http.console.history_csv import csv_lines
from repaircore_http.console.lists import ListQuery, read_list, sort_links
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params

history = Pages("history", auth=Auth.SESSION)

_FIELDS: Final = ("vehicle", "problem", "red_flag", "date_from", "date_to")
_WORDS: Final = Length(0, 100)


@frozen(kw_only=True)
class HistoryQuery(ListQuery):
    """Filters, sort order and page for the list of estimates."""

    sort: Annotated[str, sort_by("created_at")] = ""

    vehicle: Annotated[str, _WORDS] | None = None
    problem: Annotated[str, _WORDS] | None = None
    red_flag: bool | None = None
    date_from: date | None = None
    date_to: date | None = None

    def filter(self) -> HistoryFilter:
        """Return the filters without the sort order and the page."""
        return HistoryFilter(**{name: getattr(self, name) for name in _FIELDS})


def unfiltered() -> ResponseReturnValue:
    """List all estimates if the filter is invalid; the field keeps what was typed."""
    typed = dict.fromkeys(_FIELDS, "") | read_query_params(HistoryQuery)
    return _list(HistoryQuery(), typed, query={})


@history.get("/history", again=unfiltered)
def index() -> ResponseReturnValue:
    """List estimates, newest first."""
    wanted, query = read_list(HistoryQuery)
    return _list(wanted, asdict(wanted), query=query)


@history.get("/history.csv")
def download() -> Response:
    """Download the estimates that the filters select, as CSV."""
    wanted = read_list(HistoryQuery)[0].filter()
    entries = core().past_predictions.list_each(wanted, caller())
    answer = Response(csv_lines(entries), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = 'attachment; filename="estimates.csv"'
    return answer


@history.get("/history/red-flags")
def red_flags() -> Response:
    """Redirect to the estimates with a red flag."""
    return go("history.index", red_flag="true")


def _list(wanted: HistoryQuery, typed: Mapping[str, Any], *, query: Mapping[str, Any]) -> str:
    page = core().past_predictions.page(wanted.filter(), request=wanted.request(), caller=caller())
    points, ticks = pairs(page.items)
    return show(
        "history.html",
        page=page,
        points=points,
        ticks=ticks,
        fields=typed,
        sorts=sort_links({"-created_at": "Date"}, wanted.sort, usual="-created_at"),
        query=query,
    )
