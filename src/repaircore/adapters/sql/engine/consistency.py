"""Check that stored sums agree with the rows that they summarize."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.payments import payment_codec
from repaircore.adapters.sql.schema.learning import calibrations, cells, tallies, variances
from repaircore.adapters.sql.schema.payments import payment_entries, payments
from repaircore.adapters.sql.schema.predictions import feedback, opinions, predictions
from repaircore.adapters.sql.schema.transactions import transaction_sums, transactions
from repaircore.json_text import decoder_of
from repaircore.payments.books import position
from repaircore.payments.model import Account
from repaircore.transactions.evidence import EVERY_PROBLEM, Kind, deltas
from repaircore.transactions.levels import Level
from repaircore.transactions.model import Lesson
from repaircore.transactions.tally import BINS, START_ALPHA, Tally

_AT_ONCE: Final = 1000
_ALL: Final = "all"
_lesson = decoder_of(Lesson)


def quick_discrepancies(connection: Connection) -> Iterator[str]:
    """Compare the counts and totals that a few queries can compute; yield a sentence for each difference."""
    t, sums = transactions.c, transaction_sums.c
    rows = sa.select(
        t.environment, sa.func.count(), sa.func.sum(t.parts_total), sa.func.sum(t.labor_total)
    ).group_by(t.environment)
    stored = sa.select(
        sums.environment, sa.func.sum(sums.n), sa.func.sum(sums.parts_total), sa.func.sum(sums.labor_total)
    ).group_by(sums.environment)
    for dimension in (_ALL, "problem", "make"):
        yield from _differences(
            "sums of all invoices" if dimension == _ALL else f"sums of invoices by {dimension}",
            _by_environment(connection, rows),
            _by_environment(connection, stored.where(sums.dimension == dimension)),
        )
    learned_from = (
        sa.select(t.environment, sa.func.count()).where(t.evidence.is_not(None)).group_by(t.environment)
    )
    learned = (
        sa.select(cells.c.environment, sa.func.sum(cells.c.w))
        .where(
            cells.c.kind == Kind.PRICE, cells.c.level == Level.PROBLEM, cells.c.problem_id != EVERY_PROBLEM
        )
        .group_by(cells.c.environment)
    )
    yield from _differences(
        "counts of invoices learned from",
        _by_environment(connection, learned_from),
        _by_environment(connection, learned),
    )


def _by_environment(connection: Connection, query: "sa.Select[Any]") -> dict[Hashable, tuple[int, ...]]:
    return {row[0]: tuple(int(value or 0) for value in row[1:]) for row in connection.execute(query)}


def deep_discrepancies(connection: Connection) -> Iterator[str]:
    """Recompute every sum from the rows; yield a sentence for each difference."""
    computed = _Sums(connection)
    yield from _differences("cells", computed.cells, _stored(connection, cells, ("w", "s", "q")))
    yield from _differences(
        "sums of invoices",
        computed.sums,
        _stored(connection, transaction_sums, ("n", "parts_total", "labor_total")),
    )
    yield from _differences("error tallies", computed.tallies, _tallies(connection))
    steps = {
        row.environment: (row.alpha - START_ALPHA,) for row in connection.execute(sa.select(calibrations))
    }
    yield from _differences("counts of prices outside the range", computed.steps, steps)
    yield from _differences(
        "opinions", _count_ratings(connection), _stored(connection, opinions, ("good", "wrong"))
    )
    yield from _differences("ledger entries", _payment_positions(connection), _payment_entries(connection))


class _Sums:
    """The sums of all invoices, computed row by row."""

    def __init__(self, connection: Connection) -> None:
        self.cells: dict[Hashable, Counter[int]] = defaultdict(Counter)
        self.sums: dict[Hashable, Counter[int]] = defaultdict(Counter)
        self.tallies: dict[Hashable, Counter[int]] = defaultdict(Counter)
        self.steps: dict[Hashable, Counter[int]] = defaultdict(Counter)
        self._centers = {
            (row.environment, row.problem_id): row.center for row in connection.execute(sa.select(variances))
        }
        streamed = sa.select(transactions).execution_options(stream_results=True, yield_per=_AT_ONCE)
        for row in connection.execute(streamed):
            self._add_invoice(row)
            if row.evidence is not None:
                self._add_lesson(row.environment, _lesson(row.evidence))

    def _add_invoice(self, row: Any) -> None:
        month = date.fromisoformat(row.performed_on).isoformat()[:7]
        values = {_ALL: "", "problem": str(row.problem_id), "make": row.make_key}
        if row.facility_id is not None:
            values["facility"] = str(row.facility_id)
        for dimension, value in values.items():
            _add(self.sums[row.environment, dimension, value, month], (1, row.parts_total, row.labor_total))

    def _add_lesson(self, environment: str, lesson: Lesson) -> None:
        evidence, surprise = lesson.evidence, lesson.surprise
        of_all = self._centers.get((environment, EVERY_PROBLEM), 0)
        center = self._centers.get((environment, evidence.problem_id), of_all)
        for change in deltas(evidence, center=center):
            key = change.key
            _add(
                self.cells[environment, key.problem_id, key.kind.value, key.level.value, key.key],
                (change.w, change.s, change.q),
            )
        self.tallies[environment, evidence.problem_id, surprise.generation][surprise.bin] += 1
        self.tallies[environment, EVERY_PROBLEM, surprise.generation_of_all][surprise.bin] += 1
        self.steps[environment][0] += surprise.alpha_step


def _add(sums: Counter[int], values: Iterable[int]) -> None:
    for at, value in enumerate(values):
        sums[at] += value


def _stored(
    connection: Connection, table: sa.Table, names: tuple[str, ...]
) -> dict[Hashable, tuple[int, ...]]:
    keys = list(table.primary_key.columns)
    query = sa.select(*keys, *(table.c[name] for name in names))
    streamed = query.execution_options(stream_results=True, yield_per=_AT_ONCE)
    return {tuple(row[: len(keys)]): tuple(row[len(keys) :]) for row in connection.execute(streamed)}


def _tallies(connection: Connection) -> dict[Hashable, tuple[int, ...]]:
    return {
        (row.environment, row.problem_id, row.generation): Tally.unpacked(row.counts).counts
        for row in connection.execute(sa.select(tallies))
    }


def _count_ratings(connection: Connection) -> dict[Hashable, Counter[int]]:
    """Count good and wrong ratings by environment and problem; only a user's latest rating of a prediction counts."""
    f, p = feedback.c, predictions.c
    latest = sa.select(sa.func.max(f.id)).group_by(f.prediction_id, f.user_id)
    query = (
        sa.select(p.environment, p.problem_id, f.rating)
        .join(predictions, p.id == f.prediction_id)
        .where(f.id.in_(latest))
    )
    rated: dict[Hashable, Counter[int]] = defaultdict(Counter)
    for row in connection.execute(query):
        rated[row.environment, row.problem_id][0 if row.rating == "good" else 1] += 1
    return rated


