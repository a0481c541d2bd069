"""Webhook subscriptions over HTTP."""

from typing import Any

import pytest
from tests.http.partners import PartnerApp

from repaircore.core import Core
from repaircore.kernel.events import Event
from repaircore.testing.clock import FrozenClock
from repaircore.webhooks.event_types import EVENT_TYPES
from repaircore.webhooks.model import MOST_SUBSCRIPTIONS, AttemptResult, DeliveryOutcome, DeliveryState

ASK = {"url": "https://example.com/hooks", "events": ["ride.created", "customer.created"]}
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


def _made(partner: PartnerApp, **changes: Any) -> dict[str, Any]:
    answer = partner.post("/webhooks", {**ASK, **changes})
    assert answer.status_code == 201, answer.json
    data: dict[str, Any] = answer.json["data"]  # type: ignore[index]
    return data


def test_a_subscription_is_made_and_its_secret_told_once(partner: PartnerApp) -> None:
    made = _made(partner, description="Ours")
    secret = made.pop("secret")
    assert secret.startswith("whsec_")
    assert set(made) == PUBLIC
    assert made["ref"].startswith("whs_")
    assert made["events"] == ["ride.created", "customer.created"]
    assert (made["active"], made["environment"], made["description"]) == (True, "test", "Ours")
    listed = partner.get("/webhooks").json
    assert listed == {
        "data": [made],
        "meta": {"current_page": 1, "per_page": 15, "total": 1, "last_page": 1},
    }


def test_the_secret_is_not_kept_as_it_is(partner: PartnerApp, core: Core) -> None:
    secret = _made(partner)["secret"]
    with core.storage.read() as work:
        (kept,) = work.subscriptions.all()
    assert secret not in kept.sealed
    assert core.webhooks.vault.unseal(kept.sealed) == secret


def test_everything_can_be_subscribed_to(partner: PartnerApp) -> None:
    assert _made(partner, events=["*"])["events"] == ["*"]
    assert _made(partner, events=["ride.created", "*"])["events"] == ["*"]
    assert _made(partner, events=[*EVENT_TYPES])["events"] == [*EVENT_TYPES]


@pytest.mark.parametrize(
    ("changes", "named"),
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
def test_every_bad_field_is_named(partner: PartnerApp, changes: dict[str, Any], named: list[str]) -> None:
    answer = partner.post("/webhooks", {**ASK, **changes})
    assert answer.status_code == 400
    error = answer.json["error"]  # type: ignore[index]
    assert error["code"] == "INVALID_REQUEST"
    assert sorted(error["details"]) == sorted(named)
    assert partner.get("/webhooks").json["meta"]["total"] == 0  # type: ignore[index]


def test_this_machine_is_for_tests_alone(partner: PartnerApp, live_partner: PartnerApp) -> None:
    local = {**ASK, "url": "http://127.0.0.1:9000/hooks"}
    assert partner.post("/webhooks", local).status_code == 201
    assert live_partner.post("/webhooks", local).status_code == 400


def test_a_subscription_is_changed(partner: PartnerApp, clock: FrozenClock) -> None:
    made = _made(partner, description="Ours")
    change = {"url": "https://example.org/", "events": ["*"], "active": False, "description": ""}
    changed = partner.patch(f"/webhooks/{made['ref']}", change).json["data"]  # type: ignore[index]
    assert "secret" not in changed
    assert (changed["url"], changed["events"], changed["active"]) == ("https://example.org/", ["*"], False)
    assert changed["description"] is None
    assert partner.patch(f"/webhooks/{made['ref']}", {}).json["data"]["url"] == "https://example.org/"  # type: ignore[index]
    assert clock.now.isoformat()[:19] + "Z" == changed["updated_at"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"url": "https://localhost./"}, "url"),
        ({"events": []}, "events"),
        ({"events": ["nothing"]}, "events.0"),
        ({"active": 1}, "active"),
        ({"rotate_secret": "yes"}, "rotate_secret"),
    ],
)
def test_a_bad_change_changes_nothing(partner: PartnerApp, change: dict[str, Any], named: str) -> None:
    made = _made(partner)
    answer = partner.patch(f"/webhooks/{made['ref']}", {"description": "new", **change})
    assert answer.status_code == 400
    assert list(answer.json["error"]["details"]) == [named]  # type: ignore[index]
    assert partner.get("/webhooks").json["data"][0]["description"] is None  # type: ignore[index]


