"""Webhooks and usage that partners manage themselves, and secret keys in place of sessions."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.http.partners import PartnerApp
from tests.http.rides import create_customer

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock

URL = "https://example.com/hooks"


def subscribe(partner: PartnerApp, *events: str, **fields: Any) -> dict[str, Any]:
    created = partner.post("/webhooks", {"url": URL, "events": [*events], **fields})
    assert created.status_code == 201, created.get_json()
    data: dict[str, Any] = created.get_json()["data"]
    del data["secret"]
    return data


def deliveries(partner: PartnerApp, webhook: dict[str, Any]) -> list[tuple[str, str]]:
    attempts = partner.get(f"/webhooks/{webhook['ref']}/deliveries").get_json()["data"]
    return [(each["type"], each["event"]) for each in attempts]


def test_webhook_is_shown(partner: PartnerApp) -> None:
    created = subscribe(partner, "ride.created")

    assert partner.get(f"/webhooks/{created['ref']}").get_json() == {"data": created}


def test_pattern_subscribes_to_every_event_of_a_record(partner: PartnerApp) -> None:
    customers = subscribe(partner, "customer.*")
    rides = subscribe(partner, "ride.created", "ride.*", "tow.expired")
    create_customer(partner)

    assert rides["events"] == ["ride.*", "tow.expired"]
    assert [name for name, _ in deliveries(partner, customers)] == ["customer.created"]
    assert deliveries(partner, rides) == []


@pytest.mark.parametrize("name", ["rides.*", "*.created", "ride.cre*", "webhook.*", "visit.*"])
def test_invalid_pattern_is_rejected(partner: PartnerApp, name: str) -> None:
    refused = partner.post("/webhooks", {"url": URL, "events": [name]})

    assert (refused.status_code, refused.get_json()["error"]["code"]) == (400, "INVALID_REQUEST")


def test_test_event_is_enqueued(partner: PartnerApp) -> None:
    webhook = subscribe(partner, "ride.created")
    answer = partner.post(f"/webhooks/{webhook['ref']}/test")

    assert answer.status_code == 202
    assert deliveries(partner, webhook) == [("webhook.test", answer.get_json()["data"]["event"])]


def test_replay_delivers_an_event_again_with_the_same_id(partner: PartnerApp) -> None:
    webhook = subscribe(partner, "customer.created")
    create_customer(partner)
    ((_, event),) = deliveries(partner, webhook)
    answer = partner.post(f"/webhooks/{webhook['ref']}/replay", {"event": event})

    assert (answer.status_code, answer.get_json()["data"]) == (202, {"events": 1, "deliveries": 1})
    assert deliveries(partner, webhook) == [("customer.created", event)] * 2


def test_replay_of_a_period_skips_pending_deliveries(partner: PartnerApp, clock: FrozenClock) -> None:
    create_customer(partner)
    clock.advance(timedelta(minutes=1))
    webhook = subscribe(partner, "customer.created")
    create_customer(partner)
    clock.advance(timedelta(minutes=1))
    period = {"since": "2000-01-01T00:00:00Z"}
    path = f"/webhooks/{webhook['ref']}/replay"

    assert partner.post(path, period).get_json()["data"]["deliveries"] == 1
    assert partner.post(path, {**period, "undelivered": False}).get_json()["data"]["deliveries"] == 2
    assert len(deliveries(partner, webhook)) == 4


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        ({}, {"event"}),
        ({"event": "evt_1"}, {"event"}),
        ({"event": "evt_01m7x07pnpez5bvgkn2c2trm6e", "since": "2026-01-01T00:00:00Z"}, {"event"}),
        ({"since": "2999-01-01T00:00:00Z"}, {"until"}),
        ({"since": "yesterday"}, {"since"}),
        ({"since": "2026-01-01T00:00:00"}, {"since"}),
    ],
)
def test_invalid_replay_is_rejected(partner: PartnerApp, body: dict[str, Any], bad: set[str]) -> None:
    webhook = subscribe(partner, "ride.created")
    refused = partner.post(f"/webhooks/{webhook['ref']}/replay", body)

    assert (refused.status_code, set(refused.get_json()["error"]["details"])) == (400, bad)


def test_replay_finds_no_events_of_other_partners(partner: PartnerApp, other_partner: PartnerApp) -> None:
    theirs = subscribe(other_partner, "customer.created")
    create_customer(other_partner)
    ((_, event),) = deliveries(other_partner, theirs)
    webhook = subscribe(partner, "customer.created")

    assert partner.post(f"/webhooks/{webhook['ref']}/replay", {"event": event}).status_code == 404
    since = {"since": "2000-01-01T00:00:00Z"}
    assert partner.post(f"/webhooks/{webhook['ref']}/replay", since).get_json()["data"]["deliveries"] == 0


def test_inactive_webhook_gets_neither_tests_nor_replays(partner: PartnerApp) -> None:
    webhook = subscribe(partner, "ride.created", active=False)
    since = {"since": "2000-01-01T00:00:00Z"}

    assert partner.post(f"/webhooks/{webhook['ref']}/test").status_code == 409
    assert partner.post(f"/webhooks/{webhook['ref']}/replay", since).status_code == 409


def test_usage_has_the_limits_and_the_remainder(partner: PartnerApp) -> None:
    subscribe(partner, "ride.*")
    answer = partner.get("/usage")
    usage = answer.get_json()["data"]

    assert usage["environment"] == "test"
    assert usage["webhooks"] == {"limit": 20, "used": 1}
    assert usage["requests_per_minute"] == {
        "limit": int(answer.headers["X-RateLimit-Limit"]),
        "remaining": int(answer.headers["X-RateLimit-Remaining"]),
        "reset_at": int(answer.headers["X-RateLimit-Reset"]),
    }


# The secret key


def with_secret(partner: PartnerApp) -> PartnerApp:
    return evolve(partner, token=partner.secret_key)


def test_secret_key_works_without_a_session(partner: PartnerApp) -> None:
    server = with_secret(partner)
    created = create_customer(server)

    assert partner.get(f"/customers/{created['ref']}").get_json()["data"] == created


def test_secret_key_belongs_to_one_partner_and_environment(
    partner: PartnerApp, live_partner: PartnerApp, other_partner: PartnerApp
) -> None:
    created = create_customer(with_secret(partner))

    for other in (live_partner, other_partner):
        assert with_secret(other).get(f"/customers/{created['ref']}").status_code == 404


def test_secret_key_shares_the_rate_limit_of_its_partner(partner: PartnerApp) -> None:
    remaining = [
        int(app.get("/webhooks").headers["X-RateLimit-Remaining"]) for app in (partner, with_secret(partner))
    ]

    assert remaining[1] == remaining[0] - 1


def test_rotated_key_and_key_of_a_suspended_partner_are_rejected(partner: PartnerApp, core: Core) -> None:
    server = with_secret(partner)
    rotated = evolve(partner, token=core.partners.rotate_keys(partner.name, "test").secret_key)

    assert (server.get("/webhooks").status_code, rotated.get("/webhooks").status_code) == (401, 200)

    core.partners.suspend(partner.name)

    assert rotated.get("/webhooks").status_code == 401


@pytest.mark.parametrize(
    "change", [lambda key: key[:-1], lambda key: key + "x", lambda _: "psk_test_", str.upper]
)
def test_malformed_key_is_rejected(partner: PartnerApp, change: Any) -> None:
    answer = evolve(partner, token=change(partner.secret_key)).get("/webhooks")

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (401, "INVALID_TOKEN")


def test_public_key_is_not_a_bearer_token(partner: PartnerApp) -> None:
    assert evolve(partner, token=partner.public_key).get("/webhooks").status_code == 401
