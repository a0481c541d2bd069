"""Register, log in, log out, and choose the environment to work in."""

import re
from typing import Final

from attrs import frozen
from flask import Response, g, request
from flask.typing import ResponseReturnValue

from repaircore.accounts.model import NewSession
from repaircore.accounts.rules import Registration
from repaircore.kernel.callers import Environment
from repaircore_http.clients import client_address, user_agent
from repaircore_http.console.forms import filled, form
from repaircore_http.console.pages import Pages, go, show, to
from repaircore_http.console.visitors import (
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
"""Matches an address within the console: no host, no ``..``, and no character that browsers take for a slash."""


@frozen(kw_only=True)
class Login:
    """The credentials of a user."""

    email: str
    password: str


@front.get("/login")
def login() -> ResponseReturnValue:
    """Show the login form."""
    return show("login.html", next=_next())


@front.post("/login", again=login)
def log_in() -> Response:
    """Log in, and redirect to the page that the visitor wanted to see."""
    fields = filled(Login)
    session = core().accounts.login(
        email=fields.email, password=fields.password, address=client_address(), user_agent=user_agent()
    )
    return logged_in(to(_next() or PREFIX), session)


@front.get("/register")
def registration() -> ResponseReturnValue:
    """Show the registration form."""
    return show("register.html", next=_next())


@front.post("/register", again=registration)
def register() -> Response:
    """Create an account, log in, and redirect to the page that the visitor wanted to see."""
    fields = filled(Registration)
    session = core().accounts.register(
        name=fields.name,
        email=fields.email,
        password=fields.password,
        address=client_address(),
        user_agent=user_agent(),
    )
    next_page = _next()
    answer = to(next_page) if next_page else go("estimates.index", done="registered")
    return logged_in(answer, session)


@account.post("/logout")
def log_out() -> Response:
    """End the session, and redirect to the login page."""
    core().accounts.logout(session_token() or "")
    return end_session(go("accounts.login", done="logged-out"))


@account.post("/environment")
def choose_environment() -> Response:
    """Switch to the test or live environment."""
    chosen = Environment.TEST if form().text("environment") == Environment.TEST else Environment.LIVE
    return keep_environment(to(_next() or PREFIX), chosen)


def logged_in(answer: Response, session: NewSession) -> Response:
    """Log the browser in, and end its earlier session, whose token the new cookie replaces."""
    earlier = session_token()
    if earlier is not None:
        core().accounts.logout(earlier)
    return keep_session(answer, session.session_token)


def _next() -> str:
    """Return the page that the visitor requested, or "" if there is none.

    Anybody may have made the link, so an address outside the console is ignored.
    """
    page = g.form.text("next") if "form" in g else request.args.get("next", "")
    return page if _OWN_PAGE.fullmatch(page) else ""
