"""Ports of diagnoses: cases, word models, prices, and the language model that interprets texts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias

from repaircore.book.ports import Problems
from repaircore.diagnosis.cases import Case, ConfirmedBy, InvoicedRepair
from repaircore.diagnosis.interpretation import Interpretation
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import PriceRange
from repaircore.vehicle_facts.model import VehicleSpecs


class CaseRecords(Protocol):
    """The cases of diagnoses."""

    def add(self, case: Case) -> bool:
        """Add a case; return False if its reference is taken."""

    def find(self, reference: str) -> Case | None:
        """Return the case with a reference, or None."""

    def confirm(self, reference: str, repair: str, by: ConfirmedBy, at: datetime) -> bool:
        """Set the actual repair of a case, and return whether it was set.

        It is not set when the case is gone, or when an invoice would replace a known repair.
        """

    def list_confirmed(self, environment: Environment, *, limit: int | None = None) -> Sequence[Case]:
        """List the confirmed cases, newest first: the newest ``limit``, or all."""

    def list_unconfirmed(self, environment: Environment, *, since: datetime) -> Sequence[Case]:
        """List the unconfirmed cases of known cars since a time, oldest first."""

    def list_invoiced(self, case: Case, *, within: timedelta) -> Sequence[InvoicedRepair]:
        """List the repairs on invoices for the case's car that are dated ``within`` this time after the case, oldest first."""

    def count(self, environment: Environment) -> int:
        """Return the number of cases."""

    def delete(self, reference: str) -> None:
        """Delete the case with a reference, if there is one."""

    def delete_unconfirmed(self, *, before: datetime) -> int:
        """Delete the unconfirmed cases from before a time, and return their number."""


class WordModels(Protocol):
    """The word model that the installation has learned."""

    def edition(self) -> str:
        """Return the identifier of the model; "" when none was learned."""

    def text(self) -> str:
        """Return the model in the format of ``weights_text``; "" when none was learned."""

    def replace(self, text: str) -> None:
        """Replace the model; "" deletes it. The edition changes if and only if the text does."""


class DiagnosesWork(Protocol):
    """The part of a unit of work that a diagnosis needs."""

    @property
    def problems(self) -> Problems:
        """Return the categories and repairs."""

    @property
    def cases(self) -> CaseRecords:
        """Return the cases of diagnoses."""

    @property
    def word_models(self) -> WordModels:
        """Return the word model that the installation has learned."""


class CasesWork(DiagnosesWork, Protocol):
    """The part of a unit of work that outcomes need."""

    @property
    def audit(self) -> AuditLog:
        """Return the audit log."""


OpenCasesWork: TypeAlias = Callable[[], AbstractContextManager[CasesWork]]


OpenDiagnosesWork: TypeAlias = Callable[[], AbstractContextManager[DiagnosesWork]]

PricesOf: TypeAlias = Callable[
    [Environment, str, VehicleSpecs | None, Iterable[int]], Mapping[int, PriceRange]
]
"""Return the prices of some existing repairs, by their ids, at a ZIP code that is in use.

Without a vehicle they are those of a typical one.
"""


class Interpreter(Protocol):
    """A language model that reads texts and words questions. It decides nothing."""

    def read(self, text: str, *, symptoms: Mapping[str, str], seconds: float) -> Interpretation:
        """Return the symptoms (names by slug) and trouble codes in a text.

        The result is unchecked: the text may talk a model into anything.

        Raises:
            Unavailable: with a short reason. No other exception is raised, and none later than ``seconds`` plus a
                small grace.
        """

    def word(self, symptom: str, *, seconds: float) -> str:
        """Return one plain sentence, ending with a question mark, that asks whether a symptom (its name) is present.

        No text of a user is sent to the model. The same symptom usually has the same sentence.

        Raises:
            Unavailable: as for ``read``.
        """
