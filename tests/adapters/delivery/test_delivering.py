"""Delivery of events to local subscribers that behave well or badly."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event as Flag
from threading import Thread

import pytest
from attrs import evolve
from standardwebhooks.webhooks import Webhook
from tests.conftest import OpenCore
from tests.receivers import WITHIN, Subscriber, receiving
from tests.subscribers import a_partner, an_event
from typing_extensions import override

from repaircore.adapters.delivery.webhooks import HttpSender
from repaircore.adapters.sql.engine.database import Database
from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import NotFound
from repaircore.testing.clock import FrozenClock
from repaircore.webhooks.dispatch import Dispatcher
from repaircore.webhooks.fairness import PER_QUICK_SUBSCRIPTION
from repaircore.webhooks.model import (
    LEASE,
    CreateSubscription,
    DeliveryState,
    SubscriptionWithSecret,
    UpdateSubscription,
)
from repaircore.webhooks.retries import FEWEST_ATTEMPTS, PAUSE


@pytest.fixture
def subscriber() -> Iterator[Subscriber]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def caller(database: Database, clock: FrozenClock) -> PartnerCaller:
    return a_partner(database, "Roadside Inc", at=clock.now)


def _subscribe(core: Core, caller: PartnerCaller, url: str) -> SubscriptionWithSecret:
    return core.webhooks.create(CreateSubscription(url=url, events=("*",)), caller)


class _Ticking(Flag):
    """An event that wakes by itself, like a scheduler that polls."""

    @override
    def wait(self, timeout: float | None = None) -> bool:
        return super().wait(0.05)


@contextmanager
def _dispatching(*dispatchers: Dispatcher) -> Iterator[None]:
    stop = Flag()
    threads = [Thread(target=dispatcher.run, args=(stop, _Ticking())) for dispatcher in dispatchers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(WITHIN)
            assert not thread.is_alive()


def test_delivery_is_signed(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    clock.now = datetime.now(UTC)  # the independent receiver checks the time
    subscribed = _subscribe(core, caller, subscriber.url)
    event = an_event(database, caller, at=clock.now)

    assert core.dispatcher.run_once() == Counter({DeliveryState.DELIVERED: 1})
    ((headers, body, _),) = subscriber.got
    payload = Webhook(subscribed.secret or "").verify(body, dict(headers))

    assert (payload["id"], payload["type"], payload["data"]["name"]) == (event.id, "customer.created", "Zoë")
    assert headers["webhook-id"] == event.id
    assert headers["content-type"].startswith("application/json")


def test_delivery_is_signed_with_both_secrets_during_the_overlap(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    clock.now = datetime.now(UTC)
    before = _subscribe(core, caller, subscriber.url)
    after = core.webhooks.update(before.subscription.ref, UpdateSubscription(rotate_secret=True), caller)
    an_event(database, caller, at=clock.now)
    core.dispatcher.run_once()
    ((headers, body, _),) = subscriber.got
    for subscribed in (before, after):
        Webhook(subscribed.secret or "").verify(body, dict(headers))
    clock.advance(timedelta(hours=25))
    an_event(database, caller, at=clock.now)
    core.dispatcher.run_once()

    assert " " not in subscriber.got[1][0]["webhook-signature"]


def test_delivery_is_retried_until_accepted(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    _subscribe(core, caller, subscriber.url)
    event = an_event(database, caller, at=clock.now)
    subscriber.answer = lambda: 503
    for n in range(4):
        assert core.dispatcher.run_once() == Counter({DeliveryState.PENDING: 1})
        assert core.dispatcher.run_once() == Counter()
        clock.advance(timedelta(hours=4))
        assert len(subscriber.got) == n + 1
    subscriber.answer = lambda: 204

    assert core.dispatcher.run_once() == Counter({DeliveryState.DELIVERED: 1})
    assert core.dispatcher.run_once() == Counter()
    assert subscriber.ids == [event.id] * 5
    assert len({body for _, body, _ in subscriber.got}) == 1


def test_delivery_ends_and_disables_a_dead_subscriber(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    _subscribe(core, caller, subscriber.url)
    subscriber.answer = lambda: 500
    an_event(database, caller, at=clock.now)
    results: Counter[DeliveryState] = Counter()
    for _ in range(30):
        results += core.dispatcher.run_once()
        clock.advance(timedelta(hours=4))

    assert results[DeliveryState.DEAD] == 1
    an_event(database, caller, at=clock.now)
    for _ in range(FEWEST_ATTEMPTS + 1):
        core.dispatcher.run_once()
        clock.advance(timedelta(hours=4))
    (subscription,) = core.webhook_operations.list_all()

    assert (subscription.active, subscription.disabled_reason) == (
        False,
        "Every delivery failed for five days.",
    )


def test_delivery_disables_a_subscriber_that_answers_410(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    _subscribe(core, caller, subscriber.url)
    subscriber.answer = lambda: 410
    an_event(database, caller, at=clock.now)

    assert core.dispatcher.run_once() == Counter({DeliveryState.DROPPED: 1})
    an_event(database, caller, at=clock.now)
    clock.advance(timedelta(days=1))

    assert core.dispatcher.run_once() == Counter()


def test_dispatcher_does_not_delay_others_for_a_dead_subscriber(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    """Twenty subscribers that never answer, of the same partner and another, with many waiting events each."""
    over = Flag()
    other = a_partner(database, "Another Inc", at=clock.now)
    with receiving() as dead:
        dead.answer = lambda: 200 if over.wait(4 * WITHIN) else 500
        for _ in range(10):
            _subscribe(core, caller, dead.url)
            _subscribe(core, other, dead.url)
        patient = evolve(core.deliveries, sender=HttpSender(clock=clock, seconds=4 * WITHIN))
        with _dispatching(evolve(core.dispatcher, deliveries=patient)):
            for _ in range(3):
                an_event(database, caller, at=clock.now)
                an_event(database, other, at=clock.now)
            try:
                third = a_partner(database, "Third Inc", at=clock.now)
                _subscribe(core, third, subscriber.url)
                for _ in range(10):
                    an_event(database, third, at=clock.now)
                subscriber.wait_for(10)  # while all the others still hang
            finally:
                over.set()


def test_dispatcher_limits_concurrent_deliveries_to_a_subscriber(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    _subscribe(core, caller, subscriber.url)
    events = [an_event(database, caller, at=clock.now).id for _ in range(12)]

    def slowly() -> int:
        Flag().wait(0.02)
        return 200

    subscriber.answer = slowly

    assert core.dispatcher.run_once() == Counter({DeliveryState.DELIVERED: 12})
    assert sorted(subscriber.ids) == sorted(events)
    assert subscriber.most_at_once <= PER_QUICK_SUBSCRIPTION


def test_dispatcher_delivers_once_with_two_workers(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    _subscribe(core, caller, subscriber.url)
    workers = [
        evolve(core.dispatcher, deliveries=evolve(core.deliveries, holder=partial(str, name)))
        for name in ("one", "two")
    ]
    with _dispatching(
        *(evolve(one, deliveries=evolve(one.deliveries, is_alive=lambda _: True)) for one in workers)
    ):
        events = [an_event(database, caller, at=clock.now).id for _ in range(30)]
        subscriber.wait_for(30)

    assert sorted(subscriber.ids) == sorted(events)


def test_dispatcher_takes_over_from_a_dead_worker(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    subscribed = _subscribe(core, caller, subscriber.url)
    event = an_event(database, caller, at=clock.now)
    dead = evolve(core.deliveries, holder=lambda: "a host that is away 1 2")

    assert len(dead.claim({subscribed.subscription.id: 1})) == 1
    assert core.dispatcher.run_once() == Counter()  # unknown for another machine
    mourned = evolve(core.deliveries, is_alive=lambda _: False)

    assert evolve(core.dispatcher, deliveries=mourned).run_once() == Counter({DeliveryState.DELIVERED: 1})
    assert subscriber.ids == [event.id]


def test_claim_takes_an_expired_lease(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    subscribed = _subscribe(core, caller, subscriber.url)
    an_event(database, caller, at=clock.now)
    evolve(core.deliveries, holder=lambda: "a host that is away 1 2").claim({subscribed.subscription.id: 1})
    clock.advance(LEASE)

    assert core.dispatcher.run_once() == Counter({DeliveryState.DELIVERED: 1})


def test_delivery_fails_and_retries_with_an_unreadable_secret(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    subscribed = _subscribe(core, caller, subscriber.url)
    with core.storage.transaction() as work:
        work.subscriptions.replace(
            subscribed.subscription, evolve(subscribed.subscription, sealed="nonsense")
        )
    an_event(database, caller, at=clock.now)

    assert core.dispatcher.run_once() == Counter({DeliveryState.PENDING: 1})
    (delivery,) = core.webhooks.list_deliveries(subscribed.subscription.ref, caller).items

    assert core.webhook_operations.list_attempts() == []
    assert delivery.attempts == 0
    assert "secret" in (delivery.last_error or "")
    assert subscriber.got == []


def test_test_delivery_sends_a_test_event(
    core: Core, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    subscribed = _subscribe(core, caller, subscriber.url)
    bystander = _subscribe(core, caller, subscriber.url)
    sent = core.webhook_operations.test(subscribed.subscription.ref)

    assert sent.status == 200
    ((_, body, _),) = subscriber.got
    payload = json.loads(body)

    assert (payload["type"], payload["data"]["ref"]) == ("webhook.test", subscribed.subscription.ref)
    assert core.dispatcher.run_once() == Counter()
    assert bystander.subscription.ref not in body.decode()
    subscriber.answer = lambda: 500

    assert core.webhook_operations.test(subscribed.subscription.ref).status == 500
    clock.advance(timedelta(minutes=1))
    subscriber.answer = lambda: 200

    assert core.dispatcher.run_once() == Counter({DeliveryState.DELIVERED: 1})
    with pytest.raises(NotFound):
        core.webhook_operations.test("whs_00000000000000000000000000")


def test_replay_sends_the_same_id(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    _subscribe(core, caller, subscriber.url)
    event = an_event(database, caller, at=clock.now)
    core.dispatcher.run_once()

    assert core.webhook_operations.replay(event.id).deliveries == 1
    assert core.webhook_operations.replay_between(clock.now - timedelta(hours=1), clock.now + timedelta(hours=1), undelivered=True).deliveries == 0  # fmt: skip
    core.dispatcher.run_once()

    assert subscriber.ids == [event.id, event.id]
    with pytest.raises(NotFound):
        core.webhook_operations.replay("evt_00000000000000000000000000")
    with pytest.raises(NotFound):
        core.webhook_operations.replay("nonsense")


def test_prune_deletes_old_rows(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    _subscribe(core, caller, subscriber.url)
    an_event(database, caller, at=clock.now)
    core.dispatcher.run_once()

    assert core.webhook_operations.prune() == 0
    clock.advance(timedelta(days=31))

    assert core.webhook_operations.prune() == 2
    assert core.webhook_operations.list_attempts() == []


def test_clock_that_jumps_four_days_and_back_neither_ends_nor_delays_a_delivery(
    core: Core, database: Database, caller: PartnerCaller, subscriber: Subscriber, clock: FrozenClock
) -> None:
    _subscribe(core, caller, subscriber.url)
    an_event(database, caller, at=clock.now)
    subscriber.answer = lambda: 503
    clock.advance(timedelta(days=4))
    assert core.dispatcher.run_once() == Counter({DeliveryState.PENDING: 1})
    clock.advance(timedelta(days=-4))
    subscriber.answer = lambda: 204

    assert core.dispatcher.run_once() == Counter({DeliveryState.DELIVERED: 1})


def test_replaced_secret_key_uses_up_no_attempt_and_is_reported(  # noqa: PLR0917 - fixtures
    core: Core,
    open_core: OpenCore,
    database: Database,
    caller: PartnerCaller,
    subscriber: Subscriber,
    clock: FrozenClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    _subscribe(core, caller, subscriber.url)
    events = [an_event(database, caller, at=clock.now) for _ in range(3)]
    other = open_core(secret_key="another secret key, which opens nothing")

    assert other.dispatcher.run_once() == Counter({DeliveryState.PENDING: 3})
    assert subscriber.got == []
    assert [record.levelname for record in caplog.records if "secret key" in record.message] == ["ERROR"]
    (finding,) = (each for each in other.checkup.examine().findings if each.name == "secret key")
    assert finding.wrong is not None
    assert any("secret key" in warning for warning in other.readiness.warnings())
    assert not any("secret key" in warning for warning in core.readiness.warnings())
    clock.advance(PAUSE)
    assert core.dispatcher.run_once() == Counter({DeliveryState.DELIVERED: 3})
    assert {headers["webhook-id"] for headers, _, _ in subscriber.got} == {event.id for event in events}
