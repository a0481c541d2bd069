"""Transactions and their lessons in the database."""

import secrets
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import accumulate
from typing import Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.engine.learning_lock import lock_learning, step_alpha
from repaircore.adapters.sql.engine.listing import Order, Orders, ids_at, with_cursors
from repaircore.adapters.sql.fits import center_of
from repaircore.adapters.sql.schema.learning import cells, tallies
from repaircore.adapters.sql.schema.predictions import predictions
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.transaction_sums import conditions, month_counts
from repaircore.json_text import decoder_of
from repaircore.kernel.callers import Environment
from repaircore.kernel.cursors import Cursor
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.paging import Page, PageRequest
from repaircore.transactions import evidence as evidences
from repaircore.transactions.evidence import EVERY_PROBLEM, Delta, Evidence
from repaircore.transactions.listing import Span, TransactionFilter, days_of
from repaircore.transactions.model import Lesson, Transaction
from repaircore.transactions.ports import Lessons, TransactionRecords
from repaircore.transactions.price_distribution import ShopPayment
from repaircore.transactions.price_history import Payment
from repaircore.transactions.tally import Surprise, Tally, generation_for

_lesson = decoder_of(Lesson)


_KEY = ("environment", "problem_id", "kind", "level", "key")


def _key(environment: Environment, change: Delta) -> dict[str, object]:
    key = change.key
    return dict(zip(_KEY, (environment, key.problem_id, key.kind, key.level, key.key), strict=True))


_ROWS = sa.select(transactions, predictions.c.session_id).outerjoin(predictions)


_codec = RowCodec(Transaction, {"lesson": "evidence"})
_CONSTANT = ("id", "environment", "session_id", "created_at", "version")


def _values(transaction: Transaction) -> dict[str, object]:
    """Return the values of the columns that an update may change."""
    columns = _codec.write(transaction)
    return {name: value for name, value in columns.items() if name not in _CONSTANT}


_ORDERS: Final = Orders(
    of="transactions",
    columns={"performed_on": transactions.c.performed_on},
    id=transactions.c.id,
    usual="-performed_on",
)


