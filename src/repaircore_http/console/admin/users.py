"""Users: find, invite, promote, demote, lock and unlock them, and create links to choose a password."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from attrs import asdict, frozen
from flask import Response, request
from flask.typing import ResponseReturnValue

from repaircore.accounts.model import UserFilter, UserState
from repaircore.accounts.views import UserSummaryView
from repaircore.kernel.callers import Role
from repaircore.kernel.paging import sort_by
from repaircore.kernel.rules import Length
from repaircore.passwords.model import NewLink
from repaircore.passwords.rules import InviteUser
from repaircore_http.clients import client_address
from repaircore_http.console.forms import clear, filled
from repaircore_http.console.lists import ListQuery, read_list, sort_links
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params
from repaircore_http.listing import csv_reply

users = Pages("users", auth=Auth.ADMIN)

_FIELDS: Final = ("search", "role", "state")
_ROLES: Final = ((Role.USER, "Users"), (Role.ADMIN, "Admins"))
_STATES: Final = ((UserState.ACTIVE, "Not locked"), (UserState.LOCKED, "Locked"))
_SORTS: Final = {"name": "Name", "email": "E-mail", "-created_at": "Created"}


@frozen(kw_only=True)
class UserPage(ListQuery):
    """Filters, sort order and page for the list of users."""

    sort: Annotated[str, sort_by("created_at", "name", "email")] = ""
    search: Annotated[str, Length(0, 255)] | None = None
    role: Role | None = None
    state: UserState | None = None

    def filter(self) -> UserFilter:
        """Return the filters without the sort order and the page."""
        return UserFilter(search=self.search, role=self.role, state=self.state)


@frozen(kw_only=True)
class NewUserForm(InviteUser):
    """A new account, and whether its link is mailed."""

    mail: bool = False


@frozen(kw_only=True)
class Confirmed:
    """The admin's own password: an unattended session is not enough."""

    current_password: str


@frozen(kw_only=True)
class LinkForm(Confirmed):
    """Whether the link is mailed."""

    mail: bool = False


def unfiltered() -> ResponseReturnValue:
    """List all users if the filter is invalid; the field keeps what was typed."""
    typed = dict.fromkeys(_FIELDS, "") | read_query_params(UserPage)
    return _list(UserPage(), typed, query={})


@users.get("/admin/users", again=unfiltered)
def index() -> ResponseReturnValue:
    """List users, newest first."""
    wanted, query = read_list(UserPage)
    return _list(wanted, asdict(wanted), query=query)


@users.get("/admin/users.csv")
def download() -> Response:
    """Download the users that the filters select, as CSV."""
    wanted, _ = read_list(UserPage)
    served, known = core().user_administration, caller()
    return csv_reply(
        wanted.sort,
        lambda request: served.page(wanted.filter(), request=request, caller=known),
        UserSummaryView,
        UserSummaryView.of,
        name="users",
    )


@users.get("/admin/users/new")
def new() -> ResponseReturnValue:
    """Show an empty form."""
    return show("admin/user_new.html", can_mail=core().operator_links.can_mail)


@users.post("/admin/users/new", again=new)
def create() -> ResponseReturnValue:
    """Create an account and a link with which its user chooses a password, and show the link once or mail it."""
    data = filled(NewUserForm)
    link = core().operator_links.invite(name=data.name, email=data.email, mail=data.mail, caller=caller())
    clear()
    return _show(link.user.id, link=link, is_mailed=data.mail), 201


@users.get("/admin/users/<int:user_id>")
def detail(user_id: int) -> ResponseReturnValue:
    """Show a user, and what can be done about the account."""
    return _show(user_id)


@users.post("/admin/users/<int:user_id>/promote", again=detail)
def promote(user_id: int) -> Response:
    """Make a user an admin."""
    _confirm(filled(Confirmed))
    core().accounts.set_role(_email(user_id), Role.ADMIN, caller())
    return go("users.detail", user_id=user_id, done="user-promoted")


@users.post("/admin/users/<int:user_id>/demote", again=detail)
def demote(user_id: int) -> Response:
    """Make an admin an ordinary user."""
    core().accounts.set_role(_email(user_id), Role.USER, caller())
    return go("users.detail", user_id=user_id, done="user-demoted")


@users.post("/admin/users/<int:user_id>/lock", again=detail)
def lock(user_id: int) -> Response:
    """Lock an account."""
    core().user_administration.lock(_email(user_id), caller())
    return go("users.detail", user_id=user_id, done="user-locked")


@users.post("/admin/users/<int:user_id>/unlock", again=detail)
def unlock(user_id: int) -> Response:
    """Unlock an account."""
    core().user_administration.unlock(_email(user_id), caller())
    return go("users.detail", user_id=user_id, done="user-unlocked")


@users.post("/admin/users/<int:user_id>/link", again=detail)
def create_link(user_id: int) -> ResponseReturnValue:
    """Create a link with which a user chooses a new password, and show it once or mail it."""
    data = filled(LinkForm)
    _confirm(data)
    link = core().operator_links.create(_email(user_id), mail=data.mail, caller=caller())
    clear()
    return _show(user_id, link=link, is_mailed=data.mail), 201


@users.get("/admin/users/<int:user_id>/link")
def after_creating_link(user_id: int) -> Response:
    """Redirect to the user when a browser reloads this POST address with GET."""
    return go("users.detail", user_id=user_id)


def _list(wanted: UserPage, typed: Mapping[str, Any], *, query: Mapping[str, Any]) -> str:
    return show(
        "admin/users.html",
        page=core().user_administration.page(wanted.filter(), request=wanted.request(), caller=caller()),
        sorts=sort_links(_SORTS, wanted.sort, usual="-created_at"),
        fields=typed,
        query=query,
        roles=_ROLES,
        states=_STATES,
    )


def _show(user_id: int, *, link: NewLink | None = None, is_mailed: bool = False) -> str:
    return show(
        "admin/user.html",
        summary=core().user_administration.get(user_id, caller()),
        link=link,
        is_mailed=is_mailed,
        can_mail=core().operator_links.can_mail,
        own_id=caller().user_id,
        mine=request.path.rpartition("/")[2],
    )


def _confirm(data: Confirmed) -> None:
    core().passwords.confirm(data.current_password, caller(), address=client_address())


def _email(user_id: int) -> str:
    return core().user_administration.get(user_id, caller()).user.email
