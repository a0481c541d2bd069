"""Signatures, retries and fairness."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
from tests.unit.webhooks.made import DUE, NOW

from repaircore.webhooks import event_types
from repaircore.webhooks.fairness import PER_QUICK_SUBSCRIPTION, PER_SUBSCRIPTION, InFlight, shares
from repaircore.webhooks.model import AttemptResult, DeliveryState, LeasedDelivery, PendingSubscription
from repaircore.webhooks.retries import (
    DELAYS,
    DISABLED_AFTER,
    FEWEST_ATTEMPTS,
    LONGEST_RETRY_AFTER,
    MOST_ATTEMPTS,
    PAUSE,
    PAUSED_FOR,
    RETRY_PERIOD,
    next_outcome,
)
from repaircore.webhooks.signing import encode_secret, signature_headers


@given(st.binary(min_size=24, max_size=64), st.text(max_size=60))
def test_signature_headers_satisfy_an_independent_receiver(random: bytes, text: str) -> None:
    secret, body = encode_secret(random), json.dumps(text).encode()
    headers = dict(signature_headers("evt_1", body, [secret], at=datetime.now(UTC)))

    assert Webhook(secret).verify(body, headers) == text
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(body + b" ", headers)


def test_signature_headers_sign_with_each_secret() -> None:
    new, old, other = encode_secret(b"n" * 32), encode_secret(b"o" * 32), encode_secret(b"x" * 32)
    headers = dict(signature_headers("evt_1", b"{}", [new, old], at=datetime.now(UTC)))
    for secret in (new, old):
        Webhook(secret).verify(b"{}", headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(other).verify(b"{}", headers)


def test_signature_headers_expire() -> None:
    secret = encode_secret(b"n" * 32)
    headers = dict(signature_headers("evt_1", b"{}", [secret], at=datetime.now(UTC) - timedelta(hours=1)))
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(b"{}", headers)


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_next_outcome_delivers_on_a_2xx_status(status: int) -> None:
    outcome = next_outcome(DUE, AttemptResult(status=status), now=NOW, chance=0.5)

    assert outcome.state is DeliveryState.DELIVERED


@pytest.mark.parametrize(
    "attempt",
    [AttemptResult(status=s) for s in (199, 301, 302, 307, 400, 404, 500, 503)]
    + [AttemptResult(error="no connection")],
)
def test_next_outcome_retries_with_growing_delays(attempt: AttemptResult) -> None:
    for attempts in range(20):
        due = evolve(DUE, attempts=attempts)
        longest = next_outcome(due, attempt, now=NOW, chance=1.0)
        assert longest.state is DeliveryState.PENDING
        assert longest.due_at == NOW + DELAYS[min(attempts, len(DELAYS) - 1)]
        shortest = next_outcome(due, attempt, now=NOW, chance=0.0)
        assert shortest.due_at == NOW + timedelta(seconds=1)


def test_next_outcome_honors_retry_after_up_to_a_limit() -> None:
    requested = next_outcome(DUE, AttemptResult(status=503, retry_after=120), now=NOW, chance=1.0)

    assert requested.due_at == NOW + timedelta(seconds=120)
    too_long = next_outcome(DUE, AttemptResult(status=429, retry_after=10**9), now=NOW, chance=1.0)

    assert too_long.due_at == NOW + LONGEST_RETRY_AFTER


def test_next_outcome_gives_up_after_three_days() -> None:
    late = evolve(DUE, attempts=30)
    last = next_outcome(
        late, AttemptResult(status=500), now=NOW + RETRY_PERIOD - timedelta(hours=3), chance=1.0
    )

    assert last.state is DeliveryState.PENDING
    dead = next_outcome(late, AttemptResult(status=500), now=NOW + RETRY_PERIOD, chance=0.0)

    assert (dead.state, dead.disabled) == (DeliveryState.DEAD, None)


def test_next_outcome_does_not_give_up_when_a_clock_jumps() -> None:
    ahead = NOW + timedelta(days=4)
    for attempts in range(FEWEST_ATTEMPTS):
        tried = evolve(DUE, attempts=attempts, failing_since=NOW - timedelta(days=2))
        outcome = next_outcome(tried, AttemptResult(status=500), now=ahead, chance=1.0)

        assert (outcome.state, outcome.disabled) == (DeliveryState.PENDING, None)


def test_next_outcome_gives_up_by_attempts_while_the_clock_is_behind() -> None:
    behind = NOW - timedelta(days=400)
    last = next_outcome(
        evolve(DUE, attempts=MOST_ATTEMPTS - 1), AttemptResult(status=500), now=behind, chance=1.0
    )
    dead = next_outcome(
        evolve(DUE, attempts=MOST_ATTEMPTS), AttemptResult(status=500), now=behind, chance=1.0
    )

    assert (last.state, dead.state) == (DeliveryState.PENDING, DeliveryState.DEAD)


@given(st.lists(st.floats(0, 1), min_size=MOST_ATTEMPTS, max_size=MOST_ATTEMPTS))
def test_next_outcome_reaches_the_fewest_attempts_within_the_period(chances: list[float]) -> None:
    now = NOW
    for attempts, chance in enumerate(chances):
        tried = evolve(DUE, attempts=attempts)
        outcome = next_outcome(tried, AttemptResult(status=503, retry_after=10**9), now=now, chance=chance)
        if outcome.due_at is None:
            break
        now = outcome.due_at

    assert attempts >= FEWEST_ATTEMPTS - 1
    assert now - NOW <= RETRY_PERIOD + LONGEST_RETRY_AFTER


def test_next_outcome_keeps_undelivered_events_for_a_month() -> None:
    unsent = AttemptResult(error="It cannot be signed.", was_sent=False)
    unsent_outcome = next_outcome(DUE, unsent, now=NOW + PAUSED_FOR, chance=1.0)
    ended = next_outcome(DUE, unsent, now=NOW + PAUSED_FOR + timedelta(seconds=1), chance=1.0)

    assert (unsent_outcome.state, unsent_outcome.due_at) == (DeliveryState.PENDING, NOW + PAUSED_FOR + PAUSE)
    assert ended.state is DeliveryState.DEAD


def test_next_outcome_disables_on_410() -> None:
    outcome = next_outcome(DUE, AttemptResult(status=410), now=NOW, chance=0.5)

    assert outcome.state is DeliveryState.DROPPED
    assert outcome.disabled is not None


def test_next_outcome_disables_after_five_days_of_failures() -> None:
    failing = evolve(
        DUE, attempts=FEWEST_ATTEMPTS, created_at=NOW + timedelta(days=3), failing=True, failing_since=NOW
    )
    before = next_outcome(
        failing, AttemptResult(status=500), now=NOW + DISABLED_AFTER - timedelta(seconds=1), chance=0.5
    )

    assert before.disabled is None
    after = next_outcome(failing, AttemptResult(status=500), now=NOW + DISABLED_AFTER, chance=0.5)

    assert after.disabled is not None
    saved = next_outcome(failing, AttemptResult(status=200), now=NOW + DISABLED_AFTER, chance=0.5)

    assert (saved.state, saved.disabled) == (DeliveryState.DELIVERED, None)


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 4), st.booleans()), max_size=60, unique_by=lambda one: one[0]),
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 4), st.booleans()), max_size=32),
)  # fmt: skip
def test_shares_respect_every_limit(
    wait: list[tuple[int, int, bool]], fly: list[tuple[int, int, bool]]
) -> None:
    waiting = [PendingSubscription(subscription_id=s, owner=f"partner {p}", failing=f) for s, p, f in wait]
    leases = [evolve(DUE, subscription_id=s, owner=f"partner {p}", failing=f) for s, p, f in fly]
    granted = shares(waiting, InFlight.of(leases))

    assert sum(granted.values()) <= max(0, 32 - len(leases))
    known = {one.subscription_id: one for one in waiting}
    for subscription, share in granted.items():
        flies = sum(one.subscription_id == subscription for one in leases)
        assert 0 < share <= (1 if known[subscription].failing else PER_SUBSCRIPTION) - flies
    failing = sum(share for one, share in granted.items() if known[one].failing)

    assert failing <= max(0, 8 - sum(one.failing for one in leases))


def _pending(numbers: Sequence[int], *, partner: int, failing: bool) -> list[PendingSubscription]:
    return [
        PendingSubscription(subscription_id=one, owner=f"partner {partner}", failing=failing)
        for one in numbers
    ]


def test_shares_reserve_slots_for_healthy_subscriptions() -> None:
    dead = _pending(range(100), partner=1, failing=True)
    well = _pending([1000], partner=2, failing=False)
    granted = shares([*dead, *well], InFlight.of([]))

    assert granted[1000] == PER_SUBSCRIPTION
    assert sum(granted.values()) == 8 + PER_SUBSCRIPTION


def test_shares_reserve_slots_for_other_partners() -> None:
    many = _pending(range(100), partner=1, failing=False)
    other = _pending([1000], partner=2, failing=False)
    granted = shares([*many, *other], InFlight.of([]))

    assert granted[1000] == PER_SUBSCRIPTION
    assert sum(granted.values()) == 16 + PER_SUBSCRIPTION


def test_shares_of_quick_subscriptions_are_larger_unless_they_fail() -> None:
    quick = [PendingSubscription(subscription_id=1, owner="partner 1", failing=False)]
    failing = [PendingSubscription(subscription_id=2, owner="partner 2", failing=True)]

    granted = shares([*quick, *failing], InFlight.of([]), quick={1, 2})

    assert granted == {1: PER_QUICK_SUBSCRIPTION, 2: 1}


def test_shares_do_not_count_slow_deliveries_up_to_a_limit() -> None:
    other = _pending([1000], partner=2, failing=False)

    def leases(count: int) -> list[LeasedDelivery]:
        return [evolve(DUE, subscription_id=one) for one in range(count)]

    assert shares(other, InFlight.of(leases(32))) == {}
    assert shares(other, InFlight.of(leases(32), slow=32)) == {1000: PER_SUBSCRIPTION}
    assert shares(other, InFlight.of(leases(127), slow=127)) == {1000: 1}
    assert shares(other, InFlight.of(leases(128), slow=128)) == {}


def test_normalize_lists_each_event_once() -> None:
    assert event_types.normalize(["customer.created", "ride.created", "ride.created"]) == (
        "ride.created",
        "customer.created",
    )
    assert event_types.normalize(["ride.created", "*"]) == ("*",)
