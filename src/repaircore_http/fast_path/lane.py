"""The fast lane: views that answer successful requests without Flask (docs/decisions/hot-path.md).

    @fast_post(predictions, "")
    def predict(served: Core, caller: Caller, body: dict[str, Any]) -> bytes:

Buys 40 µs of the 57 that a cached prediction takes beyond a bare Flask route in process, and about twice that behind gunicorn.
Instead of it: ``@predictions.post("")`` on a function that reads ``read_json()`` and returns ``reply_json(…)``; ``fast_post``
registers just that view as well. An application whose ``fast_lane`` is None answers everything that way, and tests compare the two.

A request that fails in the lane goes to Flask with its exception, so that guards, limits and error bodies have one place each.
An application with hooks (``before_request``, ``after_request``) answers every request through Flask.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Response
from werkzeug.routing import Rule
from werkzeug.wsgi import get_host

from repaircore_http.core import core
from repaircore_http.guards import Authenticate, caller, identify
from repaircore_http.json_io import read_environ_json, read_json, reply_json
from repaircore_http.observations import CALLER, ROUTE
from repaircore_http.routes import FastView, GuardedRule, Routes

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


_ERROR: Final = "repaircore.fast_lane_error"


def fast_post(routes: Routes, path: str, **spec: Any) -> Callable[[FastView], FastView]:
    """Register a function for POST requests; the blueprint sets the credential that its route needs.

    ``spec`` are the fields of its ``RouteSpec``.
    """

    def register(fast_view: FastView) -> FastView:
        def view() -> Response:
            return reply_json(fast_view(core(), caller(), read_json()))

        view.__doc__ = fast_view.__doc__
        routes.add_url_rule(path, fast_view.__name__, view, methods=["POST"], fast=fast_view, **spec)
        return fast_view

    return register


class FastLane:
    """The fast routes of an application, by their whole path."""

    def __init__(self, served: Any, authenticate: Authenticate, rules: Iterable[Rule]) -> None:
        self._served = served
        self._authenticate = authenticate
        self._rules = {rule.rule: rule for rule in rules if isinstance(rule, GuardedRule) and rule.fast}

    def answer(self, environ: "WSGIEnvironment", trusted_hosts: list[str] | None) -> bytes | None:
        """Return the body of a successful answer; None when Flask has to answer."""
        rule = self._rules.get(environ["PATH_INFO"])
        if rule is None or rule.fast is None or rule.auth is None or environ["REQUEST_METHOD"] != "POST":
            return None
        environ[ROUTE] = rule.rule
        try:
            get_host(environ, trusted_hosts)  # raises for what cannot be a host
            caller = identify(rule.auth, environ.get("HTTP_AUTHORIZATION"), self._authenticate)
            if caller is None:
                return None
            environ[CALLER] = caller
            return rule.fast(self._served, caller, read_environ_json(environ, rule.max_bytes))
        except Exception as error:  # noqa: BLE001 - Flask answers it, in the one place that catches everything
            environ[_ERROR] = error
            return None


def has_hooks(app: Flask) -> bool:
    """Return whether anything is registered that runs before or after each request."""
    return bool(
        app.before_request_funcs
        or app.after_request_funcs
        or app.teardown_request_funcs
        or app.teardown_appcontext_funcs
        or app.url_value_preprocessors
    )


def raise_error(environ: "WSGIEnvironment") -> None:
    """Raise the exception of the fast lane, if there is one: the caller is authenticated and counted by then."""
    error: Exception | None = environ.pop(_ERROR, None)
    if error is not None:
        raise error
