"""Batches of invoices: the code that SQLite and PostgreSQL share."""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.engine.learning_lock import lock_learning, step_alpha
from repaircore.adapters.sql.fits import latest_months
from repaircore.adapters.sql.schema.learning import calibrations, tallies
from repaircore.adapters.sql.schema.problems import problems
from repaircore.adapters.sql.schema.transactions import facilities, transactions
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.json_text import decoder_of, encode
from repaircore.kernel.callers import Environment
from repaircore.learning.ports import (
    Batches,
    CellSum,
    ExportedTransaction,
    LearnedRow,
    PlainLesson,
    Shop,
    SumMoved,
)
from repaircore.pricing.drift import drift
from repaircore.transactions.evidence import Kind, Lineage, PlaceEvidence
from repaircore.transactions.tally import GENERATIONS_READ, NO_ERRORS, START_ALPHA, Tally

COLUMNS: Final = (
    "environment",
    "vehicle_id",
    "facility_id",
    "problem_id",
    "prediction_id",
    "performed_on",
    "mileage",
    "parts",
    "labor_hours",
    "labor_rate",
    "parts_total",
    "labor_total",
    "total",
    "notes",
    "evidence",
    "review",
    "created_at",
    "make_key",
    "fingerprint",
    "car",
    "import_id",
)
"""The columns of an invoice, in the order in which they are written."""

CELL: Final = ("environment", "problem_id", "kind", "level", "key", "w", "s", "q")
SUM: Final = ("environment", "dimension", "value", "month", "n", "parts_total", "labor_total")

_EMPTY: Final = NO_ERRORS.packed()
_LINEAGES: Final = 20_000


class _Part(msgspec.Struct):
    name: str
    unit_price: int
    quantity: int


class _PartEvidence(msgspec.Struct):
    key: str
    price: int


class _Place(msgspec.Struct):
    state: str
    area: str
    shop: int | None


class _PlaceEvidence(msgspec.Struct):
    place: _Place
    rate: int | None
    rate_off_table: int | None
    parts: int | None
    hours: int | None
    rate_drift: int | None


class _Evidence(msgspec.Struct):
    problem_id: int
    lineage: msgspec.Raw
    price: int
    hours: int | None
    share: int
    parts: list[_PartEvidence]
    here: _PlaceEvidence | None
    month: str
    drift: int


class _Surprise(msgspec.Struct):
    bin: int
    generation: int
    generation_of_all: int
    alpha_step: int


class _Lesson(msgspec.Struct):
    """``transactions.model.Lesson`` in its stored form. As a struct, it is created several times faster."""

    evidence: _Evidence
    surprise: _Surprise


_parts = decoder_of(list[_Part])


