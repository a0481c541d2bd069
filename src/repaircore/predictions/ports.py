"""Ports for predictions: price models, the cache, and the records that predictions rest on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias
from uuid import UUID

from repaircore.kernel.callers import Environment
from repaircore.predictions.model import Answer, CachedAnswer, Figures, Question

if TYPE_CHECKING:  # a cached prediction needs none of these
    from repaircore.book.model import Problem
    from repaircore.book.ports import Problems
    from repaircore.facilities.ports import FacilityRecords
    from repaircore.kernel.audit import AuditLog
    from repaircore.kernel.paging import Page, PageRequest
    from repaircore.predictions.past_predictions import (
        Feedback,
        HistoryEntry,
        HistoryFilter,
        PastPrediction,
        PastPredictionRecord,
        Rating,
    )
    from repaircore.predictions.track_record import AnsweredPrediction, Tracks
    from repaircore.pricing.model import Opinion, PriceQuestion
    from repaircore.pricing.places import PlaceCells
    from repaircore.pricing.priors import PriorFit, PriorStanding, Repaired
    from repaircore.pricing.variances import Variances
    from repaircore.transactions.evidence import Cell, CellKey, Grain, History, Lineage, Place
    from repaircore.transactions.ports import Lessons, TransactionRecords, TransactionSums
    from repaircore.vehicle_facts.model import Factors, VehicleSpecs
    from repaircore.vehicles.ports import VehicleRecords


FactorsOf: TypeAlias = "Callable[[VehicleSpecs], Factors]"
"""Return the cost of a vehicle's hours and parts relative to a mid-size mainstream car."""

Wait: TypeAlias = Callable[[float], None]
"""Wait for a number of seconds."""


class PriceModel(Protocol):
    """An external or embedded model that prices a repair."""

    @property
    def source(self) -> str:
        """Return the kind of model: ``offline``, ``openai`` or ``anthropic``."""

    def price(self, question: "PriceQuestion", *, seconds: float) -> int:
        """Return the average total price in cents, within ``seconds`` in total.

        The figure is finite, positive and within ``PLAUSIBLE`` of the book's range; any other answer from
        the model is a failure.

        Raises:
            Unavailable: the model gave no such figure; the message is a short reason that users may read
                (``timed out``, ``not a number``). Nothing else is ever raised, and never long after ``seconds``.
        """


class ModelPanel(Protocol):
    """Both models, called at the same time."""

    def ask(self, question: "PriceQuestion", *, offline: bool, seconds: float) -> "Sequence[Opinion]":
        """Ask model A and model B in parallel, and return their opinions: always two, A first.

        This never raises and never takes longer than ``seconds``: the opinion of a model that fails or is late has a
        reason instead of a figure. ``offline`` asks the two offline models instead of the configured ones,
        as in the test environment.
        """


class PredictionCache(Protocol):
    """Cached answers, which every request reads in one statement, without a transaction."""

    def find_problem_id(self, identifier: str) -> int | None:
        """Return the id of the repair with this id (as a string) or slug, or None if there is none."""

    def find(self, question: Question, *, owner_id: int, now: datetime) -> CachedAnswer | None:
        """Return the cached answer to a question, or None if it is missing or has expired.

        The same answer under the same price adjustment usually has the identical ``adjusted`` object, so that values
        derived from it can be cached.
        """


class ComputeClaims(Protocol):
    """Claims on questions: only one caller computes an answer, across all workers."""

    def acquire(self, question: Question, *, now: datetime, seconds: float) -> str | None:
        """Claim a question; return the owner to pass to ``release``, or None while a live process holds the claim.

        A claim ends when it is released, when the process that holds it dies (noticed at once on the same machine), or
        after ``seconds``. A claim dated more than ``seconds`` in the future, by a clock that is ahead, is ignored.
        """

    def release(self, question: Question, owner: str) -> None:
        """Release a claim; another owner's claim is left alone."""


