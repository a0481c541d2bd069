"""The application: routes, guards, limits and one place for errors."""

import logging
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flask import Flask, Request, Response, g, request
from flask.globals import request_ctx
from flask.sessions import NullSession, SessionInterface
from flask.typing import ResponseReturnValue
from typing_extensions import override
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import BaseConverter, IntegerConverter, MapAdapter, Rule

from repaircore.kernel.blocking import before_blocking
from repaircore.kernel.errors import Unauthenticated
from repaircore_http.core import EXTENSION, Probed
from repaircore_http.errors import Dialect, dialect_of, internal_error, to_error_reply
from repaircore_http.fast_path.lane import Admission, FastLane, has_hooks, raise_error
from repaircore_http.fast_path.url_adapter import path_adapter
from repaircore_http.guards import Auth, Authenticate, AuthenticateProvider, bearer_token, identify
from repaircore_http.idempotency import run_idempotently
from repaircore_http.json_io import StrictJson, reply
from repaircore_http.observations import CALLER, ROUTE
from repaircore_http.odd_ids import OddIds
from repaircore_http.partner_auth import PartnerAuth, rate_limit_headers
from repaircore_http.probes import probes
from repaircore_http.request_ids import HEADER, assign_request_id, request_id
from repaircore_http.routes import MAX_BODY_BYTES, GuardedRule, Routes, require_auth

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


_log = logging.getLogger("repaircore.http")

