"""Passwords: users change them, or reset them through a link that is sent by e-mail."""

from flask import Response

from repaircore.kernel.errors import NotFound, TooMany, Unavailable
from repaircore.passwords.rules import ChangePassword, ForgotPassword, ResetPassword
from repaircore_http.clients import client_address
from repaircore_http.core import core
from repaircore_http.envelopes import StatusMessage
from repaircore_http.guards import Auth, caller, presented_token
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

passwords = Routes("passwords", url_prefix="/api/v1/auth", auth=Auth.NONE, tag="accounts")


@passwords.post(
    "/forgot-password", accepts=ForgotPassword, returns=StatusMessage, raises=(TooMany, Unavailable)
)
def forgot() -> Response:
    """E-mail a link that resets the password, without revealing whether the e-mail address has an account."""
    body = read_body(ForgotPassword)
    core().passwords.request_link(email=body.email, address=client_address())
    message = "If this e-mail address has an account, a link is on its way. It works once, for 1 hour."
    return reply(StatusMessage(message=message))


@passwords.post("/reset-password", accepts=ResetPassword, returns=StatusMessage, raises=(NotFound, TooMany))
def reset() -> Response:
    """Set a new password with the token of a link, and end all sessions of the account."""
    body = read_body(ResetPassword)
    core().passwords.reset(token=body.token, password=body.password)
    return reply(StatusMessage(message="Password changed. Every session has ended."))


@passwords.post(
    "/change-password",
    auth=Auth.SESSION,
    accepts=ChangePassword,
    returns=StatusMessage,
    raises=(TooMany, Unavailable),
)
def change() -> Response:
    """Change the caller's password, and end all of their other sessions."""
    body = read_body(ChangePassword)
    core().passwords.change(
        current_password=body.current_password,
        password=body.password,
        token=presented_token(),
        caller=caller(),
        address=client_address(),
    )
    return reply(StatusMessage(message="Password changed. Your other sessions have ended."))
