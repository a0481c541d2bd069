"""Every route of the partner platform with every credential, and with records of others."""

import csv
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any, TypeAlias

import jwt
import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.http.partners import PREFIX, PartnerApp, partner_app
from tests.http.people import bearer, person
from tests.http.rides import PRICE, TOW_PRICE, Maker, create_customer, mobile, tow
from tests.http.test_endpoints import LIST, Endpoint, blank, listed_endpoints
from werkzeug.test import TestResponse

from repaircore.appointments.lifecycle import Status
from repaircore.core import Core
from repaircore.kernel.errors import Unauthenticated
from repaircore.kernel.references import Kind, reference
from repaircore.proofs.model import Proof, ProofForm, Stage
from repaircore.rides.model import RideKind
from repaircore.testing.clock import FrozenClock
from repaircore_http.core import EXTENSION
from repaircore_http.routes import GuardedRule
from repaircore_http.service import serve_core

Call: TypeAlias = Callable[[PartnerApp], "tuple[str, dict[str, Any] | None]"]
"""Returns the path (without the platform's prefix) and the body of a call that succeeds for a partner, and creates the
records in the path first."""

_numbers = count()


def _customer(_: PartnerApp) -> tuple[str, dict[str, Any]]:
    number = next(_numbers)
    person = {"first_name": "Bo", "last_name": "Diaz", "email": f"bo{number}@example.org"}
    return "/customers", {**person, "phone": f"+1212555{number:04}"}


def _ride_call(maker: Maker, state: str, step: str = "", body: dict[str, Any] | None = None) -> Call:
    """Call a step of a ride in a state."""

    def call(app: PartnerApp) -> tuple[str, dict[str, Any] | None]:
        return f"{maker.path}/{getattr(maker, state)(app)['ref']}{step}", body

    return call


def _mechanic(app: PartnerApp) -> str:
    """Return a mechanic of the environment who is free at any time."""
    core = app.client.application.extensions[EXTENSION]
    created = core.mechanics.add(
        app.caller.environment,
        name="Garage",
        state="OH",
        time_zone="America/New_York",
        capacity="100",
        hours="mon-sun 00:00-24:00",
    )
    return str(created.ref)


def _mechanic_call(rest: str = "") -> Call:
    return lambda app: (f"/mechanics/{_mechanic(app)}{rest}", None)


def _booking(app: PartnerApp) -> tuple[str, dict[str, Any]]:
    customer = app.post(*_customer(app)).get_json()["data"]["external_ref"]
    booking = {"mechanic_ref": _mechanic(app), "customer_ref": customer}
    return "/appointments", {**booking, "date": "2026-01-05", "time": "09:00"}


def _appointment_call(rest: str = "", body: dict[str, Any] | None = None) -> Call:
    def call(app: PartnerApp) -> tuple[str, dict[str, Any] | None]:
        ref = app.post(*_booking(app)).get_json()["data"]["ref"]
        return f"/appointments/{ref}{rest}", body

    return call


def _list_call(app: PartnerApp) -> tuple[str, None]:
    app.post(*_booking(app))
    return "/appointments?date_from=2026-01-05&sort=starts_at", None


def _hold_call(app: PartnerApp) -> tuple[str, dict[str, Any]]:
    return "/appointments/holds", {"mechanic_ref": _mechanic(app), "date": "2026-01-05", "time": "09:00"}


def _completed_appointment(app: PartnerApp) -> tuple[str, dict[str, Any]]:
    """Rate an appointment that was completed without advancing the partner's clock."""
    core = app.client.application.extensions[EXTENSION]
    ref = app.post(*_booking(app)).get_json()["data"]["ref"]
    later = evolve(core.appointments, clock=lambda: datetime(2026, 1, 5, 15, tzinfo=UTC))
    later.update(ref, {"status": Status.COMPLETED}, app.caller)
    return f"/appointments/{ref}/rate-mechanic", {"rating": 5}


def _accept_call(maker: Maker) -> Call:
    return lambda app: maker.acceptance(app, maker.pending(app)["ref"])


ELSEWHERE = {"dropoff_latitude": 34.4, "dropoff_longitude": -118.1}


def _destination_call(maker: Maker) -> Call:
    def call(app: PartnerApp) -> tuple[str, dict[str, Any]]:
        path = f"{maker.path}/{maker.accepted(app)['ref']}"
        quoted = app.post(f"{path}/destination-preview", ELSEWHERE).get_json()["data"]
        body = {"estimate_id": quoted["estimate_id"], "dropoff_address": "9 Elm St, Palmdale, CA 93550"}
        return f"{path}/change-destination", body

    return call


def _proof_call(maker: Maker, path: str) -> Call:
    def call(app: PartnerApp) -> tuple[str, None]:
        ride = maker.in_progress(app)
        return f"{maker.path}/{ride['ref']}/proofs{path.format(add_proof(app, ride).ref)}", None

    return call


