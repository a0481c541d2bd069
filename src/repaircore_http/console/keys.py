"""API keys: created, shown once, revoked."""

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.accounts.rules import NewKey
from repaircore_http.console.forms import clear, filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

keys = Pages("keys", auth=Auth.SESSION)


@keys.get("/keys")
def index() -> ResponseReturnValue:
    """List the visitor's keys, with the form for a new one."""
    return show("keys.html", keys=core().accounts.list_keys(caller()), created=None)


@keys.post("/keys", again=index)
def create() -> ResponseReturnValue:
    """Create a pair of keys; the only time the secret key is shown."""
    fields = filled(NewKey)
    new = core().accounts.create_key(name=fields.name, environment=fields.environment, caller=caller())
    clear()
    return show("keys.html", keys=core().accounts.list_keys(caller()), created=new), 201


@keys.post("/keys/<int:key_id>/delete")
def delete(key_id: int) -> Response:
    """Delete a key; it stops working at once."""
    core().accounts.delete_key(key_id, caller())
    return go("keys.index", done="key-deleted")
