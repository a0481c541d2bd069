"""Repair lifecycles and sequences as clients see them."""

from datetime import date, datetime
from typing import Annotated, Generic, Self, TypeVar

from repaircore.book.views import ProblemSummaryView
from repaircore.fleet.views import FactorView
from repaircore.kernel.rules import Range
from repaircore.kernel.views import Count, view
from repaircore.repair_intervals.expected import Basis, ExpectedReturn, LifecyclePrediction, Span, WornFirst
from repaircore.repair_intervals.repair_sequences import FollowingRepair, SequenceAnswer

T = TypeVar("T")


@view
class SpanView(Generic[T]):
    """Eight out of ten repairs are due between ``low`` and ``high``, and half of all are due by ``mid``."""

    low: T
    mid: T
    high: T

    @classmethod
    def of(cls, span: Span[T]) -> Self:
        """Return the view of a span."""
        return cls(low=span.low, mid=span.mid, high=span.high)


@view
class ExpectedReturnView:
    """When the repair is due, counted from when it was done, also as dates and odometer readings if known."""

    miles: SpanView[int]
    months: SpanView[float]
    first: WornFirst
    dates: SpanView[date] | None
    odometer: SpanView[int] | None

    @classmethod
    def of(cls, due: ExpectedReturn) -> Self:
        """Return the view of an expected return."""
        return cls(
            miles=SpanView.of(due.miles),
            months=SpanView.of(due.months),
            first=due.first,
            dates=None if due.dates is None else SpanView.of(due.dates),
            odometer=None if due.odometer is None else SpanView.of(due.odometer),
        )


@view
class RepairLifecycleView:
    """When a repair is needed again."""

    id: int
    vin: str
    vehicle: str
    problem: ProblemSummaryView
    mileage: Count | None
    performed_on: date | None
    expected_return: ExpectedReturnView
    basis: Basis
    sample_size: Count
    factors: list[FactorView]
    warnings: list[str]
    created_at: datetime

    @classmethod
    def of(cls, prediction: LifecyclePrediction) -> Self:
        """Return the view of a prediction."""
        answer = prediction.answer
        return cls(
            id=prediction.id,
            vin=prediction.vin,
            vehicle=answer.vehicle,
            problem=ProblemSummaryView(
                id=prediction.problem_id, slug=prediction.problem_slug, display_name=prediction.problem_name
            ),
            mileage=prediction.mileage,
            performed_on=prediction.performed_on,
            expected_return=ExpectedReturnView.of(answer.expected),
            basis=answer.basis,
            sample_size=answer.sample_size,
            factors=[FactorView.of(factor) for factor in answer.factors],
            warnings=[*answer.warnings],
            created_at=prediction.created_at,
        )


@view
class FollowUpView:
    """A repair that follows another; its probability, delay and lift are null if only the repair book lists it."""

    rank: Annotated[int, Range(1)]
    problem: ProblemSummaryView
    probability: float | None
    typical_delay_days: float | None
    lift: float | None
    sample_size: Count
    source: Basis

    @classmethod
    def of(cls, rank: int, repair: FollowingRepair) -> Self:
        """Return the view of a repair at its rank."""
        problem, counted = ProblemSummaryView.of(repair.problem), repair.counted
        if counted is None:
            return cls(
                rank=rank,
                problem=problem,
                probability=None,
                typical_delay_days=None,
                lift=None,
                sample_size=0,
                source=Basis.BOOK,
            )
        return cls(
            rank=rank,
            problem=problem,
            probability=round(counted.probability, 4),
            typical_delay_days=counted.days,
            lift=round(counted.lift, 2),
            sample_size=counted.support,
            source=Basis.HISTORY,
        )


@view
class RepairSequenceView:
    """The repairs that typically follow a repair."""

    problem: ProblemSummaryView
    vehicle: str | None
    follow_ups: list[FollowUpView]
    basis: Basis
    sample_size: Count
    factors: list[FactorView]

    @classmethod
    def of(cls, answer: SequenceAnswer) -> Self:
        """Return the view of an answer."""
        return cls(
            problem=ProblemSummaryView.of(answer.problem),
            vehicle=answer.vehicle,
            follow_ups=[FollowUpView.of(rank, repair) for rank, repair in enumerate(answer.following, 1)],
            basis=answer.basis,
            sample_size=answer.sample_size,
            factors=[FactorView.of(factor) for factor in answer.factors],
        )
