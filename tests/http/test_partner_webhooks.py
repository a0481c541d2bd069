"""Webhook subscriptions over HTTP."""

from typing import Any

import pytest
from tests.http.partners import PartnerApp

from repaircore.core import Core
from repaircore.kernel.events import Event
from repaircore.testing.clock import FrozenClock
from repaircore.webhooks.event_types import EVENT_TYPES
from repaircore.webhooks.model import MOST_SUBSCRIPTIONS, AttemptResult, DeliveryOutcome, DeliveryState

SUBSCRIPTION = {"url": "https://example.com/hooks", "events": ["ride.created", "customer.created"]}
NOT_FOUND = {"error": {"message": "Not Found.", "code": "NOT_FOUND", "details": {}}}
PUBLIC = {
    "ref",
    "url",
    "events",
    "description",
    "active",
    "environment",
    "last_delivery_at",
    "last_status",
    "failing_since",
    "disabled_reason",
    "created_at",
    "updated_at",
}


def _create(partner: PartnerApp, **changes: Any) -> dict[str, Any]:
    answer = partner.post("/webhooks", {**SUBSCRIPTION, **changes})
    assert answer.status_code == 201, answer.json
    data: dict[str, Any] = answer.json["data"]  # type: ignore[index]
    return data


def test_create_returns_the_secret_once(partner: PartnerApp) -> None:
    created = _create(partner, description="Ours")
    secret = created.pop("secret")

    assert secret.startswith("whsec_")
    assert set(created) == PUBLIC
    assert created["ref"].startswith("whs_")
    assert created["events"] == ["ride.created", "customer.created"]
    assert (created["active"], created["environment"], created["description"]) == (True, "test", "Ours")
    page = partner.get("/webhooks").json

    assert page == {
        "data": [created],
        "meta": {
            "current_page": 1,
            "per_page": 15,
            "total": 1,
            "last_page": 1,
            "next_cursor": None,
            "previous_cursor": None,
        },
    }


def test_create_stores_the_secret_encrypted(partner: PartnerApp, core: Core) -> None:
    secret = _create(partner)["secret"]
    with core.storage.read() as work:
        (stored,) = work.subscriptions.list_all()

    assert secret not in stored.sealed
    assert core.webhooks.vault.unseal(stored.sealed) == secret


def test_create_accepts_every_event(partner: PartnerApp) -> None:
    assert _create(partner, events=["*"])["events"] == ["*"]
    assert _create(partner, events=["ride.created", "*"])["events"] == ["*"]
    assert _create(partner, events=[*EVENT_TYPES])["events"] == [*EVENT_TYPES]


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"url": "http://example.com/"}, ["url"]),
        ({"url": "https://10.0.0.1/"}, ["url"]),
        ({"url": ""}, ["url"]),
        ({"url": None}, ["url"]),
        ({"url": 5}, ["url"]),
        ({"events": []}, ["events"]),
        ({"events": "ride.created"}, ["events"]),
        ({"events": ["ride.created", "ride.flown", "x"]}, ["events.1", "events.2"]),
        ({"events": ["ride.created", 5]}, ["events.1"]),
        ({"description": "x" * 256}, ["description"]),
        ({"active": "yes"}, ["active"]),
        ({"url": 5, "events": ["nothing"]}, ["url", "events.0"]),
    ],
)
def test_create_reports_every_bad_field(
    partner: PartnerApp, changes: dict[str, Any], fields: list[str]
) -> None:
    answer = partner.post("/webhooks", {**SUBSCRIPTION, **changes})

    assert answer.status_code == 400
    error = answer.json["error"]  # type: ignore[index]

    assert error["code"] == "INVALID_REQUEST"
    assert sorted(error["details"]) == sorted(fields)
    assert partner.get("/webhooks").json["meta"]["total"] == 0  # type: ignore[index]


def test_create_allows_this_machine_in_test_only(partner: PartnerApp, live_partner: PartnerApp) -> None:
    local = {**SUBSCRIPTION, "url": "http://127.0.0.1:9000/hooks"}

    assert partner.post("/webhooks", local).status_code == 201
    assert live_partner.post("/webhooks", local).status_code == 400


def test_update_changes_the_given_fields(partner: PartnerApp, clock: FrozenClock) -> None:
    created = _create(partner, description="Ours")
    change = {"url": "https://example.org/", "events": ["*"], "active": False, "description": ""}
    changed = partner.patch(f"/webhooks/{created['ref']}", change).json["data"]  # type: ignore[index]

    assert changed["secret"] is None
    assert (changed["url"], changed["events"], changed["active"]) == ("https://example.org/", ["*"], False)
    assert changed["description"] is None
    assert partner.patch(f"/webhooks/{created['ref']}", {}).json["data"]["url"] == "https://example.org/"  # type: ignore[index]
    assert clock.now.isoformat()[:19] + "Z" == changed["updated_at"]


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"url": "https://localhost./"}, "url"),
        ({"events": []}, "events"),
        ({"events": ["nothing"]}, "events.0"),
        ({"active": 1}, "active"),
        ({"rotate_secret": "yes"}, "rotate_secret"),
    ],
)
def test_update_with_a_bad_field_changes_nothing(
    partner: PartnerApp, change: dict[str, Any], fields: str
) -> None:
    created = _create(partner)
    answer = partner.patch(f"/webhooks/{created['ref']}", {"description": "new", **change})

    assert answer.status_code == 400
    assert list(answer.json["error"]["details"]) == [fields]  # type: ignore[index]
    assert partner.get("/webhooks").json["data"][0]["description"] is None  # type: ignore[index]


