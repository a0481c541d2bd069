"""Forgotten passwords: request a link, and choose a new password on the page that it leads to."""

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.accounts.rules import NewPassword
from repaircore.passwords.errors import ResetLinkEnded
from repaircore.passwords.rules import ForgotPassword
from repaircore_http.clients import client_address
from repaircore_http.console.forms import filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.visitors import end_session
from repaircore_http.core import core
from repaircore_http.guards import Auth

passwords = Pages("passwords", auth=Auth.NONE)


@passwords.get("/forgot")
def forgot() -> ResponseReturnValue:
    """Show the form to request a link, or whom to ask if the installation cannot send mail."""
    return show("forgot.html", sends_links=core().passwords.sends_links)


@passwords.post("/forgot", again=forgot)
def request_link() -> Response:
    """Request a link; the response does not reveal whether there is an account with this e-mail address."""
    fields = filled(ForgotPassword)
    core().passwords.request_link(email=fields.email, address=client_address())
    return go("passwords.forgot", done="reset-requested")


@passwords.get("/reset/<token>")
def reset_form(token: str) -> ResponseReturnValue:
    """Show the form for a new password."""
    try:
        core().passwords.require_link(token)
    except ResetLinkEnded:
        return show("link_ended.html", is_reset=True), 404
    return show("reset.html", token=token)


@passwords.post("/reset/<token>", again=reset_form)
def reset(token: str) -> Response:
    """Set the new password; the visitor then logs in with it."""
    core().passwords.require_link(token)
    core().passwords.reset(token=token, password=filled(NewPassword).password)
    return end_session(go("accounts.login", done="password-reset"))
