"""Past estimates, as a list and as a chart."""

from flask.typing import ResponseReturnValue

from repaircore_http.console.charts import pairs
from repaircore_http.console.pages import Pages, show
from repaircore_http.console.paging import PER_PAGE, PageQuery
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query

history = Pages("history", auth=Auth.SESSION)


@history.get("/history")
def index() -> ResponseReturnValue:
    """List estimates, newest first."""
    query = read_query(PageQuery)
    page = core().past_predictions.page(number=query.page, per_page=PER_PAGE, caller=caller())
    points, ticks = pairs(page.items)
    return show("history.html", page=page, entries=page.items, points=points, ticks=ticks, flagged=False)


@history.get("/history/red-flags")
def red_flags() -> ResponseReturnValue:
    """List the newest estimates with a red flag."""
    entries = core().past_predictions.red_flags(caller())
    points, ticks = pairs(entries)
    return show("history.html", page=None, entries=entries, points=points, ticks=ticks, flagged=True)
