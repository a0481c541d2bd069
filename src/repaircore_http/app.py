"""The application: routes, guards, limits and one place for errors."""

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask, Request, Response, current_app, g, request
from flask.globals import request_ctx
from flask.sessions import NullSession, SessionInterface
from flask.typing import ResponseReturnValue
from typing_extensions import override
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import BaseConverter, IntegerConverter, MapAdapter, Rule
from werkzeug.wsgi import get_host

from repaircore_http.core import EXTENSION, Probed
from repaircore_http.draining import DRAIN
from repaircore_http.errors import Dialect, dialect_of, refusal_of, unforeseen
from repaircore_http.fast_path.lane import FastLane, raise_failure
from repaircore_http.guards import Auth, Authenticate, identify
from repaircore_http.idempotency import answered
from repaircore_http.json_io import StrictJson, reply
from repaircore_http.observations import CALLER, ROUTE
from repaircore_http.partner_auth import PartnerGate, rate_headers
from repaircore_http.request_ids import HEADER, name_request, request_id
from repaircore_http.routes import MAX_BODY_BYTES, GuardedRule, Routes, require_auth
from repaircore_http.told.probes import NotReady, Ready, Up

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


_log = logging.getLogger("repaircore.http")

_ALWAYS = (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"))
_JSON = ("Content-Type", "application/json")
_NOT_KEPT = ("Cache-Control", "no-store")


class IdConverter(IntegerConverter):
    """A number in a path that a database can look up: up to 18 ASCII digits; else the address is unknown.

    The pattern alone decides: of what it lets pass and conversion then refuses, Werkzeug says that the address is
    known by another method.
    """

    regex = r"[0-9]{1,18}"


class _NamedConverter(BaseConverter):
    """The name of a thing that lies beside a fixed address: ``reset`` is that address in any method.

    No chat and no ride is called like one, so one list does for all.
    """

    regex = r"(?!(?:reset|estimate-price)(?:/|$))[^/]+"


class _NoSessions(SessionInterface):
    """No cookie is ever read or written: callers show their credential with each request."""

    _none = NullSession()

    @override
    def open_session(self, app: Flask, request: Request) -> NullSession:
        return self._none


class Api(Flask):
    """Flask with guards before, and one place for errors after, each view.

    These stand in the methods that Flask runs anyway rather than in hooks: a hook costs a lookup in each request.
    """

    url_rule_class: type[Rule] = GuardedRule
    json_provider_class = StrictJson
    session_interface = _NoSessions()

    def __init__(
        self,
        authenticate: Authenticate,
        dialects: Iterable[tuple[str, Dialect]] = (),
        gate: PartnerGate | None = None,
    ) -> None:
        super().__init__("repaircore_http", static_folder=None)
        self._authenticate = authenticate
        self._gate = gate
        self._dialects = (*dialects, *([(gate.prefix, gate.dialect)] if gate is not None else ()))
        self.fast_lane: FastLane | None = None
        self.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
        self.url_map.merge_slashes = False
        self.url_map.converters["int"] = IdConverter
        self.url_map.converters["named"] = _NamedConverter

    @override
    def wsgi_app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Name the request, and send the headers that every response has."""
        named = (HEADER, name_request(environ))
        if self.fast_lane is not None and self._has_no_hooks():
            body = self.fast_lane.answer(environ, self.config["TRUSTED_HOSTS"])
            if body is not None:
                length = ("Content-Length", str(len(body)))
                start_response("200 OK", [_JSON, length, *_ALWAYS, _NOT_KEPT, named])
                return (body,)

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            kept = any(name == "Cache-Control" for name, _ in headers)
            own = (*_ALWAYS, named) if kept else (*_ALWAYS, _NOT_KEPT, named)
            return start_response(status, [*headers, *rate_headers(environ), *own], exc_info)

        return super().wsgi_app(environ, start)

    def _has_no_hooks(self) -> bool:
        return not (
            self.before_request_funcs
            or self.after_request_funcs
            or self.teardown_request_funcs
            or self.teardown_appcontext_funcs
            or self.url_value_preprocessors
        )

    @override
    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Look addresses up by their path alone: no route asks for a host, so one look at it is enough."""
        if request is None:
            return super().create_url_adapter(request)
        environ = request.environ
        request.host = get_host(environ, self.config["TRUSTED_HOSTS"])  # refuses what cannot be a host
        return MapAdapter(
            self.url_map,
            request.host,
            request.root_path,
            "",
            request.scheme,
            request.path,
            request.method,
            environ.get("QUERY_STRING", ""),
        )

    @override
    def preprocess_request(self) -> ResponseReturnValue | None:
        """Let the caller in, or not, before anything else is looked at."""
        asked = request_ctx.request
        rule, environ = asked.url_rule, asked.environ
        if rule is not None:
            environ[ROUTE] = rule.rule
        if self._gate is not None and self._gate.covers(environ["PATH_INFO"]):
            if not _is_preflight(rule, environ):
                self._let_partner_in(self._gate, rule, asked)
        elif isinstance(rule, GuardedRule) and not _is_answered_by_itself(rule, environ):
            self._let_in(rule, asked)
        return (
            super().preprocess_request()
            if self.before_request_funcs or self.url_value_preprocessors
            else None
        )

    def _let_in(self, rule: GuardedRule, asked: Request) -> None:
        environ = asked.environ
        if "\x00" in environ["PATH_INFO"]:
            raise NotFound
        raise_failure(environ)
        if rule.auth is None:
            msg = f"{rule.rule} was added after the start without a credential."
            raise RuntimeError(msg)
        known = identify(rule.auth, environ.get("HTTP_AUTHORIZATION"), self._authenticate)
        if known is not None:
            g.caller = environ[CALLER] = known
        if rule.max_bytes != MAX_BODY_BYTES:
            asked.max_content_length = rule.max_bytes

    def _let_partner_in(self, gate: PartnerGate, rule: Rule | None, asked: Request) -> None:
        guarded = rule if isinstance(rule, GuardedRule) else None
        known = gate.admit(
            asked.environ, None if guarded is None else guarded.auth, asked.remote_addr or "unknown"
        )
        if "\x00" in asked.environ["PATH_INFO"]:
            raise NotFound
        if known is not None:
            g.partner = asked.environ[CALLER] = known
        if guarded is not None and guarded.max_bytes != MAX_BODY_BYTES:
            asked.max_content_length = guarded.max_bytes

    @override
    def dispatch_request(self) -> ResponseReturnValue:
        """Call the view; one that acts once for each idempotency key by way of ``replay``."""
        asked = request_ctx.request
        rule = asked.url_rule
        if (
            asked.routing_exception is None
            and isinstance(rule, GuardedRule)
            and (rule.idempotent or rule.prepare)
            and not _is_answered_by_itself(rule, asked.environ)
        ):
            view = self.view_functions[rule.endpoint]
            return answered(rule, view, asked.view_args or {}, self.handle_user_exception)  # type: ignore[no-any-return]
        return super().dispatch_request()

    @override
    def handle_user_exception(self, e: Exception) -> ResponseReturnValue:
        """Turn every failure into an answer: the only place that catches everything."""
        if isinstance(e, HTTPException) and (e.response is not None or (e.code or 500) < 400):  # noqa: PLR2004 - a redirect
            return e.get_response()
        name = request_id()
        refusal = refusal_of(e, name)
        if refusal is None:
            _log.error(
                "Request %s failed: %s", name, type(e).__name__, exc_info=e, extra={"request_id": name}
            )
            refusal = unforeseen(name)
        status, body = self._dialect()(refusal)
        return reply(body, status, dict(refusal.headers))

    @override
    def handle_exception(self, e: Exception) -> Response:
        """Answer for a failure outside of views (a hook of someone's)."""
        return self.finalize_request(self.handle_user_exception(e), from_error_handler=True)

    def _dialect(self) -> Dialect:
        rule = request.url_rule
        if isinstance(rule, GuardedRule) and rule.dialect is not None:
            return rule.dialect
        return dialect_of(request.path, self._dialects)


def _is_answered_by_itself(rule: Rule | None, environ: dict[str, Any]) -> bool:
    """Tell an OPTIONS that Flask answers: no view runs."""
    return (
        isinstance(rule, GuardedRule)
        and rule.provide_automatic_options
        and environ["REQUEST_METHOD"] == "OPTIONS"
    )


def _is_preflight(rule: Rule | None, environ: dict[str, Any]) -> bool:
    """Tell such an OPTIONS by which a browser asks ahead, without a credential, whether a page may ask at all."""
    return _is_answered_by_itself(rule, environ) and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ


def create_app(
    served: Probed,
    *,
    authenticate: Authenticate,
    blueprints: Iterable[Routes],
    gate: PartnerGate | None = None,
) -> Api:
    """Make the WSGI application.

    ``authenticate`` is called with the token of each request to a guarded route; ``gate`` stands before the
    partner platform, without which there is none.

    Raises:
        UndeclaredCredential: when a route does not say what it needs.
    """
    listed = (_probes, *blueprints)
    dialects = [(routes.url_prefix, routes.dialect) for routes in listed if routes.url_prefix]
    app = Api(authenticate, dialects, gate)
    app.extensions[EXTENSION] = served
    for routes in listed:
        app.register_blueprint(routes)
    require_auth(app.url_map.iter_rules())
    if gate is not None:
        gate.require(app.url_map.iter_rules())
    app.fast_lane = FastLane(served, authenticate, app.url_map.iter_rules())
    return app


_probes = Routes("probes", auth=Auth.NONE, tag="service")


@_probes.get("/healthz", safe=True, returns=Up)
def healthz() -> Response:
    """Tell that the process is up."""
    return reply({"status": "ok"})


@_probes.get("/readyz", safe=True, returns=Ready, responses={503: NotReady})
def readyz() -> Response:
    """Tell whether requests can be served, and if not, why."""
    if DRAIN.begun:
        return reply({"status": "unavailable", "problems": ["This server is about to end."]}, 503)
    served: Probed = current_app.extensions[EXTENSION]
    problems = served.obstacles()
    if problems:
        return reply({"status": "unavailable", "problems": problems}, 503)
    warnings = served.warnings()
    return reply({"status": "ok", "warnings": warnings} if warnings else {"status": "ok"})