def add_proof(app: PartnerApp, ride: dict[str, Any]) -> Proof:
    """Store a photo of a ride."""
    core = app.client.application.extensions[EXTENSION]
    provider = ride.get("driver") or ride["business"]
    proof = Proof(
        ref=reference(Kind.PROOF, core.new_id()),
        environment=app.caller.environment,
        kind=RideKind(ride["ref"].partition("_")[0]),
        ride_ref=ride["ref"],
        provider_ref=provider["ref"],
        stage=Stage.PICKUP,
        form=ProofForm.PHOTO,
        media_type="image/jpeg",
        width=1600,
        height=1200,
        size=5,
        sha256=sha256(b"photo").digest(),
        added_at=core.clock(),
    )
    with core.storage.transaction() as work:
        added: Proof = work.proofs.add(proof, b"photo")
    return added


def _ride_calls(maker: Maker) -> "dict[tuple[str, str], Call]":
    """Return the calls that mobile rides and tow rides have in common."""
    one = f"{maker.path}/{{}}"
    return {
        ("GET", one): _ride_call(maker, "pending"),
        ("GET", f"{one}/status"): _ride_call(maker, "pending", "/status"),
        ("GET", f"{one}/cancel-preview"): _ride_call(maker, "pending", "/cancel-preview"),
        ("PATCH", one): _ride_call(maker, "pending", "", {"notes": "blue door"}),
        ("POST", f"{one}/cancel"): _ride_call(maker, "pending", "/cancel"),
        ("PATCH", f"{one}/cancel-accepted"): _ride_call(maker, "accepted", "/cancel-accepted"),
        ("POST", f"{one}/driver-arrived"): _ride_call(maker, "accepted", "/driver-arrived"),
        ("POST", f"{one}/start"): _ride_call(maker, "arrived", "/start"),
        ("POST", f"{one}/complete"): _ride_call(maker, "in_progress", "/complete"),
        ("GET", f"{one}/receipt"): _ride_call(maker, "completed", "/receipt"),
        ("POST", f"{one}/refund"): _ride_call(maker, "completed", "/refund"),
        ("POST", f"{one}/destination-preview"): _ride_call(
            maker, "accepted", "/destination-preview", ELSEWHERE
        ),
        ("POST", f"{one}/change-destination"): _destination_call(maker),
        ("GET", f"{one}/proofs"): _proof_call(maker, ""),
        ("GET", f"{one}/proofs/{{}}"): _proof_call(maker, "/{}"),
        ("POST", f"{one}/tracking-link"): _ride_call(maker, "accepted", "/tracking-link"),
        ("DELETE", f"{one}/tracking-link"): _ride_call(maker, "accepted", "/tracking-link"),
        ("POST", f"{one}/sandbox"): _ride_call(maker, "accepted", "/sandbox", {"action": "drop_out"}),
    }


_SUBSCRIPTION = {"url": "https://example.com/hooks", "events": ["*"]}


def _webhook(app: PartnerApp) -> str:
    created: Any = app.post("/webhooks", _SUBSCRIPTION).json
    return f"/webhooks/{created['data']['ref']}"


