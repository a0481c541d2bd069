"""The books balance after any actions on a payment."""

from collections.abc import Callable, Mapping
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.payments.payments import make_payment

from repaircore.payments import books, lifecycle
from repaircore.payments.lifecycle import LIFECYCLE, PaymentAction
from repaircore.payments.model import HIGHEST_AMOUNT, Account, Entry, EntryKind, Payment, PaymentState
from repaircore.testing.clock import EPOCH

_A = PaymentAction
FUNCTIONS: Final[Mapping[PaymentAction, Callable[[Payment, int], Payment]]] = {
    _A.APPROVE: lambda payment, _: lifecycle.approved(payment, "sbx_1", at=EPOCH),
    _A.DECLINE: lambda payment, _: lifecycle.declined(payment, "no", at=EPOCH),
    _A.ABANDON: lambda payment, _: lifecycle.abandoned(payment, "unused", at=EPOCH),
    _A.CAPTURE: lambda payment, cents: lifecycle.to_capture(payment, cents, at=EPOCH),
    _A.SETTLE: lambda payment, _: lifecycle.captured(payment, payment.moving or 0, at=EPOCH),
    _A.LAPSE: lambda payment, _: lifecycle.lapsed(payment, "gone", at=EPOCH),
    _A.VOID: lambda payment, _: lifecycle.to_void(payment, "canceled", at=EPOCH),
    _A.RELEASE: lambda payment, _: lifecycle.released(payment, at=EPOCH),
    _A.REFUND: lambda payment, cents: lifecycle.to_refund(payment, cents, at=EPOCH),
    _A.RETURN: lambda payment, _: lifecycle.refunded(payment, at=EPOCH),
}


@st.composite
def histories(draw: st.DrawFn) -> list[Payment]:
    """Draw the states of a payment over up to twelve actions."""
    history = [make_payment(amount=draw(st.integers(1, HIGHEST_AMOUNT)))]
    for _ in range(draw(st.integers(0, 12))):
        now = history[-1]
        actions = [
            action
            for action in LIFECYCLE.allowed(now.state)
            if action is not PaymentAction.REFUND or now.refunded < now.captured
        ]
        if not actions:
            break
        most = now.captured - now.refunded or now.amount
        history.append(FUNCTIONS[draw(st.sampled_from(actions))](now, draw(st.integers(1, most))))
    return history


def entries_of(history: list[Payment]) -> list[list[Entry]]:
    pairs = zip([None, *history[:-1]], history, strict=True)
    return [[*books.entries_between(old, new, at=EPOCH)] for old, new in pairs]


@given(histories())
def test_entries_between_sum_to_zero(history: list[Payment]) -> None:
    for entries in entries_of(history):
        assert sum(entry.cents for entry in entries) == 0
        assert all(entry.cents for entry in entries)
        assert len({entry.kind for entry in entries}) <= 1


@given(histories())
def test_sum_of_all_entries_is_the_position(history: list[Payment]) -> None:
    all_entries = [entry for entries in entries_of(history) for entry in entries]

    assert books.balances(all_entries) == books.position(history[-1])


@given(histories())
def test_balances_never_exceed_what_was_authorized_or_captured(history: list[Payment]) -> None:
    all_entries: list[Entry] = []
    for entries in entries_of(history):
        all_entries += entries
        now = books.balances(all_entries)
        assert now.get(Account.HELD, 0) >= 0
        assert 0 <= now.get(Account.PARTNER_REVENUE, 0) <= history[0].amount
        assert now.get(Account.CUSTOMER, 0) <= 0


def test_entries_between_of_a_partial_capture_release_the_rest() -> None:
    authorized = make_payment(PaymentState.AUTHORIZED)
    captured = lifecycle.captured(lifecycle.to_capture(authorized, 700, at=EPOCH), 700, at=EPOCH)

    assert {
        (entry.kind, entry.account, entry.cents)
        for entry in books.entries_between(authorized, captured, at=EPOCH)
    } == {
        (EntryKind.CAPTURE, Account.CUSTOMER, 1800),
        (EntryKind.CAPTURE, Account.HELD, -2500),
        (EntryKind.CAPTURE, Account.PARTNER_REVENUE, 700),
    }


def test_entries_between_of_a_pending_step_are_none() -> None:
    assert books.entries_between(None, make_payment(), at=EPOCH) == []

    authorized = make_payment(PaymentState.AUTHORIZED)

    assert (
        books.entries_between(authorized, lifecycle.to_void(authorized, "canceled", at=EPOCH), at=EPOCH) == []
    )
