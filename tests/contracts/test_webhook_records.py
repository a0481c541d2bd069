"""Stored subscriptions and deliveries on both databases."""

import json
from datetime import datetime, timedelta

import pytest
from attrs import evolve
from tests.contracts.conftest import NOW
from tests.subscribers import a_partner, a_subscription, an_event
from tests.threads import at_once

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.events import Event
from repaircore.kernel.paging import PageRequest
from repaircore.kernel.references import Kind, reference
from repaircore.shared_services import new_id
from repaircore.webhooks.errors import SubscriptionNotFound
from repaircore.webhooks.model import (
    LEASE,
    AttemptResult,
    Backlog,
    DeliveryOutcome,
    DeliveryState,
    LeasedDelivery,
    ReplayResult,
    Subscription,
    SubscriptionHealth,
)

WELL = AttemptResult(status=200)
DELIVERED = DeliveryOutcome(state=DeliveryState.DELIVERED)


@pytest.fixture
def caller(database: Database) -> PartnerCaller:
    return a_partner(database, "Roadside Inc", at=NOW)


@pytest.fixture
def subscription(database: Database, caller: PartnerCaller) -> Subscription:
    return a_subscription(database, caller, at=NOW)


def _claim(
    database: Database,
    subscription: Subscription,
    *,
    most: int = 10,
    holder: str = "me",
    now: datetime = NOW,
) -> list[LeasedDelivery]:
    with work.open_work(database, write=True) as unit:
        return list(
            unit.deliveries.claim(subscription.id, most=most, holder=holder, now=now, until=now + LEASE)
        )


def _list_pending(database: Database, now: datetime = NOW) -> list[tuple[int, bool]]:
    with work.open_work(database, write=False) as unit:
        return [(one.subscription_id, one.failing) for one in unit.deliveries.list_pending(now=now)]


def _record(
    database: Database,
    due: LeasedDelivery,
    sent: AttemptResult,
    outcome: DeliveryOutcome,
    *,
    at: datetime = NOW,
) -> bool:
    with work.open_work(database, write=True) as unit:
        return unit.deliveries.record(due, sent, outcome, started=at, at=at)


def _find(database: Database, subscription: Subscription) -> Subscription:
    with work.open_work(database, write=False) as unit:
        found = unit.subscriptions.find_any(subscription.ref)
    assert found is not None
    return found


# Subscriptions


def test_add_stores_every_field(database: Database, caller: PartnerCaller) -> None:
    stored = a_subscription(
        database,
        caller,
        at=NOW,
        events=("ride.created", "webhook.test"),
        description="Ours",
        active=False,
        previous_sealed="older",
        previous_until=NOW + timedelta(hours=1),
        disabled_reason="Because.",
    )
    with work.open_work(database, write=False) as unit:
        assert unit.subscriptions.find(stored.ref, caller) == stored
        assert unit.subscriptions.find_any(stored.ref) == stored
        assert unit.subscriptions.list_all() == [stored]


