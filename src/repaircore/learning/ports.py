"""What taking invoices over in batches needs from outside."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import NamedTuple, Protocol, TypeAlias

from repaircore.kernel.callers import Environment
from repaircore.kernel.imports import ImportJournal
from repaircore.kernel.money import Cents
from repaircore.learning.invoice_file import SaleTold
from repaircore.predictions.ports import PredictionsWork
from repaircore.transactions.evidence import Cell, Grain, Lineage, PlaceEvidence
from repaircore.transactions.tally import Tally

CellRow: TypeAlias = tuple[int, str, str, str]
"""The key of a cell within an environment: problem, kind, level, key."""

CellSum: TypeAlias = tuple[CellRow, int, int, int]
"""What to add to a cell: ``w``, ``s`` and ``q``."""

SumMoved: TypeAlias = tuple[str, str, str, int, Cents, Cents]
"""What to add to a sum of invoices: dimension, value and month name it; the number, parts and labor."""

Shop: TypeAlias = tuple[int, str | None]
"""A shop's id and ZIP code."""


class PlainLesson(NamedTuple):
    """A ``Lesson``, as plain as it can be."""

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
    """A row of a file that is to be kept, and what was learned from it."""

    sale: SaleTold
    vehicle_id: str
    make_key: str
    lesson: PlainLesson | None
    review: bool


class ExportedTransaction(NamedTuple):
    """A kept invoice as it leaves; the vehicle and the shop by what they are known by elsewhere."""

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
    """The kept invoices and all that they add up to, many at a time."""

    @abstractmethod
    def take_turn(self, environment: Environment) -> None:
        """Wait for whoever changes the environment's sums; others wait until this unit of work ends."""

    @abstractmethod
    def shops_called(self, name: str) -> Sequence[Shop]:
        """List the shops of a name, case aside, by id."""

    @abstractmethod
    def shops_in(self, zip5: str) -> Sequence[Shop]:
        """List the shops of a ZIP code, by id."""

    @abstractmethod
    def known(self, environment: Environment, fingerprints: Sequence[int]) -> Collection[int]:
        """Say which of the fingerprints are those of kept invoices."""

    @abstractmethod
    def cells(self, environment: Environment, rows: Collection[CellRow]) -> Mapping[CellRow, Cell]:
        """Give the sums of cells; those that are not there are left out."""

    @abstractmethod
    def prior_cells(self, environment: Environment, rows: Collection[CellRow]) -> Mapping[CellRow, Cell]:
        """Return the cells of another installation by the same keys; those that are not there are left out."""

    @abstractmethod
    def tallies(
        self, environment: Environment, problem_ids: Collection[int]
    ) -> Mapping[int, Sequence[tuple[int, Tally]]]:
        """Give the generations of errors of problems, the youngest first: that one, and those that are read."""

    @abstractmethod
    def alpha(self, environment: Environment) -> int:
        """Give the share of invoices that ranges leave out."""

    @abstractmethod
    def drift(self, environment: Environment) -> float:
        """Return what the latest invoices add to the expected price (``drift.drift``)."""

    @abstractmethod
    def keep(self, environment: Environment, rows: Iterable[LearnedRow], *, at: datetime) -> None:
        """Keep invoices; none of them has the fingerprint of a kept one.

        They are taken one by one while they are written: what gives them must not ask the database anything meanwhile.

        Raises:
            Conflict: a record that one of them names is gone.
        """

    @abstractmethod
    def add_to_cells(self, environment: Environment, changes: Sequence[CellSum]) -> None:
        """Add to cells; one that is not there counts as zeros."""

    @abstractmethod
    def add_to_sums(self, environment: Environment, changes: Sequence[SumMoved]) -> None:
        """Add to the sums of invoices; one that is not there counts as zeros."""

    @abstractmethod
    def keep_tallies(
        self, environment: Environment, tallies: Iterable[tuple[int, int, Tally]], *, alpha_step: int
    ) -> None:
        """Keep generations of errors (problem, generation, counts), and move alpha."""

    @abstractmethod
    def most_parts(self, environment: Environment) -> int:
        """Count the parts of the invoice that has the most."""

    @abstractmethod
    def exported(self, environment: Environment, *, after: int, limit: int) -> Sequence[ExportedTransaction]:
        """List the kept invoices behind one, by id."""


class ImportWork(PredictionsWork, Protocol):
    """The part of a unit of work that taking invoices over needs."""

    @property
    @abstractmethod
    def imports(self) -> ImportJournal:
        """How far files are taken over."""

    @property
    @abstractmethod
    def batches(self) -> Batches:
        """The invoices, many at a time."""


BeginImport: TypeAlias = Callable[[], AbstractContextManager[ImportWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
