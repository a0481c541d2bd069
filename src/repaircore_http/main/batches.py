"""Many predictions at once."""

from flask import Response

from repaircore.batches.model import PredictBatch
from repaircore.batches.views import BatchView
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

batches = Routes(
    "batches", url_prefix="/api/v1/predict/batch", auth=Auth.SECRET, dialect=flagged, tag="predictions"
)


@batches.post("", accepts=PredictBatch, returns=Data[BatchView])
def predict() -> Response:
    """Predict what up to 500 repairs will cost; an item that fails does not affect the others."""
    items = read_body(PredictBatch).items
    return reply(Data(data=BatchView.of(core().batches.predict(items, caller()))))
