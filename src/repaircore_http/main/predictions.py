"""Predictions: what a repair will cost."""

from collections.abc import Mapping
from typing import Any

from flask import Response

from repaircore.core import Core
from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import NotFound
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.predictions.model import PredictBySpecs, PredictByVin
from repaircore.predictions.validation import CHOICES
from repaircore.predictions.views import PredictionBySpecsView, PredictionView
from repaircore_http.core import core
from repaircore_http.errors import flagged
from repaircore_http.fast_path.lane import fast_post
from repaircore_http.fast_path.prediction_bytes import PredictionWriter
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import Validate, cache_json, parse_input, read_body, reply_json
from repaircore_http.routes import Routes

predictions = Routes(
    "predictions", url_prefix="/api/v1/predict", auth=Auth.KEY, dialect=flagged, tag="predictions"
)
_writer = PredictionWriter()


@fast_post(
    predictions, "", accepts=PredictByVin, returns=PredictionView, raises=(NotFound, ProblemDoesNotFit)
)
def predict(core: Core, caller: Caller, body: dict[str, Any]) -> bytes:
    """Predict what a repair will cost on the vehicle with this VIN."""
    core.limits.count_prediction(caller)
    request = parse_input(PredictByVin, body, validate=_validate(core, body))
    return _writer.write(core.predictions.predict(request, caller))


@predictions.post(
    "/by-specs",
    accepts=PredictBySpecs,
    returns=PredictionBySpecsView,
    raises=(NotFound, ProblemDoesNotFit),
)
def predict_by_specs() -> Response:
    """Predict what a repair will cost on the vehicle that best matches a year, make and model."""
    served, known = core(), caller()
    served.limits.count_prediction(known)
    request = read_body(PredictBySpecs, validate=_validate(served, cache_json()))
    return reply_json(_writer.write(served.predictions.predict_by_specs(request, known)))


def _validate(core: Core, body: Mapping[str, object]) -> Validate:
    """Return a validator that also gets ``CHOICES`` of the wrong type, so that their errors list the choices."""
    choices = {name: body[name] for name in CHOICES if name in body}
    return lambda **good: core.predictions.validate(**{**good, **choices})