class PredictionRecords(Protocol):
    """The cached answers and their sessions."""

    def store(self, question: Question, answer: Answer) -> Answer:
        """Store an answer in place of an expired one, and return the stored one.

        An earlier answer that has not expired is kept and returned, so concurrent callers get the same one. A few
        expired answers to other questions are deleted along the way.
        """

    def add_session(
        self,
        *,
        session_id: UUID,
        answer_id: UUID,
        question: Question,
        figures: Figures,
        owner_id: int,
        vin: str | None,
        mileage: int | None,
        at: datetime,
    ) -> UUID:
        """Add a session for an answer and return its id, or return the id of the owner's existing session.

        Raises:
            Conflict: the vehicle no longer exists.
        """

    def delete(self, answer_id: UUID) -> None:
        """Delete a cached answer, if it exists; its sessions stay."""


class PastPredictionRecords(Protocol):
    """All predictions ever made, by environment; an ``owner_id`` of None matches every owner."""

    def page(
        self,
        *,
        environment: Environment,
        owner_id: int | None,
        request: "PageRequest",
        wanted: "HistoryFilter",
    ) -> "Page[HistoryEntry]":
        """List a page of predictions, newest first unless another order is requested; a page past the end is empty.

        A deep page costs little more than the first.

        Raises:
            Invalid: ``page``, ``per_page``, ``sort`` or ``cursor`` is invalid.
        """

    def list_before(
        self,
        before_id: int | None,
        *,
        environment: Environment,
        owner_id: int | None,
        wanted: "HistoryFilter",
        limit: int,
    ) -> "Sequence[HistoryEntry]":
        """List predictions with ids below ``before_id``, newest first; None means to start with the newest."""

    def list_red_flags(
        self, *, environment: Environment, owner_id: int | None, limit: int
    ) -> "Sequence[HistoryEntry]":
        """List the newest predictions with a red flag, newest first."""

    def find(
        self, session_id: UUID, *, environment: Environment, owner_id: int | None
    ) -> "PastPrediction | None":
        """Return the prediction of a session, or None; predictions of other owners are not found."""

    def find_record(
        self, session_id: UUID, *, environment: Environment, owner_id: int | None
    ) -> "PastPredictionRecord | None":
        """Return all that is stored about a session's prediction, or None; those of other owners are not found."""

    def get_entry(self, prediction_id: int) -> "HistoryEntry":
        """Return the entry of a prediction that another record refers to."""

    def link_email(self, session_id: UUID, email: str) -> None:
        """Save a customer's e-mail address with a prediction, replacing any earlier one."""

    def list_answered(self, environment: Environment, *, limit: int) -> "Sequence[AnsweredPrediction]":
        """List the predictions linked to the newest invoices, in the order in which the invoices were entered."""


class TrackRecords(Protocol):
    """The track records of models on predictions that were invoiced later."""

    def get(self, environment: Environment) -> "Tracks":
        """Return the latest records, or those of untried models if there are none yet."""

    def save(self, environment: Environment, tracks: "Tracks") -> None:
        """Save the records, replacing any earlier ones."""


class RatingRecords(Protocol):
    """Users' ratings of predictions."""

    def add(
        self, prediction_id: int, *, user_id: int, rating: "Rating", comment: str | None, at: datetime
    ) -> "Feedback":
        """Add a rating, and apply ``opinion_change`` to the counts of the prediction's repair.

        The counts are exact even if a user submits twice at the same moment.
        """

    def count(self, prediction_id: int) -> tuple[int, int]:
        """Return the numbers of good and wrong ratings."""

    def list_latest(self, prediction_id: int, *, limit: int) -> "Sequence[Feedback]":
        """List the newest ratings, newest first."""


class Evidence(Protocol):
    """The price history; each method reads only a handful of rows, by key."""

    def get_history(self, environment: Environment, problem: "Problem", lineage: "Lineage") -> "History":
        """Return a repair's history for the groups of similar vehicles that a vehicle belongs to."""

    def get_variances(self, environment: Environment, problem_id: int, *, spread: float) -> "Variances":
        """Return a repair's variances from the last refit, or else those of all repairs.

        Before any refit, they follow from the book's ``spread``.
        """

    def get_place_cells(self, environment: Environment, place: "Place", shops: Sequence[int]) -> "PlaceCells":
        """Return the cells of a place; those of several ``shops`` at one address are combined."""


