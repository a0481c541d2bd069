"""Ports for repair intervals and sequences."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from typing import Protocol, TypeAlias

from repaircore.book.model import Problem
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page, PageRequest
from repaircore.repair_intervals.expected import LifecycleAnswer, LifecyclePrediction
from repaircore.repair_intervals.past_repairs import PastRepair
from repaircore.repair_intervals.sequence import Trail


class PastRepairs(Protocol):
    """The invoices of identified cars in an environment."""

    def of_problem(self, problem_id: int, *, environment: Environment, limit: int) -> Sequence[PastRepair]:
        """Return the last ``limit`` times that a repair was done, ordered by car and day."""

    def gone(
        self, problem_id: int, *, environment: Environment, limit: int, before: date
    ) -> Mapping[int, date]:
        """Return the day of the last invoice of each car in ``of_problem`` that has had none since ``before``."""

    def trails_with(self, problem_id: int, *, environment: Environment, cars: int) -> Sequence[Trail]:
        """Return all repairs, by day, of up to ``cars`` cars: those that had this repair most recently."""

    def trails(self, *, environment: Environment, cars: int) -> Sequence[Trail]:
        """Return all repairs, by day, of a random but fixed sample of up to ``cars`` cars."""


class LifecyclePredictions(Protocol):
    """The stored predictions."""

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
        """Store an answer and return it as a prediction."""

    def page(
        self, *, environment: Environment, owner_id: int | None, request: PageRequest
    ) -> Page[LifecyclePrediction]:
        """Return a page of predictions, newest first unless another order is requested.

        An ``owner_id`` of None matches every owner.

        Raises:
            Invalid: on ``sort`` or ``cursor``.
        """


class HistoryWork(Protocol):
    """The part of a unit of work that repair intervals and sequences need."""

    @property
    def past_repairs(self) -> PastRepairs:
        """The invoices of identified cars."""

    @property
    def lifecycle_predictions(self) -> LifecyclePredictions:
        """The stored predictions."""


OpenHistoryWork: TypeAlias = Callable[[], AbstractContextManager[HistoryWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
