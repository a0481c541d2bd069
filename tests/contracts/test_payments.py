"""What the ports of payments promise of what is kept, on both databases."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.conftest import NOW
from tests.contracts.partners import add_partner
from tests.threads import at_once
from tests.unit.payments.payments import a_payment

from repaircore.adapters.sql.engine import consistency, work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.payments import books
from repaircore.payments.errors import PaymentExists
from repaircore.payments.model import (
    LIVING,
    STEPS,
    Account,
    Entry,
    EntryKind,
    GatewayName,
    HeldState,
    Payment,
    PaymentFilter,
    PaymentState,
    SandboxCharge,
)

S = PaymentState
ALL = PaymentFilter(environment=Environment.TEST)
CHARGE = SandboxCharge(
    ref="sbx_1", key="1/authorize", state=HeldState.AUTHORIZED, amount=2500, created_at=NOW
)


@pytest.fixture(autouse=True)
def partners(database: Database) -> None:
    assert [add_partner(database, name).partner_id for name in ("Towify", "Rideify")] == [1, 2]


def an_id(number: int) -> str:
    return f"00000000-0000-7000-8000-{number:012}"


def add(database: Database, payment: Payment) -> Payment:
    with work.open_work(database, write=True) as unit:
        unit.payments.add(payment)
    return payment


def kept(database: Database, payment: Payment) -> Payment | None:
    with work.open_work(database, write=False) as unit:
        return unit.payments.by_id(payment.id)


def replace(database: Database, old: Payment, new: Payment) -> Payment:
    with work.open_work(database, write=True) as unit:
        return unit.payments.replace(old, new)


def under_way(database: Database, **asked: Any) -> list[str]:
    with work.open_work(database, write=False) as unit:
        found = unit.payments.under_way(**{"before": NOW, "after": None, "limit": 100, **asked})
        return [one.id for one in found]


@pytest.mark.parametrize("state", S)
def test_a_payment_comes_back_as_it_was(database: Database, state: PaymentState) -> None:
    made = add(database, a_payment(state))
    assert kept(database, made) == made


def test_a_payment_comes_back_with_everything_that_can_be_told(database: Database) -> None:
    made = a_payment(
        environment=Environment.LIVE,
        gateway=GatewayName.STRIPE,
        payment_method="pm_1",
        claim="c",
        reason="r",
        sandbox="payment_declined",
        updated_at=NOW + timedelta(microseconds=1),
        version=7,
    )
    assert kept(database, add(database, made)) == made
    assert kept(database, a_payment(id=an_id(9))) is None


@pytest.mark.parametrize("state", sorted(LIVING))
def test_a_subject_has_one_living_payment(database: Database, state: PaymentState) -> None:
    first = add(database, a_payment(state))
    with pytest.raises(PaymentExists, match="ride_1"):
        add(database, a_payment(id=an_id(2)))
    with work.open_work(database, write=False) as unit:
        assert unit.payments.living("ride_1", environment=Environment.TEST) == first
        assert unit.payments.living("ride_1", environment=Environment.LIVE) is None
        assert unit.payments.living("ride_2", environment=Environment.TEST) is None


def test_a_payment_is_somebodys(database: Database) -> None:
    with pytest.raises(Conflict) as refused:
        add(database, a_payment(partner_id=3))
    assert not isinstance(refused.value, PaymentExists)


def test_one_that_came_to_nothing_is_in_nobodys_way(database: Database) -> None:
    first = add(database, a_payment(S.DECLINED))
    second = add(database, a_payment(S.VOIDED, id=an_id(2)))
    third = add(database, a_payment(id=an_id(3)))
    add(database, a_payment(id=an_id(4), environment=Environment.LIVE))
    with work.open_work(database, write=False) as unit:
        assert unit.payments.living("ride_1", environment=Environment.TEST) == third
        assert [*unit.payments.of("ride_1", environment=Environment.TEST)] == [first, second, third]


def test_of_many_who_begin_a_payment_at_once_one_does(database: Database) -> None:
    numbers = iter(range(1, 9))

    def begin() -> bool:
        try:
            add(database, a_payment(id=an_id(next(numbers))))
        except PaymentExists:
            return False
        return True

    assert sorted(at_once(6, begin)) == [False] * 5 + [True]


def test_a_payment_is_replaced_by_who_saw_it_last(database: Database) -> None:
    old = add(database, a_payment())
    new = replace(database, old, evolve(old, state=S.AUTHORIZED, gateway_ref="sbx_1"))
    assert new == evolve(old, state=S.AUTHORIZED, gateway_ref="sbx_1", version=2)
    assert kept(database, old) == new
    with pytest.raises(Conflict):
        replace(database, old, evolve(old, state=S.VOIDED))
    with pytest.raises(Conflict):
        replace(database, evolve(new, state=S.CAPTURED), evolve(new, state=S.VOIDED))
    assert kept(database, old) == new


def test_of_many_who_replace_at_once_one_does(database: Database) -> None:
    old = add(database, a_payment())

    def change() -> bool:
        try:
            replace(database, old, evolve(old, state=S.VOIDED))
        except Conflict:
            return False
        return True

    assert sorted(at_once(6, change)) == [False] * 5 + [True]


def test_what_is_under_way_for_long_is_listed_by_id_in_pieces(database: Database) -> None:
    for number, state in enumerate(S, 1):
        add(database, a_payment(state, id=an_id(number), subject=f"ride_{number}", updated_at=NOW))
    late = a_payment(id=an_id(90), subject="ride_90", updated_at=NOW + timedelta(microseconds=1))
    add(database, late)
    expected = [an_id(number) for number, state in enumerate(S, 1) if state in STEPS]
    assert under_way(database) == expected
    assert under_way(database, limit=2) == expected[:2]
    assert under_way(database, after=expected[1]) == expected[2:]
    assert under_way(database, before=NOW - timedelta(microseconds=1)) == []


def test_pages_are_of_one_environment_newest_first(database: Database) -> None:
    for number in range(1, 6):
        add(database, a_payment(id=an_id(number), subject=f"ride_{number}", partner_id=number % 2 + 1))
    add(database, a_payment(S.DECLINED, id=an_id(6)))
    add(database, a_payment(id=an_id(7), environment=Environment.LIVE))

    def page(wanted: PaymentFilter, number: int = 1, per_page: int = 4) -> tuple[list[str], int]:
        with work.open_work(database, write=False) as unit:
            found = unit.payments.page(wanted, number=number, per_page=per_page)
        return [one.id for one in found], found.total

    assert page(ALL) == ([an_id(number) for number in (6, 5, 4, 3)], 6)
    assert page(ALL, number=2) == ([an_id(2), an_id(1)], 6)
    assert page(ALL, number=3) == ([], 6)
    assert page(evolve(ALL, state=S.DECLINED)) == ([an_id(6)], 1)
    assert page(evolve(ALL, subject="ride_1")) == ([an_id(6), an_id(1)], 2)
    assert page(evolve(ALL, partner_id=2)) == ([an_id(number) for number in (5, 3, 1)], 3)


def test_the_books_keep_lines_in_their_order(database: Database) -> None:
    payment = add(database, a_payment())
    held = evolve(payment, state=S.AUTHORIZED)
    first = books.entries(payment, held, at=NOW)
    second = books.entries(held, evolve(held, state=S.VOIDED), at=NOW)
    with work.open_work(database, write=True) as unit:
        unit.payments.post(first)
        unit.payments.post(second)
        unit.payments.post([])
    with work.open_work(database, write=False) as unit:
        assert [*unit.payments.entries(payment.id)] == [*first, *second]
        assert [*unit.payments.entries(an_id(9))] == []


def test_the_books_take_no_lines_that_do_not_balance(database: Database) -> None:
    payment = add(database, a_payment())
    lonely = Entry(payment_id=payment.id, at=NOW, kind=EntryKind.AUTHORIZE, account=Account.HELD, cents=1)
    with work.open_work(database, write=True) as unit, pytest.raises(ValueError, match="zero"):
        unit.payments.post([lonely])


def test_books_that_do_not_tell_what_the_payments_do_are_noticed(database: Database) -> None:
    held = add(database, a_payment(S.AUTHORIZED))

    def told() -> list[str]:
        with database.transaction(write=False) as connection:
            return [*consistency.added_up(connection)]

    assert told() == [f"The books of payments of {held.id} are not those of the rows."]
    with work.open_work(database, write=True) as unit:
        unit.payments.post(books.entries(None, held, at=NOW))
    assert told() == []
    replace(database, held, evolve(held, state=S.VOIDED))
    assert len(told()) == 1


# What the sandbox holds


def charge_of(database: Database, key: str = CHARGE.key) -> SandboxCharge | None:
    with work.open_work(database, write=True) as unit:
        return unit.sandbox_charges.by_key(key)


def test_a_charge_of_the_sandbox_comes_back_and_is_made_once(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        assert unit.sandbox_charges.add(CHARGE)
        assert not unit.sandbox_charges.add(evolve(CHARGE, ref="sbx_2", amount=1))
        assert unit.sandbox_charges.by_ref("sbx_1") == CHARGE
        assert unit.sandbox_charges.by_ref("sbx_2") is None
    assert charge_of(database) == CHARGE
    assert charge_of(database, "2/authorize") is None


def test_a_charge_of_the_sandbox_is_kept_as_it_became(database: Database) -> None:
    became = evolve(
        CHARGE,
        state=HeldState.CAPTURED,
        captured=2000,
        refunded=500,
        sandbox="refund_timeout",
        done={"1/capture": 2000, "1/refund/0": 500},
    )
    with work.open_work(database, write=True) as unit:
        unit.sandbox_charges.add(CHARGE)
        unit.sandbox_charges.keep(became)
    assert charge_of(database) == became
