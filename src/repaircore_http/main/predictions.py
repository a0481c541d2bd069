"""Predictions: what a repair will cost."""

from collections.abc import Mapping
from typing import Any

from flask import Response

from repaircore.core import Core
from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import NotFound
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.predictions.model import Ask, Specs
from repaircore_http.core import core
from repaircore_http.errors import flagged
from repaircore_http.fast_path.lane import fast_post
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import Validate, cache_json, parse_input, read_body, reply_json
from repaircore_http.main.prediction_bytes import Answers
from repaircore_http.routes import Routes
from repaircore_http.told.predictions import Prediction, PredictionBySpecs

predictions = Routes(
    "predictions", url_prefix="/api/v1/predict", auth=Auth.KEY, dialect=flagged, tag="predictions"
)
_answers = Answers()


@fast_post(predictions, "", accepts=Ask, returns=Prediction, raises=(NotFound, ProblemDoesNotFit))
def predict(served: Core, known: Caller, body: dict[str, Any]) -> bytes:
    """Say what a repair will cost on the vehicle with a VIN."""
    served.limits.count_prediction(known)
    ask = parse_input(Ask, body, validate=_judge(served, body, "parts_tier"))
    return _answers.write(served.predictions.predict(ask, known))


@predictions.post("/by-specs", accepts=Specs, returns=PredictionBySpecs, raises=(NotFound, ProblemDoesNotFit))
def predict_by_specs() -> Response:
    """Say what a repair will cost on the vehicle that a year, make and model mean best."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    specs = read_body(Specs, validate=_judge(served, cache_json(), "engine", "parts_tier"))
    return reply_json(_answers.write(served.predictions.predict_by_specs(specs, known)))


def _judge(served: Core, body: Mapping[str, object], *choices: str) -> Validate:
    """Judge the good fields, and those that are a choice even where their type is wrong: it is said what is possible."""
    sent = {name: body[name] for name in choices if name in body}
    return lambda **good: served.predictions.validate(**{**good, **sent})
