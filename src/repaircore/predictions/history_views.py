"""Past predictions, their ratings and their accuracy as clients see them."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Self
from uuid import UUID

from typing_extensions import override

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.rules import Length
from repaircore.kernel.views import Count, Dollars, Percent, view
from repaircore.predictions.past_predictions import (
    COMMENT_LONGEST,
    Feedback,
    HistoryEntry,
    Rating,
    Statistics,
)

if TYPE_CHECKING:
    from repaircore.predictions.history import AccuracyReport, ProblemAccuracy
    from repaircore.predictions.track_record import Accuracy, Reliability, Score


@view
class PastPredictionView:
    """A past prediction; its figures are those that were computed, without any price adjustment."""

    id: int
    session_id: UUID
    vin: str | None
    vehicle_name: str | None
    problem_name: str
    red_flag: bool
    red_flag_reason: str | None
    match_percentage: Percent | None
    local_average_estimate: Dollars
    ai_average_estimate: Dollars | None
    feedbacks_count: Count
    good_feedbacks_count: Count
    created_at: datetime

    @classmethod
    def of(cls, entry: HistoryEntry) -> Self:
        """Return the view of a history entry, in dollars."""
        return cls(
            id=entry.id,
            session_id=entry.session_id,
            vin=entry.vin,
            vehicle_name=entry.vehicle_name,
            problem_name=entry.problem_name,
            red_flag=entry.red_flag,
            red_flag_reason=entry.red_flag_reason,
            match_percentage=entry.match,
            local_average_estimate=dollars(entry.local_average),
            ai_average_estimate=dollars_or_none(entry.ai_average),
            feedbacks_count=entry.feedbacks,
            good_feedbacks_count=entry.good_feedbacks,
            created_at=entry.created_at,
        )


@view
class FeedbackView:
    """A user's rating of a prediction."""

    id: int
    rating: Rating
    comment: Annotated[str, Length(0, COMMENT_LONGEST)] | None
    created_at: datetime

    @classmethod
    def of(cls, feedback: Feedback) -> Self:
        """Return the view of a rating."""
        return cls(
            id=feedback.id,
            rating=feedback.rating,
            comment=feedback.comment,
            created_at=feedback.created_at,
        )


@view
class SubmittedFeedbackView(FeedbackView):
    """A rating that was just submitted, with its prediction."""

    prediction_history_id: int

    @classmethod
    @override
    def of(cls, feedback: Feedback) -> Self:
        """Return the view of a rating with its prediction."""
        return cls(**vars(FeedbackView.of(feedback)), prediction_history_id=feedback.prediction_id)


@view
class FeedbackStatisticsView:
    """The ratings of a prediction; ``feedback_score`` is the percentage of good ones, or 0 if there are none."""

    session_id: UUID
    total_feedbacks: Count
    good_count: Count
    wrong_count: Count
    feedback_score: Percent
    feedbacks: list[FeedbackView]

    @classmethod
    def of(cls, statistics: Statistics) -> Self:
        """Return the view of the statistics, with the newest ratings."""
        return cls(
            session_id=statistics.session_id,
            total_feedbacks=statistics.total,
            good_count=statistics.good,
            wrong_count=statistics.wrong,
            feedback_score=statistics.score,
            feedbacks=[FeedbackView.of(feedback) for feedback in statistics.latest],
        )


# How predictions compare with what was paid


@view
class ScoreView:
    """The accuracy of figures, from pairs of a figure and an invoice.

    Errors are in percent of the invoice, or null if there are no pairs.
    """

    pairs: Count
    median_error: float | None
    median_bias: float | None

    @classmethod
    def of(cls, score: "Score") -> Self:
        """Return the view of a score."""
        return cls(pairs=score.pairs, median_error=score.median_error, median_bias=score.median_bias)


@view
class LocalScoreView(ScoreView):
    """The accuracy of the local estimate; ``inside_range`` is the percentage of invoices within its range."""

    inside_range: float | None


@view
class ScoresView:
    """The scores of the local estimate, of each model, and of both models combined."""

    local: LocalScoreView
    model_a: ScoreView
    model_b: ScoreView
    aggregated_ai: ScoreView


@view
class _ProblemInvoicesView:
    id: int
    slug: str
    display_name: str
    invoices: Count


@view
class ProblemAccuracyView(ScoresView, _ProblemInvoicesView):
    """The accuracy of one repair's predictions."""

    @classmethod
    def of(cls, problem: "ProblemAccuracy") -> Self:
        """Return the view of a repair's scores."""
        return cls(
            id=problem.id,
            slug=problem.slug,
            display_name=problem.display_name,
            invoices=problem.invoices,
            **vars(_scores(problem.accuracy)),
        )


@view
class ReliabilityView:
    """Predictions of similar confidence: their mean confidence, and how many were accurate, in percent."""

    predictions: Count
    promised: Percent
    met: Percent

    @classmethod
    def of(cls, step: "Reliability") -> Self:
        """Return the view of a group of predictions of similar confidence."""
        return cls(predictions=step.predictions, promised=step.promised, met=step.met)


@view
class AccuracyReportView:
    """The accuracy of past predictions, measured by the invoices linked to them."""

    environment: Environment
    invoices: Count
    overall: ScoresView
    reliability: list[ReliabilityView]
    problems: list[ProblemAccuracyView]

    @classmethod
    def of(cls, report: "AccuracyReport") -> Self:
        """Return the view of a report."""
        return cls(
            environment=report.environment,
            invoices=report.invoices,
            overall=_scores(report.overall),
            reliability=[ReliabilityView.of(step) for step in report.reliability],
            problems=[ProblemAccuracyView.of(problem) for problem in report.problems],
        )


def _scores(accuracy: "Accuracy") -> ScoresView:
    local = ScoreView.of(accuracy.local)
    return ScoresView(
        local=LocalScoreView(**vars(local), inside_range=accuracy.inside),
        model_a=ScoreView.of(accuracy.model_a),
        model_b=ScoreView.of(accuracy.model_b),
        aggregated_ai=ScoreView.of(accuracy.together),
    )
