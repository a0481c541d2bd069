"""Ports for diagnoses: cases, word models, prices, and the language model that interprets complaints."""

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
    """The stored diagnosis cases."""

    def add(self, case: Case) -> bool:
        """Add a case; return False if its reference is already taken."""

    def find(self, reference: str) -> Case | None:
        """Return the case with a reference, or None if there is none."""

    def confirm(self, reference: str, repair: str, by: ConfirmedBy, at: datetime) -> bool:
        """Set the actual repair of a case, and return whether it was set.

        It is not set if the case is gone, or if an invoice would replace a known repair.
        """

    def list_confirmed(self, environment: Environment, *, limit: int | None = None) -> Sequence[Case]:
        """List the newest ``limit`` confirmed cases, or all of them, newest first."""

    def list_unconfirmed(self, environment: Environment, *, since: datetime) -> Sequence[Case]:
        """List the unconfirmed cases with a known car since a time, oldest first."""

    def list_invoiced(self, case: Case, *, within: timedelta) -> Sequence[InvoicedRepair]:
        """List the repairs on invoices for the case's car, dated at most ``within`` after the case, oldest first."""

    def count(self, environment: Environment) -> int:
        """Return the number of cases in an environment."""

    def delete(self, reference: str) -> None:
        """Delete the case with a reference, if there is one."""

    def delete_unconfirmed(self, *, before: datetime) -> int:
        """Delete the unconfirmed cases from before a time, and return their number."""


class WordModels(Protocol):
    """The word model that the installation has learned."""

    def edition(self) -> str:
        """Return the identifier of the model, or "" if none has been learned."""

    def text(self) -> str:
        """Return the model in the format of ``weights_text``, or "" if none has been learned."""

    def replace(self, text: str) -> None:
        """Replace the model; "" deletes it. The edition changes if and only if the text does."""


class DiagnosesWork(Protocol):
    """The part of a unit of work that a diagnosis needs."""

    @property
    def problems(self) -> Problems:
        """Return the categories and repairs."""

    @property
    def cases(self) -> CaseRecords:
        """Return the diagnosis cases."""

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
"""Return the prices of existing repairs, by their ids, in a ZIP code that is in use.

Without a vehicle, they are the prices for a typical one.
"""


class Interpreter(Protocol):
    """A language model that reads complaints and phrases questions. It decides nothing."""

    def read(self, text: str, *, symptoms: Mapping[str, str], seconds: float) -> Interpretation:
        """Return which of the ``symptoms`` (names by slug), and which trouble codes, ``text`` mentions.

        The result is unchecked: the text may talk the model into anything.

        Raises:
            Unavailable: the model is not responding, or its response is invalid. No other exception is raised. The call
                ends within ``seconds`` plus a small grace period.
        """

    def word(self, symptom: str, *, seconds: float) -> str:
        """Return one plain sentence, ending with a question mark, that asks whether a symptom (its name) is present.

        Nothing that a user wrote is sent to the model. The same symptom usually gets the same sentence.

        Raises:
            Unavailable: the model is not responding, or its response is invalid. No other exception is raised.
        """
