"""A partner application: its keys, its session, and what it asks."""

from typing import Any

from attrs import frozen
from flask.testing import FlaskClient
from tests.http.people import bearer
from werkzeug.test import TestResponse

from repaircore.bootstrap import Core
from repaircore.kernel.callers import Environment, PartnerCaller

PREFIX = "/api/v1/partner"


@frozen(kw_only=True)
class PartnerApp:
    """A partner with an open session; paths may leave the platform's prefix out, ``key`` is the idempotency key."""

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

    def ask(
        self,
        method: str,
        path: str,
        json: object = None,
        *,
        key: str | None = None,
        headers: dict[str, str] | None = None,
        **options: Any,
    ) -> TestResponse:
        """Ask with the session token."""
        named = {} if key is None else {"Idempotency-Key": key}
        told = {**bearer(self.token), **named, **(headers or {})}
        whole = path if path.startswith("/api/") else PREFIX + path
        return self.client.open(whole, method=method, json=json, headers=told, **options)

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.ask("GET", path, **options)

    def post(self, path: str, json: object = None, *, key: str | None = None, **options: Any) -> TestResponse:
        return self.ask("POST", path, json, key=key, **options)

    def patch(
        self, path: str, json: object = None, *, key: str | None = None, **options: Any
    ) -> TestResponse:
        return self.ask("PATCH", path, json, key=key, **options)

    def delete(
        self, path: str, json: object = None, *, key: str | None = None, **options: Any
    ) -> TestResponse:
        return self.ask("DELETE", path, json, key=key, **options)


def partner_app(
    client: FlaskClient, core: Core, name: str = "Roadside Inc", environment: str = "test"
) -> PartnerApp:
    """Make a partner, in one environment more if it is there, and open a session."""
    made = core.partners.create(name, environment)
    opened = core.partner_sessions.open(made.key.public_key)
    return PartnerApp(
        client=client,
        id=made.partner.id,
        name=name,
        environment=environment,
        public_key=made.key.public_key,
        secret_key=made.secret_key,
        token=opened.token,
    )
