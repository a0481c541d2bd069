"""Past estimates, as a list and as a drawing."""

from flask.typing import ResponseReturnValue

from repaircore_http.console.drawing import pairs
from repaircore_http.console.pages import Pages, show
from repaircore_http.console.paging import PER_PAGE, WhichPage
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query

history = Pages("history", auth=Auth.SESSION)


@history.get("/history")
def index() -> ResponseReturnValue:
    """List estimates, newest first."""
    asked = read_query(WhichPage)
    found = core().past_predictions.page(number=asked.page, per_page=PER_PAGE, caller=caller())
    drawn, ticks = pairs(found.items)
    return show("history.html", page=found, entries=found.items, drawn=drawn, ticks=ticks, flagged=False)


@history.get("/history/red-flags")
def red_flags() -> ResponseReturnValue:
    """List the newest estimates with a red flag."""
    entries = core().past_predictions.red_flags(caller())
    drawn, ticks = pairs(entries)
    return show("history.html", page=None, entries=entries, drawn=drawn, ticks=ticks, flagged=True)
