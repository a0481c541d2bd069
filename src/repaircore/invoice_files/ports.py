"""Ports for invoice files: sources, decisions, waiting lines, and imports."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.invoice_files.model import WaitingLine, WaitingText
from repaircore.kernel.callers import Environment
from repaircore.kernel.imports import ImportRecord
from repaircore.learning.ports import ImportWork
from repaircore.shop_tables.model import Field


class InvoiceFileRecords(Protocol):
    """What is stored about invoice files and their sources."""

    def columns_of(self, source: str) -> Mapping[Field, str]:
        """Return a source's column names by field; an unknown source has none."""

    def save_columns(self, source: str, columns: Mapping[Field, str], *, at: datetime) -> None:
        """Save a source's columns, replacing the earlier ones."""

    def decisions(self, environment: Environment, source: str) -> Mapping[str, int | None]:
        """Return the id of the repair that was chosen for each of a source's text keys; None means no repair."""

    def decide(
        self, environment: Environment, source: str, text_key: str, problem_id: int | None, *, at: datetime
    ) -> None:
        """Save which repair (or None) a source's text key stands for, replacing an earlier decision."""

    def add_lines(self, lines: Sequence[WaitingLine]) -> int:
        """Add lines that await a decision; return how many were not waiting already."""

    def list_sources(self) -> Sequence[str]:
        """List the sources whose columns are known, by name."""

    def list_waiting(self, environment: Environment, *, limit: int, start: int = 0) -> Sequence[WaitingText]:
        """List the waiting lines, grouped by text, the largest groups first, skipping the first ``start`` groups."""

    def count_waiting(self, environment: Environment) -> int:
        """Return how many lines await a decision."""

    def count_lines(self, import_id: int) -> int:
        """Return how many lines of an import await a decision."""

    def sources_waiting(self, environment: Environment, text_key: str) -> Sequence[str]:
        """List the sources that have waiting lines with a text key."""

    def lines_of(
        self, environment: Environment, source: str, text_key: str, *, after: int, limit: int
    ) -> Sequence[tuple[int, WaitingLine]]:
        """List the next waiting lines with a text key, starting after an id; each comes with its id, in order of id."""

    def remove_lines(self, ids: Sequence[int]) -> None:
        """Delete waiting lines."""

    def find_import(self, import_id: int) -> ImportRecord | None:
        """Return an invoice import, or None if it does not exist."""

    def list_imports(self, environment: Environment, *, limit: int) -> Sequence[ImportRecord]:
        """List the invoice imports, newest first."""

    def transactions_of(self, import_id: int, *, after: int, limit: int) -> Sequence[int]:
        """List the ids of an import's next transactions, in order, starting after an id."""

    def remove_import(self, import_id: int) -> int:
        """Delete an import and its waiting lines; return how many lines were waiting."""


class InvoiceFileWork(ImportWork, Protocol):
    """The part of a unit of work that invoice files need."""

    @property
    def invoice_files(self) -> InvoiceFileRecords:
        """The stored sources, decisions, waiting lines and imports."""


BeginInvoiceFiles: TypeAlias = Callable[[], AbstractContextManager[InvoiceFileWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
