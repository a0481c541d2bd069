"""The fast lane: views that handle requests without Flask if they succeed (docs/decisions/hot-path.md).

    @fast_post(predictions, "")
    def predict(served: Core, caller: Caller, body: dict[str, Any]) -> bytes:

    @fast_get(mobile_rides, "/<named:mobileRide>")
    def show(served: Core, partner: PartnerCaller, ref: str) -> bytes:

Saves 40 of the 57 µs that a cached prediction takes beyond a bare Flask route in process, and about twice that behind
gunicorn; the same holds for the rides that partners poll.
Plain alternative: ``@predictions.post("")`` on a function that calls ``read_json()`` and returns ``reply_json(…)``;
``fast_post`` and ``fast_get`` register exactly that view as well. An application whose ``fast_lane`` is None handles
all requests that way, and tests compare the two.

If the thread must not block (a worker's main loop, see ``worker``), the lane answers only what needs no waiting, and
raises WouldBlock for everything else, before the request has had any effect.

A request that fails in the lane goes to Flask with its exception, so that guards, limits and error bodies have one
place each. Flask handles every request of an application with hooks (``before_request``, ``after_request``), and every
GET whose path and query are not the plain address of a record.
"""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen
from flask import Flask, Response
from werkzeug.exceptions import SecurityError
from werkzeug.routing import Rule
from werkzeug.wsgi import get_host

from repaircore.kernel.blocking import WouldBlock, is_blocking_forbidden
from repaircore.kernel.callers import Caller, Credential
from repaircore_http.core import core
from repaircore_http.guards import Auth, Authenticate, caller, identify, partner_caller
from repaircore_http.json_io import read_environ_json, read_json, reply_json
from repaircore_http.observations import CALLER, ROUTE
from repaircore_http.partner_auth import PartnerAuth
from repaircore_http.routes import FastRead, FastView, GuardedRule, Routes

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


_ERROR: Final = "repaircore.fast_lane_error"
_READ: Final = re.compile(r"(/[a-z0-9/-]*/)<(?:[a-z]+:)?[A-Za-z]+>((?:/[a-z-]+)?)")
"""Matches the path of a route that reads one record; the groups are the parts before and after its reference."""
_REF: Final = re.compile(r"[a-z]+_[a-z0-9]+")
"""Matches a reference of this service; no fixed path segment looks like one."""


def fast_post(routes: Routes, path: str, **spec: Any) -> Callable[[FastView], FastView]:
    """Register a function for POST requests; the blueprint sets the credential that its route needs.

    ``spec`` has the fields of its ``RouteSpec``.
    """

    def register(fast_view: FastView) -> FastView:
        def view() -> Response:
            return reply_json(fast_view(core(), caller(), read_json()))

        view.__doc__ = fast_view.__doc__
        routes.add_url_rule(path, fast_view.__name__, view, methods=["POST"], fast=fast_view, **spec)
        return fast_view

    return register


def fast_get(routes: Routes, path: str, **spec: Any) -> Callable[[FastRead], FastRead]:
    """Register a function for GET requests for a partner's record, whose reference is in ``path``.

    The blueprint sets the credential that the route needs. If that is not a partner's session, Flask handles the route.

    ``spec`` has the fields of its ``RouteSpec``.
    """

    def register(fast_read: FastRead) -> FastRead:
        def view(**path_values: str) -> Response:
            (ref,) = path_values.values()
            return reply_json(fast_read(core(), partner_caller(), ref))

        view.__doc__ = fast_read.__doc__
        routes.add_url_rule(
            path, fast_read.__name__, view, methods=["GET"], safe=True, fast_read=fast_read, **spec
        )
        return fast_read

    return register


@frozen
class Admission:
    """How the main loop admits a request: ``authenticate`` counts nothing, and ``count`` is called once it is answered.

    Both raise WouldBlock rather than wait.
    """

    authenticate: Authenticate
    count: Callable[[Caller], None]


