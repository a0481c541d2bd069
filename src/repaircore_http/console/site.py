"""The whole console: its pages, what all templates can use, and how it is mounted next to the API."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from flask import g, request
from markupsafe import Markup, escape
from werkzeug.routing import Map

from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Failure
from repaircore.kernel.wording import money, period, short_duration, whole_dollars
from repaircore_http.console import (
    accounts,
    assets,
    batches,
    estimates,
    garage,
    garage_add,
    history,
    keys,
    links,
    own_account,
    passwords,
    repairs,
    setup,
    shops,
    tasks,
    vehicles,
    visits,
)
from repaircore_http.console.admin import (
    accuracy,
    audit,
    backups,
    figures,
    health,
    import_reviews,
    imports,
    invoice_drafts,
    jobs,
    partners,
    prices,
    problems,
    regions,
    settings,
    transactions,
    users,
    webhooks,
)
from repaircore_http.console.app import Console
from repaircore_http.console.dates import day_text, moment_text, written_day
from repaircore_http.console.pages import done, error_reply, field_errors, form_error, typed
from repaircore_http.console.partner import access_keys, overview, statements
from repaircore_http.console.partner import jobs as partner_job_pages
from repaircore_http.console.partner import webhooks as partner_webhook_pages
from repaircore_http.console.partner.access import TABS, is_member, partner_menu
from repaircore_http.console.public import (
    diagnoses,
    front,
    mechanic_appointments,
    provider_jobs,
    quote_links,
    quotes,
    shared_visits,
    tracked_rides,
)
from repaircore_http.console.public import estimates as visitor_estimates
from repaircore_http.console.public import repairs as book
from repaircore_http.console.public import shared_estimates as estimate_links
from repaircore_http.console.visitors import PREFIX, TOKEN, chosen_environment, form_token
from repaircore_http.core import EXTENSION, core
from repaircore_http.guards import Authenticate, caller_if_any

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


PAGES: Final = (
    accounts.front,
    accounts.account,
    assets.assets,
    batches.batches,
    estimates.estimates,
    front.robots,
    garage.garage,
    garage_add.garage_add,
    history.history,
    keys.keys,
    links.links,
    own_account.own_account,
    passwords.passwords,
    setup.setup,
    repairs.repairs,
    shared_visits.shared_visits,
    provider_jobs.provider_jobs,
    mechanic_appointments.mechanic_appointments,
    tracked_rides.tracked_rides,
    overview.partner_overview,
    partner_job_pages.partner_jobs,
    partner_webhook_pages.partner_webhooks,
    access_keys.partner_access_keys,
    statements.partner_statements,
    shops.shops,
    tasks.tasks,
    vehicles.vehicles,
    visits.visits,
    accuracy.accuracy,
    audit.audit,
    backups.backups,
    figures.figures,
    health.health,
    imports.imports,
    import_reviews.import_reviews,
    invoice_drafts.invoice_drafts,
    jobs.jobs,
    partners.partners,
    prices.prices,
    problems.problems,
    regions.regions,
    settings.settings,
    transactions.transactions,
    users.users,
    webhooks.webhooks,
)

PUBLIC_PAGES: Final = (
    front.front_page,
    visitor_estimates.visitor_estimates,
    estimate_links.shared_estimates,
    quotes.quote_check,
    quote_links.quote_links,
    diagnoses.diagnosis,
    book.book,
)
"""The pages that a setting closes."""

_PUBLIC_MENU: Final = (
    ("quote_check.index", "Check a quote"),
    ("diagnosis.index", "Diagnose"),
    ("book.index", "Repairs"),
)
_VISITOR_MENU: Final = (("visitor_estimates.index", "Estimate"), *_PUBLIC_MENU)
"""The menu of visitors who are not logged in."""

_MENU: Final = (
    ("estimates.index", "Estimate"),
    ("visits.index", "Visits"),
    ("garage.index", "Garage"),
    ("history.index", "History"),
    ("keys.index", "API keys"),
    ("own_account.index", "Account"),
)
_ADMIN_MENU: Final = (
    ("transactions.index", "Transactions"),
    ("invoice_drafts.index", "Invoice drafts"),
    ("imports.index", "Import"),
    ("accuracy.index", "Accuracy"),
    ("regions.index", "Regions"),
    ("problems.index", "Book"),
    ("prices.index", "Prices"),
    ("partners.index", "Partners"),
    ("webhooks.index", "Webhooks"),
    ("health.index", "Operate"),
)
_OPERATE: Final = (
    ("health.index", "Health"),
    ("jobs.index", "Jobs"),
    ("tasks.index", "Tasks"),
    ("figures.index", "Figures"),
    ("users.index", "Users"),
    ("audit.index", "Audit log"),
    ("backups.index", "Backups"),
    ("settings.index", "Settings"),
)
"""The pages behind the last entry of the admin menu, shown as tabs."""

_TABS: Final = {_OPERATE[0][0]: _OPERATE, TABS[0][0]: TABS}
"""Entries of the menu that lead to several pages."""

_BELONGS: Final = {"batches": "estimates", "garage_add": "garage", "import_reviews": "imports"}
"""Blueprints whose pages belong to the menu entry of another blueprint."""


def make_console(served: Core, *, authenticate: Authenticate) -> Console:
    """Return the console for a core; ``authenticate`` is called with the token of each visitor who has one.

    Raises:
        UndeclaredAuth: a page does not declare its credential.
    """
    console = Console(authenticate, public_url=served.settings.public_url)
    console.extensions[EXTENSION] = served
    is_public = served.settings.public_pages
    for pages in (*PAGES, *(PUBLIC_PAGES if is_public else (front.closed,))):
        console.register_blueprint(pages)
    console.require_credentials()
    console.jinja_env.filters.update(
        money=money,
        dollars=whole_dollars,
        moment=moment_text,
        day=day_text,
        written=written_day,
        signed_money=_signed_money,
        named=lambda choice: (choice.id, choice.name),
        displayed=lambda problem: (problem.id, problem.display_name),
        under=lambda name: name.replace(" > ", " › "),
        environments=lambda partner: [name for name in Environment if partner.keys_of(name)],
        twice=lambda text: (text, text),
        counted=lambda state: (state.state, f"{state.state} ({state.shops:,})"),
        period=period,
        upfirst=lambda text: text[:1].upper() + text[1:],
        code=_code,
        short_duration=short_duration,
        thousands="{:,}".format,
        counted_as=lambda count, noun: f"{count:,} {noun}{'' if count == 1 else 's'}",
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
        public_menu=_PUBLIC_MENU if is_public else (),
        visitor_menu=_VISITOR_MENU if is_public else (),
        front_page="front_page.index" if is_public else "estimates.index",
        is_listed=is_public and served.settings.search_engines,
        menu_of_all=_MENU,
        menu_of_admins=_ADMIN_MENU,
        current=_is_current,
        operate_pages=_OPERATE,
        partner_tabs=TABS,
        partner_menu=partner_menu,
        is_page=_is_page,
        environment=chosen_environment,
        may_switch=_may_switch,
        has_page=lambda endpoint: endpoint in console.view_functions,
        visitor=_visitor,
        here=_here,
    )
    return console


class Mounted:
    """The API with the console next to it: the console gets every path that begins like one of its pages.

    For addresses that neither has, browsers get a page of the console.
    """

    def __init__(self, api: "WSGIApplication", console: Console, addresses: Map) -> None:
        self._api = api
        self.console = console
        self._names = _first_names(console.url_map)
        self._api_names = _first_names(addresses)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Pass a request to the console or to the API."""
        name, is_get = _first_name(environ["PATH_INFO"]), environ["REQUEST_METHOD"] in {"GET", "HEAD"}
        is_nowhere = name not in self._api_names and "text/html" in environ.get("HTTP_ACCEPT", "")
        is_page = name in self._names or (is_get and (environ["PATH_INFO"] == "/" or is_nowhere))
        return (self.console if is_page else self._api)(environ, start_response)


