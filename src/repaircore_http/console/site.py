"""The whole console: its pages, what all templates can use, and how it is mounted beside the API."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final

from flask import Response, g, request

from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.wording import money
from repaircore_http.console import accounts, assets, estimates, history, keys, repairs, vehicles
from repaircore_http.console.admin import (
    accuracy,
    imports,
    partners,
    prices,
    problems,
    regions,
    transactions,
    webhooks,
)
from repaircore_http.console.app import Console
from repaircore_http.console.pages import done, error_reply, field_errors, form_error, to, typed
from repaircore_http.console.visits import PREFIX, TOKEN, chosen_environment, form_token
from repaircore_http.core import EXTENSION
from repaircore_http.guards import Auth, Authenticate
from repaircore_http.paths import is_under

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


PAGES: Final = (
    accounts.front,
    accounts.account,
    assets.assets,
    estimates.estimates,
    history.history,
    keys.keys,
    repairs.repairs,
    vehicles.vehicles,
    accuracy.accuracy,
    imports.imports,
    partners.partners,
    prices.prices,
    problems.problems,
    regions.regions,
    transactions.transactions,
    webhooks.webhooks,
)

_MENU: Final = (
    ("estimates.index", "Estimate"),
    ("history.index", "History"),
    ("keys.index", "API keys"),
)
_ADMIN_MENU: Final = (
    ("transactions.index", "Transactions"),
    ("imports.index", "Import"),
    ("accuracy.index", "Accuracy"),
    ("regions.index", "Regions"),
    ("problems.index", "Repairs"),
    ("prices.index", "Prices"),
    ("partners.index", "Partners"),
    ("webhooks.index", "Webhooks"),
)


def make_console(served: Core, *, authenticate: Authenticate) -> Console:
    """Return the console of a core. ``authenticate`` is called with the token of each visitor who has one.

    Raises:
        UndeclaredAuth: a page does not declare its credential.
    """
    console = Console(authenticate, public_url=served.settings.public_url)
    console.extensions[EXTENSION] = served
    for pages in PAGES:
        console.register_blueprint(pages)
    console.add_url_rule("/", "root", _redirect_to_console, auth=Auth.NONE, safe=True)
    console.require_credentials()
    console.jinja_env.filters.update(
        money=money,
        moment=_moment,
        day=_day,
        named=lambda choice: (choice.id, choice.name),
        displayed=lambda problem: (problem.id, problem.display_name),
        under=lambda name: name.replace(" > ", " › "),
        environments=lambda partner: [name for name in Environment if partner.keys_of(name)],
        twice=lambda text: (text, text),
        counted=lambda state: (state.state, f"{state.state} ({state.shops:,})"),
    )
    console.jinja_env.globals.update(
        asset=assets.asset,
        form_token=form_token,
        token_field=TOKEN,
        typed=typed,
        field_errors=field_errors,
        form_error=form_error,
        error_reply=error_reply,
        done=done,
        menu_of_all=_MENU,
        menu_of_admins=_ADMIN_MENU,
        current=_is_current,
        environment=chosen_environment,
        visitor=_visitor,
        here=_here,
        pages_around=_pages_around,
    )
    return console


class Mounted:
    """The API, with the console under its path; the root redirects to the console."""

    def __init__(self, api: "WSGIApplication", console: Console) -> None:
        self._api = api
        self.console = console

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Pass a request to the console or to the API."""
        path = environ["PATH_INFO"]
        is_root = path == "/" and environ["REQUEST_METHOD"] in {"GET", "HEAD"}
        answers = self.console if is_root or is_under(path, PREFIX) else self._api
        return answers(environ, start_response)


def _redirect_to_console() -> Response:
    return to(PREFIX)


def _visitor() -> Any:
    """Return the caller who is logged in, None for nobody."""
    return g.get("caller")


def _is_current(endpoint: str) -> bool:
    """Return whether the page belongs to a menu entry."""
    return request.blueprint == endpoint.partition(".")[0]


def _here() -> str:
    """Return the address of this page, for forms that lead back to it."""
    return request.full_path.removesuffix("?") if request.method == "GET" else PREFIX


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _day(on: date) -> str:
    return on.isoformat()


def _pages_around(number: int, last: int) -> list[int | None]:
    """Return the numbers of the pages to link to; None stands for those in between."""
    linked = sorted({1, last, *range(max(1, number - 1), min(last, number + 1) + 1)})
    shown: list[int | None] = []
    for page in linked:
        if shown and page - (shown[-1] or 0) > 1:
            shown.append(None)
        shown.append(page)
    return shown
