"""When a repair is needed again, and the repairs that follow it."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import NotFound
from repaircore.kernel.paging import sort_by
from repaircore.repair_intervals.validation import PredictInterval, PredictSequence
from repaircore.repair_intervals.views import RepairLifecycleView, RepairSequenceView
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.listing import ListPage, ListQuery, reply_list
from repaircore_http.routes import Routes

repair_intervals = Routes(
    "foretelling", url_prefix="/api/v1/predict", auth=Auth.KEY, dialect=flagged, tag="fleet"
)


@frozen(kw_only=True)
class ListLifecycles(ListQuery):
    """Sort order and page for the list of past predictions."""

    sort: Annotated[str, sort_by("created_at")] = ""


@repair_intervals.post(
    "/repair-lifecycle", accepts=PredictInterval, returns=Data[RepairLifecycleView], raises=(NotFound,)
)
def repair_lifecycle() -> Response:
    """Predict when a repair is needed again."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    request = read_body(PredictInterval, validate=served.repair_intervals.validate)
    return reply(Data(data=RepairLifecycleView.of(served.repair_intervals.predict(request, known))))


@repair_intervals.get(
    "/repair-lifecycle/history",
    auth=Auth.SECRET,
    safe=True,
    query=ListLifecycles,
    returns=ListPage[RepairLifecycleView],
)
def lifecycle_history() -> Response:
    """List past lifecycle predictions, newest first, paginated."""
    query, intervals, known = read_query(ListLifecycles), core().repair_intervals, caller()
    return reply_list(
        query,
        lambda request: intervals.page(request=request, caller=known),
        RepairLifecycleView,
        RepairLifecycleView.of,
        name="repair-lifecycles",
    )


@repair_intervals.post(
    "/repair-sequence", accepts=PredictSequence, returns=Data[RepairSequenceView], raises=(NotFound,)
)
def repair_sequence() -> Response:
    """Predict which repairs typically follow a repair."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    request = read_body(PredictSequence, validate=served.repair_sequences.validate)
    return reply(Data(data=RepairSequenceView.of(served.repair_sequences.predict(request, known))))