class Fits(Protocol):
    """The results of refits, for each environment."""

    def cells(self, environment: Environment) -> "Iterable[tuple[CellKey, Cell]]":
        """Return the price cells of every problem."""

    def variances(self, environment: Environment) -> "Mapping[int, Variances]":
        """Return the variances of each problem from the last refit."""

    def save(self, environment: Environment, fitted: "Mapping[int, Variances | None]") -> None:
        """Save the variances of problems, or delete those that are None; recenter their parts of the shared cells.

        Those of ``EVERY_PROBLEM`` are of problems without a fit. Other units of work that learn wait until this one
        ends.
        """

    def fitted(self, environment: Environment) -> int:
        """Return how many invoices had been learned from at the last refit."""

    def invoices(self, environment: Environment) -> int:
        """Return how many invoices have been learned from."""

    def mark(self, environment: Environment, invoices: int) -> None:
        """Record how many invoices the latest refit rests on."""


class PriorRecords(Protocol):
    """Imported priors, and the cells that may be exported, for each environment."""

    def replace(
        self,
        environment: Environment,
        fits: "Mapping[int, Variances]",
        cells: "Mapping[CellKey, Cell]",
        *,
        weight: int,
    ) -> None:
        """Replace the stored prior, or delete it if ``fits`` is empty.

        Other units of work that learn wait until this one ends.
        """

    def standing(self, environment: Environment) -> "PriorStanding | None":
        """Return the counts of the stored prior, or None if there is none."""

    def weight(self, environment: Environment) -> int:
        """Return the maximum number of invoices that an imported cell may count as, or 0 if there is no prior."""

    def centers(self, environment: Environment) -> "Mapping[int, Grain]":
        """Return the center of the shared cells by problem (``Variances.center``)."""

    def fits(self, environment: Environment) -> "Mapping[int, PriorFit]":
        """Return the other installation's fits by problem; empty if there is no prior."""

    def learned(self, environment: Environment) -> "Iterable[tuple[CellKey, Cell]]":
        """Return the cells of this installation's own invoices, except those of a month, a ZIP code area or a shop."""

    def drifts(self, environment: Environment) -> tuple[float, float]:
        """Return the drifts (ln) of expected prices and of labor rates."""

    def repaired(self, environment: Environment) -> "Iterable[Repaired]":
        """Return the evidence of each invoice that was learned from, grouped by car."""


class Adjustment(Protocol):
    """The operator's price adjustment, in percent."""

    def get(self) -> float:
        """Return the current percentage, or 0 if it was never set."""

    def set(self, percent: float) -> float:
        """Set the percentage, and return the previous one; workers apply it starting with their next request."""


class PredictionsWork(Protocol):
    """The part of a unit of work that predictions need, including the parts that they build on."""

    @property
    def predictions(self) -> PredictionRecords:
        """The cached answers and their sessions."""

    @property
    def past_predictions(self) -> PastPredictionRecords:
        """The history of predictions."""

    @property
    def track_records(self) -> TrackRecords:
        """The track records of the models."""

    @property
    def ratings(self) -> RatingRecords:
        """Users' ratings."""

    @property
    def evidence(self) -> Evidence:
        """The history of repairs."""

    @property
    def problems(self) -> "Problems":
        """The repair book."""

    @property
    def vehicles(self) -> "VehicleRecords":
        """The stored vehicles."""

    @property
    def transactions(self) -> "TransactionRecords":
        """The past transactions."""

    @property
    def transaction_sums(self) -> "TransactionSums":
        """The sums of each month's transactions."""

    @property
    def lessons(self) -> "Lessons":
        """The lessons learned from transactions."""

    @property
    def facilities(self) -> "FacilityRecords":
        """The facilities."""

    @property
    def fits(self) -> Fits:
        """The variances that refits found."""

    @property
    def priors(self) -> PriorRecords:
        """The imported priors."""

    @property
    def adjustment(self) -> Adjustment:
        """The operator's price adjustment."""

    @property
    def audit(self) -> "AuditLog":
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PredictionsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
