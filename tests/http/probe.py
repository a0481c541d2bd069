"""A route of the partner platform for tests: what it does is an event, and the body says how it ends."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import sqlalchemy as sa
from attrs import frozen
from flask import Response

from repaircore.adapters.sql.schema.webhooks import events
from repaircore.core import Core
from repaircore.kernel.errors import Conflict, Failure, Invalid, NotFound, TooMany, Unavailable
from repaircore.kernel.events import Event
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.rules import OneOf
from repaircore.shared_services import new_id
from repaircore_http import partner
from repaircore_http.app import Api, create_app
from repaircore_http.core import core
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.idempotency import current_claim
from repaircore_http.json_io import read_body
from repaircore_http.partner import dialect
from repaircore_http.partner.dialect import reply_data
from repaircore_http.partner_auth import PartnerAuth
from repaircore_http.routes import Routes

FAILURES: dict[str, Failure] = {
    "invalid": Invalid({"outcome": ["The outcome field is invalid."]}),
    "absent": NotFound("Not Found."),
    "conflict": Conflict("The slot is taken.", details={"status": "full", "allowed": []}),
    "busy": Conflict("Something else is being done.", retry_after=2),
    "too many": TooMany(7),
    "unavailable": Unavailable("The gateway is not responding."),
}


@frozen(kw_only=True)
class Probe:
    outcome: Annotated[str, OneOf("fine", "crash", "status 400", "status 500", *FAILURES)] = "fine"
    before: Annotated[str, OneOf("fine", "crash", *FAILURES)] = "fine"


class Probes:
    """Routes whose effects and preparations are counted by the test; ``on`` is called before and after the effect."""

    def __init__(self, on: Mapping[str, Callable[[], None]] | None = None) -> None:
        self.on = on or {}
        self.prepared: list[str | None] = []
        self.claims: list[str | None] = []
        self.routes = Routes(
            "probe", url_prefix=f"{dialect.PREFIX}/probe", auth=Auth.PARTNER, dialect=dialect.partner
        )
        self.routes.post("", idempotent=True)(self.plain)
        self.routes.patch("", endpoint="patched", idempotent=True)(self.plain)
        self.routes.post("/<name>", idempotent=True, prepare=self.prepare)(self.named)
        self.routes.post("/<name>/always", prepare=self.prepare)(self.always)

    def plain(self) -> Response:
        """Act, then end as the body says."""
        self.claims.append(current_claim())
        how = read_body(Probe).outcome
        self._comes("before")
        event_id = _act()
        self._comes("after")
        return _end(event_id, how)

    def _comes(self, moment: str) -> None:
        if moment in self.on:
            self.on[moment]()

    def named(self, name: str) -> Response:
        """Act on something that has a name."""
        assert name
        return self.plain()

    def always(self, name: str) -> Response:
        """Act without looking at keys."""
        return self.named(name)

    def prepare(self, name: str) -> None:
        """Do what is done ahead."""
        assert name
        self.prepared.append(current_claim())
        _fail(read_body(Probe).before)


def _fail(how: str) -> None:
    if how == "crash":
        msg = "nobody foresaw this"
        raise RuntimeError(msg)
    if how in FAILURES:
        raise FAILURES[how]


def _act() -> str:
    event_id = reference(Kind.EVENT, new_id())
    caller = partner_caller()
    with core().storage.transaction() as work:
        work.outbox.add(
            Event(
                id=event_id,
                type="webhook.test",
                partner_id=caller.partner_id,
                environment=caller.environment,
                subject=event_id,
                data={},
                created_at=core().idempotency.clock(),
            )
        )
    return event_id


def _end(event_id: str, how: str) -> Response:
    _fail(how)
    status = int(how.removeprefix("status ")) if how.startswith("status ") else 201
    return reply_data({"event": event_id, "é": 1.5}, status)


def probed(served: Core, probes: Probes) -> Api:
    """Serve the partner platform with the probe beside it."""
    partner_auth = PartnerAuth(
        prefix=dialect.PREFIX,
        dialect=dialect.partner,
        authenticate=served.partner_sessions.authenticate,
        limits=served.limits,
    )
    blueprints = (*partner.BLUEPRINTS, probes.routes)
    return create_app(
        served, authenticate=served.accounts.authenticate, blueprints=blueprints, partner_auth=partner_auth
    )


def effects(served: Core, **kept: Any) -> int:
    """Count what was done."""
    with served.storage.database.transaction(write=False) as connection:
        query = sa.select(sa.func.count()).select_from(events).filter_by(**kept)
        return int(connection.execute(query).scalar_one())
