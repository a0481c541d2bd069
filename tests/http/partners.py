"""A partner application: its keys, its session and its requests."""

from datetime import timedelta
from typing import Any

from attrs import evolve, frozen
from flask.testing import FlaskClient
from tests.http.people import bearer
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.testing.clock import FrozenClock
from repaircore_http.core import EXTENSION

PREFIX = "/api/v1/partner"


@frozen(kw_only=True)
class PartnerApp:
    """A partner with an open session; paths may omit the platform's prefix, ``key`` is the idempotency key."""

    client: FlaskClient
    id: int
    name: str
    environment: str
    public_key: str
    secret_key: str
    token: str

    @property
    def caller(self) -> PartnerCaller:
        return PartnerCaller(partner_id=self.id, environment=Environment(self.environment))

    def request(
        self,
        method: str,
        path: str,
        json: object = None,
        *,
        key: str | None = None,
        headers: dict[str, str] | None = None,
        **options: Any,
    ) -> TestResponse:
        """Send a request with the session token."""
        idempotency = {} if key is None else {"Idempotency-Key": key}
        all_headers = {**bearer(self.token), **idempotency, **(headers or {})}
        full_path = path if path.startswith("/api/") else PREFIX + path
        return self.client.open(full_path, method=method, json=json, headers=all_headers, **options)

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.request("GET", path, **options)

    def post(self, path: str, json: object = None, *, key: str | None = None, **options: Any) -> TestResponse:
        return self.request("POST", path, json, key=key, **options)

    def patch(
        self, path: str, json: object = None, *, key: str | None = None, **options: Any
    ) -> TestResponse:
        return self.request("PATCH", path, json, key=key, **options)

    def delete(
        self, path: str, json: object = None, *, key: str | None = None, **options: Any
    ) -> TestResponse:
        return self.request("DELETE", path, json, key=key, **options)


def partner_app(
    client: FlaskClient, core: Core, name: str = "Roadside Inc", environment: str = "test"
) -> PartnerApp:
    """Create a partner, or its keys for another environment, and open a session."""
    created = core.partners.create(name, environment)
    session = core.partner_sessions.open(created.key.public_key)
    return PartnerApp(
        client=client,
        id=created.partner.id,
        name=name,
        environment=environment,
        public_key=created.key.public_key,
        secret_key=created.secret_key,
        token=session.token,
    )


def after(app: PartnerApp, time: timedelta) -> PartnerApp:
    """Let time pass, and return the partner with a new session: the old one may have expired."""
    core: Core = app.client.application.extensions[EXTENSION]
    assert isinstance(core.clock, FrozenClock)
    core.clock.advance(time)
    return evolve(app, token=core.partner_sessions.open(app.public_key).token)
