"""Transactions on both databases: recorded, learned from and removed without a trace."""

import math
from contextlib import suppress
from datetime import date
from random import Random
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from attrs import asdict, evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.threads import at_once

from repaircore.adapters.sql.schema.learning import calibrations, cells, tallies
from repaircore.adapters.sql.schema.transactions import transaction_sums, transactions
from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.transactions.model import Transaction, TransactionPart
from repaircore.transactions.sums import sum_changes
from repaircore.transactions.tally import NO_ERRORS, START_ALPHA

TEST = evolve(LOCAL, environment=Environment.TEST)
NEW_TRANSACTION = CreateTransaction(
    vehicle_id=UUID(int=0),
    problem_id=101,
    performed_on=date(2025, 12, 1),
    labor_hours=1.1,
    labor_rate=150_00,
    parts=(
        TransactionPart(name="Front brake pad set", unit_price=66_00, quantity=1),
        TransactionPart(name="Brake hardware kit", unit_price=14_00, quantity=1),
    ),
)


CAR = 8844795750259442509
"""The number of the car with the VIN 1HGCM82633A004352."""


@pytest.fixture
def vehicle_id(core: Core) -> UUID:
    return core.vehicles.resolve("1HGCM82633A").id


def new_transaction(vehicle_id: UUID, **changes: Any) -> CreateTransaction:
    return evolve(NEW_TRANSACTION, vehicle_id=vehicle_id, **changes)


def learned_rows(core: Core) -> list[Any]:
    """Return all rows that invoices leave behind, except empty sums."""
    with core.storage.database.transaction(write=False) as connection:
        sums = connection.execute(sa.select(cells).order_by(*cells.primary_key.columns)).all()
        counts = connection.execute(
            sa.select(tallies)
            .where(tallies.c.counts != NO_ERRORS.packed())
            .order_by(*tallies.primary_key.columns)
        ).all()
        alphas = connection.execute(
            sa.select(calibrations)
            .where(calibrations.c.alpha != START_ALPHA)
            .order_by(calibrations.c.environment)
        ).all()
        months = connection.execute(
            sa.select(transaction_sums).order_by(*transaction_sums.primary_key.columns)
        ).all()
        recorded = connection.execute(sa.select(transactions).order_by(transactions.c.id)).all()
    return [*sums, *counts, *alphas, *months, *recorded]


def test_recorded_invoice_is_added_up_and_returned(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id))

    assert (recorded.parts_total, recorded.labor_total, recorded.total) == (80_00, 165_00, 245_00)
    assert recorded.lesson is not None
    assert core.ledger.get(recorded.id) == recorded


def test_other_environment_neither_sees_nor_removes_it(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id))
    with pytest.raises(NotFound):
        core.ledger.get(recorded.id, TEST)
    with pytest.raises(NotFound):
        core.transactions.delete(recorded.id, TEST)

    assert core.ledger.get(recorded.id) == recorded


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"vehicle_id": UUID(int=7), "problem_id": 2**70}, {"vehicle_id", "problem_id"}),
        ({"facility_id": 99}, {"facility_id"}),
        ({"facility_id": 2**63, "labor_hours": -1.0}, {"facility_id", "labor_hours"}),
        ({"labor_hours": math.nan, "labor_rate": -100}, {"labor_hours", "labor_rate"}),
        ({"labor_hours": math.inf, "parts_total": -50_00}, {"labor_hours", "parts_total"}),
        ({"labor_rate": 10**17, "parts_total": 10**17}, {"labor_rate", "parts_total"}),
        ({"performed_on": date(2999, 1, 1), "notes": "a\0b"}, {"performed_on", "notes"}),
        ({"performed_on": date(1900, 1, 1), "mileage": -1}, {"performed_on", "mileage"}),
        (
            {"parts": (TransactionPart(name=" ", unit_price=-1, quantity=0),)},
            {"parts.0.name", "parts.0.unit_price", "parts.0.quantity"},
        ),
        (
            {"parts": (TransactionPart(name="a\0b", unit_price=1, quantity=2**70),)},
            {"parts.0.name", "parts.0.quantity"},
        ),
        ({"parts": NEW_TRANSACTION.parts * 101}, {"parts"}),
    ],
)
def test_every_bad_field_of_an_invoice_is_reported_and_nothing_is_learned(
    core: Core, vehicle_id: UUID, changes: dict[str, Any], wrong: set[str]
) -> None:
    with pytest.raises(Invalid) as caught:
        core.transactions.record(evolve(new_transaction(vehicle_id), **changes))

    assert set(caught.value.fields) == wrong
    assert learned_rows(core) == []


