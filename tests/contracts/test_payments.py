"""The stores of payments, their books and the sandbox on both databases."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.conftest import NOW
from tests.contracts.partners import add_partner
from tests.threads import at_once
from tests.unit.payments.payments import make_payment

from repaircore.adapters.sql.engine import consistency, work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.payments import books
from repaircore.payments.errors import PaymentExists
from repaircore.payments.model import (
    ACTIVE,
    STEPS,
    Account,
    Entry,
    EntryKind,
    GatewayName,
    GatewayState,
    Payment,
    PaymentFilter,
    PaymentState,
    SandboxCharge,
)

S = PaymentState
ALL = PaymentFilter(environment=Environment.TEST)
CHARGE = SandboxCharge(
    ref="sbx_1", key="1/authorize", state=GatewayState.AUTHORIZED, amount=2500, created_at=NOW
)


@pytest.fixture(autouse=True)
def partners(database: Database) -> None:
    assert [add_partner(database, name).partner_id for name in ("Towify", "Rideify")] == [1, 2]


def payment_id(number: int) -> str:
    return f"00000000-0000-7000-8000-{number:012}"


def add(database: Database, payment: Payment) -> Payment:
    with work.open_work(database, write=True) as unit:
        unit.payments.add(payment)
    return payment


def find(database: Database, payment: Payment) -> Payment | None:
    with work.open_work(database, write=False) as unit:
        return unit.payments.find(payment.id)


def replace(database: Database, old: Payment, new: Payment) -> Payment:
    with work.open_work(database, write=True) as unit:
        return unit.payments.replace(old, new)


def list_under_way(database: Database, **options: Any) -> list[str]:
    with work.open_work(database, write=False) as unit:
        found = unit.payments.list_under_way(**{"before": NOW, "after": None, "limit": 100, **options})
        return [payment.id for payment in found]


@pytest.mark.parametrize("state", S)
def test_payment_is_stored_in_every_state(database: Database, state: PaymentState) -> None:
    payment = add(database, make_payment(state))

    assert find(database, payment) == payment


def test_payment_is_stored_with_all_fields(database: Database) -> None:
    payment = make_payment(
        environment=Environment.LIVE,
        gateway=GatewayName.STRIPE,
        payment_method="pm_1",
        claim="c",
        reason="r",
        sandbox="payment_declined",
        updated_at=NOW + timedelta(microseconds=1),
        version=7,
    )

    assert find(database, add(database, payment)) == payment
    assert find(database, make_payment(id=payment_id(9))) is None


@pytest.mark.parametrize("state", sorted(ACTIVE))
def test_subject_has_one_active_payment(database: Database, state: PaymentState) -> None:
    first = add(database, make_payment(state))
    with pytest.raises(PaymentExists, match="ride_1"):
        add(database, make_payment(id=payment_id(2)))
    with work.open_work(database, write=False) as unit:
        assert unit.payments.find_active("ride_1", environment=Environment.TEST) == first
        assert unit.payments.find_active("ride_1", environment=Environment.LIVE) is None
        assert unit.payments.find_active("ride_2", environment=Environment.TEST) is None


def test_payment_requires_a_partner(database: Database) -> None:
    with pytest.raises(Conflict) as caught:
        add(database, make_payment(partner_id=3))

    assert not isinstance(caught.value, PaymentExists)


def test_declined_and_voided_payments_allow_another(database: Database) -> None:
    first = add(database, make_payment(S.DECLINED))
    second = add(database, make_payment(S.VOIDED, id=payment_id(2)))
    third = add(database, make_payment(id=payment_id(3)))
    add(database, make_payment(id=payment_id(4), environment=Environment.LIVE))
    with work.open_work(database, write=False) as unit:
        assert unit.payments.find_active("ride_1", environment=Environment.TEST) == third
        assert [*unit.payments.list_for("ride_1", environment=Environment.TEST)] == [first, second, third]


def test_concurrent_additions_for_a_subject_store_one(database: Database) -> None:
    numbers = iter(range(1, 9))

    def create() -> bool:
        try:
            add(database, make_payment(id=payment_id(next(numbers))))
        except PaymentExists:
            return False
        return True

    assert sorted(at_once(6, create)) == [False] * 5 + [True]


def test_replace_updates_only_the_version_that_was_read(database: Database) -> None:
    old = add(database, make_payment())
    new = replace(database, old, evolve(old, state=S.AUTHORIZED, gateway_ref="sbx_1"))

    assert new == evolve(old, state=S.AUTHORIZED, gateway_ref="sbx_1", version=2)
    assert find(database, old) == new

    with pytest.raises(Conflict):
        replace(database, old, evolve(old, state=S.VOIDED))
    with pytest.raises(Conflict):
        replace(database, evolve(new, state=S.CAPTURED), evolve(new, state=S.VOIDED))

    assert find(database, old) == new


def test_concurrent_replacements_store_one(database: Database) -> None:
    old = add(database, make_payment())

    def change() -> bool:
        try:
            replace(database, old, evolve(old, state=S.VOIDED))
        except Conflict:
            return False
        return True

    assert sorted(at_once(6, change)) == [False] * 5 + [True]


def test_list_under_way_pages_by_id(database: Database) -> None:
    for number, state in enumerate(S, 1):
        add(database, make_payment(state, id=payment_id(number), subject=f"ride_{number}", updated_at=NOW))
    late = make_payment(id=payment_id(90), subject="ride_90", updated_at=NOW + timedelta(microseconds=1))
    add(database, late)
    expected = [payment_id(number) for number, state in enumerate(S, 1) if state in STEPS]

    assert list_under_way(database) == expected
    assert list_under_way(database, limit=2) == expected[:2]
    assert list_under_way(database, after=expected[1]) == expected[2:]
    assert list_under_way(database, before=NOW - timedelta(microseconds=1)) == []


def test_list_page_selects_by_environment_newest_first(database: Database) -> None:
    for number in range(1, 6):
        add(
            database, make_payment(id=payment_id(number), subject=f"ride_{number}", partner_id=number % 2 + 1)
        )
    add(database, make_payment(S.DECLINED, id=payment_id(6)))
    add(database, make_payment(id=payment_id(7), environment=Environment.LIVE))

    def page(wanted: PaymentFilter, number: int = 1, per_page: int = 4) -> tuple[list[str], int]:
        with work.open_work(database, write=False) as unit:
            found = unit.payments.list_page(wanted, number=number, per_page=per_page)
        return [payment.id for payment in found], found.total

    assert page(ALL) == ([payment_id(number) for number in (6, 5, 4, 3)], 6)
    assert page(ALL, number=2) == ([payment_id(2), payment_id(1)], 6)
    assert page(ALL, number=3) == ([], 6)
    assert page(evolve(ALL, state=S.DECLINED)) == ([payment_id(6)], 1)
    assert page(evolve(ALL, subject="ride_1")) == ([payment_id(6), payment_id(1)], 2)
    assert page(evolve(ALL, partner_id=2)) == ([payment_id(number) for number in (5, 3, 1)], 3)


def test_list_entries_keeps_the_order(database: Database) -> None:
    payment = add(database, make_payment())
    authorized = evolve(payment, state=S.AUTHORIZED)
    first = books.entries_between(payment, authorized, at=NOW)
    second = books.entries_between(authorized, evolve(authorized, state=S.VOIDED), at=NOW)
    with work.open_work(database, write=True) as unit:
        unit.payments.add_entries(first)
        unit.payments.add_entries(second)
        unit.payments.add_entries([])
    with work.open_work(database, write=False) as unit:
        assert [*unit.payments.list_entries(payment.id)] == [*first, *second]
        assert [*unit.payments.list_entries(payment_id(9))] == []


def test_add_entries_refuses_an_unbalanced_sum(database: Database) -> None:
    payment = add(database, make_payment())
    lonely = Entry(payment_id=payment.id, at=NOW, kind=EntryKind.AUTHORIZE, account=Account.HELD, cents=1)
    with work.open_work(database, write=True) as unit, pytest.raises(ValueError, match="zero"):
        unit.payments.add_entries([lonely])


def test_consistency_check_notices_wrong_books(database: Database) -> None:
    authorized = add(database, make_payment(S.AUTHORIZED))

    def differences() -> list[str]:
        with database.transaction(write=False) as connection:
            return [*consistency.deep_discrepancies(connection)]

    assert differences() == [f"The stored ledger entries ({authorized.id}) do not match the rows."]

    with work.open_work(database, write=True) as unit:
        unit.payments.add_entries(books.entries_between(None, authorized, at=NOW))

    assert differences() == []

    replace(database, authorized, evolve(authorized, state=S.VOIDED))

    assert len(differences()) == 1


# The charges of the sandbox


def charge_of(database: Database, key: str = CHARGE.key) -> SandboxCharge | None:
    with work.open_work(database, write=True) as unit:
        return unit.sandbox_charges.lock_by_key(key)


def test_sandbox_charge_is_stored_once_by_key(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        assert unit.sandbox_charges.add(CHARGE)
        assert not unit.sandbox_charges.add(evolve(CHARGE, ref="sbx_2", amount=1))
        assert unit.sandbox_charges.lock_by_ref("sbx_1") == CHARGE
        assert unit.sandbox_charges.lock_by_ref("sbx_2") is None

    assert charge_of(database) == CHARGE
    assert charge_of(database, "2/authorize") is None


def test_sandbox_charge_is_saved(database: Database) -> None:
    captured = evolve(
        CHARGE,
        state=GatewayState.CAPTURED,
        captured=2000,
        refunded=500,
        sandbox="refund_timeout",
        done={"1/capture": 2000, "1/refund/0": 500},
    )
    with work.open_work(database, write=True) as unit:
        unit.sandbox_charges.add(CHARGE)
        unit.sandbox_charges.save(captured)

    assert charge_of(database) == captured
