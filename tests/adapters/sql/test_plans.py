"""The cost of frequent queries does not grow with the tables; see ``tests/plans.py`` for the check."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from attrs import frozen
from tests.contracts.partners import add_partner
from tests.contracts.rides import create_ride
from tests.plans import EXEMPT, FEW, SHARED, STEADY, faults, watched

import repaircore
from repaircore.adapters.sql.queues import SqlQueues
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.adapters.sql.schema.payments import UNDER_WAY, payments
from repaircore.core import Core
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.payments.model import STEPS
from repaircore.rides.model import RideFilter, RideOutcome, Status
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock
from repaircore.testing.core import a_core

OTHERS = 20_000
"""The number of rides besides the one being measured."""


@pytest.mark.parametrize(
    ("sql", "plan"),
    [
        ("SELECT * FROM rides", "SCAN rides"),
        ("SELECT * FROM rides ORDER BY ref LIMIT 1", "SCAN rides USING INDEX uq_rides_ref"),
        ("SELECT count(*) FROM rides", "SCAN rides USING COVERING INDEX ix_rides_customer_id"),
        ("SELECT * FROM rides AS r WHERE r.fee = 1", "SCAN r"),
        ("SELECT * FROM rides WHERE id > 7", "SEARCH rides USING INTEGER PRIMARY KEY (rowid>?)"),
        ("SELECT max(fee) FROM rides", "SEARCH rides"),
        ("SELECT * FROM rides WHERE fee = 1", "SEARCH rides USING AUTOMATIC COVERING INDEX (fee=?)"),
        (
            "SELECT * FROM payments WHERE environment = 'test' AND subject = 'r' ORDER BY id",
            "SEARCH payments USING INDEX ix_payments_environment_id (environment=?)",
        ),
        (
            "DELETE FROM idempotent_replies WHERE (partner_id, key) IN (SELECT partner_id, key FROM idempotent_replies LIMIT 9)",
            "SEARCH idempotent_replies USING COVERING INDEX sqlite_autoindex_idempotent_replies_1 (partner_id=?)",
        ),
        (
            "SELECT * FROM events WHERE created_at < 7",
            "SEARCH events USING INDEX ix_events_created_at (created_at<?)",
        ),
    ],
)
def test_scan_of_a_growing_table_is_reported(sql: str, plan: str) -> None:
    assert faults(sql, [plan]) == [plan]


def test_limit_on_a_sorted_list_is_reported() -> None:
    sql = "SELECT * FROM rides WHERE partner_id = 1 ORDER BY fee LIMIT 15"
    step = "SEARCH rides USING INDEX ix_rides_partner_id_environment_kind_id (partner_id=?)"
    assert faults(sql, [step]) == []
    assert faults(sql, [step, "USE TEMP B-TREE FOR ORDER BY"]) == [step]


@pytest.mark.parametrize(
    ("sql", "plan"),
    [
        ("SELECT * FROM rides WHERE id = 7", "SEARCH rides USING INTEGER PRIMARY KEY (rowid=?)"),
        ("SELECT * FROM problems", "SCAN problems"),
        ("SELECT * FROM messages WHERE state = 'pending'", "SCAN messages USING INDEX ix_messages_due"),
        (
            "SELECT count(*) FROM rides WHERE partner_id = 1 AND environment = 'test'",
            "SEARCH rides USING COVERING INDEX ix_rides_partner_id_environment_kind_id (partner_id=? AND environment=?)",
        ),
        (
            "DELETE FROM sessions WHERE expires_at < 7",
            "SEARCH sessions USING INDEX ix_sessions_expires_at (expires_at<?)",
        ),
    ],
)
def test_indexed_query_is_not_reported(sql: str, plan: str) -> None:
    assert faults(sql, [plan]) == []


def test_only_statements_of_the_product_are_checked(core: Core) -> None:
    with core.storage.database.transaction(write=False) as connection, watched() as found:
        connection.execute(sa.select(payments)).all()
        assert found == []
        if core.storage.database.is_sqlite:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("repaircore.adapters.sql.queues.UNDER_WAY", "state NOT IN ('declined')")
                SqlQueues(lambda: core.storage.database).queues(now=FrozenClock()())
            assert [(fault.asker, fault.step) for fault in found] == [
                ("adapters/sql/queues:_length", "SCAN payments")
            ]


def test_exempt_names_exist() -> None:
    """An exemption for a deleted name would apply to anything that gets the name next."""
    assert set(METADATA.tables) >= STEADY
    indexes = {index.name for table in METADATA.tables.values() for index in table.indexes}
    assert indexes >= FEW
    assert {column.name for table in METADATA.tables.values() for column in table.c} >= SHARED
    for asker in EXEMPT:
        module, _, function = asker.partition(":")
        path = Path(repaircore.__file__).parent / module
        if not path.is_dir():
            text = path.with_suffix(".py").read_text()
            assert not function or f"def {function.rpartition('.')[2]}(" in text, asker


def test_index_condition_lists_every_pending_payment_state() -> None:
    for state in STEPS:
        assert f"'{state}'" in UNDER_WAY
    assert UNDER_WAY.count("'") == 2 * len(STEPS)


@frozen
class Counter:
    """Count the work of SQLite in hundreds of virtual machine instructions."""

    core: Core
    seen: list[int]

    def hundreds(self, act: Callable[[], object]) -> int:
        """Return the count for an action."""
        self.seen.clear()
        act()
        return len(self.seen)


@pytest.fixture
def counter(sqlite_url: str, tmp_path: Path, clock: FrozenClock) -> Iterator[Counter]:
    settings = Settings(
        database_url=sqlite_url, state_folder=tmp_path / "state", secret_key="only-tests-know-it" * 2
    )
    core = a_core(settings, clock=clock)
    seen: list[int] = []

    @sa.event.listens_for(core.storage.database.engine, "checkout")
    def count(connection: "sa.pool.PoolProxiedConnection", *_: object) -> None:
        connection.set_progress_handler(lambda: seen.append(1), 100)

    yield Counter(core, seen)
    core.close()


@pytest.fixture
def towify(counter: Counter) -> PartnerCaller:
    return add_partner(counter.core.storage.database)


def _run_ride(core: Core, caller: PartnerCaller) -> None:
    """Order, accept, complete and rate a ride, and run the background jobs in between."""
    ride = create_ride(core, core.rides, caller)
    core.rides.expire_due()
    core.rides.ask_others()
    core.rides.list_page(caller, wanted=RideFilter(status=Status.PENDING))
    core.rides.accept_offer(
        ride.ref, core.rides.list_acceptable_offers(ride.ref, caller)[0].provider_ref, caller
    )
    core.rides.list_page(caller, wanted=RideFilter(status=Status.ACCEPTED))
    for step in (core.rides.arrive, core.rides.start):
        step(ride.ref, caller)
    core.rides.complete(ride.ref, caller, outcome=RideOutcome.COMPLETED)
    core.payment_reconciliation.reconcile()
    SqlQueues(lambda: core.storage.database).queues(now=core.rides.clock())
    with core.storage.read() as work:
        work.rides.busy(["drv_1", "drv_2"])
        work.payments.list_for_each([ride.ref, "ride_1", "ride_2"], environment=Environment.TEST)
        work.drivers.count_references(1)


def test_ride_costs_the_same_among_many(counter: Counter, towify: PartnerCaller) -> None:
    core = counter.core
    _run_ride(core, towify)  # one-time work is done
    alone = counter.hundreds(lambda: _run_ride(core, towify))
    _multiply(core)
    assert counter.hundreds(lambda: _run_ride(core, towify)) < 1.5 * alone


def _multiply(core: Core) -> None:
    """Copy the stored rows of ended rides under other names."""
    numbers = f"(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {OTHERS}) SELECT i FROM n)"  # noqa: S608 - a number of ours
    alternatives = {
        "rides": {"ref": "'ride_' || i", "provider_ref": "'drv_' || i % 500"},
        "ride_offers": {"ride_ref": "'ride_' || i", "provider_ref": "'drv_' || i % 500"},
        "payments": {"id": "'pay_' || i", "subject": "'ride_' || i"},
        "timeline": {"subject": "'ride_' || i"},
        "events": {"id": "'evt_' || i", "subject": "'ride_' || i"},
    }
    with core.storage.database.transaction() as connection:
        for name, other in alternatives.items():
            columns = [column for column in METADATA.tables[name].c.keys() if column != "id" or "id" in other]  # noqa: SIM118 - of columns
            values = ", ".join(other.get(column, f"one.{column}") for column in columns)
            connection.exec_driver_sql(
                f"INSERT INTO {name} ({', '.join(columns)})"  # noqa: S608 - our own names
                f" SELECT {values} FROM (SELECT * FROM {name} LIMIT 1) AS one, {numbers}"
            )
