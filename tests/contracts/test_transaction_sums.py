"""The contract of the port ``TransactionSums``, on both databases."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contracts.test_lessons import rolled_back
from tests.contracts.test_transactions import invoice
from tests.threads import at_once

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.adapters.sql.schema.transactions import transaction_sums
from repaircore.kernel.callers import Environment
from repaircore.transactions.model import Transaction
from repaircore.transactions.sums import SumOf, net, sum_changes

LIVE, TEST = Environment.LIVE, Environment.TEST

_invoices = st.builds(
    lambda problem, facility, make, day, parts, labor: invoice(
        problem_id=problem,
        facility_id=facility,
        make_key=make,
        performed_on=day,
        parts_total=parts,
        labor_total=labor,
        total=parts + labor,
    ),
    st.sampled_from([101, 102]),
    st.sampled_from([None, 3]),
    st.sampled_from(["honda", ""]),
    st.dates(date(2025, 11, 1), date(2026, 1, 31)),
    st.integers(0, 10**8),
    st.integers(0, 10**8),
)


def rows(unit: SqlWork, environment: Environment) -> dict[tuple[str, str, str], tuple[int, int, int]]:
    stored = sa.select(transaction_sums).where(transaction_sums.c.environment == environment)
    return {
        (row.dimension, row.value, row.month): (row.n, row.parts_total, row.labor_total)
        for row in unit.connection.execute(stored)
    }


def expected_rows(fields: Iterable[Transaction]) -> dict[tuple[str, str, str], tuple[int, int, int]]:
    found: dict[tuple[str, str, str], tuple[int, int, int]] = {}
    for one in fields:
        month = one.performed_on.strftime("%Y-%m")
        keys = [("all", ""), ("problem", str(one.problem_id)), ("make", one.make_key)]
        if one.facility_id is not None:
            keys.append(("facility", str(one.facility_id)))
        for dimension, value in keys:
            n, parts, labor = found.get((dimension, value, month), (0, 0, 0))
            found[dimension, value, month] = (n + 1, parts + one.parts_total, labor + one.labor_total)
    return found


def changes(results: Sequence[Transaction], sign: int = 1) -> list[Any]:
    return [change for one in results for change in sum_changes(one, one.make_key, sign=sign)]


@given(st.lists(_invoices, max_size=8), st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_rows_match_the_current_invoices(
    database: Database, results: list[Transaction], data: st.DataObject
) -> None:
    gone = data.draw(st.lists(st.sampled_from(results), unique_by=id)) if results else []
    left = [one for one in results if not any(one is other for other in gone)]
    with rolled_back(database) as unit:
        unit.transaction_sums.add(LIVE, changes(results))

        assert rows(unit, LIVE) == expected_rows(results)
        unit.transaction_sums.add(LIVE, changes(gone, sign=-1))

        assert (rows(unit, LIVE), rows(unit, TEST)) == (expected_rows(left), {})
        # Additions and removals in one call.
        unit.transaction_sums.add(LIVE, [*changes(left, sign=-1), *changes(gone)])

        assert rows(unit, LIVE) == expected_rows(gone)


def test_changes_that_cancel_out_are_empty() -> None:
    assert net(changes([invoice()]) + changes([invoice()], sign=-1)) == ()


def test_repairs_are_counted_over_all_months(database: Database) -> None:
    result = [
        invoice(),
        invoice(performed_on=date(2019, 1, 1), parts_total=1, labor_total=2),
        invoice(problem_id=102),
    ]
    with work.open_work(database, write=True) as unit:
        unit.transaction_sums.add(LIVE, changes(result))

        assert unit.transaction_sums.by_problem(LIVE) == {
            101: SumOf(n=2, total=297_03),
            102: SumOf(n=1, total=297_00),
        }
        assert unit.transaction_sums.by_problem(TEST) == {}


def test_concurrent_writers_lose_nothing_and_do_not_deadlock(database: Database) -> None:
    one, other = invoice(make_key="honda"), invoice(make_key="acura", performed_on=date(2024, 2, 29))

    def swap(came: Transaction, went: Transaction) -> None:
        for _ in range(5):
            with work.open_work(database, write=True) as unit:
                unit.transaction_sums.add(LIVE, changes([came]))
            with work.open_work(database, write=True) as unit:
                unit.transaction_sums.add(LIVE, [*changes([went]), *changes([came], sign=-1)])
            with work.open_work(database, write=True) as unit:
                unit.transaction_sums.add(LIVE, changes([went], sign=-1))

    turns = [(one, other), (other, one)] * 3
    at_once(len(turns), lambda: swap(*turns.pop()))
    with work.open_work(database, write=False) as unit:
        assert rows(unit, LIVE) == {}
