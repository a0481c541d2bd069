"""The API of providers: keys, requests, offers, and a job to its end."""

from typing import Any

import pytest
from attrs import evolve, frozen
from flask.testing import FlaskClient
from tests.contracts.dispatching import Town
from tests.http.partners import PartnerApp, partner_app
from tests.http.people import bearer, person
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.messages.model import Channel
from repaircore.rides.model import Ride, RideKind, Vehicle
from repaircore.testing.clock import FrozenClock
from repaircore_http.service import serve_core

LIST = "/api/v1/provider/requests"
_TEST = evolve(LOCAL, environment=Environment.TEST)


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the answers do not depend on the database."""
    return sqlite_url


@pytest.fixture
def client(core: Core) -> FlaskClient:
    return serve_core(core).test_client()


@pytest.fixture
def partner(client: FlaskClient, core: Core) -> PartnerApp:
    return partner_app(client, core)


@frozen(kw_only=True)
class Provider:
    """A provider's client, with its key."""

    client: FlaskClient
    ref: str
    key: str

    def get(self, path: str = "") -> TestResponse:
        return self.client.get(LIST + path, headers=bearer(self.key))

    def post(self, path: str, body: Any = None) -> TestResponse:
        return self.client.post(LIST + path, json=body, headers=bearer(self.key))


def provider(core: Core, client: FlaskClient, ref: str) -> Provider:
    return Provider(client=client, ref=ref, key=core.provider_keys.create(ref, _TEST).text)


@pytest.fixture
def town(core: Core, partner: PartnerApp) -> Town:
    return Town.of(core, partner.caller, RideKind.TOW)


def request_tow(town: Town) -> tuple[Ride, str]:
    """Request a tow from a business of the test environment; return the tow, and the business's reference."""
    (ref,) = town.add_providers(1, environment=Environment.TEST)
    tow = town.create(
        vehicle=Vehicle(make="Honda", model="Civic", vin="1HGCM82633A004352", plate="8ABC123"),
        pickup_address="412 W 5th St",
        notes="Level 2",
    )
    town.core.dispatch.run()
    return tow, ref


def test_business_completes_a_tow(core: Core, client: FlaskClient, partner: PartnerApp, town: Town) -> None:
    tow, ref = request_tow(town)
    business = provider(core, client, ref)
    (request,) = business.get().get_json()["data"]
    path = f"/{request['ref']}"
    offered = business.post(f"{path}/offer", {"eta_minutes": 20}).get_json()["data"]
    accepted = partner.post(f"/tow-rides/{tow.ref}/business-offers/{ref}/accept")
    chosen = business.get(path).get_json()["data"]
    way = {"latitude": 34.06, "longitude": -118.2, "eta_minutes": 9}
    business.post(f"{path}/en-route", way)
    status = partner.get(f"/tow-rides/{tow.ref}/status").get_json()["data"]
    steps = [business.post(f"{path}/{step}").status_code for step in ("arrived", "start")]
    ended = business.post(f"{path}/complete", {"outcome": "completed"}).get_json()["data"]

    assert request["ride"] is None
    assert "412 W 5th St" not in str(request)
    assert request["allowed_actions"] == ["offer", "decline"]
    assert offered["status"] == "offered"
    assert accepted.status_code == 200
    assert accepted.get_json()["data"]["business"]["plate"] == "TOW 0"
    assert chosen["status"] == "chosen"
    assert chosen["ride"]["pickup"]["address"] == "412 W 5th St"
    assert chosen["ride"]["customer"]["first_name"] == "Ada"
    assert chosen["ride"]["vehicle"]["vin"] == "1HGCM82633A004352"
    assert chosen["allowed_actions"] == ["en_route", "arrived", "drop_out"]
    assert status["business"]["position"]["latitude"] == 34.06
    assert status["status"] == "accepted"
    assert steps == [200, 200]
    assert (ended["status"], ended["ride"]) == ("ended", None)
    assert partner.get(f"/tow-rides/{tow.ref}").get_json()["data"]["payment"]["status"] == "captured"


def test_null_is_accepted_for_optional_fields(
    core: Core, client: FlaskClient, partner: PartnerApp, town: Town
) -> None:
    tow, ref = request_tow(town)
    business = provider(core, client, ref)
    path = f"/{business.get().get_json()['data'][0]['ref']}"
    answers = [business.post(f"{path}/offer", {"eta_minutes": 20, "price": None})]
    partner.post(f"/tow-rides/{tow.ref}/business-offers/{ref}/accept")
    nowhere = {"latitude": None, "longitude": None, "eta_minutes": None}
    answers.append(business.post(f"{path}/en-route", nowhere))
    answers += [business.post(f"{path}/{step}") for step in ("arrived", "start")]
    answers.append(business.post(f"{path}/complete", {"outcome": None}))

    assert [answer.status_code for answer in answers] == [200] * 5
    assert partner.get(f"/tow-rides/{tow.ref}").get_json()["data"]["outcome"] == "completed"