def test_repair_on_warranty_is_stored_and_teaches_nothing(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id, parts=(), labor_hours=0.0))

    assert (recorded.total, recorded.lesson) == (0, None)
    core.transactions.delete(recorded.id)

    assert learned_rows(core) == []


def test_missing_records_are_reported_and_nothing_is_stored(core: Core) -> None:
    with pytest.raises(Invalid) as caught:
        core.transactions.record(new_transaction(UUID(int=5), problem_id=1))

    assert list(caught.value.fields) == ["vehicle_id", "problem_id"]
    assert learned_rows(core) == []


def test_concurrent_removals_remove_an_invoice_once(core: Core, vehicle_id: UUID) -> None:
    stays = core.transactions.record(new_transaction(vehicle_id))
    before = learned_rows(core)
    goes = core.transactions.record(new_transaction(vehicle_id, labor_hours=2.0))

    def remove() -> bool:
        try:
            core.transactions.delete(goes.id)
        except NotFound:
            return False
        return True

    assert sum(at_once(6, remove)) == 1
    assert learned_rows(core) == before
    assert core.ledger.get(stays.id) == stays


_new_transactions = st.fixed_dictionaries(
    {
        "labor_hours": st.floats(0, 40).map(lambda hours: round(hours, 2)),
        "labor_rate": st.integers(0, 400_00),
        "problem_id": st.sampled_from([101, 102]),
        "performed_on": st.dates(date(2015, 1, 1), date(2026, 1, 1)),
        "parts": st.lists(
            st.builds(
                TransactionPart,
                name=st.sampled_from(["Front brake pad set", "BRAKE  hardware kit", "Something else"]),
                unit_price=st.integers(0, 10_000_00),
                quantity=st.integers(1, 4),
            ),
            max_size=3,
        ).map(tuple),
    }
)


@given(
    new_transactions=st.lists(
        st.tuples(_new_transactions, st.sampled_from([LOCAL, TEST])), min_size=1, max_size=6
    ),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_removed_invoices_leave_no_trace(
    core: Core, vehicle_id: UUID, new_transactions: list[tuple[dict[str, Any], Caller]], order: Random
) -> None:
    # Draw first: an example that hypothesis rejects while drawing then leaves nothing for the next one.
    places = [*range(len(new_transactions))]
    order.shuffle(places)
    recorded = [
        (core.transactions.record(new_transaction(vehicle_id, **changes), caller).id, caller)
        for changes, caller in new_transactions
    ]
    for place in places:
        core.transactions.delete(*recorded[place])

    assert learned_rows(core) == []


def learned_rows_without_versions(core: Core) -> list[Any]:
    """Return all rows that invoices leave behind, without their versions."""
    return [
        tuple(value for name, value in row._mapping.items() if name != "version")
        for row in learned_rows(core)
    ]


CHANGES: list[dict[str, Any]] = [
    {"labor_hours": 2.5},
    {"problem_id": 102},
    {"performed_on": date(2019, 2, 28), "labor_rate": 90_00},
    {"parts": (), "parts_total": 400_00},
    {"parts": (), "labor_hours": 0.0},
    {"notes": "squeaked", "mileage": 80_000},
]


@pytest.mark.parametrize("changes", CHANGES)
def test_change_and_its_reversal_restore_every_sum(
    core: Core, vehicle_id: UUID, changes: dict[str, Any]
) -> None:
    core.transactions.record(new_transaction(vehicle_id, labor_hours=3.0))
    recorded = core.transactions.record(new_transaction(vehicle_id))
    before = learned_rows_without_versions(core)
    changed = core.transactions.update(recorded.id, **changes)

    assert (changed.id, changed.version, changed.created_at) == (recorded.id, 2, recorded.created_at)
    assert core.ledger.get(recorded.id) == changed
    assert learned_rows_without_versions(core) != before
    back = core.transactions.update(recorded.id, **asdict(new_transaction(vehicle_id), recurse=False))

    assert evolve(back, version=1) == recorded
    assert learned_rows_without_versions(core) == before


@pytest.mark.parametrize("changes", CHANGES)
def test_changed_invoice_has_the_sums_of_a_new_one(
    core: Core, vehicle_id: UUID, changes: dict[str, Any]
) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id))
    changed = core.transactions.update(recorded.id, **changes)
    found = learned_rows_without_versions(core)
    core.transactions.delete(recorded.id)

    assert learned_rows(core) == []
    recreated = core.transactions.record(new_transaction(vehicle_id, **changes))

    assert evolve(recreated, id=recorded.id, version=2) == changed
    # The last row is the invoice, whose id is never reused.
    assert learned_rows_without_versions(core)[:-1] == found[:-1]


