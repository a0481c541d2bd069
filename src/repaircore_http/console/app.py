"""The application that serves the pages: authentication before each view, one place for errors after it.

It is separate from the API: neither has the other's routes, the API ignores cookies, and the console ignores bearer
tokens.
"""

import logging
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve
from flask import Flask, Response, g, make_response, render_template, request, url_for
from flask.globals import request_ctx
from flask.sessions import NullSession, SessionInterface
from flask.typing import ResponseReturnValue
from jinja2 import StrictUndefined
from typing_extensions import override
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import Rule

from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import Failure, Unauthenticated
from repaircore_http.app import IdConverter
from repaircore_http.console.forms import sent
from repaircore_http.console.pages import ERROR_TEMPLATE, PageRule, heading, show, to
from repaircore_http.console.visitors import (
    PREFIX,
    TOKEN,
    chosen_environment,
    end_session,
    keep_visit,
    require_own_origin,
    require_token,
    session_token,
)
from repaircore_http.errors import ErrorReply, to_error_reply
from repaircore_http.guards import Auth, Authenticate, require_access
from repaircore_http.observations import CALLER, ROUTE
from repaircore_http.request_ids import HEADER, assign_request_id, request_id
from repaircore_http.routes import UndeclaredAuth, require_auth

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


_log = logging.getLogger("repaircore.http")

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_ALWAYS: Final = (
    ("Content-Security-Policy", _POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    # With "no-referrer" browsers would send "Origin: null" with our own forms.
    ("Referrer-Policy", "same-origin"),
)
_NO_STORE: Final = ("Cache-Control", "no-store")
_SHOWN_AGAIN: Final = frozenset({401, 403, 404, 409, 422, 429})
"""The statuses of errors for which the form is shown again, as the visitor filled it in."""


class _NoSessions(SessionInterface):
    """Flask stores nothing: visitors have a management session."""

    _none = NullSession()

    @override
    def open_session(self, app: Flask, request: Any) -> NullSession:
        return self._none


class Console(Flask):
    """Flask with pages that declare their credential."""

    url_rule_class: type[Rule] = PageRule
    session_interface = _NoSessions()

    def __init__(self, authenticate: Authenticate, *, public_url: str) -> None:
        super().__init__("repaircore_http.console", static_folder=None, template_folder="templates")
        self._authenticate = authenticate
        self._public_url = public_url
        self.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
        self.url_map.merge_slashes = False
        self.url_map.converters["int"] = IdConverter
        self.jinja_env.undefined = StrictUndefined
        self.jinja_env.trim_blocks = self.jinja_env.lstrip_blocks = True

    def require_credentials(self) -> None:
        """Check that each page declares a credential that a visitor can have.

        Raises:
            UndeclaredAuth: some routes declare no credential (the message lists them), or a page needs a key.
        """
        rules: Iterable[Rule] = [*self.url_map.iter_rules()]
        require_auth(rules)
        for rule in rules:
            if not isinstance(rule, PageRule) or rule.auth not in _NEEDS:
                raise UndeclaredAuth(f"{rule.rule} requires a credential that no visitor can have.")

    @override
    def wsgi_app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Assign an id to the request, and add the headers that every response has."""
        id_header = (HEADER, assign_request_id(environ))

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            has_own = any(name == "Cache-Control" for name, _ in headers)
            common = (*_ALWAYS, id_header) if has_own else (*_ALWAYS, id_header, _NO_STORE)
            return start_response(status, [*headers, *common], exc_info)

        return super().wsgi_app(environ, start)

    @override
    def preprocess_request(self) -> ResponseReturnValue | None:
        """Authenticate the visitor before anything else that they sent is read."""
        g.public_url = self._public_url
        current = request_ctx.request
        if current.url_rule is not None:
            current.environ[ROUTE] = current.environ["SCRIPT_NAME"] + current.url_rule.rule
        if "\x00" in current.path:
            raise NotFound
        if current.method not in {"GET", "HEAD"}:
            require_own_origin(self._public_url)
        if isinstance(current.url_rule, PageRule):
            self._admit(current.url_rule)
        elif current.url_rule is None:
            self._identify()
        return super().preprocess_request()

    def _admit(self, rule: PageRule) -> None:
        if rule.auth is None:
            raise RuntimeError(f"{rule.rule} was added after startup without a credential.")
        if rule.auth is Auth.OPTIONAL:
            self._identify()
        elif rule.auth is not Auth.NONE:
            require_access(rule.auth, self._visitor())

    def _visitor(self) -> Caller:
        token = session_token()
        if token is None:
            raise Unauthenticated
        visitor = self._authenticate(token)
        require_access(Auth.SESSION, visitor)  # keys are for programs, and are not accepted in a cookie
        g.caller = request.environ[CALLER] = evolve(visitor, environment=chosen_environment())
        return visitor

    def _identify(self) -> None:
        """Identify the visitor of a public page or an unknown address, if possible, to show their menu."""
        with suppress(Failure):
            self._visitor()

    @override
    def dispatch_request(self) -> ResponseReturnValue:
        """Call the view; a posted form must have the visitor's form token."""
        current = request_ctx.request
        rule = current.url_rule
        if (
            current.routing_exception is not None
            or not isinstance(rule, PageRule)
            or current.method != "POST"
        ):
            return super().dispatch_request()
        with sent(rule.upload, form_bytes=rule.form_bytes, form_fields=rule.form_fields) as form:
            require_token(form.text(TOKEN))
            g.form = form
            return super().dispatch_request()

    @override
    def process_response(self, response: Response) -> Response:
        """Set the cookie that forms are bound to."""
        return super().process_response(keep_visit(response))

    @override
    def handle_user_exception(self, e: Exception) -> ResponseReturnValue:
        """Return the page for an exception; this is the only place that catches everything."""
        if isinstance(e, HTTPException) and (e.response is not None or (e.code or 500) < 400):  # noqa: PLR2004 - a redirect
            return e.get_response()
        if isinstance(e, Unauthenticated) and "form" not in g:
            return _to_login()
        error = to_error_reply(e, request_id()) or _log_unexpected(e)
        for render in (_form_again, _error_page):
            try:
                answer = render(error)
            except Exception as another:  # noqa: BLE001 - rendering the error page failed, too
                error = to_error_reply(another, request_id()) or error
            else:
                if answer is not None:
                    return answer
        return make_response(
            render_template("plain.html", error=error, heading=heading(error.status)), error.status
        )

    @override
    def handle_exception(self, e: Exception) -> Response:
        """Return the page for an exception that was raised outside of views."""
        return self.finalize_request(self.handle_user_exception(e), from_error_handler=True)


_NEEDS: Final = frozenset({Auth.NONE, Auth.OPTIONAL, Auth.SESSION, Auth.ADMIN})


def _form_again(error: ErrorReply) -> Response | None:
    """Return the page of the form with its errors, or None if the visitor cannot fix them there."""
    rule = request.url_rule
    if not isinstance(rule, PageRule) or rule.again is None or error.status not in _SHOWN_AGAIN:
        return None
    if "form" not in g and error.fields is None:
        return None
    g.error_reply = error
    answer = make_response(rule.again(**(request.view_args or {})))
    answer.status_code = error.status
    return _with_headers(answer, error)


def _error_page(error: ErrorReply) -> Response:
    rule = request.url_rule
    template = rule.error_template if isinstance(rule, PageRule) else ERROR_TEMPLATE
    return _with_headers(
        make_response(show(template, error=error, heading=heading(error.status)), error.status),
        error,
    )


def _with_headers(answer: Response, error: ErrorReply) -> Response:
    """Add the headers of an error reply that matter to a browser."""
    answer.headers.update({name: value for name, value in error.headers if name in {"Retry-After", "Allow"}})
    return answer


def _to_login() -> Response:
    """Redirect to the login page, which leads back to the page that the visitor requested."""
    requested = request.full_path.removesuffix("?") if request.method == "GET" else ""
    login = url_for("accounts.login", next=requested if requested.startswith(f"{PREFIX}/") else None)
    answer = to(login)
    return end_session(answer) if session_token() is not None else answer


def _log_unexpected(e: Exception) -> ErrorReply:
    name = request_id()
    _log.error("Request %s failed: %s", name, type(e).__name__, exc_info=e, extra={"request_id": name})
    return ErrorReply(
        status=500, message="Something went wrong on our end. Please try again.", request_id=name
    )
