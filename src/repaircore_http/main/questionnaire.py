"""The diagnostic questionnaire: what is asked, and taking answers."""

from typing import Any

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Invalid
from repaircore.questionnaire.answers import AnswerSent
from repaircore.structuring import structure_partially
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller_if_any
from repaircore_http.json_io import read_json, reply
from repaircore_http.routes import Routes
from repaircore_http.told.diagnostics import QuestionListed, Received, Topic

questionnaire = Routes(
    "questionnaire", url_prefix="/api/v1/diagnostic", auth=Auth.KEY, dialect=flagged, tag="diagnostic"
)


@frozen(kw_only=True)
class SubmittedAnswer:
    """An answer to a question, as both were shown."""

    question_id: int
    question_text: str
    answer: str


@frozen(kw_only=True)
class SubmitAnswers:
    """A filled-in questionnaire; ``vehicle_id`` is a number, or the id of a kept vehicle."""

    category_slug: str
    answers: tuple[SubmittedAnswer, ...]
    vehicle_id: object = None
    vehicle_info: str | None = None
    additional_notes: str | None = None


@questionnaire.get("/categories", safe=True, returns=Data[list[Topic]])
def categories() -> Response:
    """List what owners are asked about."""
    data = [
        {
            "id": one.id,
            "slug": one.slug,
            "name": one.name,
            "description": one.description,
            "icon": one.icon,
        }
        for one in core().questionnaire.categories()
    ]
    return reply({"success": True, "data": data})


@questionnaire.get("/categories/<slug>/questions", safe=True, returns=Data[list[QuestionListed]])
def questions(slug: str) -> Response:
    """List the questions of a category, in the order in which they are asked."""
    data = [
        {
            "id": one.id,
            "question_text": one.text,
            "answer_type": one.type,
            "options": [option.answer for option in one.options],
            "order": order,
        }
        for order, one in enumerate(core().questionnaire.category(slug).asked, start=1)
    ]
    return reply({"success": True, "data": data})


@questionnaire.post(
    "/submit", auth=Auth.OPTIONAL, accepts=SubmitAnswers, returns=DataWithMessage[Received], status=201
)
def submit() -> Response:
    """Keep a filled-in questionnaire, and give the number to ask for it by."""
    filled = _filled(read_json())
    kept = core().questionnaire.submit(
        filled.category_slug,
        [_sent(one) for one in filled.answers],
        vehicle_id=filled.vehicle_id,
        vehicle_info=filled.vehicle_info,
        additional_notes=filled.additional_notes,
        caller=caller_if_any(),
    )
    data = {
        "reference_number": kept.reference,
        "category": {"slug": kept.category_slug, "name": kept.category_name},
        "created_at": kept.created_at,
    }
    return reply({"success": True, "message": "Your answers have been received.", "data": data}, 201)


def _sent(one: SubmittedAnswer) -> AnswerSent:
    return AnswerSent(question_id=one.question_id, question_text=one.question_text, answer=one.answer)


def _filled(body: dict[str, Any]) -> SubmitAnswers:
    """Read the questionnaire; when some values are of the wrong type, the core still judges all the others."""
    good, told = structure_partially(SubmitAnswers, body)
    if told:
        answers = _judgeable(body.get("answers"))
        rest = {name: value for name, value in good.items() if name != "answers"}
        judged = core().questionnaire.validate(**rest, **({} if answers is None else {"answers": answers}))
        raise Invalid({**judged, **told})
    return SubmitAnswers(**good)


def _judgeable(answers: object) -> list[AnswerSent | None] | None:
    """Give what is good of each answer, None for one that is no object, and for no list at all."""
    if not isinstance(answers, list):
        return None
    return [
        AnswerSent(**structure_partially(SubmittedAnswer, one)[0]) if isinstance(one, dict) else None
        for one in answers
    ]
