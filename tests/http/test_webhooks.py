"""Webhooks of accounts over HTTP: subscriptions, and the events of visits."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.http.partners import PartnerApp
from tests.http.people import ACCORD, Person, bearer, promoted
from tests.http.test_visit_actions import APPROVE_ALL, act_ok, answer_visit, create_visit
from tests.http.watched import serve_core
from tests.receivers import receiving

from repaircore.core import Core
from repaircore.documents.answers import AnswerVisit, LineAnswer
from repaircore.kernel.callers import Role
from repaircore.kernel.errors import Conflict
from repaircore.kernel.views import iso_utc
from repaircore.visits.model import Choice
from repaircore.webhooks.event_types import ACCOUNT_EVENT_TYPES, EVENT_TYPES
from repaircore.webhooks.model import (
    MOST_SUBSCRIPTIONS,
    AttemptResult,
    DeliveryOutcome,
    DeliveryState,
    LeasedDelivery,
)
from repaircore.webhooks.signing import signature_headers

PATH = "/api/v1/webhooks"
SUBSCRIPTION: dict[str, Any] = {"url": "https://example.com/hooks", "events": ["*"]}
PUBLIC = {
    *("ref", "url", "events", "description", "active", "environment", "last_delivery_at", "last_status"),
    *("failing_since", "disabled_reason", "created_at", "updated_at"),
}


def create_webhook(user: Person, **changes: Any) -> Any:
    answer = user.post(PATH, {**SUBSCRIPTION, **changes})
    assert answer.status_code == 201, answer.text
    return answer.get_json()["data"]


def deliveries(user: Person, ref: str) -> Any:
    answer = user.get(f"{PATH}/{ref}/deliveries")
    assert answer.status_code == 200, answer.text
    return answer.get_json()["data"]


def types(user: Person, ref: str) -> list[str]:
    return [each["type"] for each in reversed(deliveries(user, ref))]


def lease_due(core: Core) -> list[LeasedDelivery]:
    """Lease the due deliveries."""
    now = core.clock()
    with core.storage.transaction() as work:
        return [
            delivery
            for pending in work.deliveries.list_pending(now=now)
            for delivery in work.deliveries.claim(
                pending.subscription_id, most=99, holder="me", now=now, until=now
            )
        ]


def payloads(core: Core) -> list[dict[str, Any]]:
    """Return the payloads of the due deliveries, in order."""
    return [json.loads(delivery.payload) for delivery in lease_due(core)]


# Subscriptions


def test_create_shows_the_secret_once(ada: Person) -> None:
    webhook = create_webhook(ada, events=["visit.invoiced", "visit.sent", "visit.sent"], description="Ours")
    secret = webhook.pop("secret")

    assert secret.startswith("whsec_")
    assert set(webhook) == PUBLIC
    assert webhook["events"] == ["visit.sent", "visit.invoiced"]
    assert (webhook["active"], webhook["environment"], webhook["description"]) == (True, "live", "Ours")
    assert ada.get(PATH).get_json()["data"] == [webhook]


def test_secret_is_stored_encrypted(ada: Person, core: Core) -> None:
    secret = create_webhook(ada)["secret"]

    with core.storage.read() as work:
        (stored,) = work.subscriptions.list_all()
    assert secret not in stored.sealed
    assert core.webhook_secrets.unseal(stored.sealed) == secret


def test_key_and_session_share_the_webhooks_of_their_environment(ada: Person) -> None:
    live, test = (ada.keys(environment).secret_key for environment in ("live", "test"))
    create_webhook(ada)

    counts = [
        ada.client.get(PATH, headers=bearer(token)).get_json()["meta"]["total"] for token in (live, test)
    ]

    assert counts == [1, 0]


def test_every_bad_field_is_reported(ada: Person) -> None:
    answer = ada.post(PATH, {"url": "ftp://x", "events": ["ride.created"], "description": "x" * 256})

    assert answer.status_code == 422
    assert answer.get_json()["errors"].keys() == {"url", "events.0", "description"}
    assert ada.post(PATH, {}).get_json()["errors"].keys() == {"url", "events"}


@pytest.mark.parametrize("event", [name for name in EVENT_TYPES if name not in ACCOUNT_EVENT_TYPES])
def test_accounts_cannot_subscribe_to_partner_events(ada: Person, event: str) -> None:
    assert ada.post(PATH, {**SUBSCRIPTION, "events": [event]}).status_code == 422


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:9000/hooks", "https://127.0.0.1:9000/", "https://localhost/", "https://10.0.0.1/"],
)
@pytest.mark.parametrize("environment", ["live", "test"])
def test_only_public_addresses_are_accepted(ada: Person, environment: str, url: str) -> None:
    """Anyone may register, so users must not learn about this machine's ports, even in test."""
    key = ada.keys(environment).secret_key

    answer = ada.client.post(PATH, json={**SUBSCRIPTION, "url": url}, headers=bearer(key))

    assert answer.status_code == 422
    assert answer.get_json()["errors"].keys() == {"url"}


