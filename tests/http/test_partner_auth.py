"""The partner platform's auth when rate windows are lost, and routes that stop the start."""

import pytest
from attrs import evolve, frozen
from flask.testing import FlaskClient
from tests.http.partners import PREFIX, PartnerApp
from tests.http.people import bearer
from typing_extensions import override

from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.ports import Windows
from repaircore.partners.model import Claims
from repaircore.partners.ports import PartnerStatuses
from repaircore_http.app import create_app
from repaircore_http.errors import Dialect
from repaircore_http.guards import Auth
from repaircore_http.partner import dialect
from repaircore_http.partner_auth import PartnerAuth
from repaircore_http.routes import Routes, UndeclaredAuth
from repaircore_http.service import serve_core

NOWHERE = f"{PREFIX}/nowhere"


class LostWindows(Windows):
    """A store that cannot be reached."""

    @override
    def acquire(self, subject: str, limit: Limit) -> Verdict:
        raise Unavailable("The windows are lost.")

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        raise Unavailable("The windows are lost.")

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        raise Unavailable("The windows are lost.")

    @override
    def close(self) -> None:
        """Hold nothing."""


@frozen
class LostStatuses(PartnerStatuses):
    """A database that is not responding."""

    @override
    def last_end(self, caller: PartnerCaller) -> int:
        raise Unavailable("The database is not responding.")

    @override
    def is_open(self, claims: Claims) -> bool:
        raise Unavailable("The database is not responding.")


def limit_headers(client: FlaskClient, path: str, token: str | None = None) -> tuple[int, str, str]:
    answer = client.get(path, headers={} if token is None else bearer(token))
    headers = answer.headers
    assert int(headers["X-RateLimit-Reset"]) > 0
    return answer.status_code, headers["X-RateLimit-Limit"], headers["X-RateLimit-Remaining"]


def test_partners_are_admitted_without_rate_windows(core: Core, partner: PartnerApp) -> None:
    lost = core.replacing(limits=evolve(core.limits, partner_windows=LostWindows()))
    client = serve_core(lost).test_client()

    assert limit_headers(client, NOWHERE, partner.token)[:2] == (404, "100")
    assert limit_headers(client, NOWHERE) == (503, str(core.limits.anonymous.count), "0")
    answer = client.post(f"{PREFIX}/sdk/sessions", json={"public_key": partner.public_key})

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")


def test_unavailable_statuses_are_a_503_not_a_401(core: Core, partner: PartnerApp) -> None:
    sessions = evolve(core.partner_sessions, statuses=LostStatuses())
    client = serve_core(core.replacing(partner_sessions=sessions)).test_client()
    answer = client.post(f"{PREFIX}/customers", json={}, headers=bearer(partner.token))

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert answer.headers["X-RateLimit-Limit"] == str(core.limits.anonymous.count)


@pytest.mark.parametrize(
    ("prefix", "need"),
    [(f"{PREFIX}/odd", Auth.KEY), (f"{PREFIX}/odd", Auth.OPTIONAL), ("/api/v1/odd", Auth.PARTNER)],
)
def test_routes_under_the_prefix_require_partner_auth(core: Core, prefix: str, need: Auth) -> None:
    word: Dialect = dialect.partner
    odd = Routes("odd", url_prefix=prefix, auth=need, dialect=word)
    odd.get("")(lambda: "")
    gate = PartnerAuth(
        prefix=PREFIX,
        dialect=word,
        authenticate=core.partner_sessions.authenticate,
        limits=core.limits,
    )
    with pytest.raises(UndeclaredAuth, match="odd"):
        create_app(core, authenticate=core.accounts.authenticate, blueprints=[odd], partner_auth=gate)


@pytest.mark.parametrize("path", [f"{PREFIX}s/x", "/api/v1/partner-x", "/api/v1/partne"])
def test_similar_paths_are_not_partner_paths(api: FlaskClient, path: str) -> None:
    answer = api.get(path)

    assert (answer.status_code, answer.get_json()) == (404, {"message": "Not Found."})
    assert "X-RateLimit-Limit" not in answer.headers
