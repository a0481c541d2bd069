"""Past estimates: filtered, as a list, as a chart and as a file."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Final

from attrs import asdict, frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.rules import Length
from repaircore.predictions.model import HistoryFilter
from repaircore.structuring import structure
from repaircore_http.console.charts import pairs
from repaircore_http.console.history_csv import csv_lines
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.paging import PER_PAGE, PageQuery
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params

history = Pages("history", auth=Auth.SESSION)

_FIELDS: Final = ("vehicle", "problem", "red_flag", "date_from", "date_to")
_WORDS: Final = Length(0, 100)


@frozen(kw_only=True)
class HistoryQuery(PageQuery):
    """The filters of the history, and the page."""

    vehicle: Annotated[str, _WORDS] | None = None
    problem: Annotated[str, _WORDS] | None = None
    red_flag: bool | None = None
    date_from: date | None = None
    date_to: date | None = None

    def filter(self) -> HistoryFilter:
        """Return the filters alone."""
        return HistoryFilter(**{name: getattr(self, name) for name in _FIELDS})


def unfiltered() -> ResponseReturnValue:
    """List all estimates below an invalid filter, which is shown as it was typed."""
    typed = dict.fromkeys(_FIELDS, "") | read_query_params(HistoryQuery)
    return _list(HistoryQuery(), typed, query={})


@history.get("/history", again=unfiltered)
def index() -> ResponseReturnValue:
    """List estimates, newest first."""
    params = _params()
    query = structure(HistoryQuery, params)
    return _list(query, asdict(query), query=params)


@history.get("/history.csv")
def download() -> Response:
    """Download what the filters select, as CSV."""
    wanted = structure(HistoryQuery, _params()).filter()
    entries = core().past_predictions.list_each(wanted, caller())
    answer = Response(csv_lines(entries), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = 'attachment; filename="estimates.csv"'
    return answer


@history.get("/history/red-flags")
def red_flags() -> Response:
    """Redirect to the estimates with a red flag."""
    return go("history.index", red_flag="true")


def _params() -> dict[str, Any]:
    return {name: text for name, text in read_query_params(HistoryQuery).items() if text != ""}


def _list(wanted: HistoryQuery, typed: Mapping[str, Any], *, query: Mapping[str, Any]) -> str:
    page = core().past_predictions.page(
        wanted.filter(), number=wanted.page, per_page=PER_PAGE, caller=caller()
    )
    points, ticks = pairs(page.items)
    return show(
        "history.html",
        page=page,
        points=points,
        ticks=ticks,
        fields=typed,
        query={name: text if text is not True else "true" for name, text in query.items() if name != "page"},
    )
