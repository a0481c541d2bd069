"""Ports for the catalog."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.catalog.model import CatalogEntry, Engine, Make, ModelEngines, Span
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.imports import ImportJournal


class VinModels(Protocol):
    """The models of a make with their trims and engines, according to VIN patterns."""

    def models(self, make: str) -> Mapping[str, Sequence[Span]]:
        """Return the model years of each model of a make, by the name that the source uses.

        Motorcycles, buses, trailers, known heavy trucks and incomplete vehicles are left out. The result is empty for
        an unknown make. Thread-safe.
        """

    def trims(self, make: str, model: str, year: int) -> Sequence[str]:
        """List the trims of a model in a year as the source writes them, sometimes several in one string.

        The model's name may be the one in common use ("Silverado 1500"). The list is empty if none is known.
        Thread-safe.
        """

    def engines(self, make: str, model: str, year: int) -> Sequence[Engine]:
        """List the engines of a model in a year, smallest first; the list is empty if none is known.

        The model's name may be the one in common use. Thread-safe.
        """


class VinData(Protocol):
    """The installed VIN data, and the catalog that is built from it."""

    def month(self) -> str:
        """Return the month of the data, such as "2026-10"."""

    def catalog_month(self) -> str:
        """Return the month of the data that the newest catalog was built from."""

    def build(self, *, latest: int) -> int:
        """Build a catalog up to a model year, replace the earlier one, and return the number of models in the new one.

        Raises:
            Unavailable: the new catalog cannot be written; the earlier one stays in place.
        """


class EngineTable(Protocol):
    """The shipped table of engines."""

    def list_for_make(self, make: str) -> Sequence[ModelEngines]:
        """List the models of a make with their engines; the list is empty for a make that is not in the table.

        Thread-safe.
        """


class CatalogEntries(Protocol):
    """The imported entries."""

    def list_makes(self, year: int | None = None) -> Sequence[str]:
        """List the makes with an entry for a year, or for any year; unordered, each once."""

    def list_models(self, make: str, year: int | None = None) -> Sequence[str]:
        """List the listed names of a make's models with an entry for a year, or for any year; unordered, each once."""

    def list_for_model(self, *, make: str, model: str, year: int) -> Sequence[CatalogEntry]:
        """List the entries with this listed or published model name, regardless of case and punctuation."""

    def add(self, entries: Sequence[CatalogEntry]) -> int:
        """Store entries, and return the number of new ones; those already stored are left unchanged."""

    def list_after(self, last: CatalogEntry | None, *, limit: int) -> Sequence[CatalogEntry]:
        """List up to ``limit`` entries after ``last``, or the first ones if None; pages contain each entry once."""

    def count(self) -> int:
        """Return the number of entries."""


class CatalogWork(Protocol):
    """The part of a unit of work that the catalog needs."""

    @property
    def catalog(self) -> CatalogEntries:
        """Return the imported entries."""

    @property
    def imports(self) -> ImportJournal:
        """Return the progress of file imports."""

    @property
    def audit(self) -> AuditLog:
        """Return the audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[CatalogWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""

Makes: TypeAlias = Mapping[str, Make]
"""The listed makes, by the keys of their names and other spellings."""
