"""Routes that answer without Flask as long as all is well (docs/decisions/hot-path.md).

    @quick_post(predictions, "")
    def predict(served: Core, known: Caller, body: dict[str, Any]) -> bytes:

The function is an ordinary Flask view as well. A request that it cannot answer goes there with the failure, so
that guards, limits and the wording of errors have one place each. Whoever adds hooks to the application
gets every request through Flask.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from flask import Response
from werkzeug.routing import Rule
from werkzeug.wsgi import get_host

from repaircore_http.core import core
from repaircore_http.guards import Authenticate, GuardedRule, Quick, Routes, caller, identify
from repaircore_http.json_io import object_in, read_object, reply_json
from repaircore_http.observations import CALLER, ROUTE

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


_FAILURE: Final = "repaircore.failure"


def quick_post(routes: Routes, path: str, **declared: Any) -> Callable[[Quick], Quick]:
    """Register a function for POST requests; its route needs a credential, by the blueprint.

    ``declared`` is what the route says of itself (``Declared``).
    """

    def register(answer: Quick) -> Quick:
        def view() -> Response:
            return reply_json(answer(core(), caller(), read_object()))

        view.__doc__ = answer.__doc__
        routes.add_url_rule(path, answer.__name__, view, methods=["POST"], quick=answer, **declared)
        return answer

    return register


class QuickLane:
    """The quick routes of an application, by their whole path."""

    def __init__(self, served: Any, authenticate: Authenticate, rules: Iterable[Rule]) -> None:
        self._served = served
        self._authenticate = authenticate
        self._rules = {rule.rule: rule for rule in rules if isinstance(rule, GuardedRule) and rule.quick}

    def answer(self, environ: "WSGIEnvironment", trusted_hosts: list[str] | None) -> bytes | None:
        """Give the body of a good answer; None when Flask has to answer."""
        rule = self._rules.get(environ["PATH_INFO"])
        if rule is None or rule.quick is None or rule.need is None or environ["REQUEST_METHOD"] != "POST":
            return None
        environ[ROUTE] = rule.rule
        try:
            get_host(environ, trusted_hosts)  # refuses what cannot be a host
            known = identify(rule.need, environ.get("HTTP_AUTHORIZATION"), self._authenticate)
            if known is None:
                return None
            environ[CALLER] = known
            return rule.quick(self._served, known, object_in(environ, rule.most_bytes))
        except Exception as failure:  # noqa: BLE001 - Flask tells of it, in the one place that catches everything
            environ[_FAILURE] = failure
            return None


def raise_failure(environ: "WSGIEnvironment") -> None:
    """Raise what the quick lane failed with, if it did: the caller is known and counted by then."""
    failure: Exception | None = environ.pop(_FAILURE, None)
    if failure is not None:
        raise failure
