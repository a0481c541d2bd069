"""Past predictions."""

from datetime import date
from functools import partial
from typing import Annotated
from uuid import UUID

from attrs import fields, frozen
from flask import Response

from repaircore.kernel.paging import sort_by
from repaircore.kernel.rules import Length
from repaircore.kernel.views import view
from repaircore.predictions.history import LinkEmail
from repaircore.predictions.history_views import PastPredictionView
from repaircore.predictions.past_predictions import HistoryFilter
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.listing import ListPage, ListQuery, WholeList, reply_list, reply_whole
from repaircore_http.routes import Routes

history = Routes(
    "history", url_prefix="/api/v1/predict", auth=Auth.SECRET, dialect=flagged, tag="predictions"
)


_Words = Annotated[str, Length(0, 100)]


@view
class LinkedEmailView:
    """A prediction and the customer's e-mail."""

    session_id: UUID
    email: str


@frozen(kw_only=True)
class ListPredictions(ListQuery):
    """Filters, sort order and page for the list of predictions."""

    sort: Annotated[str, sort_by("created_at")] = ""
    vehicle: _Words | None = None
    problem: _Words | None = None
    red_flag: bool | None = None
    date_from: date | None = None
    date_to: date | None = None

    def filter(self) -> HistoryFilter:
        """Return the filters without the sort order and the page."""
        return HistoryFilter(**{field.name: getattr(self, field.name) for field in fields(HistoryFilter)})


@history.get("/history", safe=True, query=ListPredictions, returns=ListPage[PastPredictionView])
def index() -> Response:
    """List predictions, newest first, paginated."""
    query, past, known = read_query(ListPredictions), core().past_predictions, caller()
    return reply_list(
        query,
        lambda request: past.page(query.filter(), request=request, caller=known),
        PastPredictionView,
        PastPredictionView.of,
        name="predictions",
    )


@history.get("/red-flags", safe=True, query=WholeList, returns=Data[list[PastPredictionView]])
def red_flags() -> Response:
    """List the newest predictions with a red flag."""
    found = [PastPredictionView.of(entry) for entry in core().past_predictions.red_flags(caller())]
    return reply_whole(found, PastPredictionView, lambda data: Data(data=data), name="red-flags")


@history.post(
    "/link-email", auth=Auth.KEY, accepts=LinkEmail, returns=DataWithMessage[LinkedEmailView], tag="fleet"
)
def link_email() -> Response:
    """Link a prediction to a customer's e-mail."""
    known, past = caller(), core().past_predictions
    request = read_body(LinkEmail, validate=partial(past.validate_link, known))
    email = past.link_email(request.session_id, request.email, known)
    data = LinkedEmailView(session_id=request.session_id, email=email)
    return reply(DataWithMessage(message="The e-mail address was linked to the prediction.", data=data))