_ALWAYS = (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"))
_JSON = ("Content-Type", "application/json")
_NO_STORE = ("Cache-Control", "no-store")


class IdConverter(IntegerConverter):
    """An integer id in a path: up to 18 ASCII digits, which fit into a database column. Anything else is a 404.

    The pattern alone must decide: if a value matched it but could not be converted, Werkzeug would return a 405.
    """

    regex = r"[0-9]{1,18}"


class _NamedConverter(BaseConverter):
    """The reference of a chat or a ride, never a fixed path segment such as ``reset``, whatever the method."""

    regex = r"(?!(?:reset|estimate-price)(?:/|$))[^/]+"


class _NoSessions(SessionInterface):
    """No cookie is read or written: callers present their credential with each request."""

    _none = NullSession()

    @override
    def open_session(self, app: Flask, request: Request) -> NullSession:
        return self._none


class Api(Flask):
    """Flask with authentication before each view, and one place for errors after it.

    It overrides methods that Flask calls anyway, since hooks would cost a lookup in each request.
    """

    url_rule_class: type[Rule] = GuardedRule
    json_provider_class = StrictJson
    session_interface = _NoSessions()

    def __init__(
        self,
        authenticate: Authenticate,
        dialects: Iterable[tuple[str, Dialect]] = (),
        partner_auth: PartnerAuth | None = None,
        authenticate_provider: AuthenticateProvider | None = None,
    ) -> None:
        super().__init__("repaircore_http", static_folder=None)
        self._authenticate_provider = authenticate_provider
        self._authenticate = authenticate
        self._partner_auth = partner_auth
        of_partners = [(partner_auth.prefix, partner_auth.dialect)] if partner_auth is not None else []
        self._dialects = (*dialects, *of_partners)
        self.fast_lane: FastLane | None = None
        self.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
        self.url_map.merge_slashes = False
        self.url_map.converters["int"] = IdConverter
        self.url_map.converters["named"] = _NamedConverter

    @override
    def wsgi_app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Assign an id to the request, and add the headers that every response has."""
        id_header = (HEADER, assign_request_id(environ))
        if self.fast_lane is not None and not has_hooks(self):
            body = self.fast_lane.answer(environ, self.config["TRUSTED_HOSTS"])
            if body is not None:
                length = ("Content-Length", str(len(body)))
                window = rate_limit_headers(environ)
                start_response("200 OK", [_JSON, length, *window, *_ALWAYS, _NO_STORE, id_header])
                return (body,)
        before_blocking()

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            has_own = any(name == "Cache-Control" for name, _ in headers)
            common = (*_ALWAYS, id_header) if has_own else (*_ALWAYS, _NO_STORE, id_header)
            return start_response(status, [*headers, *rate_limit_headers(environ), *common], exc_info)

        return super().wsgi_app(environ, start)

    @property
    def inline_paths(self) -> tuple[str, ...]:
        """The paths of the POST requests that a server's main loop may try to answer, with blocking forbidden."""
        return () if self.fast_lane is None or has_hooks(self) else self.fast_lane.inline_paths

    @override
    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        return super().create_url_adapter(request) if request is None else path_adapter(self, request)

    @override
    def preprocess_request(self) -> ResponseReturnValue | None:
        """Authenticate the caller before anything else is checked."""
        current = request_ctx.request
        rule, environ = current.url_rule, current.environ
        if rule is not None:
            environ[ROUTE] = rule.rule
        if self._partner_auth is not None and self._partner_auth.covers(environ["PATH_INFO"]):
            if not _is_preflight(rule, environ):
                self._admit_partner(self._partner_auth, rule, current)
        elif isinstance(rule, GuardedRule) and not _is_automatic_options(rule, environ):
            self._admit(rule, current)
        elif isinstance(request_ctx.request.routing_exception, NotFound):
            self._admit_odd(current)
        if self.before_request_funcs or self.url_value_preprocessors:
            return super().preprocess_request()
        return None

    def _admit(self, rule: GuardedRule, request: Request) -> None:
        environ = request.environ
        raise_error(environ)
        if rule.auth is None:
            msg = f"{rule.rule} was added after startup without a credential."
            raise RuntimeError(msg)
        if rule.auth is Auth.PROVIDER:
            self._admit_provider(request)
        else:
            caller = identify(rule.auth, environ.get("HTTP_AUTHORIZATION"), self._authenticate)
            if caller is not None:
                g.caller = environ[CALLER] = caller
        if "\x00" in environ["PATH_INFO"]:
            raise NotFound
        if rule.max_bytes != MAX_BODY_BYTES:
            request.max_content_length = rule.max_bytes

    def _admit_provider(self, request: Request) -> None:
        header = request.environ.get("HTTP_AUTHORIZATION")
        if not header or self._authenticate_provider is None:
            raise Unauthenticated
        provider = self._authenticate_provider(bearer_token(header), request.remote_addr or "unknown")
        g.provider = request.environ[CALLER] = provider

    def _admit_odd(self, request: Request) -> None:
        """Check the credential before a malformed id results in a 404."""
        auth = self._odd_ids.auth(request.path, request.method)
        if auth is not None:
            identify(auth, request.environ.get("HTTP_AUTHORIZATION"), self._authenticate)

    @cached_property
    def _odd_ids(self) -> OddIds:
        return OddIds(self.url_map.iter_rules())

    def _admit_partner(self, partner_auth: PartnerAuth, rule: Rule | None, request: Request) -> None:
        raise_error(request.environ)  # the fast lane has counted the request
        guarded = rule if isinstance(rule, GuardedRule) else None
        partner = partner_auth.admit(
            request.environ, None if guarded is None else guarded.auth, request.remote_addr or "unknown"
        )
        if "\x00" in request.environ["PATH_INFO"]:
            raise NotFound
        if partner is not None:
            g.partner = request.environ[CALLER] = partner
        if guarded is not None and guarded.max_bytes != MAX_BODY_BYTES:
            request.max_content_length = guarded.max_bytes

    @override
    def dispatch_request(self) -> ResponseReturnValue:
        """Call the view, through ``idempotency`` where idempotency keys apply."""
        current = request_ctx.request
        rule = current.url_rule
        if (
            current.routing_exception is None
            and isinstance(rule, GuardedRule)
            and (rule.idempotent or rule.prepare)
            and not _is_automatic_options(rule, current.environ)
        ):
            view = self.view_functions[rule.endpoint]
            return run_idempotently(rule, view, current.view_args or {}, self.handle_user_exception)  # type: ignore[no-any-return]
        return super().dispatch_request()

    @override
    def handle_user_exception(self, e: Exception) -> ResponseReturnValue:
        """Return the response for an exception; this is the only place that catches everything."""
        if isinstance(e, HTTPException) and (e.response is not None or (e.code or 500) < 400):  # noqa: PLR2004 - a redirect
            return e.get_response()
        current_id = request_id()
        error = to_error_reply(e, current_id)
        if error is None:
            _log.error(
                "Request %s failed: %s",
                current_id,
                type(e).__name__,
                exc_info=e,
                extra={"request_id": current_id},
            )
            error = internal_error(current_id)
        status, body = self._dialect()(error)
        return reply(body, status, dict(error.headers))

    @override
    def handle_exception(self, e: Exception) -> Response:
        """Return the response for an exception that was raised outside of views, such as in a hook."""
        return self.finalize_request(self.handle_user_exception(e), from_error_handler=True)

    def _dialect(self) -> Dialect:
        rule = request.url_rule
        if isinstance(rule, GuardedRule) and rule.dialect is not None:
            return rule.dialect
        return dialect_of(request.path, self._dialects)


def _is_automatic_options(rule: Rule | None, environ: dict[str, Any]) -> bool:
    """Return whether this is an OPTIONS request that Flask handles without a view."""
    return (
        isinstance(rule, GuardedRule)
        and rule.provide_automatic_options
        and environ["REQUEST_METHOD"] == "OPTIONS"
    )


def _is_preflight(rule: Rule | None, environ: dict[str, Any]) -> bool:
    """Return whether this is a browser's preflight request, which has no credential."""
    return _is_automatic_options(rule, environ) and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ


def create_app(
    served: Probed,
    *,
    authenticate: Authenticate,
    blueprints: Iterable[Routes],
    partner_auth: PartnerAuth | None = None,
    authenticate_provider: AuthenticateProvider | None = None,
    has_fast_lane: bool = True,
    admission: Admission | None = None,
) -> Api:
    """Return the WSGI application.

    ``authenticate`` is called with the token of each request to a guarded route. Without ``partner_auth`` there is no
    partner platform, and without ``authenticate_provider`` no provider is admitted. Without ``has_fast_lane``, Flask
    handles every request; without ``admission``, none is answered in a server's main loop.

    Raises:
        UndeclaredAuth: a route does not declare its credential.
    """
    all_routes = (probes, *blueprints)
    dialects = [(routes.area, routes.dialect) for routes in all_routes if routes.area]
    app = Api(authenticate, dialects, partner_auth, authenticate_provider)
    app.extensions[EXTENSION] = served
    for routes in all_routes:
        app.register_blueprint(routes)
    require_auth(app.url_map.iter_rules())
    if partner_auth is not None:
        partner_auth.require_prefix(app.url_map.iter_rules())
    if has_fast_lane:
        app.fast_lane = FastLane(served, authenticate, app.url_map.iter_rules(), partner_auth, admission)
    return app
