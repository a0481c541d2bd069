"""Routes that answer without Flask as long as all is well (docs/decisions/hot-path.md).

    @fast_post(predictions, "")
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
from repaircore_http.guards import Authenticate, caller, identify
from repaircore_http.json_io import read_environ_json, read_json, reply_json
from repaircore_http.observations import CALLER, ROUTE
from repaircore_http.routes import FastView, GuardedRule, Routes

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


_FAILURE: Final = "repaircore.failure"


def fast_post(routes: Routes, path: str, **spec: Any) -> Callable[[FastView], FastView]:
    """Register a function for POST requests; its route needs a credential, by the blueprint.

    ``spec`` are the fields of its ``RouteSpec``.
    """

    def register(answer: FastView) -> FastView:
        def view() -> Response:
            return reply_json(answer(core(), caller(), read_json()))

        view.__doc__ = answer.__doc__
        routes.add_url_rule(path, answer.__name__, view, methods=["POST"], fast=answer, **spec)
        return answer

    return register


class FastLane:
    """The fast routes of an application, by their whole path."""

    def __init__(self, served: Any, authenticate: Authenticate, rules: Iterable[Rule]) -> None:
        self._served = served
        self._authenticate = authenticate
        self._rules = {rule.rule: rule for rule in rules if isinstance(rule, GuardedRule) and rule.fast}

    def answer(self, environ: "WSGIEnvironment", trusted_hosts: list[str] | None) -> bytes | None:
        """Give the body of a good answer; None when Flask has to answer."""
        rule = self._rules.get(environ["PATH_INFO"])
        if rule is None or rule.fast is None or rule.auth is None or environ["REQUEST_METHOD"] != "POST":
            return None
        environ[ROUTE] = rule.rule
        try:
            get_host(environ, trusted_hosts)  # refuses what cannot be a host
            known = identify(rule.auth, environ.get("HTTP_AUTHORIZATION"), self._authenticate)
            if known is None:
                return None
            environ[CALLER] = known
            return rule.fast(self._served, known, read_environ_json(environ, rule.max_bytes))
        except Exception as failure:  # noqa: BLE001 - Flask tells of it, in the one place that catches everything
            environ[_FAILURE] = failure
            return None


def raise_failure(environ: "WSGIEnvironment") -> None:
    """Raise the failure of the fast lane, if it failed: the caller is authenticated and counted by then."""
    failure: Exception | None = environ.pop(_FAILURE, None)
    if failure is not None:
        raise failure
