"""Partner accounts: create and suspend them, replace their keys, and manage their members."""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import count
from typing import Annotated, Any, Final

from attrs import frozen
from flask import Response, request
from flask.typing import ResponseReturnValue

from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import MOST_PER_PAGE, sort_by
from repaircore.kernel.rules import Range
from repaircore.partners.model import CreatedKey, CreatePartner, Partner
from repaircore.partners.views import PartnerView
from repaircore_http.console.forms import clear, filled
from repaircore_http.console.lists import WholeListQuery, read_list, sort_links
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.paging import PER_PAGE
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.listing import whole_csv

partners = Pages("partners", auth=Auth.ADMIN)

_PAGE: Final = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)
_NO_QUERY: Final[Mapping[str, Any]] = {}


@frozen(kw_only=True)
class PartnerForm:
    """The name of a partner."""

    partner: str


@frozen(kw_only=True)
class RotateKeys(PartnerForm):
    """The partner, the environment, and how many hours the old keys stay valid."""

    rotate_environment: Environment
    hours: Annotated[int, Range(0, 30 * 24)] = 0


@frozen(kw_only=True)
class MemberForm(PartnerForm):
    """A partner, and the e-mail of an account."""

    email: str


@frozen(kw_only=True)
class ListPartners(WholeListQuery):
    """Search, sort order and page for the list of partners."""

    sort: Annotated[str, sort_by("name", "created_at")] = ""
    page: Annotated[int, Range(1)] = 1


def unfiltered() -> ResponseReturnValue:
    """List all partners if the search is invalid, or with the errors of a rejected form."""
    return _show(None)


@partners.get("/admin/partners", again=unfiltered)
def index() -> ResponseReturnValue:
    """List partners with their keys, and show the form for a new one."""
    return _show(None, *read_list(ListPartners))


@partners.get("/admin/partners.csv")
def download() -> Response:
    """Download the partners that the search selects, as CSV."""
    wanted, _ = read_list(ListPartners)
    return whole_csv(map(PartnerView.of, _every(wanted)), PartnerView, name="partners")


@partners.post("/admin/partners", again=unfiltered)
def create() -> ResponseReturnValue:
    """Create a partner, and show its secret key once."""
    data = filled(CreatePartner)
    created = core().partners.create(data.name, data.environment, caller())
    return _show(created), 201


@partners.post("/admin/partners/rotate", again=unfiltered)
def rotate() -> ResponseReturnValue:
    """Create new keys, and show the secret key once."""
    data = filled(RotateKeys)
    created = core().partners.rotate_keys(
        data.partner, data.rotate_environment, caller(), overlap=timedelta(hours=data.hours)
    )
    return _show(created), 201


@partners.post("/admin/partners/suspend", again=unfiltered)
def suspend() -> Response:
    """Suspend a partner."""
    core().partners.suspend(filled(PartnerForm).partner, caller())
    return go("partners.index", done="partner-suspended", **_place())


@partners.post("/admin/partners/resume", again=unfiltered)
def resume() -> Response:
    """Resume a suspended partner."""
    core().partners.resume(filled(PartnerForm).partner, caller())
    return go("partners.index", done="partner-resumed", **_place())


@partners.post("/admin/partners/members/add", again=unfiltered)
def add_member() -> Response:
    """Make an account a member of a partner."""
    data = filled(MemberForm)
    core().partner_members.add(data.partner, data.email, caller())
    return go("partners.index", done="member-added", **_place())


@partners.post("/admin/partners/members/remove", again=unfiltered)
def remove_member() -> Response:
    """Remove an account's membership."""
    data = filled(MemberForm)
    core().partner_members.remove(data.partner, data.email, caller())
    return go("partners.index", done="member-removed", **_place())


@partners.get("/admin/partners/rotate")
def after_rotating() -> Response:
    """Redirect to the list when a browser reloads this POST address with GET."""
    return go("partners.index")


def _every(wanted: ListPartners) -> Iterator[Partner]:
    for number in count(1):
        page = core().partners.list_page(
            number=number, per_page=MOST_PER_PAGE, search=wanted.search, sort=wanted.sort, operator=caller()
        )
        yield from page.items
        if number * MOST_PER_PAGE >= page.total:
            return


def _place() -> dict[str, int]:
    """Return the query parameter for the page of the list that the form was on; empty for the first page."""
    number = request.args.get("page", "")
    return {"page": int(number)} if _PAGE.fullmatch(number) else {}


def _show(
    created: CreatedKey | None, wanted: ListPartners | None = None, query: Mapping[str, Any] = _NO_QUERY
) -> str:
    if created is not None:
        clear()
    wanted = wanted or ListPartners(page=_place().get("page", 1))
    served, operator = core().partners, caller()
    page = served.list_page(
        number=wanted.page, per_page=PER_PAGE, search=wanted.search, sort=wanted.sort, operator=operator
    )
    return show(
        "admin/partners.html",
        partners=page.items,
        page=page,
        members=core().partner_members.list_by_partner(page.items, operator),
        any_partners=page.total > 0 or served.list_page(per_page=1, operator=operator).total > 0,
        created=created,
        search=wanted,
        sorts=sort_links({"name": "Name", "-created_at": "Created"}, wanted.sort, usual="created_at"),
        query=query,
    )