def test_a_secret_is_replaced_and_the_one_before_signs_beside_it_for_a_day(
    partner: PartnerApp, core: Core, clock: FrozenClock
) -> None:
    made = _made(partner)
    rotated = partner.patch(f"/webhooks/{made['ref']}", {"rotate_secret": True}).json["data"]  # type: ignore[index]
    assert rotated["secret"].startswith("whsec_")
    assert rotated["secret"] != made["secret"]
    with core.storage.read() as work:
        (kept,) = work.subscriptions.all()
    assert core.webhooks.vault.unseal(kept.previous_sealed or "") == made["secret"]
    assert kept.previous_until is not None
    assert (kept.previous_until - clock.now).total_seconds() == 24 * 3600


def test_a_subscription_is_removed(partner: PartnerApp) -> None:
    made = _made(partner)
    gone = partner.delete(f"/webhooks/{made['ref']}")
    assert (gone.status_code, gone.json) == (200, {"data": {"ref": made["ref"], "deleted": True}})
    again = partner.delete(f"/webhooks/{made['ref']}")
    assert (again.status_code, again.json) == (404, NOT_FOUND)


def test_nobody_elses_subscription_exists(
    partner: PartnerApp, live_partner: PartnerApp, other_partner: PartnerApp
) -> None:
    made = _made(partner)
    for stranger in (live_partner, other_partner):
        assert stranger.get("/webhooks").json["data"] == []  # type: ignore[index]
        for ref in (made["ref"], "whs_00000000000000000000000000", "whs_x", "apt_1", "%00"):
            changed = stranger.patch(f"/webhooks/{ref}", {"active": False})
            assert (changed.status_code, changed.json) == (404, NOT_FOUND)
            removed = stranger.delete(f"/webhooks/{ref}")
            assert (removed.status_code, removed.json) == (404, NOT_FOUND)
    assert partner.get("/webhooks").json["data"][0]["active"] is True  # type: ignore[index]


def test_there_is_an_end_to_subscriptions(partner: PartnerApp, live_partner: PartnerApp) -> None:
    for _ in range(MOST_SUBSCRIPTIONS):
        _made(partner)
    refused = partner.post("/webhooks", ASK)
    assert refused.status_code == 409
    assert refused.json["error"]["details"] == {"limit": MOST_SUBSCRIPTIONS}  # type: ignore[index]
    assert live_partner.post("/webhooks", ASK).status_code == 201


def test_a_key_makes_one_subscription(partner: PartnerApp) -> None:
    first = partner.post("/webhooks", ASK, key="one")
    again = partner.post("/webhooks", ASK, key="one")
    assert again.data == first.data
    assert again.headers["Idempotent-Replayed"] == "true"
    assert partner.get("/webhooks").json["meta"]["total"] == 1  # type: ignore[index]


def test_a_disabled_subscription_begins_anew_when_it_is_active_again(
    partner: PartnerApp, core: Core, clock: FrozenClock
) -> None:

    made = _made(partner, events=["*"])
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
    (due,) = core.deliveries.claim({core.deliveries.waiting()[0].subscription_id: 1})
    gone = DeliveryOutcome(state=DeliveryState.DROPPED, disabled="It answered 410: gone.")
    with core.storage.transaction() as work:
        work.deliveries.settle(due, AttemptResult(status=410), gone, began=clock.now, at=clock.now)
    (told,) = partner.get("/webhooks").json["data"]  # type: ignore[index]
    assert (told["active"], told["last_status"]) == (False, 410)
    assert told["disabled_reason"] == "It answered 410: gone."
    assert told["failing_since"] == told["last_delivery_at"]
    healed = partner.patch(f"/webhooks/{made['ref']}", {"active": True}).json["data"]  # type: ignore[index]
    assert (healed["active"], healed["disabled_reason"], healed["failing_since"]) == (True, None, None)
