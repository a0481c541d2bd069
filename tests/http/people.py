"""Somebody with an account, and what they ask for most."""

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
    """Give the header that a credential is shown in."""
    return {"Authorization": f"Bearer {token}"}


@frozen(kw_only=True)
class Keys:
    """A pair of keys as it was shown once."""

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
        """Make a pair of keys."""
        answer = self.client.post(
            "/api/v1/dashboard/keys",
            json={"name": name, "environment": environment},
            headers=bearer(self.token),
        )
        assert answer.status_code == 201, answer.text
        made = answer.get_json()["data"]
        return Keys(
            id=made["id"], name=made["name"], public_key=made["public_key"], secret_key=made["secret_key"]
        )

    def get(self, path: str) -> TestResponse:
        """Ask with the management token."""
        return self.client.get(path, headers=bearer(self.token))

    def post(self, path: str, body: object = None) -> TestResponse:
        """Ask with the management token."""
        return self.client.post(path, json=body, headers=bearer(self.token))

    def patch(self, path: str, body: object = None) -> TestResponse:
        """Ask with the management token."""
        return self.client.patch(path, json=body, headers=bearer(self.token))

    def delete(self, path: str) -> TestResponse:
        """Ask with the management token."""
        return self.client.delete(path, headers=bearer(self.token))


def person(client: FlaskClient, name: str) -> Person:
    """Register somebody."""
    email = f"{name.lower()}@example.org"
    answer = client.post(
        "/api/v1/auth/register", json={"name": name, "email": email, "password": "correct horse"}
    )
    assert answer.status_code == 201, answer.text
    payload = answer.get_json()["data"]
    return Person(
        client=client, id=payload["user"]["id"], name=name, email=email, token=payload["session_token"]
    )


def promoted(core: Core, who: Person) -> Person:
    """Make somebody an admin, so that it stands in no audit log."""
    with core.storage.transaction() as work:
        user = work.users.find_by_email(who.email)
        assert user is not None
        work.users.set_role(user.id, Role.ADMIN)
    return who