@pytest.mark.parametrize("from_shop", [None, 0], ids=["unknown shop", "shop"])
@pytest.mark.parametrize("to_shop", [None, 1], ids=["unknown shop", "another shop"])
def test_invoice_moved_to_another_shop_has_the_sums_of_a_new_one(
    core: Core, vehicle_id: UUID, from_shop: int | None, to_shop: int | None
) -> None:
    shops = [
        core.facilities.create(CreateFacility(facility_name=name, zip_code="90211")).id
        for name in ("Ada's Garage", "Bo's Garage")
    ]
    before = None if from_shop is None else shops[from_shop]
    after = None if to_shop is None else shops[to_shop]
    recorded = core.transactions.record(new_transaction(vehicle_id, facility_id=before))

    core.transactions.update(recorded.id, facility_id=after)

    found = learned_rows_without_versions(core)
    core.transactions.delete(recorded.id)
    core.transactions.record(new_transaction(vehicle_id, facility_id=after))
    assert learned_rows_without_versions(core)[:-1] == found[:-1]


def test_change_without_effect_on_prices_teaches_nothing_new(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id))
    core.transactions.record(new_transaction(vehicle_id, labor_hours=9.0))
    changed = core.transactions.update(recorded.id, notes="squeaked", mileage=80_000)

    assert changed.lesson == recorded.lesson


def test_change_to_equal_values_is_no_change(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id))
    before, result = learned_rows(core), core.audit.list_newest()

    assert core.transactions.update(recorded.id, labor_hours=1.1, parts=NEW_TRANSACTION.parts) == recorded
    assert core.transactions.update(recorded.id) == recorded
    assert (learned_rows(core), core.audit.list_newest()) == (before, result)


def test_bad_change_changes_nothing_and_reports_every_field(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id))
    before = learned_rows(core)
    with pytest.raises(Invalid) as caught:
        core.transactions.update(
            recorded.id, vehicle_id=UUID(int=9), labor_hours=-1.0, session_id=UUID(int=8)
        )

    assert set(caught.value.fields) == {"vehicle_id", "labor_hours", "session_id"}
    with pytest.raises(NotFound):
        core.transactions.update(recorded.id + 1)
    with pytest.raises(NotFound):
        core.transactions.update(recorded.id, TEST, labor_hours=2.0)

    assert learned_rows(core) == before


def test_concurrent_changes_of_one_version_have_one_winner(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id))
    hours = [2.0, 3.0, 4.0, 5.0]

    def change() -> Transaction | None:
        try:
            return core.transactions.update(recorded.id, labor_hours=hours.pop(), version=recorded.version)
        except Conflict:
            return None

    won = [result for result in at_once(4, change) if result is not None]

    assert won == [core.ledger.get(recorded.id)]
    core.transactions.delete(recorded.id)

    assert learned_rows(core) == []


def test_concurrent_changes_and_removals_leave_no_trace(core: Core, vehicle_id: UUID) -> None:
    before = learned_rows(core)
    recorded = core.transactions.record(new_transaction(vehicle_id))
    todo = [2.0, None, 3.0, None, 4.0]

    def call() -> None:
        hours = todo.pop()
        with suppress(Conflict, NotFound):
            if hours is None:
                core.transactions.delete(recorded.id)
            else:
                core.transactions.update(recorded.id, labor_hours=hours)

    at_once(len(todo), call)
    with suppress(NotFound):
        core.transactions.delete(recorded.id)

    assert learned_rows(core) == before


def test_invoice_with_only_some_of_its_parts_is_refused(core: Core, vehicle_id: UUID) -> None:
    with pytest.raises(Invalid) as caught:
        core.transactions.record(new_transaction(vehicle_id, parts_total=80_01))

    assert set(caught.value.fields) == {"parts_total"}
    assert core.transactions.record(new_transaction(vehicle_id, parts_total=80_00)).parts_total == 80_00
    assert (
        core.transactions.record(new_transaction(vehicle_id, parts=(), parts_total=80_01)).parts_total
        == 80_01
    )


def test_changed_parts_change_the_total(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id, parts=(), parts_total=400_00))
    change = core.transactions.update

    assert change(recorded.id, labor_hours=2.0).parts_total == 400_00
    assert change(recorded.id, parts=NEW_TRANSACTION.parts).parts_total == 80_00
    assert change(recorded.id, notes="squeaked").parts_total == 80_00
    with pytest.raises(Invalid):
        change(recorded.id, parts_total=400_00)

    assert change(recorded.id, parts=(), parts_total=400_00).parts_total == 400_00
    assert change(recorded.id, parts=(), parts_total=None).parts_total == 0


