"""The diagnostic questionnaire: its questions, and submissions of answers."""

from typing import Any

from flask import Response

from repaircore.kernel.rules import FieldErrors
from repaircore.questionnaire.answers import SubmitAnswers
from repaircore.questionnaire.views import CategoryQuestionView, QuestionCategoryView, SubmissionReceiptView
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller_if_any
from repaircore_http.json_io import cache_json, read_body, reply
from repaircore_http.listing import WholeList, reply_whole
from repaircore_http.routes import Routes

questionnaire = Routes(
    "questionnaire", url_prefix="/api/v1/diagnostic", auth=Auth.KEY, dialect=flagged, tag="diagnostic"
)


@questionnaire.get("/categories", safe=True, query=WholeList, returns=Data[list[QuestionCategoryView]])
def categories() -> Response:
    """List the categories of questions."""
    found = [QuestionCategoryView.of(each) for each in core().questionnaire.categories()]
    return reply_whole(found, QuestionCategoryView, lambda data: Data(data=data), name="categories")


@questionnaire.get(
    "/categories/<slug>/questions", safe=True, query=WholeList, returns=Data[list[CategoryQuestionView]]
)
def questions(slug: str) -> Response:
    """List the questions of a category, in order."""
    category = core().questionnaire.category(slug)
    found = [CategoryQuestionView.of(each, at) for at, each in enumerate(category.active_questions, start=1)]
    return reply_whole(found, CategoryQuestionView, lambda data: Data(data=data), name="questions")


@questionnaire.post(
    "/submit",
    auth=Auth.OPTIONAL,
    accepts=SubmitAnswers,
    returns=DataWithMessage[SubmissionReceiptView],
    status=201,
)
def submit() -> Response:
    """Submit the answers, and return the reference number."""
    # If an answer has a bad field, the good ones are still checked against the questionnaire.
    answers = cache_json().get("answers")

    def validate(**good: Any) -> FieldErrors:
        return core().questionnaire.validate(**{**good, "answers": answers})

    request = read_body(SubmitAnswers, validate=validate)
    submission = core().questionnaire.submit(request, caller_if_any())
    message = "Your answers have been received."
    return reply(DataWithMessage(message=message, data=SubmissionReceiptView.of(submission)), 201)
