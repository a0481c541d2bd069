"""Partner accounts: opened, suspended, and given other keys."""

from datetime import timedelta
from typing import Annotated

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.callers import Environment
from repaircore.kernel.rules import Range
from repaircore_http.console.forms import clear, filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

partners = Pages("partners", auth=Auth.ADMIN)


@frozen(kw_only=True)
class NewPartner:
    """What to call a partner, and the environment that it works in."""

    name: str = ""
    environment: str = ""


@frozen(kw_only=True)
class Named:
    """Which partner."""

    partner: str


@frozen(kw_only=True)
class Rotation:
    """Which partner's keys, of which environment, and for how many hours the old ones still count."""

    partner: str
    rotate_environment: Environment
    hours: Annotated[int, Range(0, 30 * 24)] = 0


@partners.get("/admin/partners")
def index() -> ResponseReturnValue:
    """List partners with their keys, and offer to open an account."""
    return show("admin/partners.html", partners=core().partners.all(caller()), made=None)


@partners.post("/admin/partners", again=index)
def create() -> ResponseReturnValue:
    """Open an account; the only time that the secret is shown."""
    asked = filled(NewPartner)
    made = core().partners.create(asked.name, asked.environment, caller())
    clear()
    return show("admin/partners.html", partners=core().partners.all(caller()), made=made), 201


@partners.post("/admin/partners/rotate", again=index)
def rotate() -> ResponseReturnValue:
    """Make other keys; the only time that the secret is shown."""
    asked = filled(Rotation)
    made = core().partners.rotate_keys(
        asked.partner, asked.rotate_environment, caller(), overlap=timedelta(hours=asked.hours)
    )
    clear()
    return show("admin/partners.html", partners=core().partners.all(caller()), made=made), 201


@partners.post("/admin/partners/suspend", again=index)
def suspend() -> Response:
    """Turn a partner away."""
    core().partners.suspend(filled(Named).partner, caller())
    return go("partners.index", done="partner-suspended")


@partners.post("/admin/partners/resume", again=index)
def resume() -> Response:
    """Let a partner in again."""
    core().partners.resume(filled(Named).partner, caller())
    return go("partners.index", done="partner-resumed")


@partners.get("/admin/partners/rotate")
def after_rotating() -> Response:
    """Lead to the list whoever opens the address of a form."""
    return go("partners.index")
