"""What predictions need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias
from uuid import UUID

from repaircore.estimates.prediction import Figures, Question, Remembered
from repaircore.kernel.callers import Environment

if TYPE_CHECKING:  # what a remembered prediction has no use for
    from repaircore.estimates.model import History, Opinion, PriceQuestion
    from repaircore.estimates.variances import Variances
    from repaircore.facilities.ports import Facilities
    from repaircore.problems.model import Problem
    from repaircore.problems.ports import Problems
    from repaircore.transactions.evidence import Lineage
    from repaircore.transactions.ports import Lessons, TransactionRecords
    from repaircore.vehicles.model import Decoded, Factors
    from repaircore.vehicles.ports import VehicleRecords

__all__ = [
    "Adjustment",
    "Begin",
    "Claims",
    "EstimatesWork",
    "Evidence",
    "FactorsOf",
    "Memory",
    "ModelPanel",
    "Predictions",
    "PriceModel",
    "Wait",
]

FactorsOf: TypeAlias = "Callable[[Decoded], Factors]"
"""Say what a vehicle's hours and parts cost relative to a mid-size mainstream car."""

Wait: TypeAlias = Callable[[float], None]
"""Let so many seconds pass."""


class PriceModel(Protocol):
    """An outside (or embedded) model that puts a price on a repair."""

    @property
    @abstractmethod
    def source(self) -> str:
        """Name the kind of model: ``offline``, ``openai``, ``anthropic``."""

    @abstractmethod
    def price(self, question: "PriceQuestion", *, seconds: float) -> int:
        """Give the average total price in cents, within ``seconds`` from now in all.

        The figure is finite, positive and within ``PLAUSIBLE`` of the book's range; whatever else the
        model says is a failure.

        Raises:
            Unavailable: with a short reason fit to be shown (``timed out``, ``not a number``); nothing
                else is ever raised, and never later than ``seconds`` plus a small grace.
        """


class ModelPanel(Protocol):
    """Both models, asked at the same time."""

    @abstractmethod
    def ask(self, question: "PriceQuestion", *, offline: bool, seconds: float) -> "Sequence[Opinion]":
        """Ask model A and model B in parallel and give their opinions, always two, A first.

        Never raises and never takes longer than ``seconds``: a model that fails or is late has an
        opinion without a figure, with its reason. ``offline`` asks the two offline
        models instead of the configured ones (test environment).
        """


class Memory(Protocol):
    """Remembered predictions as every request asks for them: one read, no transaction."""

    @abstractmethod
    def problem_id(self, identifier: str) -> int | None:
        """Give the id of the repair with this id (written out) or slug, or None."""

    @abstractmethod
    def recall(self, question: Question, *, owner_id: int, now: datetime) -> Remembered | None:
        """Give what is remembered of a question, or None when nothing is (any more).

        The same answer under the same price adjustment commonly has the very same ``adjusted`` object, so
        that what was made of it once can be found again.
        """


class Claims(Protocol):
    """Who is computing the answer to a question, across all workers."""

    @abstractmethod
    def take(self, question: Question, *, now: datetime, seconds: float) -> str | None:
        """Claim a question; give what ``release`` takes, or None when somebody alive has it.

        A claim ends with ``release``, with the death of the process that holds it (seen at once on the
        same machine), and after so many seconds.
        """

    @abstractmethod
    def release(self, question: Question, owner: str) -> None:
        """Give the question back; somebody else's claim is left alone."""


class Predictions(Protocol):
    """The kept answers and the sessions over them."""

    @abstractmethod
    def remember(
        self,
        remembered_id: UUID,
        question: Question,
        figures: Figures,
        *,
        computed_at: datetime,
        expires_at: datetime,
    ) -> None:
        """Keep an answer in the place of whatever was kept for the question."""

    @abstractmethod
    def add(
        self,
        *,
        session_id: UUID,
        remembered_id: UUID,
        question: Question,
        figures: Figures,
        owner_id: int,
        vin: str | None,
        mileage: int | None,
        at: datetime,
    ) -> UUID:
        """Keep a session over an answer; give its id, or the one that the owner had already."""


class Evidence(Protocol):
    """What the history says, a handful of rows read by their keys."""

    @abstractmethod
    def history(self, environment: Environment, problem: "Problem", lineage: "Lineage") -> "History":
        """Give everything that the past says of a repair on a vehicle."""

    @abstractmethod
    def variances(self, environment: Environment, problem_id: int) -> "Variances | None":
        """Give what the last refit found, or None before the first."""


class Adjustment(Protocol):
    """The operator's price adjustment, in percent."""

    @abstractmethod
    def get(self) -> float:
        """Give the percentage in force (0 before it was ever set)."""

    @abstractmethod
    def set(self, percent: float) -> None:
        """Change it; every worker answers by it from its next request on."""


class EstimatesWork(Protocol):
    """The part of a unit of work that estimates need: those of the slices that they rest on, and theirs."""

    @property
    @abstractmethod
    def predictions(self) -> Predictions:
        """The kept answers."""

    @property
    @abstractmethod
    def evidence(self) -> Evidence:
        """What the history says."""

    @property
    @abstractmethod
    def problems(self) -> "Problems":
        """The kept repair book."""

    @property
    @abstractmethod
    def vehicles(self) -> "VehicleRecords":
        """The kept vehicles."""

    @property
    @abstractmethod
    def transactions(self) -> "TransactionRecords":
        """The kept invoices."""

    @property
    @abstractmethod
    def lessons(self) -> "Lessons":
        """The sums that they add up to."""

    @property
    @abstractmethod
    def facilities(self) -> "Facilities":
        """The kept shops."""

    @property
    @abstractmethod
    def adjustment(self) -> Adjustment:
        """The operator's price adjustment."""


Begin: TypeAlias = Callable[[], AbstractContextManager[EstimatesWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
