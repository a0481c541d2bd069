"""Accounts: register, log in, log out, sessions, and the caller's account."""

from typing import Literal

from attrs import frozen
from flask import Response

from repaircore.accounts.rules import Registration
from repaircore.accounts.views import AccountView, OpenSessionView, SessionView
from repaircore.kernel.errors import TooMany, Unauthenticated, Unavailable
from repaircore.kernel.keys import digest
from repaircore.kernel.views import view
from repaircore_http.clients import client_address, user_agent
from repaircore_http.core import core
from repaircore_http.envelopes import StatusMessage
from repaircore_http.guards import Auth, caller, presented_token
from repaircore_http.json_io import read_body, reply
from repaircore_http.listing import WholeList, reply_whole
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


@view
class SessionsView:
    """The caller's sessions."""

    status: Literal["success"] = "success"
    data: list[OpenSessionView]


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
        name=body.name,
        email=body.email,
        password=body.password,
        address=client_address(),
        user_agent=user_agent(),
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
        email=body.email, password=body.password, address=client_address(), user_agent=user_agent()
    )
    return reply(SessionStartedView(message="Login successful.", data=SessionView.of(session)))


@auth.post("/user/logout", auth=Auth.SESSION, returns=StatusMessage)
def logout() -> Response:
    """Revoke the management token that was presented."""
    core().accounts.logout(presented_token())
    return reply(StatusMessage(message="Logged out."))


@auth.get("/sessions", auth=Auth.SESSION, safe=True, query=WholeList, returns=SessionsView)
def sessions() -> Response:
    """List the caller's sessions that have not expired, most recently used first; at most 100."""
    current = digest(presented_token())
    open_ones = core().accounts.list_sessions(caller())
    found = [OpenSessionView.of(session, current=current) for session in open_ones]
    return reply_whole(found, OpenSessionView, lambda data: SessionsView(data=data), name="sessions")


@auth.delete("/sessions/<session_id>", auth=Auth.SESSION, returns=StatusMessage)
def end_session(session_id: str) -> Response:
    """End one of the caller's sessions; its token stops working at once."""
    core().accounts.end_session(session_id, caller())
    return reply(StatusMessage(message="Session ended."))


@user.get("", safe=True, returns=AccountView)
def show() -> Response:
    """Return the caller's account."""
    return reply(AccountView.of(core().accounts.get_user(caller())))
