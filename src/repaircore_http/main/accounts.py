"""Accounts: register, log in, log out, and the caller's account."""

from attrs import frozen
from flask import Response, request

from repaircore.accounts.rules import Registration
from repaircore.accounts.views import AccountView, SessionView
from repaircore.kernel.errors import TooMany, Unauthenticated, Unavailable
from repaircore.kernel.views import view
from repaircore_http.core import core
from repaircore_http.envelopes import StatusMessage
from repaircore_http.guards import Auth, caller, presented_token
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

auth = Routes("auth", url_prefix="/api/v1/auth", auth=None, tag="accounts")
user = Routes("user", url_prefix="/api/user", auth=Auth.SESSION, tag="accounts")


@frozen(kw_only=True)
class Login:
    """The credentials of a user."""

    email: str
    password: str


@view
class SessionStartedView(StatusMessage):
    """A new session."""

    data: SessionView


@auth.post(
    "/register",
    auth=Auth.NONE,
    accepts=Registration,
    returns=SessionStartedView,
    status=201,
    raises=(TooMany, Unavailable),
)
def register() -> Response:
    """Create an account and sign in."""
    body = read_body(Registration)
    session = core().accounts.register(
        name=body.name, email=body.email, password=body.password, address=request.remote_addr or "unknown"
    )
    return reply(SessionStartedView(message="Registration successful.", data=SessionView.of(session)), 201)


@auth.post(
    "/login",
    auth=Auth.NONE,
    accepts=Login,
    returns=SessionStartedView,
    raises=(Unauthenticated, TooMany, Unavailable),
)
def login() -> Response:
    """Sign in."""
    body = read_body(Login)
    session = core().accounts.login(
        email=body.email, password=body.password, address=request.remote_addr or "unknown"
    )
    return reply(SessionStartedView(message="Login successful.", data=SessionView.of(session)))


@auth.post("/user/logout", auth=Auth.SESSION, returns=StatusMessage)
def logout() -> Response:
    """Revoke the management token that was presented."""
    core().accounts.logout(presented_token())
    return reply(StatusMessage(message="Logged out."))


@user.get("", safe=True, returns=AccountView)
def show() -> Response:
    """Return the caller's account."""
    return reply(AccountView.of(core().accounts.get_user(caller())))
