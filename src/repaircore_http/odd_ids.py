"""Guards for URLs with a malformed id, such as ``/regions/abc``: 401 and 403 come before 404."""

import re
from collections.abc import Iterable
from typing import Final

from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule

from repaircore_http.guards import Auth
from repaircore_http.routes import GuardedRule

_ID: Final = re.compile(r"<(?:int|uuid):")


class OddIds:
    """The routes of an application, with any string in place of an id.

    Routing returns a 404 for a malformed id. A caller who may not learn what exists must not learn what does not exist,
    either.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        guarded = [rule for rule in rules if isinstance(rule, GuardedRule) and _ID.search(rule.rule)]
        loose = [
            Rule(_ID.sub("<", rule.rule), endpoint=number, methods=rule.methods)
            for number, rule in enumerate(guarded)
        ]
        self._auths = [rule.auth for rule in guarded]
        self._addresses = Map(loose, merge_slashes=False)

    def auth(self, path: str, method: str) -> Auth | None:
        """Return the credential that a URL with a malformed id needs, or None for any other URL."""
        try:
            number, _ = self._addresses.bind("").match(path, method=method)
        except HTTPException:
            return None
        return self._auths[int(number)]
