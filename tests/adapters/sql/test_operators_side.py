"""Migration 0002 fills what it adds from the invoices that are there, on both databases."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.adapters.sql.engine.storage import HEAD
from repaircore.adapters.sql.schema.transactions import transaction_sums, transactions
from repaircore.core import Core
from repaircore.facilities.model import FacilityFields
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.learning.transaction_rows import NewTransaction
from repaircore.settings import Settings

BEFORE = "0001"


@pytest.fixture
def core(empty_url: str) -> Iterator[Core]:
    made = Core(Settings(database_url=empty_url))
    made.upgrade()
    yield made
    made.close()


def _record(core: Core) -> None:
    shop = _shop(core)
    for number, (vin, problem, day) in enumerate(
        [
            ("1HGCM82633A", 101, date(2025, 11, 3)),
            ("1HGCM82633A", 102, date(2025, 11, 30)),
            ("4T1BF1FK5GU", 101, date(2024, 2, 29)),
        ]
    ):
        sale = NewTransaction(
            vehicle_id=core.vehicles.resolve(vin).id,
            problem_id=problem,
            performed_on=day,
            labor_hours=1.0 + number,
            labor_rate=150_00,
            parts_total=100_00,
            facility_id=shop if number else None,
        )
        for environment in Environment:
            core.transactions.record(sale, evolve(LOCAL, environment=environment))
    core.transactions.record(sale)


def _shop(core: Core) -> int:
    with core.storage.transaction() as work:
        return work.facilities.add(
            FacilityFields(name="FacilityFields"), point=None, at=core.transactions.clock()
        ).id


def _filled(core: Core) -> tuple[Sequence[Any], Sequence[Any]]:
    rows = sa.select(transaction_sums).order_by(*transaction_sums.primary_key.columns)
    makes = sa.select(transactions.c.id, transactions.c.make_key, transactions.c.version)
    with core.storage.database.transaction(write=False) as connection:
        return connection.execute(rows).all(), connection.execute(makes.order_by(transactions.c.id)).all()


def test_makes_and_sums_are_those_that_recording_gives(core: Core) -> None:
    _record(core)
    recorded = _filled(core)
    assert len(recorded[0]) == 2 * (2 + 3 + 2 + 2)
    assert {row.make_key for row in recorded[1]} == {"honda", "toyota"}
    core.storage.downgrade(BEFORE)
    assert core.storage.standing() == BEFORE
    core.storage.upgrade()
    assert core.storage.standing() == HEAD
    assert _filled(core) == recorded
    core.transactions.remove(recorded[1][0].id, evolve(LOCAL, environment=Environment.TEST))


def test_an_installation_without_invoices_has_no_sums(core: Core) -> None:
    core.storage.downgrade(BEFORE)
    core.storage.upgrade()
    assert _filled(core) == ([], [])
