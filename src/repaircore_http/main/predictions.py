"""Predictions: what a repair will cost."""

from typing import Any

from attrs import frozen
from flask import Response

from repaircore.bootstrap import Core
from repaircore.estimates.prediction import Ask, Specs
from repaircore.kernel.callers import Caller
from repaircore_http.answers import Answers
from repaircore_http.core import core
from repaircore_http.errors import flagged
from repaircore_http.guards import Need, Routes, caller
from repaircore_http.quick import quick_post
from repaircore_http.wire import read, reply_json, shaped

__all__ = ["predictions"]

predictions = Routes("predictions", url_prefix="/api/v1/predict", need=Need.KEY, dialect=flagged)
_answers = Answers()


@frozen(kw_only=True)
class AskByVin:
    """A repair on the vehicle with a VIN."""

    vin: str
    zip_code: str
    problem_identifier: str
    mileage: int | None = None


@frozen(kw_only=True)
class AskBySpecs:
    """A repair on the vehicle that a year, make and model mean."""

    year: int
    make: str
    model: str
    zip_code: str
    problem_identifier: str
    trim: str | None = None
    engine: str | None = None


@quick_post(predictions, "")
def predict(served: Core, known: Caller, body: dict[str, Any]) -> bytes:
    """Say what a repair will cost on the vehicle with a VIN."""
    served.limits.prediction(known)
    asked = shaped(AskByVin, body, judge=served.estimates.faults)
    ask = Ask(
        vin=asked.vin,
        zip_code=asked.zip_code,
        problem_identifier=asked.problem_identifier,
        mileage=asked.mileage,
    )
    return _answers.write(served.estimates.predict(ask, known))


@predictions.post("/by-specs")
def predict_by_specs() -> Response:
    """Say what a repair will cost on the vehicle that a year, make and model mean best."""
    known, served = caller(), core()
    served.limits.prediction(known)
    asked = read(AskBySpecs, judge=served.estimates.faults)
    specs = Specs(
        year=asked.year,
        make=asked.make,
        model=asked.model,
        trim=asked.trim,
        engine=asked.engine,
        zip_code=asked.zip_code,
        problem_identifier=asked.problem_identifier,
    )
    return reply_json(_answers.write(served.estimates.predict_by_specs(specs, known)))
