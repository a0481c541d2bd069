"""What operators do with webhooks: limits, periods, and the audit log."""

from datetime import timedelta

import pytest
from tests.subscribers import a_partner, an_event

from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.testing.clock import FrozenClock
from repaircore.webhooks.model import CreateSubscription, UpdateSubscription
from repaircore.webhooks.operations import MOST_ATTEMPTS


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the contract tests try the records on both databases."""
    return sqlite_url


@pytest.fixture
def caller(core: Core, clock: FrozenClock) -> PartnerCaller:
    return a_partner(core.storage.database, "Roadside Inc", at=clock.now)


def subscribe(core: Core, caller: PartnerCaller) -> str:
    data = CreateSubscription(url="https://example.com/", events=("*",))
    return core.webhooks.create(data, caller).subscription.ref


@pytest.mark.parametrize(
    ("limit", "is_valid"), [(0, False), (1, True), (MOST_ATTEMPTS, True), (MOST_ATTEMPTS + 1, False)]
)
def test_attempts_are_listed_up_to_a_limit(core: Core, *, limit: int, is_valid: bool) -> None:
    if is_valid:
        assert core.webhook_operations.list_attempts(limit=limit) == []
        return
    with pytest.raises(Invalid) as caught:
        core.webhook_operations.list_attempts(limit=limit)
    assert caught.value.fields.keys() == {"limit"}


def test_replays_are_audited(core: Core, caller: PartnerCaller, clock: FrozenClock) -> None:
    ref = subscribe(core, caller)
    event, since = an_event(core.storage.database, caller, at=clock.now), clock.now
    with pytest.raises(NotFound):
        core.webhook_operations.replay("evt_01m7wx6s0ce2jsmdd4rhxwsq51")
    with pytest.raises(NotFound):
        core.webhook_operations.replay("nonsense")
    core.webhook_operations.replay(event.id)
    clock.advance(timedelta(seconds=1))
    core.webhook_operations.replay_between(since, subscription=ref)
    period, single = (entry for entry in core.audit.list_newest() if entry.action == "webhook.replay")

    assert (single.subject, single.after) == (f"events/{event.id}", {"events": 1, "deliveries": 1})
    assert period.subject == f"events/{since.isoformat()}/{clock.now.isoformat()}"
    assert (period.after or {})["events"] == 1


@pytest.mark.parametrize("seconds", [0, -1])
def test_period_of_a_replay_ends_after_it_begins(core: Core, clock: FrozenClock, seconds: int) -> None:
    with pytest.raises(Invalid) as caught:
        core.webhook_operations.replay_between(clock.now, clock.now + timedelta(seconds=seconds))

    assert caught.value.fields.keys() == {"until"}
    assert core.webhook_operations.replay_between(clock.now, clock.now + timedelta(seconds=1)).events == 0


def test_only_active_subscriptions_need_readable_secrets(core: Core, caller: PartnerCaller) -> None:
    before = core.webhook_operations.count_unreadable_secrets()
    refs = [subscribe(core, caller) for _ in range(3)]
    core.webhooks.update(refs[0], UpdateSubscription(active=False), caller)

    assert (before, core.webhook_operations.count_unreadable_secrets()) == ((0, 0), (0, 2))


def test_update_changes_the_given_fields_only(core: Core, caller: PartnerCaller, clock: FrozenClock) -> None:
    ref = subscribe(core, caller)
    changed = core.webhooks.update(ref, UpdateSubscription(description="Ours"), caller)
    same = core.webhooks.update(ref, UpdateSubscription(), caller)
    cleared = core.webhooks.update(ref, UpdateSubscription(description=""), caller)
    rotated = core.webhooks.update(ref, UpdateSubscription(rotate_secret=True), caller)

    assert (changed.subscription.description, same.subscription.description) == ("Ours", "Ours")
    assert (changed.secret, cleared.subscription.description) == (None, None)
    assert rotated.secret is not None
    assert rotated.subscription.previous_sealed == changed.subscription.sealed
    assert rotated.subscription.previous_until == clock.now + timedelta(days=1)
