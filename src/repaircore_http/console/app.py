"""The application that serves the pages: guards before, one place for errors after, headers on everything.

It stands beside the API's: neither knows the other's routes, cookies mean nothing there, and no bearer token means
anything here.
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
from repaircore_http.console.pages import PageRule, heading, show, to
from repaircore_http.console.visits import (
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
    # "no-referrer" would have browsers hide from us, too, that our own page sent a form.
    ("Referrer-Policy", "same-origin"),
)
_NOT_KEPT: Final = ("Cache-Control", "no-store")
_SHOWN_AGAIN: Final = frozenset({401, 403, 404, 409, 422, 429})
"""Refusals that the visitor can do something about in the form that they filled in."""


class _NoSessions(SessionInterface):
    """Flask keeps nothing: whoever is logged in has a management session, like everywhere else."""

    _none = NullSession()

    @override
    def open_session(self, app: Flask, request: Any) -> NullSession:
        return self._none


class Console(Flask):
    """Flask, with pages that say what they need."""

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
        """Stop the start when a page does not say what it needs.

        Raises:
            UndeclaredCredential: naming each such route, or one that needs what no page can: a key.
        """
        rules: Iterable[Rule] = [*self.url_map.iter_rules()]
        require_auth(rules)
        for rule in rules:
            if not isinstance(rule, PageRule) or rule.auth not in _NEEDS:
                raise UndeclaredAuth(f"{rule.rule} needs what no visitor can have.")

    @override
    def wsgi_app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Name the request, and send the headers that every answer has."""
        named = (HEADER, assign_request_id(environ))

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            kept = any(name == "Cache-Control" for name, _ in headers)
            own = (*_ALWAYS, named) if kept else (*_ALWAYS, named, _NOT_KEPT)
            return start_response(status, [*headers, *own], exc_info)

        return super().wsgi_app(environ, start)

    @override
    def preprocess_request(self) -> ResponseReturnValue | None:
        """Let the visitor in, or not, before anything that they sent is looked at."""
        g.public_url = self._public_url
        asked = request_ctx.request
        if asked.url_rule is not None:
            asked.environ[ROUTE] = asked.environ["SCRIPT_NAME"] + asked.url_rule.rule
        if "\x00" in asked.path:
            raise NotFound
        if asked.method not in {"GET", "HEAD"}:
            require_own_origin(self._public_url)
        if isinstance(asked.url_rule, PageRule):
            self._let_in(asked.url_rule)
        elif asked.url_rule is None:
            self._recognize()
        return super().preprocess_request()

    def _let_in(self, rule: PageRule) -> None:
        if rule.auth is None:
            raise RuntimeError(f"{rule.rule} was added after the start without a credential.")
        if rule.auth is Auth.NONE:
            return
        require_access(rule.auth, self._visitor())

    def _visitor(self) -> Caller:
        token = session_token()
        if token is None:
            raise Unauthenticated
        known = self._authenticate(token)
        require_access(Auth.SESSION, known)  # a key is for programs, whoever put it into a cookie
        g.caller = request.environ[CALLER] = evolve(known, environment=chosen_environment())
        return known

    def _recognize(self) -> None:
        """Know who asks for a page that does not exist, if that can be: the page that says so has their menu."""
        with suppress(Failure):
            self._visitor()

    @override
    def dispatch_request(self) -> ResponseReturnValue:
        """Answer; of a form only when it shows the token that this visitor's forms have."""
        asked = request_ctx.request
        rule = asked.url_rule
        if asked.routing_exception is not None or not isinstance(rule, PageRule) or asked.method != "POST":
            return super().dispatch_request()
        with sent(rule.upload) as form:
            require_token(form.text(TOKEN))
            g.form = form
            return super().dispatch_request()

    @override
    def process_response(self, response: Response) -> Response:
        """Have the browser keep what its forms are bound to."""
        return super().process_response(keep_visit(response))

    @override
    def handle_user_exception(self, e: Exception) -> ResponseReturnValue:
        """Turn every failure into a page: the only place that catches everything."""
        if isinstance(e, HTTPException) and (e.response is not None or (e.code or 500) < 400):  # noqa: PLR2004 - a redirect
            return e.get_response()
        if isinstance(e, Unauthenticated) and "form" not in g:
            return _to_login()
        refused = to_error_reply(e, request_id()) or _unforeseen(e)
        for tell in (_form_again, _error_page):
            try:
                answer = tell(refused)
            except Exception as worse:  # noqa: BLE001 - the page that was to tell of it failed as well
                refused = to_error_reply(worse, request_id()) or refused
            else:
                if answer is not None:
                    return answer
        return make_response(
            render_template("plain.html", refused=refused, heading=heading(refused.status)), refused.status
        )

    @override
    def handle_exception(self, e: Exception) -> Response:
        """Answer for a failure outside of pages."""
        return self.finalize_request(self.handle_user_exception(e), from_error_handler=True)


_NEEDS: Final = frozenset({Auth.NONE, Auth.SESSION, Auth.ADMIN})


def _form_again(refused: ErrorReply) -> Response | None:
    """Show the form that was sent with what is wrong with it; None where the visitor could not mend it there."""
    rule = request.url_rule
    if not isinstance(rule, PageRule) or rule.again is None or refused.status not in _SHOWN_AGAIN:
        return None
    if "form" not in g and refused.fields is None:
        return None
    g.refusal = refused
    answer = make_response(rule.again(**(request.view_args or {})))
    answer.status_code = refused.status
    return _with_headers(answer, refused)


def _error_page(refused: ErrorReply) -> Response:
    return _with_headers(
        make_response(show("error.html", refused=refused, heading=heading(refused.status)), refused.status),
        refused,
    )


def _with_headers(answer: Response, refused: ErrorReply) -> Response:
    """Add the headers of a refusal that mean something to a browser."""
    answer.headers.update(
        {name: value for name, value in refused.headers if name in {"Retry-After", "Allow"}}
    )
    return answer


def _to_login() -> Response:
    """Send somebody who is not logged in (any more) to where they can, and back to the page that they wanted."""
    wanted = request.full_path.removesuffix("?") if request.method == "GET" else ""
    login = url_for("accounts.login", next=wanted if wanted.startswith(f"{PREFIX}/") else None)
    answer = to(login)
    return end_session(answer) if session_token() is not None else answer


def _unforeseen(e: Exception) -> ErrorReply:
    name = request_id()
    _log.error("Request %s failed: %s", name, type(e).__name__, exc_info=e, extra={"request_id": name})
    return ErrorReply(status=500, message="Something went wrong on our side.", request_id=name)
