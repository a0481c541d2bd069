"""API keys of the caller."""

from attrs import frozen
from flask import Response

from repaircore.accounts.model import ApiKey
from repaircore_http.core import core
from repaircore_http.envelopes import StatusMessage
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes
from repaircore_http.told.accounts import ApiKeys, KeyMade

keys = Routes("keys", url_prefix="/api/v1/dashboard/keys", auth=Auth.SESSION, tag="keys")


@frozen(kw_only=True)
class NewKey:
    """The label of a key, and where it works: ``live`` or ``test``."""

    name: str
    environment: str


@keys.get("", safe=True, returns=ApiKeys)
def index() -> Response:
    """List the caller's keys; secrets are masked."""
    return reply({"status": "success", "data": [_listed(key) for key in core().accounts.keys(caller())]})


@keys.post("", accepts=NewKey, returns=KeyMade, status=201)
def create() -> Response:
    """Make a pair of keys; the only time the secret is shown."""
    asked = read_body(NewKey, validate=core().accounts.validate)
    made = core().accounts.create_key(name=asked.name, environment=asked.environment, caller=caller())
    data = {
        "id": made.key.id,
        "name": made.key.name,
        "public_key": made.key.public_key,
        "secret_key": made.secret_key,
        "environment": made.key.environment,
    }
    message = "API key created. Keep the secret key now: it is not shown again."
    return reply({"status": "success", "message": message, "data": data}, 201)


@keys.delete("/<int:key_id>", returns=StatusMessage)
def delete(key_id: int) -> Response:
    """Remove a key; it stops working at once."""
    core().accounts.delete_key(key_id, caller())
    return reply({"status": "success", "message": "API key deleted."})


def _listed(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "public_key": key.public_key,
        "secret_key": key.masked_secret,
        "environment": key.environment,
        "last_used_at": key.last_used_at,
    }
