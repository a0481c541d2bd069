"""Search repairs while the user types."""

from attrs import frozen
from flask import Response

from repaircore_http.console.pages import Pages
from repaircore_http.core import core
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_query, reply

OFFERED = 8
"""The most repairs that are offered at once."""

repairs = Pages("repairs", auth=Auth.SESSION)


@frozen(kw_only=True)
class SearchText:
    """What the user has typed so far."""

    q: str


@repairs.get("/repairs.json")
def search() -> Response:
    """Search repairs by what was typed, best match first."""
    found = core().problems.search(read_query(SearchText).q, limit=OFFERED)
    return reply(
        [
            {"slug": hit.problem.slug, "name": hit.problem.name, "parent": hit.problem.parent.name}
            for hit in found
        ]
    )
