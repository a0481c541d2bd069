"""The caller's API keys."""

from typing import Literal

from flask import Response

from repaircore.accounts.rules import NewKey, RenameKey, RotateKey
from repaircore.accounts.views import ApiKeyView, NewApiKeyView, RotatedKeyView
from repaircore.kernel.views import view
from repaircore_http.core import core
from repaircore_http.envelopes import StatusMessage
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.listing import WholeList, reply_whole
from repaircore_http.routes import Routes

keys = Routes("keys", url_prefix="/api/v1/dashboard/keys", auth=Auth.SESSION, tag="keys")


@view
class ApiKeysView:
    """The caller's keys."""

    status: Literal["success"] = "success"
    data: list[ApiKeyView]


@view
class KeyCreatedView(StatusMessage):
    """A new pair of keys; this is the only time the secret key is shown."""

    data: NewApiKeyView


@view
class KeyRenamedView(StatusMessage):
    """A pair of keys with its new name; the secret key is masked."""

    data: ApiKeyView


@view
class KeyRotatedView(StatusMessage):
    """A pair of keys with a new secret key; this is the only time it is shown."""

    data: RotatedKeyView


@keys.get("", safe=True, query=WholeList, returns=ApiKeysView)
def index() -> Response:
    """List the caller's keys; secret keys are masked."""
    found = [ApiKeyView.of(key) for key in core().accounts.list_keys(caller())]
    return reply_whole(found, ApiKeyView, lambda data: ApiKeysView(data=data), name="keys")


@keys.post("", accepts=NewKey, returns=KeyCreatedView, status=201)
def create() -> Response:
    """Create a pair of keys; this is the only time the secret key is shown."""
    body = read_body(NewKey)
    new = core().accounts.create_key(name=body.name, environment=body.environment, caller=caller())
    message = "API key created. Save the secret key now: it will not be shown again."
    return reply(KeyCreatedView(message=message, data=NewApiKeyView.of(new)), 201)


@keys.patch("/<int:key_id>", accepts=RenameKey, returns=KeyRenamedView)
def rename(key_id: int) -> Response:
    """Rename a pair of keys."""
    key = core().accounts.rename_key(key_id, name=read_body(RenameKey).name, caller=caller())
    return reply(KeyRenamedView(message="API key renamed.", data=ApiKeyView.of(key)))


@keys.post("/<int:key_id>/rotate", accepts=RotateKey, returns=KeyRotatedView)
def rotate(key_id: int) -> Response:
    """Replace a secret key; the old one stops working at once, or after `overlap_hours`."""
    overlap_hours = read_body(RotateKey).overlap_hours
    new = core().accounts.rotate_key(key_id, caller=caller(), overlap_hours=overlap_hours)
    message = "Secret key replaced. Save the new one now: it will not be shown again."
    return reply(KeyRotatedView(message=message, data=RotatedKeyView.of(new)))


@keys.delete("/<int:key_id>", returns=StatusMessage)
def delete(key_id: int) -> Response:
    """Delete a pair of keys; they stop working at once."""
    core().accounts.delete_key(key_id, caller())
    return reply(StatusMessage(message="API key deleted."))
