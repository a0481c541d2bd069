"""The visitor's own account: their password and their sessions."""

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.accounts.views import OpenSessionView
from repaircore.kernel.keys import digest
from repaircore.passwords.rules import ChangePassword
from repaircore_http.clients import client_address
from repaircore_http.console.forms import filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.visitors import end_session, session_token
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

own_account = Pages("own_account", auth=Auth.SESSION)


@own_account.get("/account")
def index() -> ResponseReturnValue:
    """Show the account, its sessions, and the form to change the password."""
    accounts, current = core().accounts, digest(_token())
    sessions = [OpenSessionView.of(found, current=current) for found in accounts.list_sessions(caller())]
    return show("account.html", user=accounts.get_user(caller()), sessions=sessions)


@own_account.post("/account/password", again=index)
def change_password() -> Response:
    """Change the password; all other sessions end."""
    fields = filled(ChangePassword)
    core().passwords.change(
        current_password=fields.current_password,
        password=fields.password,
        token=_token(),
        caller=caller(),
        address=client_address(),
    )
    return go("own_account.index", done="password-changed")


@own_account.post("/account/sessions/end-others")
def end_others() -> Response:
    """End all sessions but this one."""
    core().accounts.end_other_sessions(_token(), caller())
    return go("own_account.index", done="sessions-ended")


@own_account.post("/account/sessions/<session_id>/end")
def end(session_id: str) -> Response:
    """End a session; ending this one logs the browser out."""
    core().accounts.end_session(session_id, caller())
    if digest(_token()).hex().startswith(session_id):
        return end_session(go("accounts.login", done="logged-out"))
    return go("own_account.index", done="session-ended")


def _token() -> str:
    return session_token() or ""
