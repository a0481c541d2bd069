"""The contract of the port ``TransactionRecords``, on both databases."""

from datetime import date
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.conftest import NOW
from tests.threads import at_once

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.facilities.model import FacilityFields
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.testing.builders import a_vehicle
from repaircore.transactions.evidence import Evidence, Lineage, PartEvidence
from repaircore.transactions.model import Lesson, Transaction, TransactionPart
from repaircore.transactions.tally import Surprise

LESSON = Lesson(
    evidence=Evidence(
        problem_id=101,
        lineage=Lineage(make="Honda", model="Accord", year=2018),
        price=-12_345,
        hours=None,
        share=61_000,
        parts=(PartEvidence(key="front brake pad set", price=7),),
    ),
    surprise=Surprise(bin=50, generation=2, generation_of_all=17, alpha_step=-160),
)


def invoice(**changes: Any) -> Transaction:
    return evolve(
        Transaction(
            id=0,
            environment=Environment.LIVE,
            vehicle_id=a_vehicle().id,
            facility_id=None,
            problem_id=101,
            performed_on=date(2025, 12, 31),
            mileage=72_500,
            parts=(TransactionPart(name="Pads “✓”", unit_price=66_00, quantity=2),),
            labor_hours=1.1,
            labor_rate=150_00,
            parts_total=132_00,
            labor_total=165_00,
            total=297_00,
            notes="it's done",
            lesson=LESSON,
            review=True,
            created_at=NOW,
        ),
        **changes,
    )


@pytest.fixture(autouse=True)
def _add_vehicle(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.vehicles.add(a_vehicle())


def add(database: Database, **changes: Any) -> Transaction:
    with work.open_work(database, write=True) as unit:
        return unit.transactions.add(invoice(**changes))


def find(database: Database, number: int, environment: Environment = Environment.LIVE) -> Transaction | None:
    with work.open_work(database, write=False) as unit:
        return unit.transactions.by_id(number, environment=environment)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"lesson": None, "review": False, "notes": None, "mileage": None, "parts": ()},
        {"parts_total": 0, "labor_total": 0, "total": 0, "labor_hours": 0.0, "parts": (), "lesson": None},
        {"environment": Environment.TEST, "total": 2**40},
    ],
)
def test_invoice_is_loaded_as_stored(database: Database, changes: dict[str, Any]) -> None:
    stored = add(database, **changes)

    assert stored == invoice(**changes, id=stored.id)
    assert find(database, stored.id, stored.environment) == stored


def test_other_environment_finds_nothing(database: Database) -> None:
    stored = add(database)

    assert find(database, stored.id, Environment.TEST) is None
    assert find(database, stored.id + 1) is None


def test_removed_invoice_is_gone_and_its_id_not_reused(database: Database) -> None:
    stored = add(database)
    with work.open_work(database, write=True) as unit:
        assert unit.transactions.remove(stored)
        assert not unit.transactions.remove(stored)

    assert find(database, stored.id) is None
    assert add(database).id > stored.id


def test_one_of_concurrent_removals_succeeds(database: Database) -> None:
    stored = add(database)

    def remove() -> bool:
        with work.open_work(database, write=True) as unit:
            return unit.transactions.remove(stored)

    assert sum(at_once(6, remove)) == 1


def test_replaced_invoice_is_loaded_as_stored(database: Database) -> None:
    stored = add(database)
    with work.open_work(database, write=True) as unit:
        changed = unit.transactions.replace(
            stored, evolve(stored, problem_id=102, notes=None, lesson=None, make_key="acura", total=1)
        )

    assert (changed.version, changed.problem_id) == (stored.version + 1, 102)
    assert find(database, stored.id) == changed


def test_one_of_concurrent_changes_succeeds(database: Database) -> None:
    stored = add(database)
    miles = iter(range(6))

    def change() -> bool:
        try:
            with work.open_work(database, write=True) as unit:
                unit.transactions.replace(stored, evolve(stored, mileage=next(miles)))
        except Conflict:
            return False
        return True

    assert sum(at_once(6, change)) == 1


def test_outdated_invoice_is_neither_removed_nor_replaced(database: Database) -> None:
    stored = add(database)
    with work.open_work(database, write=True) as unit:
        changed = unit.transactions.replace(stored, evolve(stored, mileage=1))
    with work.open_work(database, write=True) as unit:
        assert not unit.transactions.remove(stored)
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.transactions.replace(stored, evolve(stored, mileage=2))

    assert find(database, stored.id) == changed


def test_lock_requires_the_current_version(database: Database) -> None:
    stored = add(database)
    with work.open_work(database, write=True) as unit:
        assert unit.transactions.lock(stored)
        changed = unit.transactions.replace(stored, evolve(stored, mileage=1))

        assert not unit.transactions.lock(stored)
        assert unit.transactions.lock(changed)
        assert unit.transactions.remove(changed)
        assert not unit.transactions.lock(changed)


def test_replace_rejects_an_unknown_facility(database: Database) -> None:
    stored = add(database)
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.transactions.replace(stored, evolve(stored, facility_id=99))

    assert find(database, stored.id) == stored


def test_payments_are_those_of_the_problem_latest_first(database: Database) -> None:
    add(database, performed_on=date(2025, 1, 1), total=100_00, parts_total=0)
    add(database, performed_on=date(2025, 3, 1), total=300_00, parts_total=0)
    add(database, performed_on=date(2025, 2, 1), total=200_00, parts_total=0)
    add(database, total=0)
    add(database, problem_id=102)
    add(database, environment=Environment.TEST)
    with work.open_work(database, write=False) as unit:
        result = list(
            unit.transactions.payments(101, environment=Environment.LIVE, make_key=None, limit=2),
        )

    assert result == [(date(2025, 3, 1), 300_00), (date(2025, 2, 1), 200_00)]


def test_shop_payments_are_those_since_a_day_latest_first(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        shops = [
            unit.facilities.add(FacilityFields(name=name), point=None, at=NOW).id
            for name in ("Ada's Garage", "Bo's Garage")
        ]
    add(database, performed_on=date(2024, 12, 31), total=50_00, parts_total=0, facility_id=shops[0])
    add(database, performed_on=date(2025, 1, 1), total=100_00, parts_total=0, facility_id=shops[0])
    add(database, performed_on=date(2025, 3, 1), total=300_00, parts_total=0, facility_id=shops[1])
    add(database, performed_on=date(2025, 2, 1), total=200_00, parts_total=0, facility_id=shops[0])
    add(database, performed_on=date(2025, 2, 1), total=200_00, parts_total=0)
    add(database, total=0, facility_id=shops[0])
    add(database, problem_id=102, facility_id=shops[0])
    add(database, environment=Environment.TEST, facility_id=shops[0])

    def read(limit: int) -> list[tuple[int, int]]:
        with work.open_work(database, write=False) as unit:
            return list(
                unit.transactions.shop_payments(
                    101, environment=Environment.LIVE, since=date(2025, 1, 1), limit=limit
                )
            )

    assert read(9) == [(shops[1], 300_00), (shops[0], 200_00), (shops[0], 100_00)]
    assert read(1) == [(shops[1], 300_00)]
