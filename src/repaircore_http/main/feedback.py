"""What users think of predictions."""

from functools import partial
from typing import Annotated
from uuid import UUID

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import NotFound
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.rules import Length
from repaircore.predictions.ratings import COMMENT_LONGEST, Feedback, Rating
from repaircore_http.core import core
from repaircore_http.envelopes import DataWithMessage
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes
from repaircore_http.told.predictions import FeedbackKept, FeedbackStatistics

feedback = Routes("feedback", url_prefix="/api/v1/predict/feedback", auth=Auth.KEY, tag="predictions")


@frozen(kw_only=True)
class NewFeedback:
    """A rating of a prediction, with a remark."""

    session_id: UUID
    rating: Rating
    comment: Annotated[str, Length(0, COMMENT_LONGEST)] | None = None


@feedback.post("", accepts=NewFeedback, returns=DataWithMessage[FeedbackKept], status=201)
def create() -> Response:
    """Keep what a user thinks of a prediction."""
    known, ratings = caller(), core().ratings
    asked = read_body(NewFeedback, validate=partial(ratings.validate, known))
    kept = ratings.rate(asked.session_id, asked.rating, asked.comment, known)
    data = {"prediction_history_id": kept.prediction_id, **_listed(kept)}
    return reply({"success": True, "message": "Thank you for your feedback.", "data": data}, 201)


@feedback.get("/<session_id>", safe=True, returns=FeedbackStatistics)
def show(session_id: str) -> Response:
    """Tell what was said of a prediction."""
    told = core().ratings.statistics(_session(session_id), caller())
    return reply(
        {
            "session_id": told.session_id,
            "total_feedbacks": told.total,
            "good_count": told.good,
            "wrong_count": told.wrong,
            "feedback_score": told.score,
            "feedbacks": [_listed(one) for one in told.latest],
        }
    )


def _session(text: str) -> UUID:
    session = parse_uuid(text)
    if session is None:
        raise NotFound("Prediction not found.")
    return session


def _listed(one: Feedback) -> dict[str, object]:
    return {
        "id": one.id,
        "rating": one.rating,
        "comment": one.comment,
        "created_at": one.created_at,
    }
