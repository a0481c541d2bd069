"""API keys: created, shown once, renamed, rotated, revoked."""

from typing import Annotated

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.accounts.rules import NewKey, RotateKey
from repaircore.kernel.rules import NotBlank
from repaircore_http.console.forms import clear, filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

keys = Pages("keys", auth=Auth.SESSION)


@frozen(kw_only=True)
class Rename:
    """Another name for a key; the form for a new key on the same page has a ``name`` of its own."""

    new_name: Annotated[str, NotBlank(most=255)]


@keys.get("/keys")
def index(key_id: int | None = None) -> ResponseReturnValue:
    """List the visitor's keys, with the form for a new one. ``key_id`` is the key whose form was rejected."""
    return show(
        "keys.html", keys=core().accounts.list_keys(caller()), created=None, rotated=None, mine=key_id
    )


@keys.post("/keys", again=index)
def create() -> ResponseReturnValue:
    """Create a pair of keys; the only time the secret key is shown."""
    fields = filled(NewKey)
    new = core().accounts.create_key(name=fields.name, environment=fields.environment, caller=caller())
    clear()
    found = core().accounts.list_keys(caller())
    return show("keys.html", keys=found, created=new, rotated=None, mine=None), 201


@keys.post("/keys/<int:key_id>/rename", again=index)
def rename(key_id: int) -> Response:
    """Rename a key."""
    core().accounts.rename_key(key_id, name=filled(Rename).new_name, caller=caller())
    return go("keys.index", done="key-renamed")


@keys.post("/keys/<int:key_id>/rotate", again=index)
def rotate(key_id: int) -> ResponseReturnValue:
    """Replace a secret key; the only time the new one is shown."""
    overlap_hours = filled(RotateKey).overlap_hours
    new = core().accounts.rotate_key(key_id, caller=caller(), overlap_hours=overlap_hours)
    clear()
    found = core().accounts.list_keys(caller())
    return show("keys.html", keys=found, created=None, rotated=new, mine=None)


@keys.post("/keys/<int:key_id>/delete")
def delete(key_id: int) -> Response:
    """Delete a key; it stops working at once."""
    core().accounts.delete_key(key_id, caller())
    return go("keys.index", done="key-deleted")