class SqlTransactions(TransactionRecords):
    """The stored invoices."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, transaction: Transaction) -> Transaction:
        insert = sa.insert(transactions).values(
            environment=transaction.environment,
            created_at=micros(transaction.created_at),
            # Random, so that equal invoices stay distinct: exported and imported again, each is recognized.
            fingerprint=secrets.randbits(63),
            **_values(transaction),
        )
        with translating_errors():
            number = self._connection.execute(insert.returning(transactions.c.id)).scalar_one()
        return evolve(transaction, id=number, version=1)

    @override
    def by_id(self, transaction_id: int, *, environment: Environment) -> Transaction | None:
        found = _ROWS.where(transactions.c.id == transaction_id, transactions.c.environment == environment)
        row = self._connection.execute(found).one_or_none()
        return None if row is None else _codec.read(row)

    @override
    def page(
        self, wanted: TransactionFilter, request: PageRequest, *, environment: Environment
    ) -> Page[Transaction]:
        order = _ORDERS.parse(request.sort)
        if request.cursor is not None:
            return self._page_at(wanted, request, order, order.parse_cursor(request.cursor), environment)
        months = month_counts(self._connection, wanted, environment)
        total, start = sum(n for _, n in months), (request.number - 1) * request.per_page
        length = max(0, min(request.per_page, total - start))
        # The rows from an offset in ascending order are those before its counterpart in descending order.
        place = start if order.is_descending else total - start - length
        ids = page_ids(self._connection, wanted, environment, months, start=place, length=length)
        items = self._load(ids if order.is_descending else ids[::-1])
        page = Page(items=items, number=request.number, per_page=request.per_page, total=total)
        return with_cursors(
            page, order, _ends(items), more_before=start > 0, more_after=start + length < total
        )

    def _page_at(
        self,
        wanted: TransactionFilter,
        request: PageRequest,
        order: Order,
        cursor: Cursor,
        environment: Environment,
    ) -> Page[Transaction]:
        criteria = conditions(self._connection, wanted, environment, _days_at(wanted, cursor, order))
        query = sa.select(transactions.c.id).where(*criteria)
        ids, more = ids_at(self._connection, query, cursor, order, request.per_page)
        items = self._load(ids)
        total = 0
        if request.is_counted:
            total = sum(n for _, n in month_counts(self._connection, wanted, environment))
        page = Page(items=items, number=0, per_page=request.per_page, total=total)
        before, after = (more, True) if cursor.is_before else (True, more)
        return with_cursors(page, order, _ends(items), more_before=before, more_after=after)

    @override
    def lock(self, transaction: Transaction) -> bool:
        lock_learning(self._connection, transaction.environment)
        query = sa.select(transactions.c.id).where(*_unchanged(transaction)).with_for_update()
        return self._connection.execute(query).one_or_none() is not None

    @override
    def replace(self, old: Transaction, new: Transaction) -> Transaction:
        update = sa.update(transactions).where(*_unchanged(old))
        with translating_errors():
            done = self._connection.execute(update.values(version=old.version + 1, **_values(new)))
        if done.rowcount != 1:
            raise Conflict("The transaction was changed by another request. Reload it and try again.")
        return evolve(new, version=old.version + 1)

    @override
    def remove(self, transaction: Transaction) -> bool:
        gone = self._connection.execute(sa.delete(transactions).where(*_unchanged(transaction)))
        return gone.rowcount == 1

    @override
    def payments(
        self, problem_id: int, *, environment: Environment, make_key: str | None, limit: int
    ) -> Iterable[Payment]:
        made = [] if make_key is None else [transactions.c.make_key == make_key]
        query = (
            sa.select(transactions.c.performed_on, transactions.c.total)
            .where(
                transactions.c.problem_id == problem_id,
                transactions.c.environment == environment,
                transactions.c.total > 0,
                *made,
            )
            .order_by(transactions.c.performed_on.desc(), transactions.c.id.desc())
            .limit(limit)
        )
        for row in self._connection.execute(query):
            yield date.fromisoformat(row.performed_on), row.total

    @override
    def shop_payments(
        self, problem_id: int, *, environment: Environment, since: date, limit: int
    ) -> Iterable[ShopPayment]:
        query = (
            sa.select(transactions.c.facility_id, transactions.c.total)
            .where(
                transactions.c.problem_id == problem_id,
                transactions.c.environment == environment,
                transactions.c.performed_on >= since.isoformat(),
                transactions.c.facility_id.is_not(None),
                transactions.c.total > 0,
            )
            .order_by(transactions.c.performed_on.desc(), transactions.c.id.desc())
            .limit(limit)
        )
        for row in self._connection.execute(query):
            yield row.facility_id, row.total

    def _load(self, ids: Sequence[int]) -> tuple[Transaction, ...]:
        rows = self._connection.execute(_ROWS.where(transactions.c.id.in_(ids))) if ids else ()
        found = {row.id: _codec.read(row) for row in rows}
        return tuple(found[number] for number in ids if number in found)


def _unchanged(read: Transaction) -> tuple[sa.ColumnElement[bool], ...]:
    return transactions.c.id == read.id, transactions.c.version == read.version


class SqlLessons(Lessons):
    """Lessons, stored in sums, to which changes are added, and in tallies, which are read, changed and written back."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def learn(self, environment: Environment, evidence: Evidence, *, bin: int, alpha_step: int) -> Lesson:
        # A tally is read, changed and written back.
        lock_learning(self._connection, environment)
        center = center_of(self._connection, environment, evidence.problem_id)
        self._add(environment, evidences.deltas(evidence, center=center))
        surprise = Surprise(
            bin=bin,
            generation=self._count(environment, evidence.problem_id, bin),
            generation_of_all=self._count(environment, EVERY_PROBLEM, bin),
            alpha_step=alpha_step,
        )
        step_alpha(self._connection, environment, alpha_step)
        return Lesson(evidence=evidence, surprise=surprise)

    @override
    def unlearn(self, environment: Environment, lesson: Lesson) -> None:
        # A tally is read, changed and written back.
        lock_learning(self._connection, environment)
        center = center_of(self._connection, environment, lesson.evidence.problem_id)
        self._subtract(environment, evidences.removal(lesson.evidence, center=center))
        self._uncount(
            environment, lesson.evidence.problem_id, lesson.surprise.generation, lesson.surprise.bin
        )
        self._uncount(environment, EVERY_PROBLEM, lesson.surprise.generation_of_all, lesson.surprise.bin)
        step_alpha(self._connection, environment, -lesson.surprise.alpha_step)

    def _add(self, environment: Environment, changes: Iterable[Delta]) -> None:
        insert = upsert(self._connection, cells)
        sums = {name: cells.c[name] + insert.excluded[name] for name in ("w", "s", "q")}
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=list(_KEY), set_=sums),
            [
                {**_key(environment, change), "w": change.w, "s": change.s, "q": change.q}
                for change in changes
            ],
        )

    def _subtract(self, environment: Environment, changes: Iterable[Delta]) -> None:
        rows = [
            {f"of_{name}": value for name, value in _key(environment, change).items()}
            | {"dw": change.w, "ds": change.s, "dq": change.q}
            for change in changes
        ]
        criteria = [cells.c[name] == sa.bindparam(f"of_{name}") for name in _KEY]
        sums = {name: cells.c[name] + sa.bindparam(f"d{name}") for name in ("w", "s", "q")}
        self._connection.execute(sa.update(cells).where(*criteria).values(sums), rows)
        self._connection.execute(sa.delete(cells).where(*criteria, cells.c.w == 0), rows)

    def _count(self, environment: Environment, problem_id: int, number: int) -> int:
        newest, tally = self._newest(environment, problem_id)
        generation = generation_for(newest, tally)
        counted = (tally if generation == newest else Tally()).plus(number)
        insert = upsert(self._connection, tallies).values(
            environment=environment, problem_id=problem_id, generation=generation, counts=counted.packed()
        )
        self._connection.execute(
            insert.on_conflict_do_update(
                index_elements=["environment", "problem_id", "generation"],
                set_={"counts": insert.excluded.counts},
            )
        )
        return generation

    def _uncount(self, environment: Environment, problem_id: int, generation: int, number: int) -> None:
        criteria = (
            tallies.c.environment == environment,
            tallies.c.problem_id == problem_id,
            tallies.c.generation == generation,
        )
        counts = self._connection.execute(sa.select(tallies.c.counts).where(*criteria)).scalar_one()
        less = Tally.unpacked(counts).minus(number)
        self._connection.execute(sa.update(tallies).where(*criteria).values(counts=less.packed()))

    def _newest(self, environment: Environment, problem_id: int) -> tuple[int, Tally]:
        query = (
            sa.select(tallies.c.generation, tallies.c.counts)
            .where(tallies.c.environment == environment, tallies.c.problem_id == problem_id)
            .order_by(tallies.c.generation.desc())
            .limit(1)
        )
        row = self._connection.execute(query).one_or_none()
        return (0, Tally()) if row is None else (row.generation, Tally.unpacked(row.counts))


