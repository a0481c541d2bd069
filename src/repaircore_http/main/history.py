"""Past predictions."""

from functools import partial
from uuid import UUID

from attrs import frozen
from flask import Response

from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.predictions.model import HistoryEntry
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataPage, DataWithMessage
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.paging import PageQuery, meta
from repaircore_http.routes import Routes
from repaircore_http.told.predictions import Linked, PredictionListed

history = Routes(
    "history", url_prefix="/api/v1/predict", auth=Auth.SECRET, dialect=flagged, tag="predictions"
)


@frozen(kw_only=True)
class LinkEmail:
    """A customer's e-mail for a prediction."""

    session_id: UUID
    email: str


@history.get("/history", safe=True, query=PageQuery, returns=DataPage[PredictionListed])
def index() -> Response:
    """List predictions, newest first, in pages."""
    asked = read_query(PageQuery)
    page = core().past_predictions.page(number=asked.page, per_page=asked.per_page, caller=caller())
    return reply({"success": True, "data": [_listed(entry) for entry in page], "meta": meta(page)})


@history.get("/red-flags", safe=True, returns=Data[list[PredictionListed]])
def red_flags() -> Response:
    """List the newest predictions with a red flag."""
    return reply(
        {"success": True, "data": [_listed(entry) for entry in core().past_predictions.red_flags(caller())]}
    )


@history.post("/link-email", auth=Auth.KEY, accepts=LinkEmail, returns=DataWithMessage[Linked], tag="fleet")
def link_email() -> Response:
    """Link a prediction to a customer's e-mail."""
    known, past = caller(), core().past_predictions
    asked = read_body(LinkEmail, validate=partial(past.validate_link, known))
    email = past.link_email(asked.session_id, asked.email, known)
    data = {"session_id": asked.session_id, "email": email}
    return reply({"success": True, "message": "The email is linked to the prediction.", "data": data})


def _listed(entry: HistoryEntry) -> dict[str, object]:
    return {
        "id": entry.id,
        "session_id": entry.session_id,
        "vin": entry.vin,
        "problem_name": entry.problem_name,
        "red_flag": entry.red_flag,
        "red_flag_reason": entry.red_flag_reason,
        "match_percentage": entry.match,
        "local_average_estimate": dollars(entry.local_average),
        "ai_average_estimate": dollars_or_none(entry.ai_average),
        "feedbacks_count": entry.feedbacks,
        "good_feedbacks_count": entry.good_feedbacks,
        "created_at": entry.created_at,
    }