def _first_names(addresses: Map) -> frozenset[str]:
    return frozenset(_first_name(rule.rule) for rule in addresses.iter_rules()) - {""}


def _first_name(path: str) -> str:
    return path[1:].partition("/")[0]


def _visitor() -> Any:
    """Return the caller who is logged in, or None."""
    return g.get("caller")


def _may_switch() -> bool:
    """Return whether the visitor may switch environments: admins, members of partners and owners of test keys may."""
    known = caller_if_any()
    if known is None:
        return False
    if known.is_admin or known.environment is Environment.TEST or is_member():
        return True
    with suppress(Failure):
        return any(key.environment is Environment.TEST for key in core().accounts.list_keys(known))
    return False


def _is_current(endpoint: str) -> bool:
    """Return whether the current page belongs to the menu entry that leads to ``endpoint``."""
    group = _TABS.get(endpoint, ((endpoint, ""),))
    return any(_is_page(one) for one, _ in group)


def _is_page(endpoint: str) -> bool:
    """Return whether the current page is of the same blueprint as ``endpoint``, or belongs to it."""
    own = request.blueprint or ""
    return _BELONGS.get(own, own) == endpoint.partition(".")[0]


def _here() -> str:
    """Return the address of this page, for forms that lead back to it; after a POST, that of the console."""
    return request.full_path.removesuffix("?") if request.method == "GET" else PREFIX


def _code(text: str) -> Markup:
    """Return a sentence with words in backticks marked up as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # an unpaired backtick
        return escape(text)
    marked = (
        Markup("<code>{}</code>").format(piece) if at % 2 else escape(piece)
        for at, piece in enumerate(pieces)
    )
    return Markup("").join(marked)


def _signed_money(amount: int) -> str:
    return money(amount) if amount >= 0 else f"\N{MINUS SIGN}{money(-amount)}"
