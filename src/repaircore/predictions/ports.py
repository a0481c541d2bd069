"""What predictions need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias
from uuid import UUID

from repaircore.kernel.callers import Environment
from repaircore.predictions.model import Answer, CachedAnswer, Figures, Question

if TYPE_CHECKING:  # what a remembered prediction has no use for
    from repaircore.book.model import Problem
    from repaircore.book.ports import Problems
    from repaircore.facilities.ports import FacilityRecords
    from repaircore.kernel.audit import AuditLog
    from repaircore.kernel.paging import Page
    from repaircore.predictions.model import HistoryEntry, PastPrediction, PastPredictionRecord
    from repaircore.predictions.ratings import Feedback, Rating
    from repaircore.predictions.track_record import AnsweredPrediction, Tracks
    from repaircore.pricing.model import History, Opinion, PriceQuestion
    from repaircore.pricing.places import PlaceCells
    from repaircore.pricing.priors import PriorFit, PriorStanding, Repaired
    from repaircore.pricing.variances import Variances
    from repaircore.transactions.evidence import Cell, CellKey, Grain, Lineage, Place
    from repaircore.transactions.ports import Lessons, TransactionRecords, TransactionSums
    from repaircore.vehicle_facts.model import Factors, VehicleSpecs
    from repaircore.vehicles.ports import VehicleRecords


FactorsOf: TypeAlias = "Callable[[VehicleSpecs], Factors]"
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


class PredictionCache(Protocol):
    """Remembered predictions as every request asks for them: one read, no transaction."""

    @abstractmethod
    def problem_id(self, identifier: str) -> int | None:
        """Give the id of the repair with this id (written out) or slug, or None."""

    @abstractmethod
    def recall(self, question: Question, *, owner_id: int, now: datetime) -> CachedAnswer | None:
        """Give what is remembered of a question, or None when nothing is (any more).

        The same answer under the same price adjustment commonly has the very same ``adjusted`` object, so
        that what was made of it once can be found again.
        """


class ComputeClaims(Protocol):
    """Who is computing the answer to a question, across all workers."""

    @abstractmethod
    def take(self, question: Question, *, now: datetime, seconds: float) -> str | None:
        """Claim a question; give what ``release`` takes, or None when somebody alive has it.

        A claim ends with ``release``, with the death of the process that holds it (seen at once on the
        same machine), and after so many seconds. One that was taken more than so many seconds from now, by
        a clock that is ahead, is none.
        """

    @abstractmethod
    def release(self, question: Question, owner: str) -> None:
        """Give the question back; somebody else's claim is left alone."""


class PredictionRecords(Protocol):
    """The kept answers and the sessions over them."""

    @abstractmethod
    def remember(self, question: Question, answer: Answer) -> Answer:
        """Keep an answer in the place of one that has expired, and give the kept one.

        That is the earlier one when there is one that has not: of two who answer a question at once, the
        first one's answer is both's. A few expired answers to other questions are forgotten on the way.
        """

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
        """Keep a session over an answer; give its id, or the one that the owner had already.

        Raises:
            Conflict: the vehicle that it is about is gone.
        """

    @abstractmethod
    def forget(self, remembered_id: UUID) -> None:
        """Remember an answer no longer; sessions over it stay. One that is not remembered is fine."""


class PastPredictionRecords(Protocol):
    """Everything that was ever asked, an environment at a time; ``owner_id`` None are everybody's."""

    @abstractmethod
    def page(
        self, *, environment: Environment, owner_id: int | None, number: int, per_page: int
    ) -> "Page[HistoryEntry]":
        """List a page, newest first; one beyond the last is empty. A deep page costs little more than the first."""

    @abstractmethod
    def red_flags(
        self, *, environment: Environment, owner_id: int | None, limit: int
    ) -> "Sequence[HistoryEntry]":
        """List the newest that have a red flag, newest first."""

    @abstractmethod
    def by_session(
        self, session_id: UUID, *, environment: Environment, owner_id: int | None
    ) -> "PastPrediction | None":
        """Give the prediction of a session, or None; those of others are not seen."""

    @abstractmethod
    def asked(
        self, session_id: UUID, *, environment: Environment, owner_id: int | None
    ) -> "PastPredictionRecord | None":
        """Give everything that is kept of the prediction of a session, or None; those of others are not seen."""

    @abstractmethod
    def entry(self, prediction_id: int) -> "HistoryEntry":
        """Give a prediction that another record refers to."""

    @abstractmethod
    def link_email(self, session_id: UUID, email: str) -> None:
        """Keep an e-mail with a prediction, in the place of an earlier one."""

    @abstractmethod
    def answered(self, environment: Environment, *, limit: int) -> "Sequence[AnsweredPrediction]":
        """List the predictions that the newest invoices name, the invoice that was entered first leading."""


class TrackRecords(Protocol):
    """How the models did on predictions that an invoice answered."""

    @abstractmethod
    def get(self, environment: Environment) -> "Tracks":
        """Give what was kept last; untried models before anything was."""

    @abstractmethod
    def keep(self, environment: Environment, tracks: "Tracks") -> None:
        """Keep it in the place of what was kept."""