def test_admin_may_use_this_machine_in_test(ada: Person, core: Core) -> None:
    root = promoted(core, ada)
    url = "http://127.0.0.1:9000/hooks"
    live, test = (root.keys(environment).secret_key for environment in ("live", "test"))

    statuses = [
        root.client.post(PATH, json={**SUBSCRIPTION, "url": url}, headers=bearer(key)).status_code
        for key in (live, test)
    ]

    assert statuses == [422, 201]


@pytest.mark.parametrize("role", [*Role])
def test_delivery_trust_depends_on_the_current_role(ada: Person, core: Core, role: Role) -> None:
    root = promoted(core, ada)
    key = root.keys("test").secret_key
    body = {**SUBSCRIPTION, "url": "http://127.0.0.1:9000/"}
    ref = root.client.post(PATH, json=body, headers=bearer(key)).get_json()["data"]["ref"]
    root.client.post(f"{PATH}/{ref}/test", headers=bearer(key))
    core.accounts.set_role(ada.email, role)

    (leased,) = lease_due(core)

    assert leased.is_trusted is (role is Role.ADMIN)


def test_limit_holds_for_concurrent_requests(ada: Person, core: Core) -> None:
    for _ in range(MOST_SUBSCRIPTIONS - 1):
        create_webhook(ada)

    def create(_: int) -> int:
        client = serve_core(core).test_client()
        return int(client.post(PATH, json=SUBSCRIPTION, headers=bearer(ada.token)).status_code)

    with ThreadPoolExecutor(4) as pool:
        statuses = [*pool.map(create, range(4))]

    assert sorted(statuses) == [201, 409, 409, 409]


def test_webhook_of_another_user_is_not_found(ada: Person, eve: Person, partner: PartnerApp) -> None:
    ref = create_webhook(ada)["ref"]
    partners = partner.post("/webhooks", {"url": SUBSCRIPTION["url"], "events": ["*"]}).get_json()["data"][
        "ref"
    ]

    for user, other in ((eve, ref), (ada, partners), (ada, "whs_x"), (ada, "nothing")):
        assert user.delete(f"{PATH}/{other}").status_code == 404
        assert user.get(f"{PATH}/{other}/deliveries").status_code == 404
        assert user.post(f"{PATH}/{other}/test").status_code == 404
    assert partner.delete(f"/webhooks/{ref}").status_code == 404
    assert [each["ref"] for each in partner.get("/webhooks").get_json()["data"]] == [partners]


def test_deleted_webhook_gets_no_events(ada: Person) -> None:
    ref = create_webhook(ada)["ref"]

    assert ada.delete(f"{PATH}/{ref}").get_json()["data"] == {"ref": ref, "deleted": True}
    assert ada.delete(f"{PATH}/{ref}").status_code == 404
    act_ok(ada, create_visit(ada), "send")


# Test events


