"""Many predictions at once."""

from typing import Final

from flask import Response, request, url_for

from repaircore.batches.model import PredictBatch
from repaircore.batches.views import BatchView
from repaircore.kernel.errors import TooMany
from repaircore.tasks.views import TaskView
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

_MOST_BYTES: Final = 8 * 1024 * 1024
"""The maximum size of a body, in bytes: enough for 20,000 items."""

_ASYNC: Final = "respond-async"

batches = Routes(
    "batches", url_prefix="/api/v1/predict/batch", auth=Auth.SECRET, dialect=flagged, tag="predictions"
)


@batches.post(
    "",
    accepts=PredictBatch,
    returns=Data[BatchView],
    responses={202: Data[TaskView]},
    headers=("Prefer",),
    max_bytes=_MOST_BYTES,
    raises=(TooMany,),
)
def predict() -> Response:
    """Predict what up to 500 repairs will cost; an item that fails does not affect the others.

    With `Prefer: respond-async`, up to 20,000 are predicted in the background: the response is a task, whose result has
    the same form as the response without the header.
    """
    items = read_body(PredictBatch).items
    if not _is_async():
        return reply(Data(data=BatchView.of(core().batches.predict(items, caller()))))
    task = core().task_starts.predict_items(items, caller())
    headers = {"Location": url_for("tasks.detail", task_id=task.id), "Preference-Applied": _ASYNC}
    return reply(Data(data=TaskView.of(task)), 202, headers)


def _is_async() -> bool:
    """Return whether the client prefers not to wait (RFC 7240)."""
    preferences = ",".join(request.headers.getlist("Prefer")).split(",")
    return any(preference.partition(";")[0].strip().lower() == _ASYNC for preference in preferences)
