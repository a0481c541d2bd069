import pytest
from flask.testing import FlaskClient
from tests.http.example import ExampleCore, authenticate, example_app

from repaircore.kernel.callers import Credential, Role
from repaircore_http.app import create_app
from repaircore_http.guards import Auth
from repaircore_http.json_io import reply
from repaircore_http.routes import Routes, UndeclaredAuth

ANYONE = {f"{credential}-{role}" for credential in ("session", "publishable", "secret") for role in Role}
ADMITTED = {
    Auth.NONE: ANYONE | {"local-user", "local-admin"},
    Auth.SESSION: {"session-user", "session-admin"},
    Auth.KEY: ANYONE,
    Auth.SECRET: {"session-user", "session-admin", "secret-user", "secret-admin"},
    Auth.ADMIN: {"session-admin", "secret-admin"},
    Auth.OPTIONAL: ANYONE,
    Auth.PARTNER: set(),
    Auth.PROVIDER: set(),
}


@pytest.mark.parametrize("need", Auth)
@pytest.mark.parametrize("credential", sorted(set(Credential) - {Credential.ANONYMOUS}))
@pytest.mark.parametrize("role", Role)
def test_route_admits_the_declared_credentials_and_roles(
    client: FlaskClient, need: Auth, credential: Credential, role: Role
) -> None:
    token = f"{credential}-{role}"
    answer = client.post(f"/guarded/{need}", headers={"Authorization": f"Bearer {token}"})
    if token in ADMITTED[need]:
        assert answer.status_code == 200
        assert answer.json == {"credential": None if need is Auth.NONE else credential}
    elif need is Auth.PROVIDER:  # which has its own kind of keys
        assert (answer.status_code, answer.json) == (401, {"message": "Unauthenticated."})
    else:
        assert answer.status_code == 403
        assert answer.json == {"message": "This action is unauthorized."}


@pytest.mark.parametrize("need", Auth)
def test_anonymous_caller_is_admitted_only_without_required_auth(client: FlaskClient, need: Auth) -> None:
    answer = client.post(f"/guarded/{need}")
    assert answer.status_code == (200 if need in {Auth.NONE, Auth.OPTIONAL} else 401)


@pytest.mark.parametrize("need", sorted(set(Auth) - {Auth.NONE}))
@pytest.mark.parametrize(
    "header",
    ["Bearer wrong", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "secret-user", "Bearer secret-user x", "Bearer a, Bearer b",
     "Bearer sécret", "Bearer " + "x" * 5000],
)  # fmt: skip
def test_wrong_credential_is_a_401(client: FlaskClient, need: Auth, header: str) -> None:
    answer = client.post(f"/guarded/{need}", headers={"Authorization": header})
    assert (answer.status_code, answer.json) == (401, {"message": "Unauthenticated."})
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_auth_scheme_is_case_insensitive(client: FlaskClient) -> None:
    assert client.post("/guarded/key", headers={"Authorization": "bearer secret-user"}).status_code == 200


@pytest.mark.parametrize(
    ("body", "kind"), [(b"{", "application/json"), (b"x" * 2_000_000, "text/plain"), (b"", "")]
)
def test_missing_credential_is_reported_before_a_bad_body(
    client: FlaskClient, body: bytes, kind: str
) -> None:
    assert client.post("/guarded/ask", data=body, content_type=kind).status_code == 401


def test_handler_knows_its_caller(client: FlaskClient) -> None:
    answer = client.post(
        "/guarded/ask",
        json={"vin": "1HGCM82633A004352", "zip_code": "90210"},
        headers={"Authorization": "Bearer publishable-user"},
    )
    assert answer.json is not None
    assert answer.json["by"] == "publishable"


def test_route_without_a_declared_credential_stops_the_start() -> None:
    routes = Routes("forgetful", auth=None, url_prefix="/forgetful")
    routes.add_url_rule("/here", view_func=lambda: reply({}), endpoint="here", auth=Auth.KEY)
    routes.add_url_rule("/there", view_func=lambda: reply({}), endpoint="there")
    with pytest.raises(UndeclaredAuth, match=r"GET\|OPTIONS /forgetful/there \(forgetful\.there\)$"):
        create_app(ExampleCore(), authenticate=authenticate, blueprints=[routes])


def test_head_never_acts() -> None:
    acted: list[str] = []
    client = example_app(acted=acted).test_client()
    refused = client.head("/plain/notify")
    assert refused.status_code == 405
    assert "HEAD" not in refused.headers["Allow"]
    assert acted == []
    assert client.get("/plain/notify").status_code == 200
    assert acted == ["notified"]


def test_head_of_a_safe_route_returns_only_headers(client: FlaskClient) -> None:
    answer = client.head("/plain/values")
    assert (answer.status_code, answer.data) == (201, b"")
    assert int(answer.headers["Content-Length"]) > 0


def test_options_needs_no_credential(client: FlaskClient) -> None:
    answer = client.options("/guarded/key")
    assert answer.status_code == 200
    assert set(answer.allow) == {"POST", "OPTIONS"}


def test_probes_report_liveness_and_readiness() -> None:
    client = example_app().test_client()
    assert client.get("/healthz").json == {"status": "ok"}
    assert client.get("/readyz").json == {"status": "ok"}
    unready = example_app(problems=("The database is not responding.",)).test_client()
    assert unready.get("/healthz").status_code == 200
    answer = unready.get("/readyz")
    assert answer.status_code == 503
    assert answer.json == {"status": "unavailable", "problems": ["The database is not responding."]}
