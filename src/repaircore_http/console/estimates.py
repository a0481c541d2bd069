"""Estimates: requested in a form, shown on a page, and rated by the visitor."""

from typing import Any, Final
from uuid import UUID

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.rules import FieldErrors
from repaircore.predictions.model import (
    ADJUSTMENT_STEP,
    WARNING_TEXTS,
    PredictBySpecs,
    PredictByVin,
    Prediction,
)
from repaircore.predictions.ratings import Rating
from repaircore.vehicle_facts.views import facts_line
from repaircore_http.console import estimate_form
from repaircore_http.console.charts import range_bar
from repaircore_http.console.estimate_form import chosen_engine, find_repair, has_typed, repair_error
from repaircore_http.console.forms import filled, partly_filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.vehicles import by_plate
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

estimates = Pages("estimates", auth=Auth.SESSION)

_NUMBERS: Final = ("mileage", "year")
_SPECS: Final = ("year", "make", "model")


@frozen(kw_only=True)
class RateEstimate:
    """What a visitor thinks of an estimate."""

    rating: Rating
    comment: str | None = None


@estimates.get("")
def index() -> ResponseReturnValue:
    """Show the form, and the newest estimates."""
    return estimate_form.show_form()


@estimates.get("/")
def redirect_slash() -> Response:
    """Redirect the address with a slash to the form."""
    return go("estimates.index")


@estimates.post("/estimates", again=estimate_form.show_form)
def create() -> ResponseReturnValue:
    """Create an estimate and redirect to its page; with only a plate, find its VIN first."""
    if has_typed("plate", "state") and not has_typed("vin", *_SPECS):
        return by_plate()
    known, served = caller(), core()
    served.limits.count_prediction(known)
    if has_typed("vin") or not has_typed(*_SPECS):
        prediction = served.predictions.predict(_read(PredictByVin), known)
    else:
        prediction = served.predictions.predict_by_specs(_read(PredictBySpecs), known)
    return go("estimates.detail", session_id=prediction.session_id)


@estimates.get("/estimates")
def redirect_list() -> Response:
    """Redirect the address that the form is posted to."""
    return go("estimates.index")


@estimates.get("/estimates/<session_id>")
def detail(session_id: str) -> ResponseReturnValue:
    """Show an estimate."""
    session, known, served = _session(session_id), caller(), core()
    past = served.past_predictions.get(session, known)
    prediction = past.prediction
    return show(
        "estimate.html",
        record=past.record,
        entry=past.record.entry,
        prediction=prediction,
        mechanics=None if prediction is None else _mechanics(prediction),
        bar=None if prediction is None else range_bar(prediction.figures),
        adjustment=None if prediction is None else _adjustment(prediction),
        ratings=served.ratings.statistics(session, known),
        warnings=WARNING_TEXTS,
    )


@estimates.post("/estimates/<session_id>/feedback", again=detail)
def rate(session_id: str) -> Response:
    """Save what the visitor thinks of an estimate."""
    session = _session(session_id)
    feedback = filled(RateEstimate)
    core().ratings.rate(session, feedback.rating, feedback.comment, caller())
    return go("estimates.detail", session_id=session, done="rated", _anchor="feedback")


def _read(shape: type[Any]) -> Any:
    """Return the request in the form; a repair in words is looked up, and offered as a choice when it is ambiguous."""
    repair, engine = find_repair(), chosen_engine()
    extra: dict[str, object] = {} if repair is None else {"problem_identifier": repair.slug}
    if shape is PredictBySpecs and engine is not None:
        extra["engine"] = engine
    good, errors = partly_filled(shape, numbers=_NUMBERS, **extra)
    if "engine" in errors:
        extra["engine"] = estimate_form.typed_text("engine")
    errors = {**errors, **core().predictions.validate(**{**extra, **good})}
    if repair is None:
        errors.pop("problem_identifier", None)
        errors["problem"] = [repair_error()]
    if shape is PredictByVin:
        errors |= _vin_errors(errors.get("vin", []))
    if errors:
        raise Invalid(errors)
    return shape(**good)


def _vin_errors(errors: list[str]) -> FieldErrors:
    if not has_typed("vin"):
        return {"vin": ["Enter a VIN, or else the year, make and model."]}
    if has_typed(*_SPECS, "engine"):
        return {"vin": [*errors, "Enter either a VIN or year, make, model and engine, not both."]}
    return {}


def _mechanics(prediction: Prediction) -> str | None:
    vehicle = prediction.figures.vehicle
    return facts_line(vehicle.facts) or vehicle.engine


def _adjustment(prediction: Prediction) -> str | None:
    steps = prediction.figures.explanation
    return next((step.text for step in steps if step.name == ADJUSTMENT_STEP), None)


def _session(text: str) -> UUID:
    session = parse_uuid(text)
    if session is None:
        raise NotFound("Prediction not found.")
    return session
