"""The partner whose pages are shown: the partner of the logged-in account."""

from contextlib import suppress
from typing import Any, Final

from flask import g

from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Failure
from repaircore_http.console.pages import Pages, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller, caller_if_any

_MENU: Final = (("partner_overview.index", "Partner"),)
TABS: Final = (
    ("partner_overview.index", "Overview"),
    ("partner_jobs.index", "Jobs"),
    ("partner_webhooks.index", "Webhooks"),
    ("partner_access_keys.index", "Keys"),
    ("partner_statements.index", "Statements"),
)
"""The pages of a partner, shown as tabs."""


def partner_pages(name: str) -> Pages:
    """Return a blueprint of pages for members of partners; each finds its partner with ``own_partner``."""
    return Pages(name, auth=Auth.SESSION)


def own_partner() -> PartnerCaller:
    """Return the partner whose member is logged in, in the environment that they chose.

    Raises:
        MemberNotFound: the account is not a member of a partner.
        Suspended: the partner is suspended.
    """
    return core().partner_members.get(caller())[1]


def show_own(template: str, **values: Any) -> str:
    """Render a page of the partner whose member is logged in."""
    partner, _ = core().partner_members.get(caller())
    return show(template, partner=partner, **values)


def partner_menu() -> tuple[tuple[str, str], ...]:
    """Return the menu entry for members of partners; empty for others, and while membership is unknown."""
    return _MENU if is_member() else ()


def is_member() -> bool:
    """Return whether the visitor is a member of a partner; looked up once for each page."""
    if "is_member" not in g:
        g.is_member = False
        known = caller_if_any()
        if known is not None:
            with suppress(Failure):
                g.is_member = core().partner_members.is_member(known)
    return bool(g.is_member)