def page_ids(
    connection: Connection,
    wanted: TransactionFilter,
    environment: Environment,
    months: Sequence[tuple[str, int]],
    *,
    start: int,
    length: int,
) -> Sequence[int]:
    """Return the ids of up to ``length`` matching invoices from an offset on, latest first.

    ``months`` has the number of matching invoices by month, latest first.
    """
    ends = list(accumulate(n for _, n in months))
    shown = min(length, (ends[-1] if ends else 0) - start)
    if shown <= 0:
        return []
    latest, skipped = _latest_month(ends, start)
    earliest, left = _earliest_month(ends, start + shown - 1)
    # Counted from the nearer end, so that at most half a month is skipped.
    backwards = left < skipped
    on, number = transactions.c.performed_on, transactions.c.id
    # One bound only, because SQLite uses just one to enter an index.
    month = days_of(months[earliest if backwards else latest][0])
    days = wanted.days.meet(Span(month.first, None) if backwards else Span(None, month.last))
    query = (
        sa.select(number)
        .where(*conditions(connection, wanted, environment, days))
        .order_by(*((on, number) if backwards else (on.desc(), number.desc())))
        .offset(left if backwards else skipped)
        .limit(shown)
    )
    found = list(connection.execute(query).scalars())
    return found[::-1] if backwards else found


def _days_at(wanted: TransactionFilter, cursor: Cursor, order: Order) -> Span:
    """Return the days that the page at a cursor may contain, with the cursor's day as the first or last.

    Raises:
        Invalid: on ``cursor``; its key is not a date, so it belongs to another list.
    """
    try:
        day = date.fromisoformat(str(cursor.key))
    except ValueError:
        raise Invalid({"cursor": ["The cursor field must be a cursor from this list."]}) from None
    is_upto = order.is_descending != cursor.is_before
    return wanted.days.meet(Span(None, day) if is_upto else Span(day, None))


def _ends(items: Sequence[Transaction]) -> Sequence[tuple[str, int]]:
    return [(item.performed_on.isoformat(), item.id) for item in (*items[:1], *items[-1:])]


def _latest_month(ends: Sequence[int], place: int) -> tuple[int, int]:
    """Return the index of the month that contains an offset, and how many of its invoices come before the offset."""
    month = bisect_right(ends, place)
    return month, place - (ends[month - 1] if month else 0)


def _earliest_month(ends: Sequence[int], place: int) -> tuple[int, int]:
    """Return the index of the month that contains an offset, and how many of its invoices come after the offset."""
    month = bisect_right(ends, place)
    return month, ends[month] - 1 - place
