"""Past predictions."""

from functools import partial
from uuid import UUID

from flask import Response

from repaircore.kernel.views import view
from repaircore.predictions.history import LinkEmail
from repaircore.predictions.history_views import PastPredictionView
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataPage, DataWithMessage
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.paging import PageQuery
from repaircore_http.routes import Routes

history = Routes(
    "history", url_prefix="/api/v1/predict", auth=Auth.SECRET, dialect=flagged, tag="predictions"
)


@view
class LinkedEmailView:
    """A prediction and the customer's e-mail."""

    session_id: UUID
    email: str


@history.get("/history", safe=True, query=PageQuery, returns=DataPage[PastPredictionView])
def index() -> Response:
    """List predictions, newest first, in pages."""
    query = read_query(PageQuery)
    page = core().past_predictions.page(number=query.page, per_page=query.per_page, caller=caller())
    return reply(DataPage.of(page, PastPredictionView.of))


@history.get("/red-flags", safe=True, returns=Data[list[PastPredictionView]])
def red_flags() -> Response:
    """List the newest predictions with a red flag."""
    entries = core().past_predictions.red_flags(caller())
    return reply(Data(data=[PastPredictionView.of(entry) for entry in entries]))


@history.post(
    "/link-email", auth=Auth.KEY, accepts=LinkEmail, returns=DataWithMessage[LinkedEmailView], tag="fleet"
)
def link_email() -> Response:
    """Link a prediction to a customer's e-mail."""
    known, past = caller(), core().past_predictions
    request = read_body(LinkEmail, validate=partial(past.validate_link, known))
    email = past.link_email(request.session_id, request.email, known)
    data = LinkedEmailView(session_id=request.session_id, email=email)
    return reply(DataWithMessage(message="The email is linked to the prediction.", data=data))
