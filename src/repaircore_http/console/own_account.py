"""The visitor's own account: their password, their sessions and their webhooks."""

from collections.abc import Collection
from functools import partial
from typing import Final

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.accounts.views import OpenSessionView
from repaircore.kernel.keys import digest
from repaircore.kernel.paging import PageRequest
from repaircore.passwords.rules import ChangePassword
from repaircore.webhooks.model import (
    MOST_SUBSCRIPTIONS,
    AccountSubscriber,
    CreateAccountSubscription,
    SubscriptionWithSecret,
)
from repaircore_http.clients import client_address
from repaircore_http.console.forms import clear, filled, form_if_any
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.visitors import end_session, session_token
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

_EVENT_NAMES: Final = {
    "visit.sent": "An estimate is sent",
    "visit.answered": "A customer answers",
    "visit.work_begun": "The work starts",
    "visit.invoiced": "An invoice is created",
    "vehicle.service_due": "A service is due for a vehicle in your garage",
}

own_account = Pages("own_account", auth=Auth.SESSION)


@own_account.get("/account")
def index() -> ResponseReturnValue:
    """Show the account, its sessions and webhooks, and the form to change the password."""
    return _page()


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


def index_of_webhooks() -> ResponseReturnValue:
    """Show the account with a rejected form for a webhook."""
    return _page(is_webhook=True)


@own_account.post("/account/webhooks", again=index_of_webhooks)
def add_webhook() -> ResponseReturnValue:
    """Add a webhook; this is the only time its secret is shown."""
    owner = _subscriber()
    validate = partial(core().webhooks.validate, owner.environment, is_trusted=owner.is_trusted)
    created = core().webhooks.create(filled(CreateAccountSubscription, validate=validate), owner)
    clear()
    return _page(is_webhook=True, created=created), 201


@own_account.post("/account/webhooks/<ref>/test", again=index_of_webhooks)
def test_webhook(ref: str) -> Response:
    """Send a test event to a webhook."""
    core().webhooks.enqueue_test(ref, _subscriber())
    return go("own_account.index", done="webhook-tested")


@own_account.post("/account/webhooks/<ref>/delete")
def delete_webhook(ref: str) -> Response:
    """Delete a webhook."""
    core().webhooks.delete(ref, _subscriber())
    return go("own_account.index", done="webhook-deleted")


@own_account.get("/account/webhooks")
@own_account.get("/account/webhooks/<ref>/test")
def after_adding(ref: str = "") -> Response:  # noqa: ARG001 - part of the address
    """Redirect to the account when a browser opens this POST address with GET."""
    return go("own_account.index")


def _page(*, is_webhook: bool = False, created: SubscriptionWithSecret | None = None) -> str:
    accounts, current = core().accounts, digest(_token())
    sessions = [OpenSessionView.of(found, current=current) for found in accounts.list_sessions(caller())]
    webhooks = core().webhooks.list_page(_subscriber(), request=PageRequest(per_page=MOST_SUBSCRIPTIONS))
    return show(
        "account.html",
        user=accounts.get_user(caller()),
        sessions=sessions,
        webhooks=webhooks.items,
        event_names=_EVENT_NAMES,
        is_webhook=is_webhook,
        created=created,
        chosen=_chosen_events(),
    )


def _chosen_events() -> Collection[str]:
    sent = form_if_any()
    return list(_EVENT_NAMES) if sent is None else sent.texts.get("events", ())


def _subscriber() -> AccountSubscriber:
    return AccountSubscriber.of(caller())


def _token() -> str:
    return session_token() or ""
