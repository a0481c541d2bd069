"""Partner accounts: created, suspended, and given new keys."""

from datetime import timedelta
from typing import Annotated

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.callers import Environment
from repaircore.kernel.rules import Range
from repaircore.partners.model import CreatedKey, CreatePartner
from repaircore_http.console.forms import clear, filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

partners = Pages("partners", auth=Auth.ADMIN)


@frozen(kw_only=True)
class PartnerForm:
    """The name of a partner."""

    partner: str


@frozen(kw_only=True)
class RotateKeys(PartnerForm):
    """The partner, the environment, and for how many hours the old keys stay valid."""

    rotate_environment: Environment
    hours: Annotated[int, Range(0, 30 * 24)] = 0


@partners.get("/admin/partners")
def index() -> ResponseReturnValue:
    """List partners with their keys, and show the form for a new one."""
    return _show(None)


@partners.post("/admin/partners", again=index)
def create() -> ResponseReturnValue:
    """Create a partner, and show its secret key once."""
    data = filled(CreatePartner)
    created = core().partners.create(data.name, data.environment, caller())
    return _show(created), 201


@partners.post("/admin/partners/rotate", again=index)
def rotate() -> ResponseReturnValue:
    """Create new keys, and show the secret key once."""
    data = filled(RotateKeys)
    created = core().partners.rotate_keys(
        data.partner, data.rotate_environment, caller(), overlap=timedelta(hours=data.hours)
    )
    return _show(created), 201


@partners.post("/admin/partners/suspend", again=index)
def suspend() -> Response:
    """Suspend a partner."""
    core().partners.suspend(filled(PartnerForm).partner, caller())
    return go("partners.index", done="partner-suspended")


@partners.post("/admin/partners/resume", again=index)
def resume() -> Response:
    """Resume a suspended partner."""
    core().partners.resume(filled(PartnerForm).partner, caller())
    return go("partners.index", done="partner-resumed")


@partners.get("/admin/partners/rotate")
def after_rotating() -> Response:
    """Redirect to the list: a reload of the page after the form asks for this address."""
    return go("partners.index")


def _show(created: CreatedKey | None) -> str:
    if created is not None:
        clear()
    return show("admin/partners.html", partners=core().partners.list_all(caller()), created=created)
