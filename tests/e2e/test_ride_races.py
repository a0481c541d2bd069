"""Fifty concurrent acceptances over two workers: one driver is assigned, one charge is made, all others are refused."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from attrs import frozen
from tests.conftest import SECRET_KEY
from tests.contracts.rides import (
    PICKUP,
    add_offers,
    charges_of,
    read_record,
    require_consistent,
    require_settled,
)
from tests.e2e.server import Server, gunicorn

from repaircore.core import Core, build
from repaircore.payments.model import GatewayState
from repaircore.settings import Settings

pytestmark = pytest.mark.long

DRIVERS: Final = 50
PREFIX: Final = "/api/v1/partner"


@frozen
class PartnerClient:
    """A partner's application with an open session."""

    client: httpx.Client
    token: str

    def post(self, path: str, body: Any = None, *, key: str | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        return self.client.post(f"{PREFIX}{path}", json=body, headers=headers)

    def ride(self) -> str:
        person = {"first_name": "Bo", "last_name": "Díaz", "email": "bo@example.org", "phone": "+12125550001"}
        customer = self.post("/customers", person).json()["data"]["external_ref"]
        created = self.post(
            "/mobile-rides",
            {
                "passenger_ref": customer,
                "service_type": "battery_jump_start",
                "pickup_latitude": PICKUP.latitude,
                "pickup_longitude": PICKUP.longitude,
                "dropoff_latitude": 34.15,
                "dropoff_longitude": -118.15,
            },
        )
        assert created.status_code == 201, created.text
        ref: str = created.json()["data"]["ref"]
        return ref


@pytest.fixture
def migrated_core(e2e_url: str, tmp_path: Path) -> Iterator[Core]:
    core = build(Settings(database_url=e2e_url, secret_key=SECRET_KEY, state_folder=tmp_path / "state"))
    core.upgrade()
    yield core
    core.close()


@contextmanager
def serving(url: str, folder: Path) -> Iterator[Server]:
    with gunicorn(
        folder / "log",
        DATABASE_URL=url,
        SECRET_KEY=SECRET_KEY,
        STATE_FOLDER=folder / "state",
        PARTNER_REQUESTS_PER_MINUTE_TEST=100_000,
    ) as server:
        yield server


def open_session(server: Server, public_key: str) -> PartnerClient:
    answer = server.post(f"{PREFIX}/sdk/sessions", {"public_key": public_key})
    return PartnerClient(server.client, answer.json()["data"]["session_token"])


def test_accept_wins_once_and_replays_among_fifty_requests(
    migrated_core: Core, e2e_url: str, tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    public_key = migrated_core.partners.create("Roadside Inc", "test").key.public_key
    with serving(e2e_url, tmp_path) as server:
        app = open_session(server, public_key)
        ref = app.ride()
        drivers = add_offers(DRIVERS, migrated_core, migrated_core.rides, ref)
        path = f"/mobile-rides/{ref}/accept-offer"
        answers = [
            one.result()
            for one in [
                pool.submit(app.post, path, {"driver_ref": who}, key=f"accept {who}") for who in drivers
            ]
        ]
        statuses = [one.status_code for one in answers]
        assert (statuses.count(200), statuses.count(409)) == (1, DRIVERS - 1), statuses
        _require_one_charge(migrated_core, ref)
        winner = drivers[statuses.index(200)]
        again = app.post(path, {"driver_ref": winner}, key=f"accept {winner}")
        assert (again.content, again.headers["Idempotent-Replayed"]) == (
            answers[statuses.index(200)].content,
            "true",
        )
        ref = app.ride()
        with migrated_core.storage.read() as work:
            driver = work.offers.list_for(ref)[0].provider_ref
        path = f"/mobile-rides/{ref}/accept-offer"
        same = [
            one.result()
            for one in [
                pool.submit(app.post, path, {"driver_ref": driver}, key="once") for _ in range(DRIVERS)
            ]
        ]
        answered = [one for one in same if one.status_code == 200]
        early = [one for one in same if one.status_code != 200]
        # Requests during the first one are told to retry, and then get the same answer.
        assert {one.status_code for one in early} <= {409}
        assert all("Retry-After" in one.headers for one in early)
        answered.append(app.post(path, {"driver_ref": driver}, key="once"))
        assert len({one.content for one in answered}) == 1
        _require_one_charge(migrated_core, ref)


def _require_one_charge(core: Core, ref: str) -> None:
    record = read_record(core, core.rides, ref)
    require_consistent(record)
    require_settled(core, record)
    assert [*record.events].count("ride.accepted") == 1
    assert [*charges_of(core, record.payments).values()] == [GatewayState.AUTHORIZED]