def test_pending_ride_shows_the_dispatch_status(partner: PartnerApp, town: Town) -> None:
    tow, _ = request_tow(town)

    status = partner.get(f"/tow-rides/{tow.ref}/status").get_json()["data"]
    assert status["dispatch"] == {"status": "offers"}
    assert partner.get(f"/tow-rides/{tow.ref}").get_json()["data"]["dispatch"] == {"status": "offers"}


def test_messages_are_stored_for_the_request(core: Core, town: Town) -> None:
    tow, _ = request_tow(town)
    (request,) = town.requests(tow.ref)

    (message,) = core.messages.list_about(request.ref)
    assert message.content.channel is Channel.SMS
    assert message.content.recipient == "+12025550000"


@pytest.mark.parametrize("header", [None, "Basic x", "Bearer nothing", "Bearer prv_" + "1" * 39])
def test_requests_without_a_valid_key_are_rejected(client: FlaskClient, header: str | None) -> None:
    answer = client.get(LIST, headers={} if header is None else {"Authorization": header})

    assert answer.status_code == 401
    assert answer.get_json()["error"]["code"] == "INVALID_TOKEN"


def test_unknown_addresses_use_the_provider_dialect(client: FlaskClient) -> None:
    answers = [client.get(path) for path in ("/api/v1/provider", "/api/v1/provider/nothing")]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert {answer.get_json()["error"]["code"] for answer in answers} == {"NOT_FOUND"}


def test_other_credentials_are_not_provider_keys(
    core: Core, client: FlaskClient, partner: PartnerApp, town: Town
) -> None:
    _, ref = request_tow(town)
    ada, business = person(client, "Ada"), provider(core, client, ref)
    tokens = (ada.token, partner.token, partner.secret_key)

    assert [client.get(LIST, headers=bearer(token)).status_code for token in tokens] == [401] * 3
    assert client.get("/api/user", headers=bearer(business.key)).status_code == 401
    assert client.get("/api/v1/partner/tow-rides/x", headers=bearer(business.key)).status_code == 401


def test_revoked_key_is_rejected(core: Core, client: FlaskClient, town: Town) -> None:
    _, ref = request_tow(town)
    business = provider(core, client, ref)
    before = business.get().status_code
    revoked = core.provider_keys.revoke(ref, _TEST)

    assert (before, revoked, business.get().status_code) == (200, 1, 401)


def test_requests_of_other_providers_are_not_found(core: Core, client: FlaskClient, town: Town) -> None:
    tow, _ = request_tow(town)
    (other_ref,) = town.add_providers(1, environment=Environment.TEST, since=50)
    other = provider(core, client, other_ref)
    (request,) = town.requests(tow.ref)
    path = f"/{request.ref}"
    answers = [
        other.get(path),
        *(
            other.post(f"{path}/{step}", {"eta_minutes": 5} if step == "offer" else {})
            for step in ("offer", "decline", "en-route", "arrived", "start", "complete", "drop-out")
        ),
    ]

    assert {answer.status_code for answer in answers} == {404}
    assert other.get().get_json()["data"] == []


@pytest.mark.parametrize(
    ("step", "body", "fields"),
    [
        ("offer", {}, {"eta_minutes"}),
        ("offer", {"eta_minutes": 0}, {"eta_minutes"}),
        ("offer", {"eta_minutes": "5"}, {"eta_minutes"}),
        ("decline", {"reason": "x" * 501}, {"reason"}),
        ("en-route", {"latitude": 91, "longitude": "west"}, {"latitude", "longitude"}),
        ("en-route", {"latitude": 34.06, "eta_minutes": 5}, {"longitude"}),
        ("en-route", {"longitude": -118.2}, {"latitude"}),
        ("complete", {"outcome": "vanished"}, {"outcome"}),
    ],
)
def test_all_bad_fields_are_reported(
    client: FlaskClient, town: Town, step: str, body: Any, fields: set[str]
) -> None:
    tow, ref = request_tow(town)
    (request,) = town.requests(tow.ref)
    answer = provider(town.core, client, ref).post(f"/{request.ref}/{step}", body)

    assert answer.status_code == 400
    assert set(answer.get_json()["error"]["details"]) == fields


@pytest.mark.parametrize("step", ["en-route", "arrived", "start", "complete", "drop-out"])
def test_steps_before_the_provider_is_chosen_are_conflicts(
    core: Core, client: FlaskClient, town: Town, step: str
) -> None:
    tow, ref = request_tow(town)
    (request,) = town.requests(tow.ref)
    answer = provider(core, client, ref).post(f"/{request.ref}/{step}", {})

    assert answer.status_code == 409
    assert answer.get_json()["error"]["details"]["allowed"] == ["offer", "decline"]


