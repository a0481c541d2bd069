"""Accounts: register, log in, log out, and who am I."""

from attrs import frozen
from flask import Response, request

from repaircore.accounts.service import SignedIn
from repaircore.kernel.errors import TooMany, Unauthenticated, Unavailable
from repaircore_http.core import core
from repaircore_http.envelopes import StatusMessage
from repaircore_http.guards import Auth, caller, presented_token
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes
from repaircore_http.told.accounts import Account, SessionBegun

auth = Routes("auth", url_prefix="/api/v1/auth", auth=None, tag="accounts")
user = Routes("user", url_prefix="/api/user", auth=Auth.SESSION, tag="accounts")


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


@auth.post(
    "/register",
    auth=Auth.NONE,
    accepts=Registration,
    returns=SessionBegun,
    status=201,
    raises=(TooMany, Unavailable),
)
def register() -> Response:
    """Create an account and sign in."""
    asked = read_body(Registration, validate=core().accounts.validate)
    signed_in = core().accounts.register(
        name=asked.name,
        email=asked.email,
        password=asked.password,
        address=request.remote_addr or "unknown",
    )
    return reply(_signed_in("Registration successful.", signed_in), 201)


@auth.post(
    "/login",
    auth=Auth.NONE,
    accepts=Login,
    returns=SessionBegun,
    raises=(Unauthenticated, TooMany, Unavailable),
)
def login() -> Response:
    """Sign in."""
    asked = read_body(Login)
    signed_in = core().accounts.login(
        email=asked.email, password=asked.password, address=request.remote_addr or "unknown"
    )
    return reply(_signed_in("Login successful.", signed_in))


@auth.post("/user/logout", auth=Auth.SESSION, returns=StatusMessage)
def logout() -> Response:
    """Revoke the management token that was presented."""
    core().accounts.logout(presented_token())
    return reply({"status": "success", "message": "Logged out."})


@user.get("", safe=True, returns=Account)
def show() -> Response:
    """Tell who the caller is."""
    account = core().accounts.user(caller())
    return reply(
        {
            "id": account.id,
            "name": account.name,
            "email": account.email,
            "role": account.role,
            "created_at": account.created_at,
        }
    )


def _signed_in(message: str, signed_in: SignedIn) -> dict[str, object]:
    account = {"id": signed_in.user.id, "name": signed_in.user.name}
    return {
        "status": "success",
        "message": message,
        "data": {"user": account, "session_token": signed_in.session_token},
    }
