"""What diagnostics need from outside."""

from abc import abstractmethod
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

    @abstractmethod
    def add(self, case: Case) -> bool:
        """Add a case, and return whether it was: not when its reference is taken."""

    @abstractmethod
    def find(self, reference: str) -> Case | None:
        """Return the case with a reference, or None."""

    @abstractmethod
    def confirm(self, reference: str, repair: str, by: ConfirmedBy, at: datetime) -> bool:
        """Set which repair it was, and return whether it was set.

        It is not when the case is gone, nor when an invoice would replace what is known already.
        """

    @abstractmethod
    def list_confirmed(self, environment: Environment, *, limit: int | None = None) -> Sequence[Case]:
        """List the cases whose repair is known, newest first: the newest ``limit``, or all."""

    @abstractmethod
    def list_unconfirmed(self, environment: Environment, *, since: datetime) -> Sequence[Case]:
        """List the cases of known cars since a time whose repair is not known, oldest first."""

    @abstractmethod
    def list_invoiced(self, case: Case, *, within: timedelta) -> Sequence[InvoicedRepair]:
        """List the repairs on invoices for the case's car that are dated so long after the case at most, oldest first."""

    @abstractmethod
    def count(self, environment: Environment) -> int:
        """Return how many cases there are."""

    @abstractmethod
    def delete(self, reference: str) -> None:
        """Delete the case with a reference, if there is one."""

    @abstractmethod
    def delete_unconfirmed(self, *, before: datetime) -> int:
        """Delete the cases from before a time whose repair is not known, and return how many there were."""


class WordModels(Protocol):
    """The word model that the installation has learned."""

    @abstractmethod
    def edition(self) -> str:
        """Return what names the model; "" when none was learned."""

    @abstractmethod
    def text(self) -> str:
        """Return the model as ``weights_text`` writes it; "" when none was learned."""

    @abstractmethod
    def replace(self, text: str) -> None:
        """Set the model; "" deletes it. The edition changes with the text and not otherwise."""


class DiagnosesWork(Protocol):
    """The part of a unit of work that a diagnosis needs."""

    @property
    @abstractmethod
    def problems(self) -> Problems:
        """The kept categories and repairs."""

    @property
    @abstractmethod
    def cases(self) -> CaseRecords:
        """The cases of diagnoses."""

    @property
    @abstractmethod
    def word_models(self) -> WordModels:
        """The word model that the installation has learned."""


class CasesWork(DiagnosesWork, Protocol):
    """The part of a unit of work that outcomes need."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


OpenCasesWork: TypeAlias = Callable[[], AbstractContextManager[CasesWork]]


OpenDiagnosesWork: TypeAlias = Callable[[], AbstractContextManager[DiagnosesWork]]

PricesOf: TypeAlias = Callable[
    [Environment, str, VehicleSpecs | None, Iterable[int]], Mapping[int, PriceRange]
]
"""Say what some repairs, by their ids, will cost in the place of a ZIP code that is in use.

No vehicle is a typical one. The repairs exist.
"""


class Interpreter(Protocol):
    """A language model that reads what people write, and words questions. It decides nothing."""

    @abstractmethod
    def read(self, text: str, *, symptoms: Mapping[str, str], seconds: float) -> Interpretation:
        """Say which symptoms (names by slug) and trouble codes a text speaks of.

        Nothing in the answer is checked: the text may talk a model into anything.

        Raises:
            Unavailable: with a short reason; nothing else is ever raised, and never later than ``seconds``
                plus a small grace.
        """

    @abstractmethod
    def word(self, symptom: str, *, seconds: float) -> str:
        """Ask in one plain sentence, which ends with a question mark, whether a symptom (its name) is there.

        Nothing that a user wrote is told to the model. The same symptom commonly has the same sentence.

        Raises:
            Unavailable: as for ``read``.
        """
