"""The books balance, whatever becomes of a payment."""

from collections.abc import Callable, Mapping
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.payments.payments import a_payment

from repaircore.payments import books, lifecycle
from repaircore.payments.lifecycle import LIFECYCLE, PaymentAction
from repaircore.payments.model import HIGHEST_AMOUNT, Account, Entry, EntryKind, Payment, PaymentState
from repaircore.testing.clock import EPOCH

_A = PaymentAction
DOING: Final[Mapping[PaymentAction, Callable[[Payment, int], Payment]]] = {
    _A.APPROVE: lambda one, _: lifecycle.approved(one, "sbx_1", at=EPOCH),
    _A.DECLINE: lambda one, _: lifecycle.declined(one, "no", at=EPOCH),
    _A.ABANDON: lambda one, _: lifecycle.abandoned(one, "unused", at=EPOCH),
    _A.CAPTURE: lambda one, cents: lifecycle.to_capture(one, cents, at=EPOCH),
    _A.SETTLE: lambda one, _: lifecycle.captured(one, one.moving or 0, at=EPOCH),
    _A.LAPSE: lambda one, _: lifecycle.lapsed(one, "gone", at=EPOCH),
    _A.VOID: lambda one, _: lifecycle.to_void(one, "canceled", at=EPOCH),
    _A.RELEASE: lambda one, _: lifecycle.released(one, at=EPOCH),
    _A.REFUND: lambda one, cents: lifecycle.to_refund(one, cents, at=EPOCH),
    _A.RETURN: lambda one, _: lifecycle.refunded(one, at=EPOCH),
}


@st.composite
def lives(draw: st.DrawFn) -> list[Payment]:
    """Draw the states that a payment goes through, from its beginning for up to twelve actions."""
    life = [a_payment(amount=draw(st.integers(1, HIGHEST_AMOUNT)))]
    for _ in range(draw(st.integers(0, 12))):
        now = life[-1]
        possible = [
            one
            for one in LIFECYCLE.allowed(now.state)
            if one is not PaymentAction.REFUND or now.refunded < now.captured
        ]
        if not possible:
            break
        left = now.captured - now.refunded or now.amount
        life.append(DOING[draw(st.sampled_from(possible))](now, draw(st.integers(1, left))))
    return life


def lines_of(life: list[Payment]) -> list[list[Entry]]:
    pairs = zip([None, *life[:-1]], life, strict=True)
    return [[*books.entries(old, new, at=EPOCH)] for old, new in pairs]


@given(lives())
def test_every_step_and_every_payment_sums_to_zero(life: list[Payment]) -> None:
    for lines in lines_of(life):
        assert sum(line.cents for line in lines) == 0
        assert all(line.cents for line in lines)
        assert len({line.kind for line in lines}) <= 1


@given(lives())
def test_the_lines_add_up_to_where_the_payment_stands(life: list[Payment]) -> None:
    every = [line for lines in lines_of(life) for line in lines]
    assert books.balances(every) == books.position(life[-1])


@given(lives())
def test_nothing_is_taken_that_was_not_held_nor_given_back_that_was_not_taken(life: list[Payment]) -> None:
    every: list[Entry] = []
    for lines in lines_of(life):
        every += lines
        now = books.balances(every)
        assert now.get(Account.HELD, 0) >= 0
        assert 0 <= now.get(Account.PARTNER_REVENUE, 0) <= life[0].amount
        assert now.get(Account.CUSTOMER, 0) <= 0


def test_a_capture_of_a_part_releases_the_rest() -> None:
    held = a_payment(PaymentState.AUTHORIZED)
    taken = lifecycle.captured(lifecycle.to_capture(held, 700, at=EPOCH), 700, at=EPOCH)
    assert {(line.kind, line.account, line.cents) for line in books.entries(held, taken, at=EPOCH)} == {
        (EntryKind.CAPTURE, Account.CUSTOMER, 1800),
        (EntryKind.CAPTURE, Account.HELD, -2500),
        (EntryKind.CAPTURE, Account.PARTNER_REVENUE, 700),
    }


def test_what_is_only_meant_moves_nothing() -> None:
    assert books.entries(None, a_payment(), at=EPOCH) == []
    held = a_payment(PaymentState.AUTHORIZED)
    assert books.entries(held, lifecycle.to_void(held, "canceled", at=EPOCH), at=EPOCH) == []
