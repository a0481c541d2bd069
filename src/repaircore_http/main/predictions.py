"""Predictions: what a repair will cost."""

from collections.abc import Mapping
from typing import Any

from flask import Response

from repaircore.bootstrap import Core
from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import NotFound
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.predictions.model import Ask, Specs
from repaircore_http.core import core
from repaircore_http.errors import flagged
from repaircore_http.guards import Need, Routes, caller
from repaircore_http.json_io import Validate, keep_object, read, reply_json, shaped
from repaircore_http.main.prediction_bytes import Answers
from repaircore_http.quick import quick_post
from repaircore_http.told.predictions import Prediction, PredictionBySpecs

predictions = Routes(
    "predictions", url_prefix="/api/v1/predict", need=Need.KEY, dialect=flagged, tag="predictions"
)
_answers = Answers()


@quick_post(predictions, "", asks=Ask, tells=Prediction, refuses=(NotFound, ProblemDoesNotFit))
def predict(served: Core, known: Caller, body: dict[str, Any]) -> bytes:
    """Say what a repair will cost on the vehicle with a VIN."""
    served.limits.prediction(known)
    ask = shaped(Ask, body, validate=_judge(served, body, "parts_tier"))
    return _answers.write(served.predictions.predict(ask, known))


@predictions.post("/by-specs", asks=Specs, tells=PredictionBySpecs, refuses=(NotFound, ProblemDoesNotFit))
def predict_by_specs() -> Response:
    """Say what a repair will cost on the vehicle that a year, make and model mean best."""
    known, served = caller(), core()
    served.limits.prediction(known)
    specs = read(Specs, validate=_judge(served, keep_object(), "engine", "parts_tier"))
    return reply_json(_answers.write(served.predictions.predict_by_specs(specs, known)))


def _judge(served: Core, body: Mapping[str, object], *choices: str) -> Validate:
    """Judge the good fields, and those that are a choice even where their type is wrong: it is said what is possible."""
    sent = {name: body[name] for name in choices if name in body}
    return lambda **good: served.predictions.validate(**{**good, **sent})
