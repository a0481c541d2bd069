"""What foretelling repairs needs from outside."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from typing import Protocol, TypeAlias

from repaircore.book.model import Problem
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page
from repaircore.repair_intervals.expected import LifecycleAnswer, LifecyclePrediction
from repaircore.repair_intervals.past_repairs import PastRepair
from repaircore.repair_intervals.sequence import Trail


class PastRepairs(Protocol):
    """The invoices of cars that are told apart; of an environment, and none of other cars."""

    @abstractmethod
    def of_problem(self, problem_id: int, *, environment: Environment, limit: int) -> Sequence[PastRepair]:
        """List the latest repairs of a problem, by car and day."""

    @abstractmethod
    def gone(
        self, problem_id: int, *, environment: Environment, limit: int, before: date
    ) -> Mapping[int, date]:
        """Say when those of the cars of the same repairs were last seen that nothing was done to since a day."""

    @abstractmethod
    def trails_with(self, problem_id: int, *, environment: Environment, cars: int) -> Sequence[Trail]:
        """List all that was done to the cars that had a repair, the latest of so many cars; each by day."""

    @abstractmethod
    def trails(self, *, environment: Environment, cars: int) -> Sequence[Trail]:
        """List all that was done to so many cars as they come: chance chose them, once for all; each by day."""


class LifecyclePredictions(Protocol):
    """The kept answers."""

    @abstractmethod
    def add(
        self,
        answer: LifecycleAnswer,
        *,
        environment: Environment,
        owner_id: int,
        vin: str,
        problem: Problem,
        mileage: int | None,
        performed_on: date | None,
        at: datetime,
    ) -> LifecyclePrediction:
        """Keep an answer."""

    @abstractmethod
    def page(
        self, *, environment: Environment, owner_id: int | None, number: int, per_page: int
    ) -> Page[LifecyclePrediction]:
        """List answers, newest first: an owner's, or everybody's (None)."""


class HistoryWork(Protocol):
    """The part of a unit of work that foretelling repairs needs."""

    @property
    @abstractmethod
    def past_repairs(self) -> PastRepairs:
        """The invoices of cars that are told apart."""

    @property
    @abstractmethod
    def lifecycle_predictions(self) -> LifecyclePredictions:
        """The kept answers."""


OpenHistoryWork: TypeAlias = Callable[[], AbstractContextManager[HistoryWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