# A route that is missing here fails its test.
CALLS: dict[tuple[str, str], Call] = {
    **_ride_calls(mobile),
    **_ride_calls(tow),
    ("GET", "/mobile-rides"): lambda _: ("/mobile-rides", None),
    ("POST", "/mobile-rides/estimate-price"): lambda _: ("/mobile-rides/estimate-price", PRICE),
    ("POST", "/mobile-rides"): lambda app: (
        "/mobile-rides",
        {**PRICE, "passenger_ref": create_customer(app)["external_ref"]},
    ),
    ("GET", "/mobile-rides/{}/interested-drivers"): _ride_call(mobile, "pending", "/interested-drivers"),
    ("POST", "/mobile-rides/{}/accept-offer"): _accept_call(mobile),
    ("POST", "/mobile-rides/{}/decline-offer"): _ride_call(mobile, "pending", "/decline-offer"),
    ("POST", "/mobile-rides/{}/rate-driver"): _ride_call(mobile, "completed", "/rate-driver", {"rating": 4}),
    ("GET", "/tow-rides"): lambda _: ("/tow-rides", None),
    ("POST", "/tow-rides/estimate-price"): lambda _: ("/tow-rides/estimate-price", TOW_PRICE),
    ("POST", "/tow-rides"): lambda app: (
        "/tow-rides",
        {**TOW_PRICE, "passenger_id": create_customer(app)["id"]},
    ),
    ("GET", "/tow-rides/{}/business-offers"): _ride_call(tow, "pending", "/business-offers"),
    ("POST", "/tow-rides/{}/business-offers/{}/accept"): _accept_call(tow),
    ("POST", "/tow-rides/{}/rate-business"): _ride_call(tow, "completed", "/rate-business", {"rating": 4}),
    ("GET", "/mechanics"): lambda _: ("/mechanics?state=OH", None),
    ("GET", "/mechanics/availability"): lambda _: (
        "/mechanics/availability?date_from=2026-01-05&date_to=2026-01-05&state=OH&service=tires",
        None,
    ),
    ("GET", "/mechanics/{}"): _mechanic_call(),
    ("GET", "/mechanics/{}/work-schedule"): _mechanic_call("/work-schedule"),
    ("GET", "/mechanics/{}/new-work-schedule"): _mechanic_call("/new-work-schedule"),
    ("GET", "/appointments"): _list_call,
    ("POST", "/appointments/holds"): _hold_call,
    ("DELETE", "/appointments/holds/{}"): lambda app: (
        f"/appointments/holds/{app.post(*_hold_call(app)).get_json()['data']['ref']}",
        None,
    ),
    ("POST", "/appointments"): _booking,
    ("GET", "/appointments/{}"): _appointment_call(),
    ("PATCH", "/appointments/{}"): _appointment_call(body={"description": "It squeaks."}),
    ("POST", "/appointments/{}/cancel"): _appointment_call("/cancel", {"reason": "It is gone."}),
    ("POST", "/appointments/{}/reschedule"): _appointment_call(
        "/reschedule", {"date": "2026-01-05", "time": "10:00"}
    ),
    ("GET", "/appointments/{}/status"): _appointment_call("/status"),
    ("GET", "/appointments/{}/cancel-preview"): _appointment_call("/cancel-preview"),
    ("GET", "/appointments/{}/calendar.ics"): _appointment_call("/calendar.ics"),
    ("POST", "/appointments/{}/rate-mechanic"): _completed_appointment,
    ("GET", "/appointments/{}/pickup-progress"): _appointment_call("/pickup-progress"),
    ("GET", "/appointments/{}/notify-pickup-progress"): _appointment_call("/notify-pickup-progress"),
    ("POST", "/customers"): _customer,
    ("GET", "/usage"): lambda _: ("/usage", None),
    ("GET", "/statements/{}"): lambda _: ("/statements/2026-01", None),
    ("GET", "/customers"): lambda _: ("/customers", None),
    ("GET", "/customers/{}"): lambda app: (f"/customers/{create_customer(app)['ref']}", None),
    ("PATCH", "/customers/{}"): lambda app: (
        f"/customers/{create_customer(app)['ref']}",
        {"first_name": "Bo"},
    ),
    ("GET", "/webhooks"): lambda _: ("/webhooks", None),
    ("GET", "/webhooks/{}"): lambda app: (_webhook(app), None),
    ("GET", "/webhooks/{}/deliveries"): lambda app: (f"{_webhook(app)}/deliveries", None),
    ("POST", "/webhooks/{}/test"): lambda app: (f"{_webhook(app)}/test", None),
    ("POST", "/webhooks/{}/replay"): lambda app: (
        f"{_webhook(app)}/replay",
        {"since": "2000-01-01T00:00:00Z"},
    ),
    ("POST", "/webhooks"): lambda _: ("/webhooks", _SUBSCRIPTION),
    ("PATCH", "/webhooks/{}"): lambda app: (_webhook(app), {"active": False}),
    ("DELETE", "/webhooks/{}"): lambda app: (_webhook(app), None),
}

WITHOUT_OWNER = frozenset({
    "/mechanics/{}",
    "/mechanics/{}/work-schedule",
    "/mechanics/{}/new-work-schedule",
    "/statements/{}",
})  # fmt: skip
"""Endpoints whose path parameters are not records of a partner."""

PARTNERS = [one for one in listed_endpoints() if one.auth == "partner"]
WITH_RECORDS = [
    one for one in PARTNERS if "{}" in one.path and one.path.removeprefix(PREFIX) not in WITHOUT_OWNER
]

_IDS: dict[str, Any] = {"ids": lambda one: f"{one.method} {one.path}"}
_FORGED_KEY = b"another installation's signing key"


def path_and_body(endpoint: Endpoint, app: PartnerApp) -> tuple[str, dict[str, Any] | None]:
    return CALLS[endpoint.method, endpoint.path.removeprefix(PREFIX)](app)


