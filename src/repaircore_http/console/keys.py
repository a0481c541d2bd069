"""API keys: made, shown once, revoked."""

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore_http.console.forms import clear, filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

keys = Pages("keys", auth=Auth.SESSION)


@frozen(kw_only=True)
class NewKey:
    """The label of a key, and where it works."""

    name: str
    environment: str


@keys.get("/keys")
def index() -> ResponseReturnValue:
    """List the visitor's keys, and offer to make one."""
    return show("keys.html", keys=core().accounts.keys(caller()), made=None)


@keys.post("/keys", again=index)
def create() -> ResponseReturnValue:
    """Make a pair of keys; the only time the secret is shown."""
    asked = filled(NewKey, validate=core().accounts.validate)
    made = core().accounts.create_key(name=asked.name, environment=asked.environment, caller=caller())
    clear()
    return show("keys.html", keys=core().accounts.keys(caller()), made=made), 201


@keys.post("/keys/<int:key_id>/delete")
def delete(key_id: int) -> Response:
    """Remove a key; it stops working at once."""
    core().accounts.delete_key(key_id, caller())
    return go("keys.index", done="key-deleted")
