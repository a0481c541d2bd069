"""A partner's keys, which its members can see and replace."""

from datetime import timedelta
from typing import Annotated

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.rules import Range
from repaircore.partners.model import CreatedKey
from repaircore_http.console.forms import clear, filled
from repaircore_http.console.pages import go
from repaircore_http.console.partner.access import own_partner, partner_pages, show_own
from repaircore_http.core import core
from repaircore_http.guards import caller

partner_access_keys = partner_pages("partner_access_keys")


@frozen(kw_only=True)
class RotateKeys:
    """How many hours the old keys stay valid, and whether open sessions end at once."""

    hours: Annotated[int, Range(0, 30 * 24)] = 0
    end_sessions: bool = False


@partner_access_keys.get("/partner/keys")
def index() -> ResponseReturnValue:
    """List the keys of the environment, with the form to replace them."""
    return _show(None)


@partner_access_keys.post("/partner/keys/rotate", again=index)
def rotate() -> ResponseReturnValue:
    """Create new keys, and show the secret key once."""
    data = filled(RotateKeys)
    created = core().partner_members.rotate_keys(
        caller(), overlap=timedelta(hours=data.hours), end_sessions=data.end_sessions
    )
    clear()
    return _show(created), 201


@partner_access_keys.get("/partner/keys/rotate")
def after_rotating() -> Response:
    """Redirect to the keys when a browser reloads this POST address with GET."""
    return go("partner_access_keys.index")


def _show(created: CreatedKey | None) -> str:
    environment = own_partner().environment
    return show_own("partner/keys.html", created=created, environment_name=environment, now=core().clock())