def _payment_positions(connection: Connection) -> dict[Hashable, tuple[int, ...]]:
    """Return the amount in each account that a payment's state implies, by payment; payments without any are absent."""
    streamed = sa.select(payments).execution_options(stream_results=True, yield_per=_AT_ONCE)
    positions = ((row.id, position(payment_codec.read(row))) for row in connection.execute(streamed))
    return {key: tuple(moved.get(account, 0) for account in Account) for key, moved in positions if moved}


def _payment_entries(connection: Connection) -> dict[Hashable, tuple[int, ...]]:
    """Return the sum of a payment's ledger entries in each account, by payment."""
    lines = payment_entries.c
    sums = [
        sa.func.sum(sa.case((lines.account == account.value, lines.cents), else_=0)) for account in Account
    ]
    return _by_environment(connection, sa.select(lines.payment_id, *sums).group_by(lines.payment_id))


def _differences(
    sums: str,
    computed: Mapping[Hashable, Counter[int] | tuple[int, ...]],
    stored: Mapping[Hashable, tuple[int, ...]],
) -> Iterator[str]:
    for key in sorted({*computed, *stored}, key=str):
        if _values(computed.get(key, ())) != _values(stored.get(key, ())):
            yield f"The stored {sums} ({_label(key)}) do not match the rows."


def _values(sums: Counter[int] | tuple[int, ...]) -> list[int]:
    values = (
        [sums[at] for at in range(BINS)] if isinstance(sums, Counter) else [*sums, *[0] * (BINS - len(sums))]
    )
    return list(values)


def _label(key: Hashable) -> str:
    return " ".join(str(part) for part in key if part != "") if isinstance(key, tuple) else str(key)