def wrong_tokens(app: PartnerApp, core: Core, api: FlaskClient, clock: FrozenClock) -> dict[str, str]:
    """Return every kind of token and key that the partner platform refuses."""
    payload = jwt.decode(app.token, options={"verify_signature": False})
    header = jwt.get_unverified_header(app.token)
    header.pop("alg")
    ada = person(api, "Ada")
    keys = ada.keys("test")
    suspended = partner_app(api, core, "Gone Inc")
    core.partners.suspend(suspended.name)
    tokens = core.partner_sessions.tokens
    claims = tokens.read(app.token)
    assert claims is not None

    def signed_at(at: datetime, lasting: timedelta = timedelta(minutes=15)) -> str:
        return tokens.sign(evolve(claims, issued_at=at, expires_at=at + lasting), sdk_version="1.0.0")

    now = clock()
    return {
        "forged": jwt.encode(payload, _FORGED_KEY, algorithm="HS256", headers=header),
        "unsigned": jwt.encode(payload, "", algorithm="none", headers=header),
        "other audience": jwt.encode(
            {**payload, "aud": "repaircore-partner-live"}, _FORGED_KEY, algorithm="HS256", headers=header
        ),
        "expired": signed_at(now - timedelta(minutes=16)),
        "of a time to come": signed_at(now + timedelta(minutes=61)),
        "for too long": signed_at(now, timedelta(days=1)),
        "suspended": suspended.token,
        "unknown partner": tokens.sign(
            evolve(claims, caller=evolve(claims.caller, partner_id=987_654)), sdk_version="1.0.0"
        ),
        "management token": ada.token,
        "publishable API key": keys.public_key,
        "secret API key": keys.secret_key,
        "partner's public key": app.public_key,
        "secret key of a suspended partner": suspended.secret_key,
        "secret key with another ending": app.secret_key[:-1] + ("0" if app.secret_key[-1] != "0" else "1"),
    }


def same(first: TestResponse, second: TestResponse) -> bool:
    return (first.status_code, first.data) == (second.status_code, second.data)


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize("endpoint", PARTNERS, **_IDS)
def test_endpoints_accept_only_a_session_token_or_a_secret_key(
    api: FlaskClient, core: Core, clock: FrozenClock, partner: PartnerApp, endpoint: Endpoint
) -> None:
    path, body = path_and_body(endpoint, partner)
    refused = {
        "error": {
            "message": "The session token is missing, invalid or expired.",
            "code": "INVALID_TOKEN",
            "details": {},
        }
    }
    headers = {name: bearer(token) for name, token in wrong_tokens(partner, core, api, clock).items()}
    for header in (
        {},
        {"Authorization": "Bearer"},
        {"Authorization": f"Basic {partner.token}"},
        *headers.values(),
    ):
        for sent in ({"json": body}, {"data": b"{", "content_type": "application/json"}):
            answer = api.open(PREFIX + path, method=endpoint.method, headers=header, **sent)
            assert (answer.status_code, answer.get_json()) == (401, refused)
            assert answer.headers["WWW-Authenticate"] == "Bearer"

    assert partner.request(endpoint.method, path, body).status_code in endpoint.successes


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize("endpoint", WITH_RECORDS, **_IDS)
def test_records_of_other_partners_look_like_none(
    partner: PartnerApp, live_partner: PartnerApp, other_partner: PartnerApp, endpoint: Endpoint
) -> None:
    path, body = path_and_body(endpoint, partner)
    shape, _, suffix = endpoint.path.removeprefix(PREFIX).partition("{}")
    reference = path.removeprefix(shape).partition("/")[0]
    unknown_path = path.replace(reference, reference[:-1] + ("0" if reference[-1] != "0" else "1"), 1)
    unknown = partner.request(endpoint.method, unknown_path, body)

    assert unknown.status_code == 404, suffix
    assert unknown.get_json() == {"error": {"message": "Not Found.", "code": "NOT_FOUND", "details": {}}}
    for stranger in (live_partner, other_partner):
        assert same(stranger.request(endpoint.method, path, body), unknown)


def test_expired_token_is_rejected(core: Core, clock: FrozenClock, partner: PartnerApp) -> None:
    clock.advance(timedelta(minutes=15, seconds=4))  # two machines' clocks may differ by five seconds

    assert core.partner_sessions.authenticate(partner.token) == partner.caller
    clock.advance(timedelta(seconds=1))
    with pytest.raises(Unauthenticated):
        core.partner_sessions.authenticate(partner.token)


def test_endpoints_are_idempotent_as_documented(core: Core) -> None:
    with LIST.open(newline="") as file:
        documented = {
            (line["method"], blank(line["path"])): line["idempotent"] == "yes"
            for line in csv.DictReader(file)
        }
    rules = [one for one in serve_core(core).url_map.iter_rules() if one.rule.startswith(PREFIX)]
    served = {
        (method, blank(rule.rule)): rule.idempotent
        for rule in rules
        if isinstance(rule, GuardedRule)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }

    assert served == {
        name: is_idempotent for name, is_idempotent in documented.items() if name[1].startswith(PREFIX)
    }
