"""Signatures, retries and fairness."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from repaircore.kernel.callers import Environment
from repaircore.webhooks import event_types
from repaircore.webhooks.fairness import AT_ONCE, InFlight, shares
from repaircore.webhooks.model import AttemptResult, DeliveryState, LeasedDelivery, PendingSubscription
from repaircore.webhooks.retries import DELAYS, DISABLED_AFTER, GIVEN_UP_AFTER, LONGEST_WAIT, outcome_of
from repaircore.webhooks.signing import secret_of, signed

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)

DUE = LeasedDelivery(
    id=1,
    subscription_id=1,
    partner_id=1,
    failing=False,
    environment=Environment.TEST,
    event_id="evt_1",
    payload="{}",
    url="https://example.com/",
    sealed="",
    previous_sealed=None,
    previous_until=None,
    failing_since=None,
    attempts=0,
    created_at=NOW,
    holder="me",
)


@given(st.binary(min_size=24, max_size=64), st.text(max_size=60))
def test_an_independent_receiver_knows_every_signature(random: bytes, text: str) -> None:
    secret, body = secret_of(random), json.dumps(text).encode()
    headers = dict(signed("evt_1", body, [secret], at=datetime.now(UTC)))
    assert Webhook(secret).verify(body, headers) == text
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(body + b" ", headers)


def test_while_secrets_overlap_a_receiver_may_know_either() -> None:
    new, old, other = secret_of(b"n" * 32), secret_of(b"o" * 32), secret_of(b"x" * 32)
    headers = dict(signed("evt_1", b"{}", [new, old], at=datetime.now(UTC)))
    for secret in (new, old):
        Webhook(secret).verify(b"{}", headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(other).verify(b"{}", headers)


def test_what_was_signed_long_ago_is_not_taken() -> None:
    secret = secret_of(b"n" * 32)
    headers = dict(signed("evt_1", b"{}", [secret], at=datetime.now(UTC) - timedelta(hours=1)))
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(b"{}", headers)


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_what_is_answered_well_is_delivered(status: int) -> None:
    told = outcome_of(DUE, AttemptResult(status=status), now=NOW, chance=0.5)
    assert told.state is DeliveryState.DELIVERED


@pytest.mark.parametrize(
    "sent",
    [AttemptResult(status=s) for s in (199, 301, 302, 307, 400, 404, 500, 503)]
    + [AttemptResult(error="no connection")],
)
def test_anything_else_is_tried_again_later_each_time(sent: AttemptResult) -> None:
    for attempts in range(20):
        due = evolve(DUE, attempts=attempts)
        longest = outcome_of(due, sent, now=NOW, chance=1.0)
        assert longest.state is DeliveryState.PENDING
        assert longest.due_at == NOW + DELAYS[min(attempts, len(DELAYS) - 1)]
        shortest = outcome_of(due, sent, now=NOW, chance=0.0)
        assert shortest.due_at == NOW + timedelta(seconds=1)


def test_a_subscriber_says_how_long_it_wants_to_be_left_alone_but_not_for_ever() -> None:
    asked = outcome_of(DUE, AttemptResult(status=503, retry_after=120), now=NOW, chance=1.0)
    assert asked.due_at == NOW + timedelta(seconds=120)
    too_long = outcome_of(DUE, AttemptResult(status=429, retry_after=10**9), now=NOW, chance=1.0)
    assert too_long.due_at == NOW + LONGEST_WAIT


def test_a_delivery_is_given_up_after_three_days() -> None:
    late = evolve(DUE, attempts=30)
    last = outcome_of(
        late, AttemptResult(status=500), now=NOW + GIVEN_UP_AFTER - timedelta(hours=3), chance=1.0
    )
    assert last.state is DeliveryState.PENDING
    dead = outcome_of(late, AttemptResult(status=500), now=NOW + GIVEN_UP_AFTER, chance=0.0)
    assert (dead.state, dead.disabled) == (DeliveryState.DEAD, None)


def test_who_is_gone_gets_nothing_any_more() -> None:
    told = outcome_of(DUE, AttemptResult(status=410), now=NOW, chance=0.5)
    assert told.state is DeliveryState.DROPPED
    assert told.disabled is not None


def test_five_days_of_failures_alone_disable() -> None:
    failing = evolve(DUE, failing=True, failing_since=NOW)
    before = outcome_of(
        failing, AttemptResult(status=500), now=NOW + DISABLED_AFTER - timedelta(seconds=1), chance=0.5
    )
    assert before.disabled is None
    after = outcome_of(failing, AttemptResult(status=500), now=NOW + DISABLED_AFTER, chance=0.5)
    assert after.disabled is not None
    saved = outcome_of(failing, AttemptResult(status=200), now=NOW + DISABLED_AFTER, chance=0.5)
    assert (saved.state, saved.disabled) == (DeliveryState.DELIVERED, None)


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 4), st.booleans()), max_size=60, unique_by=lambda one: one[0]),
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 4), st.booleans()), max_size=32),
)  # fmt: skip
def test_nobody_gets_more_than_a_share(
    wait: list[tuple[int, int, bool]], fly: list[tuple[int, int, bool]]
) -> None:
    waiting = [PendingSubscription(subscription_id=s, partner_id=p, failing=f) for s, p, f in wait]
    flying = [evolve(DUE, subscription_id=s, partner_id=p, failing=f) for s, p, f in fly]
    given_now = shares(waiting, InFlight.of(flying))
    assert sum(given_now.values()) <= max(0, 32 - len(flying))
    known = {one.subscription_id: one for one in waiting}
    for subscription, share in given_now.items():
        flies = sum(one.subscription_id == subscription for one in flying)
        assert 0 < share <= (1 if known[subscription].failing else AT_ONCE) - flies
    failing = sum(share for one, share in given_now.items() if known[one].failing)
    assert failing <= max(0, 8 - sum(one.failing for one in flying))


def _waiting(numbers: Sequence[int], *, partner: int, failing: bool) -> list[PendingSubscription]:
    return [PendingSubscription(subscription_id=one, partner_id=partner, failing=failing) for one in numbers]


def test_those_who_fail_leave_room_for_those_who_answer() -> None:
    dead = _waiting(range(100), partner=1, failing=True)
    well = _waiting([1000], partner=2, failing=False)
    given_now = shares([*dead, *well], InFlight.of([]))
    assert given_now[1000] == AT_ONCE
    assert sum(given_now.values()) == 8 + AT_ONCE


def test_one_partner_leaves_room_for_the_others() -> None:
    many = _waiting(range(100), partner=1, failing=False)
    other = _waiting([1000], partner=2, failing=False)
    given_now = shares([*many, *other], InFlight.of([]))
    assert given_now[1000] == AT_ONCE
    assert sum(given_now.values()) == 16 + AT_ONCE


def test_those_who_take_long_give_their_places_up_until_there_are_too_many() -> None:
    other = _waiting([1000], partner=2, failing=False)

    def flying(count: int) -> list[LeasedDelivery]:
        return [evolve(DUE, subscription_id=one) for one in range(count)]

    assert shares(other, InFlight.of(flying(32))) == {}
    assert shares(other, InFlight.of(flying(32), slow=32)) == {1000: AT_ONCE}
    assert shares(other, InFlight.of(flying(127), slow=127)) == {1000: 1}
    assert shares(other, InFlight.of(flying(128), slow=128)) == {}


def test_a_list_of_events_is_kept_once_each_and_everything_is_everything() -> None:
    assert event_types.settled(["customer.created", "ride.created", "ride.created"]) == (
        "ride.created",
        "customer.created",
    )
    assert event_types.settled(["ride.created", "*"]) == ("*",)
    assert event_types.unknown(["ride.created", "ride.flown", "*"]) == [(1, "ride.flown")]
