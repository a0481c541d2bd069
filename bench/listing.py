"""What a page of invoices costs, of as many as an installation has, near and far, filtered and not.

    python -m bench.listing sqlite:///shop.db

Measured is the whole use case, total and decoding included; the yardstick is the same 15 rows, asked of the
database by the place of the first one, which nobody knows who asks for page 40,000.
"""

import statistics
import sys
from collections.abc import Iterator
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bench.table import Row, interleaved, print_table, ratio_of, tell
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.transaction_sums import conditions
from repaircore.core import Core, build
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import PER_PAGE, Page, PageRequest
from repaircore.settings import Settings
from repaircore.transactions.listing import ListTransactions, Span
from repaircore.transactions.model import Transaction

_LIVE = Environment.LIVE
_YARDSTICK = "the same rows by keyset"


def listed(core: Core) -> list[Row]:
    """Compare pages of an installation that has invoices."""
    newest = core.ledger.page()
    pages = -(-newest.total // PER_PAGE)
    asked = [
        ("page 1", 1, ListTransactions()),
        (f"page {pages // 2:,} of {pages:,}", pages // 2, ListTransactions()),
    ]
    asked += [(f"the last page of {pages:,}", pages, ListTransactions())]
    for what, filters in _filters(newest.items[0]):
        last = core.ledger.page(filters).last
        asked += [(f"{what}, page {max(1, last // 2):,} of {last:,}", max(1, last // 2), filters)]
    with core.storage.database.transaction(write=False) as connection:
        return [_compared(core, connection, *one) for one in asked if one[1] > 0]


def _filters(one: Transaction) -> Iterator[tuple[str, ListTransactions]]:
    day = one.performed_on - timedelta(days=400)
    yield "a repair", ListTransactions(problem_id=one.problem_id)
    yield "a make", ListTransactions(make=one.make_key)
    if one.facility_id is not None:
        yield "a shop", ListTransactions(facility_id=one.facility_id)
    yield "a vehicle", ListTransactions(vehicle_id=one.vehicle_id)
    yield "dates amid months", ListTransactions(date_from=day, date_to=day + timedelta(days=200))
    yield "a repair and a make", ListTransactions(problem_id=one.problem_id, make=one.make_key)
    yield "a make and dates", ListTransactions(make=one.make_key, date_from=day)


def _compared(core: Core, connection: Connection, what: str, number: int, filters: ListTransactions) -> Row:
    def page() -> Page[Transaction]:
        return core.ledger.page(filters, request=PageRequest(number=number))

    first = page().items[0]
    keyset = _keyset(connection, filters, first)
    ours, yardstick = interleaved(page, lambda: connection.execute(*keyset).fetchall(), rounds=12, times=5)
    tell(f"{what}: {statistics.median(ours) * 1e3:.1f} ms against {statistics.median(yardstick) * 1e3:.1f}")
    return Row(what, _YARDSTICK, ratio_of(ours, yardstick))


def _keyset(
    connection: Connection, filters: ListTransactions, first: Transaction
) -> "tuple[sa.TextClause, dict[str, object]]":
    on, number, which = transactions.c.performed_on, transactions.c.id, filters.parse()
    days = which.days.meet(Span(None, first.performed_on))
    place = sa.tuple_(on, number) <= sa.tuple_(first.performed_on.isoformat(), first.id)
    query = (
        sa.select(transactions)
        .where(*conditions(connection, which, _LIVE, days), place)
        .order_by(on.desc(), number.desc())
        .limit(PER_PAGE)
        .compile(dialect=connection.dialect, compile_kwargs={"literal_binds": True})
    )
    return sa.text(str(query).replace(":", "\\:")), {}


if __name__ == "__main__":
    installation = build(Settings(database_url=sys.argv[1]))
    print_table(listed(installation))
    installation.close()