def test_errors_list_only_the_actions_of_a_provider(
    core: Core, client: FlaskClient, partner: PartnerApp, town: Town
) -> None:
    tow, ref = request_tow(town)
    (request,) = town.requests(tow.ref)
    business, path = provider(core, client, ref), f"/{request.ref}"
    business.post(f"{path}/offer", {"eta_minutes": 20})
    dear = business.post(f"{path}/offer", {"eta_minutes": 25, "price": 999_999.0}).get_json()["error"]
    partner.post(f"/tow-rides/{tow.ref}/business-offers/{ref}/accept")
    chosen = business.post(f"{path}/offer", {"eta_minutes": 25}).get_json()["error"]
    business.post(f"{path}/arrived", {})
    arrived = business.post(f"{path}/arrived", {}).get_json()["error"]
    business.post(f"{path}/drop-out", {})
    dropped_out = business.post(f"{path}/offer", {"eta_minutes": 25}).get_json()["error"]

    assert [*dear["details"]] == ["price"]
    assert chosen["details"] == {"status": "chosen", "allowed": ["en_route", "arrived", "drop_out"]}
    assert arrived["details"] == {"status": "chosen", "allowed": ["start", "drop_out", "complete"]}
    assert arrived["message"].endswith("Allowed: start, drop_out, complete.")
    assert dropped_out["details"] == {"status": "dropped_out", "allowed": []}


@pytest.mark.parametrize(("outcome", "share"), [("completed", 100), ("unsuccessful", 40)])
def test_ended_job_pays_according_to_its_outcome(
    core: Core, client: FlaskClient, partner: PartnerApp, town: Town, *, outcome: str, share: int
) -> None:
    tow, ref = request_tow(town)
    (request,) = town.requests(tow.ref)
    business, path = provider(core, client, ref), f"/{request.ref}"
    quoted = business.get(path).get_json()["data"]["pays"]
    price = round(quoted * 0.8, 2)
    business.post(f"{path}/offer", {"eta_minutes": 20, "price": price})
    partner.post(f"/tow-rides/{tow.ref}/business-offers/{ref}/accept")
    chosen = business.get(path).get_json()["data"]["pays"]
    for step in ("arrived", "start"):
        business.post(f"{path}/{step}", {})
    business.post(f"{path}/complete", {"outcome": outcome})
    ended = business.get(path).get_json()["data"]

    assert (chosen, ended["status"]) == (price, "ended")
    assert ended["pays"] == pytest.approx(price * share / 100, abs=0.01)
    assert ended["pays"] == partner.get(f"/tow-rides/{tow.ref}").get_json()["data"]["fee"]


@pytest.mark.parametrize(
    ("steps", "outcome", "allowed", "message"),
    [
        (
            ["arrived"],
            "completed",
            ["gone_on_arrival", "unsuccessful"],
            "Cannot complete this job as completed now. Report start first. Outcomes allowed now: gone_on_arrival, unsuccessful.",
        ),
        (
            ["arrived", "start"],
            "gone_on_arrival",
            ["completed", "unsuccessful"],
            "Cannot complete this job as gone_on_arrival now. Outcomes allowed now: completed, unsuccessful.",
        ),
    ],
)
def test_rejected_outcome_lists_the_allowed_ones(
    core: Core,
    client: FlaskClient,
    partner: PartnerApp,
    town: Town,
    *,
    steps: list[str],
    outcome: str,
    allowed: list[str],
    message: str,
) -> None:
    tow, ref = request_tow(town)
    (request,) = town.requests(tow.ref)
    business, path = provider(core, client, ref), f"/{request.ref}"
    business.post(f"{path}/offer", {"eta_minutes": 20})
    partner.post(f"/tow-rides/{tow.ref}/business-offers/{ref}/accept")
    early = business.post(f"{path}/complete", {"outcome": outcome}).get_json()["error"]
    for step in steps:
        business.post(f"{path}/{step}", {})
    refused = business.post(f"{path}/complete", {"outcome": outcome})
    error = refused.get_json()["error"]

    assert early["message"].endswith("Allowed: en_route, arrived, drop_out.")
    assert (refused.status_code, error["message"]) == (409, message)
    assert error["details"]["outcomes"] == allowed


def test_list_rejects_invalid_pages(core: Core, client: FlaskClient, town: Town) -> None:
    _, ref = request_tow(town)

    assert provider(core, client, ref).get("?per_page=0&page=0").status_code == 400


def test_unanswered_request_expires(core: Core, town: Town, clock: FrozenClock) -> None:
    tow, _ = request_tow(town)
    clock.advance(town.dispatch.plan.wait)
    core.dispatch.run()

    assert town.statuses(tow.ref) == ["expired"]
