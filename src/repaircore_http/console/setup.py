"""The first admin, who registers through the link that the server prints when it starts."""

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.accounts.errors import SetupLinkEnded
from repaircore.accounts.rules import Registration
from repaircore_http.clients import client_address, user_agent
from repaircore_http.console.accounts import logged_in
from repaircore_http.console.forms import filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth

setup = Pages("setup", auth=Auth.NONE)


@setup.get("/setup/<token>")
def form(token: str) -> ResponseReturnValue:
    """Show the form for the first admin."""
    try:
        core().first_admin.require_link(token)
    except SetupLinkEnded:
        return show("link_ended.html", is_reset=False), 404
    return show("setup.html", token=token)


@setup.post("/setup/<token>", again=form)
def register(token: str) -> Response:
    """Create the first admin and log them in."""
    core().first_admin.require_link(token)
    fields = filled(Registration)
    session = core().first_admin.register(
        token,
        name=fields.name,
        email=fields.email,
        password=fields.password,
        address=client_address(),
        user_agent=user_agent(),
    )
    return logged_in(go("estimates.index", done="first-admin"), session)