class RatingRecords(Protocol):
    """What users said of predictions."""

    @abstractmethod
    def add(
        self, prediction_id: int, *, user_id: int, rating: "Rating", comment: str | None, at: datetime
    ) -> "Feedback":
        """Keep a submission, and move the opinions of the prediction's repair by ``opinion_change``.

        Exact also when the same user submits twice at the same moment.
        """

    @abstractmethod
    def counts(self, prediction_id: int) -> tuple[int, int]:
        """Count the good and the wrong submissions."""

    @abstractmethod
    def latest(self, prediction_id: int, *, limit: int) -> "Sequence[Feedback]":
        """List the newest submissions, newest first."""


class Evidence(Protocol):
    """What the history says, a handful of rows read by their keys."""

    @abstractmethod
    def history(self, environment: Environment, problem: "Problem", lineage: "Lineage") -> "History":
        """Give everything that the past says of a repair on a vehicle."""

    @abstractmethod
    def variances(self, environment: Environment, problem_id: int, *, spread: float) -> "Variances":
        """Return what the last refit found: of a repair without invoices what it found of all, of none what the book's ``spread`` tells."""

    @abstractmethod
    def place(self, environment: Environment, place: "Place", shops: Sequence[int]) -> "PlaceCells":
        """Return the cells of a place; those of several ``shops`` (at one spot) are joined."""


class Fits(Protocol):
    """What refits found, an environment at a time."""

    @abstractmethod
    def cells(self, environment: Environment) -> "Iterable[tuple[CellKey, Cell]]":
        """Return the price cells of every problem."""

    @abstractmethod
    def variances(self, environment: Environment) -> "Mapping[int, Variances]":
        """Give what the last refit found of each problem."""

    @abstractmethod
    def set(self, environment: Environment, problem_id: int, found: "Variances | None") -> None:
        """Set a problem's variances (those of all with ``EVERY_PROBLEM``), and move its part of the shared cells to its center.

        Exact whatever is learned meanwhile; others who learn wait until the unit of work ends.
        """

    @abstractmethod
    def fitted(self, environment: Environment) -> int:
        """Return how many invoices had been learned from at the last refit."""

    @abstractmethod
    def invoices(self, environment: Environment) -> int:
        """Return how many invoices have been learned from."""

    @abstractmethod
    def mark(self, environment: Environment, invoices: int) -> None:
        """Note how many invoices a refit rests on."""


class PriorRecords(Protocol):
    """What was taken over from another installation, and what this one may give away, an environment at a time."""

    @abstractmethod
    def replace(
        self,
        environment: Environment,
        fits: "Mapping[int, Variances]",
        cells: "Mapping[CellKey, Cell]",
        *,
        weight: int,
    ) -> None:
        """Keep a prior in the place of the one that was kept; without ``fits`` there is none any more.

        Others who learn wait until the unit of work ends.
        """

    @abstractmethod
    def standing(self, environment: Environment) -> "PriorStanding | None":
        """Return what is kept, None without a prior."""

    @abstractmethod
    def weight(self, environment: Environment) -> int:
        """Return how many invoices a cell counts as at most; 0 without a prior."""

    @abstractmethod
    def centers(self, environment: Environment) -> "Mapping[int, Grain]":
        """Return what the shared cells are relative to, by problem (``Variances.center``)."""

    @abstractmethod
    def fits(self, environment: Environment) -> "Mapping[int, PriorFit]":
        """Return what the other installation found, by problem; nothing without a prior."""

    @abstractmethod
    def learned(self, environment: Environment) -> "Iterable[tuple[CellKey, Cell]]":
        """Return the cells of this installation's own invoices, but those of a month, a ZIP code area or a shop."""

    @abstractmethod
    def drifts(self, environment: Environment) -> tuple[float, float]:
        """Return what the latest invoices add to expected prices and to labor rates (ln)."""

    @abstractmethod
    def repaired(self, environment: Environment) -> "Iterable[Repaired]":
        """Return each invoice that taught something; those of one car follow one another."""


class Adjustment(Protocol):
    """The operator's price adjustment, in percent."""

    @abstractmethod
    def get(self) -> float:
        """Give the percentage in force (0 before it was ever set)."""

    @abstractmethod
    def set(self, percent: float) -> float:
        """Change it, and give the one that was in force; every worker answers by it from its next request on."""


class PredictionsWork(Protocol):
    """The part of a unit of work that estimates need: those of the slices that they rest on, and theirs."""

    @property
    @abstractmethod
    def predictions(self) -> PredictionRecords:
        """The kept answers."""

    @property
    @abstractmethod
    def past_predictions(self) -> PastPredictionRecords:
        """Everything that was ever asked."""

    @property
    @abstractmethod
    def track_records(self) -> TrackRecords:
        """How the models did."""

    @property
    @abstractmethod
    def ratings(self) -> RatingRecords:
        """What users said of it."""

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
    def transaction_sums(self) -> "TransactionSums":
        """What the invoices of each month come to."""

    @property
    @abstractmethod
    def lessons(self) -> "Lessons":
        """The sums that they add up to."""

    @property
    @abstractmethod
    def facilities(self) -> "FacilityRecords":
        """The kept shops."""

    @property
    @abstractmethod
    def fits(self) -> Fits:
        """What refits found."""

    @property
    @abstractmethod
    def priors(self) -> PriorRecords:
        """What was taken over from another installation."""

    @property
    @abstractmethod
    def adjustment(self) -> Adjustment:
        """The operator's price adjustment."""

    @property
    @abstractmethod
    def audit(self) -> "AuditLog":
        """What was changed by whom."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PredictionsWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
