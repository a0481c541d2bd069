"""Search repairs while the user types."""

from attrs import frozen
from flask import Response

from repaircore_http.console.pages import Pages
from repaircore_http.core import core
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_query, reply

OFFERED = 8
"""The maximum number of repairs that are offered at once."""

repairs = Pages("repairs", auth=Auth.SESSION)


@frozen(kw_only=True)
class SearchText:
    """What the user has typed so far."""

    q: str


@repairs.get("/repairs.json")
def search() -> Response:
    """Search repairs by what was typed, best match first."""
    return reply(found_repairs(read_query(SearchText).q))


def found_repairs(text: str) -> list[dict[str, str]]:
    """List the repairs that ``text`` may mean, best match first."""
    found = core().problems.search(text, limit=OFFERED)
    return [
        {"slug": hit.problem.slug, "name": hit.problem.name, "parent": hit.problem.parent.name}
        for hit in found
    ]
