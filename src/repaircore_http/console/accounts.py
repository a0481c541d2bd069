"""Coming in and going out: register, log in, log out, and which environment to work in."""

import re
from typing import Final

from attrs import frozen
from flask import Response, g, request
from flask.typing import ResponseReturnValue

from repaircore.accounts.service import SignedIn
from repaircore.kernel.callers import Environment
from repaircore_http.console.forms import filled, form
from repaircore_http.console.pages import Pages, go, show, to
from repaircore_http.console.visits import (
    PREFIX,
    end_session,
    keep_environment,
    keep_session,
    session_token,
)
from repaircore_http.core import core
from repaircore_http.guards import Auth

front = Pages("accounts", auth=Auth.NONE)
account = Pages("account", auth=Auth.SESSION)

_OWN_PAGE: Final = re.compile(rf"{PREFIX}(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*(\?[A-Za-z0-9._~%&=+-]*)?")
"""An address of the console, and of nowhere else: no host, no dots that climb, nothing that browsers read as a slash."""


@frozen(kw_only=True)
class Registration:
    """Who wants an account."""

    name: str
    email: str
    password: str


@frozen(kw_only=True)
class Login:
    """Who wants in."""

    email: str
    password: str


@front.get("/login")
def login() -> ResponseReturnValue:
    """Show the form to log in."""
    return show("login.html", next=_next())


@front.post("/login", again=login)
def log_in() -> Response:
    """Sign in, and go where the visitor wanted to."""
    asked = filled(Login)
    signed_in = core().accounts.login(
        email=asked.email, password=asked.password, address=request.remote_addr or "unknown"
    )
    return _logged_in(to(_next() or PREFIX), signed_in)


@front.get("/register")
def registration() -> ResponseReturnValue:
    """Show the form to register."""
    return show("register.html", next=_next())


@front.post("/register", again=registration)
def register() -> Response:
    """Create an account, sign in, and go where the visitor wanted to."""
    asked = filled(Registration, validate=core().accounts.validate)
    signed_in = core().accounts.register(
        name=asked.name,
        email=asked.email,
        password=asked.password,
        address=request.remote_addr or "unknown",
    )
    wanted = _next()
    answer = to(wanted) if wanted else go("estimates.index", done="registered")
    return _logged_in(answer, signed_in)


@account.post("/logout")
def log_out() -> Response:
    """Revoke the session."""
    core().accounts.logout(session_token() or "")
    return end_session(go("accounts.login", done="logged-out"))


@account.post("/environment")
def choose_environment() -> Response:
    """Work in test or live from now on."""
    chosen = Environment.TEST if form().text("environment") == Environment.TEST else Environment.LIVE
    return keep_environment(to(_next() or PREFIX), chosen)


def _logged_in(answer: Response, signed_in: SignedIn) -> Response:
    """Log the browser in. What it was logged in with before ends, as nobody has that token any more."""
    earlier = session_token()
    if earlier is not None:
        core().accounts.logout(earlier)
    return keep_session(answer, signed_in.session_token)


def _next() -> str:
    """Give the page of the console that the visitor wanted, "" for none; whoever made the address."""
    told = g.form.text("next") if "form" in g else request.args.get("next", "")
    return told if _OWN_PAGE.fullmatch(told) else ""