class SqlBatches(Batches):
    """Bulk access to the stored invoices and the sums computed from them, partly without SQLAlchemy."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lineages: dict[int, tuple[Lineage, msgspec.Raw]] = {}

    @override
    def lock(self, environment: Environment) -> None:
        self.configure()
        lock_learning(self._connection, environment)

    @abstractmethod
    def configure(self) -> None:
        """Configure the connection for bulk writes."""

    @override
    def shops_named(self, name: str) -> Sequence[Shop]:
        # SQLite folds only the letters A to Z.
        same = sa.or_(facilities.c.name == name, sa.func.lower(facilities.c.name) == name.lower())
        return self._shops(same)

    @override
    def shops_in(self, zip5: str) -> Sequence[Shop]:
        # Five digits contain no LIKE wildcards.
        return self._shops(
            sa.or_(facilities.c.zip_code == zip5, facilities.c.zip_code.startswith(f"{zip5}-"))
        )

    @override
    def tallies(
        self, environment: Environment, problem_ids: Collection[int]
    ) -> Mapping[int, Sequence[tuple[int, Tally]]]:
        query = (
            sa.select(tallies.c.problem_id, tallies.c.generation, tallies.c.counts)
            .where(tallies.c.environment == environment, tallies.c.problem_id.in_(problem_ids))
            .order_by(tallies.c.problem_id, tallies.c.generation.desc())
        )
        found: dict[int, list[tuple[int, Tally]]] = {}
        read: dict[int, int] = {}
        for problem_id, generation, counts in self._connection.execute(query):
            generations = found.setdefault(problem_id, [])
            has_counts = counts != _EMPTY
            if not generations or (has_counts and read.get(problem_id, 0) < GENERATIONS_READ):
                generations.append((generation, Tally.unpacked(counts)))
                read[problem_id] = read.get(problem_id, 0) + has_counts
        return found

    @override
    def drift(self, environment: Environment) -> float:
        return drift(latest_months(self._connection, environment, Kind.DRIFT))

    @override
    def alpha(self, environment: Environment) -> int:
        query = sa.select(calibrations.c.alpha).where(calibrations.c.environment == environment)
        alpha: int | None = self._connection.execute(query).scalar_one_or_none()
        return START_ALPHA if alpha is None else alpha

    @override
    def add_to_cells(self, environment: Environment, changes: Sequence[CellSum]) -> None:
        self.add_to_rows("cells", CELL, 5, [(environment.value, *row, w, s, q) for row, w, s, q in changes])

    @override
    def add_to_sums(self, environment: Environment, changes: Sequence[SumMoved]) -> None:
        self.add_to_rows("transaction_sums", SUM, 4, [(environment.value, *change) for change in changes])

    @override
    def save_tallies(
        self, environment: Environment, changed: Iterable[tuple[int, int, Tally]], *, alpha_step: int
    ) -> None:
        insert = upsert(self._connection, tallies)
        rows = [
            {
                "environment": environment,
                "problem_id": problem_id,
                "generation": generation,
                "counts": tally.packed(),
            }
            for problem_id, generation, tally in changed
        ]
        if rows:
            self._connection.execute(
                insert.on_conflict_do_update(
                    index_elements=["environment", "problem_id", "generation"],
                    set_={"counts": insert.excluded.counts},
                ),
                rows,
            )
        step_alpha(self._connection, environment, alpha_step)

    @abstractmethod
    def add_to_rows(
        self, table: str, columns: Sequence[str], keys: int, rows: Sequence[tuple[Any, ...]]
    ) -> None:
        """Add integers to the rows of a table, inserting missing rows; the first ``keys`` columns are the key."""

    @override
    def most_parts(self, environment: Environment) -> int:
        query = sa.select(sa.func.max(self.parts_in(transactions.c.parts))).where(
            transactions.c.environment == environment
        )
        return self._connection.execute(query).scalar_one() or 0

    @abstractmethod
    def parts_in(self, column: "sa.ColumnElement[str]") -> "sa.ColumnElement[int]":
        """Return an expression for the number of parts in a column's JSON list."""

    @override
    def exported(self, environment: Environment, *, after: int, limit: int) -> Sequence[ExportedTransaction]:
        query = (
            sa.select(
                transactions.c.id,
                sa.func.substr(vehicles.c.vin, 1, 11).label("vin11"),
                vehicles.c.year,
                vehicles.c.make,
                vehicles.c.model,
                vehicles.c.trim,
                problems.c.slug,
                transactions.c.performed_on,
                facilities.c.name,
                facilities.c.zip_code,
                transactions.c.mileage,
                transactions.c.parts,
                transactions.c.parts_total,
                transactions.c.labor_hours,
                transactions.c.labor_rate,
                transactions.c.total,
                transactions.c.notes,
                transactions.c.fingerprint,
            )
            .join(vehicles, vehicles.c.id == transactions.c.vehicle_id)
            .join(problems, problems.c.id == transactions.c.problem_id)
            .outerjoin(facilities, facilities.c.id == transactions.c.facility_id)
            .where(transactions.c.environment == environment, transactions.c.id > after)
            .order_by(transactions.c.id)
            .limit(limit)
        )
        return [
            ExportedTransaction._make(
                (
                    *row[:11],
                    [(part.name, part.unit_price, part.quantity) for part in _parts(row[11])],
                    *row[12:],
                )
            )
            for row in self._connection.execute(query)
        ]

    def rows(
        self, environment: Environment, learned: Iterable[LearnedRow], at: datetime, import_id: int | None
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the values of ``COLUMNS`` for each invoice."""
        environment_name, now = environment.value, micros(at)
        for (
            (
                fingerprint,
                _,
                problem_id,
                facility_id,
                prediction_id,
                day,
                miles,
                parts,
                hours,
                rate,
                in_parts,
                in_labor,
                notes,
                car,
                _,
            ),
            vehicle_id,
            make_key,
            lesson,
            review,
        ) in learned:
            yield (
                environment_name,
                vehicle_id,
                facility_id,
                problem_id,
                prediction_id,
                day,
                miles,
                encode([_Part(*part) for part in parts]).decode() if parts else "[]",
                hours,
                rate,
                in_parts,
                in_labor,
                in_parts + in_labor,
                notes,
                None if lesson is None else self._lesson(problem_id, lesson),
                int(review),
                now,
                make_key,
                fingerprint,
                car,
                import_id,
            )

    def _lesson(self, problem_id: int, lesson: PlainLesson) -> str:
        lineage, price, hours, share, parts, number, generation, of_all, step, here, month, drift = lesson
        return encode(
            _Lesson(
                _Evidence(
                    problem_id,
                    self._raw(lineage),
                    price,
                    hours,
                    share,
                    [_PartEvidence(*part) for part in parts],
                    None if here is None else _place_evidence(here),
                    month,
                    drift,
                ),
                _Surprise(number, generation, of_all, step),
            )
        ).decode()

    def _raw(self, lineage: Lineage) -> msgspec.Raw:
        # Keyed by identity, which is faster than by value; the cache keeps the value alive, so its id is not reused.
        found = self._lineages.get(id(lineage))
        if found is None:
            if len(self._lineages) >= _LINEAGES:
                self._lineages.clear()
            found = self._lineages[id(lineage)] = lineage, msgspec.Raw(encode(lineage))
        return found[1]

    def _shops(self, condition: "sa.ColumnElement[bool]") -> Sequence[Shop]:
        query = sa.select(facilities.c.id, facilities.c.zip_code).where(condition).order_by(facilities.c.id)
        return [(number, zip_code) for number, zip_code in self._connection.execute(query)]


def _place_evidence(here: PlaceEvidence) -> _PlaceEvidence:
    place = here.place
    return _PlaceEvidence(
        _Place(place.state, place.area, place.shop),
        here.rate,
        here.rate_off_table,
        here.parts,
        here.hours,
        here.rate_drift,
    )