def test_test_event_is_enqueued_for_one_webhook(ada: Person, core: Core) -> None:
    ref, other = create_webhook(ada, events=["visit.sent"])["ref"], create_webhook(ada)["ref"]

    answer = ada.post(f"{PATH}/{ref}/test")

    assert answer.status_code == 202
    (delivery,) = deliveries(ada, ref)
    assert delivery["event"] == answer.get_json()["data"]["event"]
    assert (delivery["type"], delivery["state"], delivery["attempts"]) == ("webhook.test", "pending", 0)
    assert delivery["next_attempt_at"] == iso_utc(core.clock())
    assert deliveries(ada, other) == []
    (payload,) = payloads(core)
    assert (payload["type"], payload["data"]["ref"]) == ("webhook.test", ref)


def test_disabled_webhook_is_not_tested(ada: Person, core: Core) -> None:
    ref = create_webhook(ada)["ref"]
    ada.post(f"{PATH}/{ref}/test")
    (leased,) = lease_due(core)
    with core.storage.transaction() as work:
        work.deliveries.record(
            leased,
            AttemptResult(status=410),
            DeliveryOutcome(state=DeliveryState.DROPPED, disabled="The endpoint returned 410 Gone."),
            started=core.clock(),
            at=core.clock(),
        )

    answer = ada.post(f"{PATH}/{ref}/test")

    assert answer.status_code == 409
    assert (
        answer.get_json()["message"]
        == "The webhook is disabled. The endpoint returned 410 Gone. Delete it and add it again."
    )
    (webhook,) = ada.get(PATH).get_json()["data"]
    assert (webhook["active"], webhook["disabled_reason"]) == (False, "The endpoint returned 410 Gone.")
    assert deliveries(ada, ref)[0]["last_status"] == 410


# Events of visits


def test_visit_sends_an_event_for_each_step(ada: Person, core: Core) -> None:
    create_webhook(ada)
    number = create_visit(ada)
    act_ok(ada, number, "send")
    answer_visit(ada, number)
    act_ok(ada, number, "begin")
    invoiced = act_ok(ada, number, "invoice", lines=[{"line": 1, "labor_hours": 2}])

    events = payloads(core)

    assert [each["type"] for each in events] == [
        "visit.sent",
        "visit.answered",
        "visit.work_begun",
        "visit.invoiced",
    ]
    assert [each["sequence"] for each in events] == [1, 2, 3, 4]
    assert events[0].keys() == {"id", "type", "created_at", "environment", "sequence", "data"}
    assert {each["environment"] for each in events} == {"live"}
    assert [each["data"]["version"] for each in events] == [2, 3, 4, 5]
    assert events[-1]["data"] == invoiced


def test_answer_by_link_sends_an_event(ada: Person, core: Core) -> None:
    ref = create_webhook(ada, events=["visit.answered"])["ref"]
    sent = act_ok(ada, create_visit(ada), "send")
    data = AnswerVisit(name="Grace", version=2, answers=(LineAnswer(line=1, choice=Choice.APPROVED),))
    token = sent["link"].rpartition("/v/")[2]

    for _ in range(2):  # the second answer changes nothing
        with suppress(Conflict):
            core.approvals.answer(token, data)

    assert types(ada, ref) == ["visit.answered"]
    (payload,) = payloads(core)
    assert payload["data"]["lines"][0]["decision"]["choice"] == "approved"


def test_approval_by_the_shop_sends_an_event(ada: Person, core: Core) -> None:
    ref = create_webhook(ada)["ref"]
    number = create_visit(ada)

    core.documents.approve(number, core.accounts.caller_for(ada.email), version=1, name="Grace")

    assert types(ada, ref) == ["visit.answered"]


def test_other_changes_and_environments_send_no_events(ada: Person, eve: Person) -> None:
    ref, others = create_webhook(ada, events=["visit.sent"])["ref"], create_webhook(eve)["ref"]
    number = create_visit(ada)
    answer_visit(ada, number)
    act_ok(ada, number, "cancel")
    key = ada.keys("test").secret_key
    body = ada.get(f"/api/v1/visits/{number}").get_json()["data"]
    assert body["status"] == "cancelled"
    test = ada.client.post(
        "/api/v1/visits",
        json={
            "vin": body["vehicle"]["vin"],
            "zip_code": "90210",
            "lines": [{"description": "Test", "price": 1}],
        },
        headers=bearer(key),
    ).get_json()["data"]["number"]
    ada.client.post(f"/api/v1/visits/{test}/send", json={"version": 1}, headers=bearer(key))

    assert types(ada, ref) == []
    assert types(eve, others) == []


