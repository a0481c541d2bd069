"""Ports for importing and exporting invoices in batches."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import NamedTuple, Protocol, TypeAlias

from repaircore.kernel.callers import Environment
from repaircore.kernel.imports import ImportJournal
from repaircore.kernel.money import Cents
from repaircore.learning.invoice_file import InvoiceRow
from repaircore.predictions.ports import PredictionsWork
from repaircore.transactions.evidence import Cell, Grain, Lineage, PlaceEvidence
from repaircore.transactions.tally import Tally

CellRow: TypeAlias = tuple[int, str, str, str]
"""The key of a cell within an environment: problem, kind, level, key."""

CellSum: TypeAlias = tuple[CellRow, int, int, int]
"""A change to a cell: its key, and what to add to ``w``, ``s`` and ``q``."""

SumMoved: TypeAlias = tuple[str, str, str, int, Cents, Cents]
"""A change to a sum of invoices: dimension, value and month as the key, then changes to the count, parts and labor."""

Shop: TypeAlias = tuple[int, str | None]
"""A shop's id and ZIP code."""


class PlainLesson(NamedTuple):
    """A ``Lesson`` as a flat tuple."""

    lineage: Lineage
    price: Grain
    hours: Grain | None
    share: Grain
    parts: Sequence[tuple[str, Grain]]
    bin: int
    generation: int
    generation_of_all: int
    alpha_step: int
    here: PlaceEvidence | None = None
    month: str = ""
    drift: Grain = 0


class LearnedRow(NamedTuple):
    """A row of a file to insert, and what was learned from it, or None if nothing was."""

    row: InvoiceRow
    vehicle_id: str
    make_key: str
    lesson: PlainLesson | None
    review: bool


class ExportedTransaction(NamedTuple):
    """An invoice to export, with its vehicle and shop in terms that other installations can recognize."""

    id: int
    vin: str | None
    year: int
    make: str
    model: str
    trim: str | None
    problem: str
    date: str
    facility: str | None
    zip_code: str | None
    mileage: int | None
    parts: Sequence[tuple[str, Cents, int]]
    parts_total: Cents
    labor_hours: float
    labor_rate: Cents
    total: Cents
    notes: str | None
    fingerprint: int | None


class Batches(Protocol):
    """Bulk access to the stored invoices and the sums computed from them."""

    def lock(self, environment: Environment) -> None:
        """Lock the environment's sums until this unit of work ends."""

    def shops_named(self, name: str) -> Sequence[Shop]:
        """List the shops with a name, ignoring case, by id."""

    def shops_in(self, zip5: str) -> Sequence[Shop]:
        """List the shops in a ZIP code, by id."""

    def known(self, environment: Environment, fingerprints: Sequence[int]) -> Collection[int]:
        """Return the fingerprints that belong to stored invoices."""

    def cells(self, environment: Environment, rows: Collection[CellRow]) -> Mapping[CellRow, Cell]:
        """Return the stored cells for the given rows, omitting rows that have none."""

    def prior_cells(self, environment: Environment, rows: Collection[CellRow]) -> Mapping[CellRow, Cell]:
        """Return the imported cells for the given rows, omitting rows that have none."""

    def tallies(
        self, environment: Environment, problem_ids: Collection[int]
    ) -> Mapping[int, Sequence[tuple[int, Tally]]]:
        """Return the generations of each problem's errors that estimates read or a batch extends, newest first."""

    def alpha(self, environment: Environment) -> int:
        """Return alpha, which tracks the share of invoices outside their ranges."""

    def drift(self, environment: Environment) -> float:
        """Return the drift to add to the expected price (ln); see ``pricing.drift.drift``."""

    def insert(
        self, environment: Environment, rows: Iterable[LearnedRow], *, at: datetime, import_id: int | None
    ) -> None:
        """Insert invoices of an import, none of which has the fingerprint of a stored one.

        The iterable is consumed while rows are written, and must not query the database meanwhile.

        Raises:
            Conflict: a record that one of them refers to no longer exists.
        """

    def add_to_cells(self, environment: Environment, changes: Sequence[CellSum]) -> None:
        """Apply changes to cells; a missing cell counts as all zeros."""

    def add_to_sums(self, environment: Environment, changes: Sequence[SumMoved]) -> None:
        """Apply changes to the sums of invoices; a missing sum counts as all zeros."""

    def save_tallies(
        self, environment: Environment, tallies: Iterable[tuple[int, int, Tally]], *, alpha_step: int
    ) -> None:
        """Save generations of errors (problem, generation, counts), and add to alpha."""

    def most_parts(self, environment: Environment) -> int:
        """Return the largest number of parts on an invoice."""

    def exported(self, environment: Environment, *, after: int, limit: int) -> Sequence[ExportedTransaction]:
        """List the next ``limit`` invoices after an id, by id."""


class ImportWork(PredictionsWork, Protocol):
    """The part of a unit of work that importing invoices needs."""

    @property
    def imports(self) -> ImportJournal:
        """The progress of imports."""

    @property
    def batches(self) -> Batches:
        """Bulk access to the stored invoices."""


BeginImport: TypeAlias = Callable[[], AbstractContextManager[ImportWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
