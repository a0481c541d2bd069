"""Ratings of predictions."""

from functools import partial
from uuid import UUID

from flask import Response

from repaircore.kernel.errors import NotFound
from repaircore.kernel.ids import parse_uuid
from repaircore.predictions.history_views import FeedbackStatisticsView, SubmittedFeedbackView
from repaircore.predictions.past_predictions import SubmitFeedback
from repaircore_http.core import core
from repaircore_http.envelopes import DataWithMessage
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

feedback = Routes("feedback", url_prefix="/api/v1/predict/feedback", auth=Auth.KEY, tag="predictions")


@feedback.post("", accepts=SubmitFeedback, returns=DataWithMessage[SubmittedFeedbackView], status=201)
def create() -> Response:
    """Submit a user's rating of a prediction."""
    known, ratings = caller(), core().ratings
    request = read_body(SubmitFeedback, validate=partial(ratings.validate, known))
    submitted = ratings.rate(request.session_id, request.rating, request.comment, known)
    message = "Thank you for your feedback."
    return reply(DataWithMessage(message=message, data=SubmittedFeedbackView.of(submitted)), 201)


@feedback.get("/<session_id>", safe=True, returns=FeedbackStatisticsView)
def show(session_id: str) -> Response:
    """Show the ratings of a prediction."""
    return reply(FeedbackStatisticsView.of(core().ratings.statistics(_session(session_id), caller())))


def _session(text: str) -> UUID:
    session = parse_uuid(text)
    if session is None:
        raise NotFound("Prediction not found.")
    return session