def test_rejected_change_sends_no_event(ada: Person) -> None:
    ref = create_webhook(ada)["ref"]
    number = create_visit(ada)

    ada.post(f"/api/v1/visits/{number}/begin", {"version": 1})
    ada.post(f"/api/v1/visits/{number}/send", {"version": 9})
    ada.post(f"/api/v1/visits/{number}/answers", {"version": 1, "name": "", "answers": APPROVE_ALL})

    assert types(ada, ref) == []


def test_event_is_stored_with_the_change_or_not_at_all(ada: Person, core: Core) -> None:
    ref = create_webhook(ada)["ref"]
    number = create_visit(ada)
    caller = core.accounts.caller_for(ada.email)

    class Broken(Exception):
        """The transaction fails after its event was stored."""

    def send_and_fail() -> None:
        with core.storage.outer_transaction():
            core.documents.send(number, caller, version=1, by_mail=False)
            raise Broken

    with pytest.raises(Broken):
        send_and_fail()

    assert types(ada, ref) == []
    assert core.visits.get(number, caller).status == "draft"


def test_deleting_a_visit_deletes_its_events(ada: Person, core: Core) -> None:
    ref = create_webhook(ada)["ref"]
    number = create_visit(ada)
    version = act_ok(ada, number, "send")["visit"]["version"]
    assert types(ada, ref) == ["visit.sent"]

    assert ada.delete(f"/api/v1/visits/{number}?version={version}").status_code == 200

    assert types(ada, ref) == []
    assert payloads(core) == []


def test_replay_reaches_the_account(ada: Person, core: Core) -> None:
    ref = create_webhook(ada)["ref"]
    act_ok(ada, create_visit(ada), "send")
    (event,) = [each["event"] for each in deliveries(ada, ref)]

    replayed = core.webhook_operations.replay(event)

    assert (replayed.events, replayed.deliveries) == (1, 1)
    assert types(ada, ref) == ["visit.sent", "visit.sent"]
    assert [each.user_id for each in core.webhook_operations.list_all()] == [ada.id]


def test_erased_account_leaves_no_events(ada: Person, core: Core) -> None:
    create_webhook(ada)
    act_ok(ada, create_visit(ada), "send")

    core.persons.erase(ada.email)

    with core.storage.read() as work:
        assert work.subscriptions.list_all() == []
    assert payloads(core) == []


def test_erased_customer_is_in_no_event(ada: Person, core: Core) -> None:
    ref = create_webhook(ada)["ref"]
    act_ok(ada, create_visit(ada), "send")

    core.persons.erase("grace@example.com")

    assert types(ada, ref) == []


def test_event_arrives_signed(ada: Person, core: Core) -> None:
    """Deliver to a receiver on this machine, which only admins may in test."""
    root = promoted(core, ada)
    key = root.keys("test").secret_key
    with receiving() as receiver:
        body = {"url": receiver.url, "events": ["visit.sent"]}
        secret = root.client.post(PATH, json=body, headers=bearer(key)).get_json()["data"]["secret"]
        visit = {"vin": ACCORD, "zip_code": "90210", "lines": [{"description": "Road test", "price": 25}]}
        number = root.client.post("/api/v1/visits", json=visit, headers=bearer(key)).get_json()["data"][
            "number"
        ]
        root.client.post(f"/api/v1/visits/{number}/send", json={"version": 1}, headers=bearer(key))

        results = core.dispatcher.run_once()

    ((headers, sent, _),) = receiver.got
    assert results == {DeliveryState.DELIVERED: 1}
    assert json.loads(sent)["data"]["number"] == number
    at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
    expected = signature_headers(headers["webhook-id"], sent, [secret], at=at)
    assert headers["webhook-signature"] == expected["webhook-signature"]
