"""Repairs, found while one types."""

from attrs import frozen
from flask import Response

from repaircore_http.console.pages import Pages
from repaircore_http.core import core
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_query, reply

OFFERED = 8
"""So many repairs are offered at once."""

repairs = Pages("repairs", auth=Auth.SESSION)


@frozen(kw_only=True)
class Search:
    """What somebody typed so far."""

    q: str


@repairs.get("/repairs.json")
def search() -> Response:
    """Find repairs by what was typed, best first."""
    found = core().problems.search(read_query(Search).q, limit=OFFERED)
    return reply(
        [
            {"slug": one.problem.slug, "name": one.problem.name, "parent": one.problem.parent.name}
            for one in found
        ]
    )