class FastLane:
    """The fast routes of an application: POST routes by path, GET routes by the path around the reference.

    Without ``admission``, nothing is answered in a main loop.
    """

    def __init__(
        self,
        served: Any,
        authenticate: Authenticate,
        rules: Iterable[Rule],
        partner_auth: PartnerAuth | None = None,
        admission: Admission | None = None,
    ) -> None:
        self._served = served
        self._authenticate = authenticate
        self._partner_auth = partner_auth
        self._admission = admission
        guarded = [rule for rule in rules if isinstance(rule, GuardedRule)]
        self._rules = {rule.rule: rule for rule in guarded if rule.fast}
        self._reads = {
            found.groups(): rule
            for rule in guarded
            if rule.fast_read
            and rule.auth is Auth.PARTNER
            and (found := _READ.fullmatch(rule.rule)) is not None
        }

    @property
    def inline_paths(self) -> tuple[str, ...]:
        """The paths of the POST requests that a main loop may try to answer."""
        return () if self._admission is None else tuple(self._rules)

    def answer(self, environ: "WSGIEnvironment", trusted_hosts: list[str] | None) -> bytes | None:
        """Return the body of a successful response, or None if Flask must handle the request.

        Raises:
            WouldBlock: this thread must not block, and the request takes more than that allows.
        """
        if is_blocking_forbidden():
            return self._answer_without_waiting(environ, trusted_hosts)
        if environ["REQUEST_METHOD"] == "GET":
            return self._read(environ, trusted_hosts)
        rule = self._rules.get(environ["PATH_INFO"])
        if rule is None or rule.fast is None or rule.auth is None or environ["REQUEST_METHOD"] != "POST":
            return None
        environ[ROUTE] = rule.rule
        try:
            get_host(environ, trusted_hosts)  # raises SecurityError if the host is invalid or not trusted
            caller = identify(rule.auth, environ.get("HTTP_AUTHORIZATION"), self._authenticate)
            if caller is None:
                return None
            environ[CALLER] = caller
            return rule.fast(self._served, caller, read_environ_json(environ, rule.max_bytes))
        except Exception as error:  # noqa: BLE001 - Flask handles it, in the one place that catches everything
            environ[_ERROR] = error
            return None

    def _answer_without_waiting(self, environ: "WSGIEnvironment", trusted_hosts: list[str] | None) -> bytes:
        """Return the body of a successful response, which is counted last: a thread counts what it answers instead.

        So a caller over the limit is refused after the lookup, by a thread; the worker tries only short requests.
        """
        rule, admission = self._rules.get(environ["PATH_INFO"]), self._admission
        if rule is None or rule.fast is None or rule.auth is None or admission is None:
            raise WouldBlock
        try:
            get_host(environ, trusted_hosts)
            caller = _without_publishable_key(
                identify(rule.auth, environ.get("HTTP_AUTHORIZATION"), admission.authenticate)
            )
            body = rule.fast(self._served, caller, read_environ_json(environ, rule.max_bytes))
            admission.count(caller)
        except Exception:  # noqa: BLE001 - a thread meets the same failure, and reports it
            raise WouldBlock from None
        environ[ROUTE], environ[CALLER] = rule.rule, caller
        return body

    def _read(self, environ: "WSGIEnvironment", trusted_hosts: list[str] | None) -> bytes | None:
        """Return the record that a partner requests, or None if Flask must handle the request."""
        rule, ref = self._find(environ["PATH_INFO"])
        if (
            rule is None
            or rule.fast_read is None
            or self._partner_auth is None
            or environ.get("QUERY_STRING")
        ):
            return None
        try:
            get_host(environ, trusted_hosts)
        except SecurityError:
            return None  # an invalid host, which Flask reports after it has counted the request
        environ[ROUTE] = rule.rule
        try:
            partner = self._partner_auth.admit(environ, Auth.PARTNER, environ.get("REMOTE_ADDR") or "unknown")
            if partner is None:
                return None
            environ[CALLER] = partner
            return rule.fast_read(self._served, partner, ref)
        except Exception as error:  # noqa: BLE001 - as above
            environ[_ERROR] = error
            return None

    def _find(self, path: str) -> tuple[GuardedRule | None, str]:
        """Return the route for the record at a path, and the record's reference; None and "" if there is none."""
        before, _, last = path.rpartition("/")
        rule = self._reads.get((f"{before}/", ""))
        if rule is None:
            before, _, ref = before.rpartition("/")
            rule = self._reads.get((f"{before}/", f"/{last}"))
        else:
            ref = last
        return (rule, ref) if rule is not None and _REF.fullmatch(ref) else (None, "")


def _without_publishable_key(caller: Caller | None) -> Caller:
    """Return the caller, unless a view may count the request itself, as it does for publishable keys, and would twice."""
    if caller is None or caller.credential is Credential.PUBLISHABLE:
        raise WouldBlock
    return caller


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
    """Raise the exception of the fast lane, if there is one; the caller was already authenticated and counted there."""
    error: Exception | None = environ.pop(_ERROR, None)
    if error is not None:
        raise error