def test_update_rotates_the_secret_with_an_overlap(
    partner: PartnerApp, core: Core, clock: FrozenClock
) -> None:
    created = _create(partner)
    rotated = partner.patch(f"/webhooks/{created['ref']}", {"rotate_secret": True}).json["data"]  # type: ignore[index]

    assert rotated["secret"].startswith("whsec_")
    assert rotated["secret"] != created["secret"]
    with core.storage.read() as work:
        (stored,) = work.subscriptions.list_all()

    assert core.webhooks.vault.unseal(stored.previous_sealed or "") == created["secret"]
    assert stored.previous_until is not None
    assert (stored.previous_until - clock.now).total_seconds() == 24 * 3600


def test_delete_removes_a_subscription(partner: PartnerApp) -> None:
    created = _create(partner)
    deleted = partner.delete(f"/webhooks/{created['ref']}")

    assert (deleted.status_code, deleted.json) == (200, {"data": {"ref": created["ref"], "deleted": True}})
    again = partner.delete(f"/webhooks/{created['ref']}")

    assert (again.status_code, again.json) == (404, NOT_FOUND)


def test_subscriptions_are_hidden_from_other_partners(
    partner: PartnerApp, live_partner: PartnerApp, other_partner: PartnerApp
) -> None:
    created = _create(partner)
    for stranger in (live_partner, other_partner):
        assert stranger.get("/webhooks").json["data"] == []  # type: ignore[index]
        for ref in (created["ref"], "whs_00000000000000000000000000", "whs_x", "apt_1", "%00"):
            changed = stranger.patch(f"/webhooks/{ref}", {"active": False})
            assert (changed.status_code, changed.json) == (404, NOT_FOUND)
            removed = stranger.delete(f"/webhooks/{ref}")
            assert (removed.status_code, removed.json) == (404, NOT_FOUND)

    assert partner.get("/webhooks").json["data"][0]["active"] is True  # type: ignore[index]


def test_create_rejects_more_than_the_limit(partner: PartnerApp, live_partner: PartnerApp) -> None:
    for _ in range(MOST_SUBSCRIPTIONS):
        _create(partner)
    refused = partner.post("/webhooks", SUBSCRIPTION)

    assert refused.status_code == 409
    assert refused.json["error"]["details"] == {"limit": MOST_SUBSCRIPTIONS}  # type: ignore[index]
    assert live_partner.post("/webhooks", SUBSCRIPTION).status_code == 201


def test_create_replays_a_repeated_request(partner: PartnerApp) -> None:
    first = partner.post("/webhooks", SUBSCRIPTION, key="one")
    again = partner.post("/webhooks", SUBSCRIPTION, key="one")

    assert again.data == first.data
    assert again.headers["Idempotent-Replayed"] == "true"
    assert partner.get("/webhooks").json["meta"]["total"] == 1  # type: ignore[index]


def test_update_activates_a_disabled_subscription(
    partner: PartnerApp, core: Core, clock: FrozenClock
) -> None:

    created = _create(partner, events=["*"])
    event = Event(
        id="evt_1",
        type="customer.created",
        partner_id=partner.id,
        environment=partner.caller.environment,
        subject="cus_1",
        data={},
        created_at=clock.now,
    )
    with core.storage.transaction() as work:
        work.outbox.add(event)
    (due,) = core.deliveries.claim({core.deliveries.list_pending()[0].subscription_id: 1})
    dropped = DeliveryOutcome(state=DeliveryState.DROPPED, disabled="The endpoint returned 410 Gone.")
    with core.storage.transaction() as work:
        work.deliveries.record(due, AttemptResult(status=410), dropped, started=clock.now, at=clock.now)
    (subscription,) = partner.get("/webhooks").json["data"]  # type: ignore[index]

    assert (subscription["active"], subscription["last_status"]) == (False, 410)
    assert subscription["disabled_reason"] == "The endpoint returned 410 Gone."
    assert subscription["failing_since"] == subscription["last_delivery_at"]
    enabled = partner.patch(f"/webhooks/{created['ref']}", {"active": True}).json["data"]  # type: ignore[index]

    assert (enabled["active"], enabled["disabled_reason"], enabled["failing_since"]) == (True, None, None)


def test_inactive_subscription_is_not_tested(partner: PartnerApp) -> None:
    ref = _create(partner, active=False)["ref"]

    answer = partner.post(f"/webhooks/{ref}/test")

    assert answer.status_code == 409
    error = answer.get_json()["error"]
    assert error["message"] == "The webhook is disabled. Set active to true."
    assert error["details"] == {"status": "disabled", "allowed": ["update", "delete"]}
    assert partner.patch(f"/webhooks/{ref}", {"active": True}).status_code == 200
    assert partner.post(f"/webhooks/{ref}/test").status_code == 202