def test_find_hides_subscriptions_of_other_partners(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    other = a_partner(database, "Another Inc", at=NOW)
    live = evolve(caller, environment=Environment.LIVE)
    with work.open_work(database, write=True) as unit:
        for stranger in (other, live):
            assert unit.subscriptions.find(subscription.ref, stranger) is None
            assert (
                unit.subscriptions.list_page(stranger, request=PageRequest(number=1, per_page=10)).total == 0
            )
            assert unit.subscriptions.count(stranger) == 0
        assert unit.subscriptions.count(caller) == 1


def test_list_page_begins_with_the_newest(database: Database, caller: PartnerCaller) -> None:
    created = [a_subscription(database, caller, at=NOW) for _ in range(5)]
    with work.open_work(database, write=False) as unit:
        first = unit.subscriptions.list_page(caller, request=PageRequest(number=1, per_page=2))
        last = unit.subscriptions.list_page(caller, request=PageRequest(number=3, per_page=2))
        beyond = unit.subscriptions.list_page(caller, request=PageRequest(number=4, per_page=2))

    assert [one.ref for one in first] == [created[4].ref, created[3].ref]
    assert [one.ref for one in last] == [created[0].ref]
    assert (tuple(beyond), beyond.total) == ((), 5)


def test_replace_refuses_a_concurrent_change(database: Database, subscription: Subscription) -> None:
    with work.open_work(database, write=True) as unit:
        changed = unit.subscriptions.replace(subscription, evolve(subscription, url="https://example.org/"))
    with work.open_work(database, write=True) as unit, pytest.raises(Conflict):
        unit.subscriptions.replace(subscription, evolve(subscription, description="late"))

    assert _find(database, subscription) == changed
    assert changed.version == 2


def test_replace_drops_pending_deliveries_of_an_inactive_subscription(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW)
    with work.open_work(database, write=True) as unit:
        paused = unit.subscriptions.replace(subscription, evolve(subscription, active=False))

    assert _list_pending(database) == []
    with work.open_work(database, write=True) as unit:
        unit.subscriptions.replace(paused, evolve(paused, active=True))

    assert _list_pending(database) == []


def test_delete_removes_the_deliveries_too(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW)
    (due,) = _claim(database, subscription)
    with work.open_work(database, write=True) as unit:
        unit.subscriptions.delete(subscription)

    assert not _record(database, due, WELL, DELIVERED)
    with work.open_work(database, write=False) as unit:
        assert unit.deliveries.get_backlog(now=NOW) == Backlog(pending=0, due=0, oldest=None)


def test_delete_succeeds_once_among_concurrent_calls(database: Database, subscription: Subscription) -> None:
    def removed() -> bool:
        try:
            with work.open_work(database, write=True) as unit:
                unit.subscriptions.delete(subscription)
        except SubscriptionNotFound:
            return False
        return True

    assert sorted(at_once(4, removed)) == [False, False, False, True]


def test_count_locked_locks_the_partner(database: Database, caller: PartnerCaller) -> None:
    def add_up_to_one() -> None:
        with work.open_work(database, write=True) as unit:
            if unit.subscriptions.count_locked(caller) == 0:
                created = Subscription(
                    ref=reference(Kind.WEBHOOK, new_id()),
                    partner_id=caller.partner_id,
                    environment=caller.environment,
                    url="https://example.com/",
                    events=("*",),
                    description=None,
                    active=True,
                    sealed="x",
                    created_at=NOW,
                    updated_at=NOW,
                )
                unit.subscriptions.add(created)

    at_once(4, add_up_to_one)
    with work.open_work(database, write=True) as unit:
        assert unit.subscriptions.count(caller) == 1


# Events and their subscribers


def test_outbox_delivers_to_subscribers_of_the_type_or_all(database: Database, caller: PartnerCaller) -> None:
    everything = a_subscription(database, caller, at=NOW)
    listing = a_subscription(database, caller, at=NOW, events=("ride.created", "customer.created"))
    a_subscription(database, caller, at=NOW, events=("ride.created",))
    a_subscription(database, caller, at=NOW, active=False)
    other = a_partner(database, "Another Inc", at=NOW)
    a_subscription(database, other, at=NOW)
    a_subscription(database, evolve(caller, environment=Environment.LIVE), at=NOW)
    an_event(database, caller, at=NOW)

    assert _list_pending(database) == [(everything.id, False), (listing.id, False)]


def test_outbox_numbers_the_events_of_a_subject(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    first = an_event(database, caller, at=NOW)
    second = an_event(database, caller, at=NOW + timedelta(seconds=1), subject=first.subject)
    payloads = [json.loads(due.payload) for due in _claim(database, subscription, now=NOW + LEASE)]

    assert payloads[0] == {
        "id": first.id,
        "type": "customer.created",
        "created_at": "2026-01-02T03:04:05Z",
        "environment": "test",
        "sequence": 1,
        "data": {"name": "Zoë", "amount": 12.5},
    }
    assert (payloads[1]["id"], payloads[1]["sequence"]) == (second.id, 2)


# Claims


def test_claim_leases_a_delivery(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    event = an_event(database, caller, at=NOW)
    (due,) = _claim(database, subscription)

    assert (due.event_id, due.holder, due.attempts, due.url) == (event.id, "me", 0, subscription.url)
    assert _list_pending(database) == []
    assert _claim(database, subscription, holder="you", now=NOW + LEASE / 2) == []
    later = NOW + LEASE

    assert _list_pending(database, later) == [(subscription.id, False)]
    (again,) = _claim(database, subscription, holder="you", now=later)

    assert (again.id, again.holder) == (due.id, "you")


def test_claim_ignores_leases_from_a_clock_set_back(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW - timedelta(days=1))
    _claim(database, subscription)

    assert len(_claim(database, subscription, holder="you", now=NOW - timedelta(hours=1))) == 1


def test_claim_leaves_leases_made_after_its_clock_was_read(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW - timedelta(days=1))
    _claim(database, subscription)

    assert _claim(database, subscription, holder="you", now=NOW - timedelta(seconds=1)) == []


def test_claim_returns_the_longest_due_first(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    events = [an_event(database, caller, at=NOW - timedelta(seconds=n)) for n in (1, 3, 2)]
    found = _claim(database, subscription, most=2)

    assert [due.event_id for due in found] == [events[1].id, events[2].id]


def test_claim_skips_deliveries_that_are_not_due(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW + timedelta(seconds=1))

    assert _list_pending(database) == []
    assert _claim(database, subscription) == []
    assert len(_claim(database, subscription, now=NOW + timedelta(seconds=1))) == 1


def test_claim_shares_deliveries_among_concurrent_workers(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    for _ in range(12):
        an_event(database, caller, at=NOW)
    claimed = list[int]()

    def claim() -> None:
        for _ in range(6):
            claimed.extend(due.id for due in _claim(database, subscription, most=1))

    at_once(4, claim)

    assert len(claimed) == len(set(claimed)) == 12


def test_release_frees_the_leases_of_a_holder(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW)
    _claim(database, subscription, holder="dead")
    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.list_holders(now=NOW) == ["dead"]
        assert unit.deliveries.release("dead") == 1
        assert unit.deliveries.list_holders(now=NOW) == []

    assert len(_claim(database, subscription)) == 1


# Attempts


def test_record_stores_a_delivery_and_the_health(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    event = an_event(database, caller, at=NOW)
    (due,) = _claim(database, subscription)
    at = NOW + timedelta(seconds=2)

    assert _record(database, due, WELL, DELIVERED, at=at)
    assert _claim(database, subscription, now=NOW + timedelta(days=1)) == []
    assert _find(database, subscription).health == SubscriptionHealth(at=at, status=200)
    with work.open_work(database, write=False) as unit:
        (attempt,) = unit.deliveries.list_attempts(limit=9, subscription=subscription, event_id=event.id)
        assert unit.deliveries.list_attempts(limit=9, subscription=None, event_id="evt_other") == []

    assert (attempt.at, attempt.status, attempt.error) == (at, 200, None)
    assert (attempt.event_id, attempt.type, attempt.subscription, attempt.state) == (
        event.id,
        "customer.created",
        subscription.ref,
        DeliveryState.DELIVERED,
    )


def test_record_schedules_the_next_attempt(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW)
    (due,) = _claim(database, subscription)
    again = NOW + timedelta(minutes=2)
    pending = DeliveryOutcome(state=DeliveryState.PENDING, due_at=again)

    assert _record(database, due, AttemptResult(error="no connection"), pending)
    assert _list_pending(database, again - timedelta(seconds=1)) == []
    assert _list_pending(database, again) == [(subscription.id, True)]
    (second,) = _claim(database, subscription, now=again)

    assert (second.attempts, second.failing_since) == (1, NOW)
    assert _record(database, second, AttemptResult(status=500), evolve(pending, due_at=again), at=again)
    assert _find(database, subscription).health == SubscriptionHealth(at=again, status=500, failing_since=NOW)
    (third,) = _claim(database, subscription, now=again)

    assert _record(database, third, WELL, DELIVERED, at=again)
    assert _find(database, subscription).health.failing_since is None


def test_record_changes_nothing_without_the_lease(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW)
    (lost,) = _claim(database, subscription, holder="slow")
    (mine,) = _claim(database, subscription, holder="quick", now=NOW + LEASE)
    dead = DeliveryOutcome(state=DeliveryState.DEAD)

    assert not _record(database, lost, AttemptResult(status=500), dead)
    assert _find(database, subscription).health == SubscriptionHealth()
    assert _record(database, mine, WELL, DELIVERED)
    assert not _record(database, mine, AttemptResult(status=500), dead)
    with work.open_work(database, write=False) as unit:
        found = unit.deliveries.list_attempts(limit=9, subscription=None, event_id=None)

    assert [one.status for one in found] == [500, 200, 500]
    assert {one.state for one in found} == {DeliveryState.DELIVERED}


def test_record_disables_a_subscription(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW)
    an_event(database, caller, at=NOW)
    (due,) = _claim(database, subscription, most=1)
    gone = DeliveryOutcome(state=DeliveryState.DROPPED, disabled="It is gone.")

    assert _record(database, due, AttemptResult(status=410), gone)
    an_event(database, caller, at=NOW)

    assert _list_pending(database, NOW + timedelta(days=1)) == []
    stored = _find(database, subscription)

    assert (stored.active, stored.disabled_reason) == (False, "It is gone.")
    assert stored.version == subscription.version + 1
    with work.open_work(database, write=True) as unit, pytest.raises(Conflict):
        unit.subscriptions.replace(subscription, evolve(subscription, description="late"))


# Replays


def test_replay_event_keeps_the_id(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    event = an_event(database, caller, at=NOW)
    (due,) = _claim(database, subscription)
    _record(database, due, WELL, DELIVERED)
    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.replay_event(event.id, at=NOW) == ReplayResult(events=1, deliveries=1)
        assert unit.deliveries.replay_event("evt_none", at=NOW) is None
    (again,) = _claim(database, subscription)

    assert (again.event_id, again.payload) == (event.id, due.payload)
    assert again.id != due.id


def test_replay_between_selects_events_and_subscriptions(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    hour = timedelta(hours=1)
    events = [an_event(database, caller, at=NOW + n * hour) for n in range(4)]
    delivered, *_ = _claim(database, subscription, now=NOW + 5 * hour)
    _record(database, delivered, WELL, DELIVERED)
    late = a_subscription(database, caller, at=NOW)
    other = a_partner(database, "Another Inc", at=NOW)
    an_event(database, other, at=NOW + hour)
    span = (NOW, NOW + 2 * hour)
    at = NOW + 9 * hour
    with work.open_work(database, write=True) as unit:
        replay = unit.deliveries.replay_between
        assert replay(*span, at=at, subscription=late, undelivered=True) == ReplayResult(
            events=2, deliveries=2
        )
        assert replay(*span, at=at, subscription=late, undelivered=True).deliveries == 0
        assert replay(*span, at=at, subscription=subscription, undelivered=True).deliveries == 0
        assert replay(*span, at=at, subscription=subscription, undelivered=False).deliveries == 2
    found = [due.event_id for due in _claim(database, late, now=at)]

    assert found == [events[0].id, events[1].id]


def test_add_test_delivers_to_its_subscription_only(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    tried = a_subscription(database, caller, at=NOW, events=("ride.created",))
    event = Event(
        id=reference(Kind.EVENT, new_id()),
        type="webhook.test",
        partner_id=caller.partner_id,
        environment=caller.environment,
        subject=tried.ref,
        data={},
        created_at=NOW,
    )
    with work.open_work(database, write=True) as unit:
        due = unit.deliveries.add_test(event, tried, holder="me", until=NOW + LEASE)

    assert (due.subscription_id, due.event_id, due.holder) == (tried.id, event.id, "me")
    assert _list_pending(database) == []
    assert _record(database, due, WELL, DELIVERED)
    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.replay_event(event.id, at=NOW) == ReplayResult(events=1, deliveries=1)

    assert _list_pending(database) == [(tried.id, False)]
    assert subscription.id != tried.id


# Backlog and cleanup


def test_get_backlog_counts_due_deliveries(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW - timedelta(minutes=5))
    an_event(database, caller, at=NOW + timedelta(minutes=5))
    with work.open_work(database, write=False) as unit:
        found = unit.deliveries.get_backlog(now=NOW)

    assert found == Backlog(pending=2, due=1, oldest=NOW - timedelta(minutes=5))
    assert subscription.active


@pytest.mark.parametrize(("later", "deleted"), [(timedelta(0), 0), (timedelta(microseconds=1), 5)])
def test_delete_old_keeps_what_is_as_old_as_allowed(
    database: Database, caller: PartnerCaller, subscription: Subscription, *, later: timedelta, deleted: int
) -> None:
    old = NOW - timedelta(days=30)
    first = an_event(database, caller, at=old)
    an_event(database, caller, at=old, subject=first.subject)
    for due in _claim(database, subscription, now=old):
        _record(database, due, WELL, DELIVERED, at=old)

    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.delete_old(old + later, most=100) == deleted


def test_delete_old_keeps_the_newest_event_of_a_subject(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    old = NOW - timedelta(days=40)
    first = an_event(database, caller, at=old)
    second = an_event(database, caller, at=old, subject=first.subject)
    for due in _claim(database, subscription, now=old):
        _record(database, due, WELL, DELIVERED, at=old)
    pending = an_event(database, caller, at=old)
    before = NOW - timedelta(days=30)
    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.delete_old(before, most=100) == 5  # two attempts, two deliveries, one event
        assert unit.deliveries.delete_old(before, most=100) == 0
        assert unit.deliveries.replay_event(first.id, at=NOW) is None
        assert unit.deliveries.replay_event(second.id, at=NOW) is not None
    third = an_event(database, caller, at=NOW, subject=first.subject)
    payloads = {due.event_id: json.loads(due.payload) for due in _claim(database, subscription)}

    assert payloads[third.id]["sequence"] == 3
    assert pending.id in payloads


def test_add_test_numbers_concurrent_tests(database: Database, subscription: Subscription) -> None:
    def tried() -> int:
        event = Event(
            id=reference(Kind.EVENT, new_id()),
            type="webhook.test",
            partner_id=subscription.partner_id,
            environment=subscription.environment,
            subject=subscription.ref,
            data={},
            created_at=NOW,
        )
        with work.open_work(database, write=True) as unit:
            due = unit.deliveries.add_test(event, subscription, holder="me", until=NOW + LEASE)
        number: int = json.loads(due.payload)["sequence"]
        return number

    assert sorted(at_once(8, tried)) == list(range(1, 9))


def test_record_does_not_count_what_was_not_sent(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    event = an_event(database, caller, at=NOW)
    (due,) = _claim(database, subscription)
    pending = DeliveryOutcome(state=DeliveryState.PENDING, due_at=NOW)
    unsent = AttemptResult(error="It cannot be signed.", was_sent=False)

    assert _record(database, due, unsent, pending)
    (again,) = _claim(database, subscription)
    assert again.attempts == 0
    with work.open_work(database, write=False) as unit:
        assert unit.deliveries.list_attempts(limit=9, subscription=None, event_id=event.id) == []


def test_expedite_makes_late_deliveries_due(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    for days in (1, 5):
        an_event(database, caller, at=NOW + timedelta(days=days))
    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.expedite(after=NOW + timedelta(days=4), now=NOW) == 1

    assert len(_claim(database, subscription)) == 1


def test_failure_from_a_clock_ahead_counts_from_now(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW)
    pending, failed = DeliveryOutcome(state=DeliveryState.PENDING, due_at=NOW), AttemptResult(status=500)
    for at in (NOW + timedelta(days=4), NOW):
        (due,) = _claim(database, subscription, now=at)
        assert _record(database, due, failed, pending, at=at)

    assert _find(database, subscription).health.failing_since == NOW


# Limits of time


@pytest.mark.parametrize(
    ("lasted", "milliseconds"),
    [(timedelta(microseconds=1_234_567), 1234), (timedelta(0), 0), (timedelta(seconds=-1), 0)],
)
def test_attempt_lasts_whole_milliseconds_and_never_less_than_none(
    database: Database,
    caller: PartnerCaller,
    subscription: Subscription,
    *,
    lasted: timedelta,
    milliseconds: int,
) -> None:
    an_event(database, caller, at=NOW)
    (due,) = _claim(database, subscription)
    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.record(due, WELL, DELIVERED, started=NOW, at=NOW + lasted)
        (attempt,) = unit.deliveries.list_attempts(limit=9, subscription=subscription, event_id=None)

    assert (attempt.at, attempt.milliseconds) == (NOW, milliseconds)


def test_attempts_are_listed_newest_first_up_to_the_limit(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    pending = DeliveryOutcome(state=DeliveryState.PENDING, due_at=NOW)
    an_event(database, caller, at=NOW)
    for status in (500, 501, 502):
        (due,) = _claim(database, subscription)
        _record(database, due, AttemptResult(status=status), pending)
    with work.open_work(database, write=False) as unit:
        found = unit.deliveries.list_attempts(limit=2, subscription=None, event_id=None)

    assert [attempt.status for attempt in found] == [502, 501]


def test_attempt_of_a_deleted_delivery_is_not_recorded(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW)
    (due,) = _claim(database, subscription)

    assert _record(database, due, WELL, DELIVERED)
    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.delete_old(NOW + timedelta(seconds=1), most=100) == 2
    health = _find(database, subscription).health

    assert not _record(database, due, AttemptResult(status=500), DELIVERED)
    assert _find(database, subscription).health == health


@pytest.mark.parametrize(("later", "expedited"), [(timedelta(0), 0), (timedelta(microseconds=1), 1)])
def test_only_deliveries_due_after_a_time_are_expedited(
    database: Database, caller: PartnerCaller, subscription: Subscription, *, later: timedelta, expedited: int
) -> None:
    after = NOW + timedelta(days=4)
    an_event(database, caller, at=after + later)
    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.expedite(after=after, now=NOW) == expedited

    assert len(_claim(database, subscription)) == expedited


@pytest.mark.parametrize(
    ("later", "holders"), [(LEASE - timedelta(microseconds=1), ["here", "there"]), (LEASE, [])]
)
def test_holders_are_those_whose_lease_has_not_ended(
    database: Database,
    caller: PartnerCaller,
    subscription: Subscription,
    *,
    later: timedelta,
    holders: list[str],
) -> None:
    for holder in ("there", "here", "there"):
        an_event(database, caller, at=NOW)
        _claim(database, subscription, most=1, holder=holder)
    with work.open_work(database, write=False) as unit:
        assert unit.deliveries.list_holders(now=NOW + later) == holders


@pytest.mark.parametrize(("later", "due"), [(timedelta(microseconds=-1), 0), (timedelta(0), 1)])
def test_backlog_counts_a_delivery_from_the_moment_it_is_due(
    database: Database, caller: PartnerCaller, subscription: Subscription, *, later: timedelta, due: int
) -> None:
    for hours in (0, 1):
        an_event(database, caller, at=NOW + timedelta(hours=hours))
    with work.open_work(database, write=False) as unit:
        found = unit.deliveries.get_backlog(now=NOW + later)

    assert found == Backlog(pending=2, due=due, oldest=NOW if due else None)
    assert subscription.active


def test_oldest_of_the_backlog_has_waited_longest(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    for minutes in (3, 5, 4):
        an_event(database, caller, at=NOW - timedelta(minutes=minutes))
    with work.open_work(database, write=False) as unit:
        found = unit.deliveries.get_backlog(now=NOW)

    assert found == Backlog(pending=3, due=3, oldest=NOW - timedelta(minutes=5))
    assert subscription.active


def test_failing_since_stays_at_the_first_failure(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW)
    pending, failed = DeliveryOutcome(state=DeliveryState.PENDING, due_at=NOW), AttemptResult(status=500)
    for later in (0, 0, 1, 2):
        at = NOW + timedelta(hours=later)
        (due,) = _claim(database, subscription, now=at)
        assert _record(database, due, failed, pending, at=at)

        assert _find(database, subscription).health.failing_since == NOW


def test_replay_to_reaches_one_subscription_of_the_owner(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    event = an_event(database, caller, at=NOW)
    late = a_subscription(database, caller, at=NOW)
    strange = an_event(database, a_partner(database, "Another Inc", at=NOW), at=NOW)
    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.replay_to(event.id, late, at=NOW) == ReplayResult(events=1, deliveries=1)
        assert unit.deliveries.replay_to(strange.id, late, at=NOW) is None

    assert [due.event_id for due in _claim(database, late)] == [event.id]
    assert len(_claim(database, subscription)) == 1


def test_replay_between_reaches_every_owner_without_a_subscription(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    an_event(database, caller, at=NOW)
    other = a_partner(database, "Another Inc", at=NOW)
    theirs = a_subscription(database, other, at=NOW)
    an_event(database, other, at=NOW)
    with work.open_work(database, write=True) as unit:
        found = unit.deliveries.replay_between(
            NOW, NOW + timedelta(microseconds=1), at=NOW, subscription=None, undelivered=False
        )

    assert found == ReplayResult(events=2, deliveries=2)
    assert [len(_claim(database, each)) for each in (subscription, theirs)] == [2, 2]


def test_test_event_of_an_inactive_subscription_is_not_replayed(
    database: Database, subscription: Subscription
) -> None:
    event = Event(
        id=reference(Kind.EVENT, new_id()),
        type="webhook.test",
        partner_id=subscription.partner_id,
        environment=subscription.environment,
        subject=subscription.ref,
        data={},
        created_at=NOW,
    )
    with work.open_work(database, write=True) as unit:
        unit.deliveries.enqueue_test(event, subscription)
    (due,) = _claim(database, subscription)

    assert (due.event_id, due.attempts) == (event.id, 0)
    assert _record(database, due, WELL, DELIVERED)
    with work.open_work(database, write=True) as unit:
        assert unit.deliveries.replay_event(event.id, at=NOW) == ReplayResult(events=1, deliveries=1)
        unit.subscriptions.replace(subscription, evolve(subscription, active=False))
        assert unit.deliveries.replay_event(event.id, at=NOW) == ReplayResult(events=1, deliveries=0)


def test_delete_old_deletes_a_few_of_each_at_a_time(
    database: Database, caller: PartnerCaller, subscription: Subscription
) -> None:
    first = an_event(database, caller, at=NOW)
    for _ in range(2):
        an_event(database, caller, at=NOW, subject=first.subject)
    for due in _claim(database, subscription):
        _record(database, due, WELL, DELIVERED)
    later = NOW + timedelta(days=1)
    with work.open_work(database, write=True) as unit:
        deleted = [unit.deliveries.delete_old(later, most=1) for _ in range(5)]

    assert deleted == [3, 3, 2, 0, 0]  # an attempt, a delivery and an event each; the newest event stays
