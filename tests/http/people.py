"""An account with its keys, and typical requests."""

from typing import Any

from attrs import frozen
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.kernel.callers import Role

ACCORD = "1HGCM82633A004352"
ASK: dict[str, Any] = {"vin": ACCORD, "zip_code": "90210", "problem_identifier": "brake-pads-front"}
SPECS: dict[str, Any] = {
    "year": 2015,
    "make": "Toyota",
    "model": "Camry",
    "zip_code": "10001",
    "problem_identifier": "brake-pads-front",
}


def bearer(token: str) -> dict[str, str]:
    """Return the header for a credential."""
    return {"Authorization": f"Bearer {token}"}


@frozen(kw_only=True)
class Keys:
    """A pair of keys, as shown once on creation."""

    id: int
    name: str
    public_key: str
    secret_key: str


@frozen(kw_only=True)
class Person:
    """An account and its management token."""

    client: FlaskClient
    id: int
    name: str
    email: str
    token: str

    def keys(self, environment: str = "live", *, name: str = "shop") -> Keys:
        """Create a pair of keys."""
        answer = self.client.post(
            "/api/v1/dashboard/keys",
            json={"name": name, "environment": environment},
            headers=bearer(self.token),
        )
        assert answer.status_code == 201, answer.text
        created = answer.get_json()["data"]
        return Keys(
            id=created["id"],
            name=created["name"],
            public_key=created["public_key"],
            secret_key=created["secret_key"],
        )

    def get(self, path: str) -> TestResponse:
        """Send a request with the management token."""
        return self.client.get(path, headers=bearer(self.token))

    def post(self, path: str, body: object = None) -> TestResponse:
        """Send a request with the management token."""
        return self.client.post(path, json=body, headers=bearer(self.token))

    def patch(self, path: str, body: object = None) -> TestResponse:
        """Send a request with the management token."""
        return self.client.patch(path, json=body, headers=bearer(self.token))

    def delete(self, path: str) -> TestResponse:
        """Send a request with the management token."""
        return self.client.delete(path, headers=bearer(self.token))


def person(client: FlaskClient, name: str) -> Person:
    """Register an account."""
    email = f"{name.lower()}@example.org"
    answer = client.post(
        "/api/v1/auth/register", json={"name": name, "email": email, "password": "correct horse"}
    )
    assert answer.status_code == 201, answer.text
    payload = answer.get_json()["data"]
    return Person(
        client=client, id=payload["user"]["id"], name=name, email=email, token=payload["session_token"]
    )


def promoted(core: Core, account: Person) -> Person:
    """Make a person an admin without an entry in the audit log."""
    with core.storage.transaction() as work:
        user = work.users.find_by_email(account.email)
        assert user is not None
        work.users.set_role(user.id, Role.ADMIN)
    return account