def test_amounts_unrelated_to_a_change_stay_as_stored(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id))
    with core.storage.transaction() as work:
        odd = work.transactions.replace(
            recorded, evolve(recorded, parts_total=90_00, labor_total=165_01, total=255_01)
        )
        work.transaction_sums.add(odd.environment, sum_changes(recorded, recorded.make_key, sign=-1))
        work.transaction_sums.add(odd.environment, sum_changes(odd, odd.make_key))
    same = core.transactions.update(
        recorded.id, notes="squeaked", parts=NEW_TRANSACTION.parts, parts_total=90_00
    )

    assert (same.parts_total, same.labor_total, same.total) == (90_00, 165_01, 255_01)
    longer = core.transactions.update(recorded.id, labor_hours=2.0)

    assert (longer.parts_total, longer.labor_total, longer.total) == (90_00, 300_00, 390_00)
    core.transactions.delete(recorded.id)

    assert learned_rows(core) == []


def test_only_given_fields_are_validated(core: Core, vehicle_id: UUID) -> None:
    assert core.transactions.validate() == {}
    assert core.transactions.validate(vehicle_id=vehicle_id, problem_id=101) == {}
    result = core.transactions.validate(problem_id=1, mileage=-1, facility_id=9, session_id=UUID(int=3))

    assert set(result) == {"problem_id", "mileage", "facility_id", "session_id"}


def test_every_change_is_audited_with_its_differences(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id, notes="Ann's"), TEST)
    core.transactions.update(recorded.id, TEST, labor_hours=2.0)
    core.transactions.delete(recorded.id, TEST)
    removed, changed, added = core.audit.list_newest()

    assert [one.action for one in (added, changed, removed)] == [
        "transaction.add",
        "transaction.change",
        "transaction.remove",
    ]
    assert {one.subject for one in (added, changed, removed)} == {f"transactions/{recorded.id}"}
    assert {one.environment for one in (added, changed, removed)} == {Environment.TEST}
    assert (added.before, removed.after) == (None, None)
    assert changed.before == {"labor_hours": 1.1, "labor_total": 165.0, "total": 245.0}
    assert changed.after == {"labor_hours": 2.0, "labor_total": 300.0, "total": 380.0}
    assert added.after is not None
    assert added.after["notes"] == "5 characters"


USER = Caller(user_id=7, role=Role.USER, environment=Environment.LIVE, credential=Credential.SECRET)


def test_only_an_admin_reads_or_changes_invoices(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id))
    for call in (
        lambda: core.transactions.record(new_transaction(vehicle_id), USER),
        lambda: core.transactions.update(recorded.id, USER, labor_hours=2.0),
        lambda: core.transactions.delete(recorded.id, USER),
        lambda: core.ledger.page(caller=USER),
        lambda: core.ledger.statistics(caller=USER),
        lambda: core.ledger.get(recorded.id, USER),
        lambda: core.ledger.get_details(recorded.id, USER),
        lambda: core.ledger.form_options(USER),
        lambda: core.refits.refit(USER),
    ):
        with pytest.raises(Forbidden):
            call()

    assert core.ledger.get(recorded.id) == recorded


def test_vin_of_the_car_is_checked_against_its_vehicle(core: Core, vehicle_id: UUID) -> None:
    for vin, result in (
        ("1HGCM82633A00435", "11 or 17 characters"),
        ("2HGFC2F53JH000001", "different vehicle"),
        ("2HGFC2F53JH", "different vehicle"),
    ):
        with pytest.raises(Invalid, match=result) as caught:
            core.transactions.record(new_transaction(vehicle_id, vin=vin))

        assert caught.value.fields.keys() == {"vin"}

    assert core.transactions.record(new_transaction(vehicle_id, vin="1hgcm826-33A004352")).car == CAR
    assert core.transactions.record(new_transaction(vehicle_id, vin="1HGCM82633A")).car is None


def test_car_stays_until_another_vin_is_given(core: Core, vehicle_id: UUID) -> None:
    recorded = core.transactions.record(new_transaction(vehicle_id, vin="1HGCM82633A004352"))

    assert core.transactions.update(recorded.id, labor_hours=2.0).car == CAR
    assert core.ledger.get(recorded.id).car == CAR
    other = core.transactions.update(recorded.id, vin="1HGCM82633A004353")

    assert other.car not in {CAR, None}
    assert core.transactions.update(recorded.id, vin=None).car is None
    assert core.audit.list_newest()[0].before == {"car": "told"}
    result = core.transactions.update(recorded.id, vin="1HGCM82633A004352")
    moved = core.transactions.update(recorded.id, vehicle_id=core.vehicles.resolve("2HGFC2F53JH").id)

    assert (result.car, moved.car) == (CAR, None)
