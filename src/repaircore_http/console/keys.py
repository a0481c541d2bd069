"""API keys: create, list, rename, rotate and delete them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.accounts.model import ApiKey, NewApiKey
from repaircore.accounts.rules import NewKey, RotateKey
from repaircore.accounts.views import ApiKeyView
from repaircore.kernel.paging import sort_by
from repaircore.kernel.rules import NotBlank
from repaircore_http.console.forms import clear, filled
from repaircore_http.console.lists import WholeListQuery, arranged, read_list, sort_links
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.listing import whole_csv

keys = Pages("keys", auth=Auth.SESSION)


@frozen(kw_only=True)
class Rename:
    """A new name for a key; the form for a new key, on the same page, already has a field called ``name``."""

    new_name: Annotated[str, NotBlank(most=255)]


@frozen(kw_only=True)
class ListKeys(WholeListQuery):
    """Search and sort order for the list of keys."""

    sort: Annotated[str, sort_by("name", "created_at", "last_used_at")] = ""


def unfiltered() -> ResponseReturnValue:
    """List all keys if the search is invalid."""
    return _show(ListKeys(), {})


@keys.get("/keys", again=unfiltered)
def index(key_id: int | None = None) -> ResponseReturnValue:
    """List the visitor's keys, with the form for a new one. ``key_id`` is the key whose form was rejected."""
    return _show(*read_list(ListKeys), mine=key_id)


@keys.get("/keys.csv")
def download() -> Response:
    """Download the keys that the search selects, as CSV; the secret keys are masked."""
    wanted, _ = read_list(ListKeys)
    found = _arranged(core().accounts.list_keys(caller()), wanted)
    return whole_csv(map(ApiKeyView.of, found), ApiKeyView, name="keys")


@keys.post("/keys", again=unfiltered)
def create() -> ResponseReturnValue:
    """Create a pair of keys; this is the only time the secret key is shown."""
    fields = filled(NewKey)
    new = core().accounts.create_key(name=fields.name, environment=fields.environment, caller=caller())
    clear()
    return _show(ListKeys(), {}, created=new), 201


@keys.post("/keys/<int:key_id>/rename", again=index)
def rename(key_id: int) -> Response:
    """Rename a key."""
    core().accounts.rename_key(key_id, name=filled(Rename).new_name, caller=caller())
    return go("keys.index", done="key-renamed")


@keys.post("/keys/<int:key_id>/rotate", again=index)
def rotate(key_id: int) -> ResponseReturnValue:
    """Replace a secret key; this is the only time the new one is shown."""
    overlap_hours = filled(RotateKey).overlap_hours
    new = core().accounts.rotate_key(key_id, caller=caller(), overlap_hours=overlap_hours)
    clear()
    return _show(ListKeys(), {}, rotated=new)


@keys.post("/keys/<int:key_id>/delete")
def delete(key_id: int) -> Response:
    """Delete a key; it stops working at once."""
    core().accounts.delete_key(key_id, caller())
    return go("keys.index", done="key-deleted")


def _show(
    wanted: ListKeys,
    query: Mapping[str, Any],
    *,
    created: NewApiKey | None = None,
    rotated: NewApiKey | None = None,
    mine: int | None = None,
) -> str:
    found = core().accounts.list_keys(caller())
    return show(
        "keys.html",
        keys=_arranged(found, wanted),
        any_keys=bool(found),
        created=created,
        rotated=rotated,
        mine=mine,
        search=wanted,
        sorts=sort_links(
            {"name": "Name", "-created_at": "Created", "-last_used_at": "Last used"},
            wanted.sort,
            usual="created_at",
        ),
        query=query,
    )


def _arranged(found: Iterable[ApiKey], wanted: ListKeys) -> Sequence[ApiKey]:
    return arranged(
        found,
        wanted,
        text=lambda key: f"{key.name} {key.environment} {key.public_key} {key.secret_last4}",
        keys={
            "name": lambda key: key.name.casefold(),
            "created_at": lambda key: key.id,  # ids increase in the order of creation
            "last_used_at": lambda key: key.last_used_at.timestamp() if key.last_used_at else 0.0,
        },
        usual="created_at",
    )
