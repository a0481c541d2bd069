"""Estimates: asked in a form, shown as a person wants to see them, and judged by whoever asked."""

from typing import Any, Final
from uuid import UUID

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.ids import parse_uuid
from repaircore.predictions.model import ADJUSTMENT, Ask, Prediction, Specs
from repaircore.predictions.ratings import Rating
from repaircore.vehicle_facts.views import facts_line
from repaircore_http.console import asking
from repaircore_http.console.asking import chosen_engine, has_typed, repair, which_repair
from repaircore_http.console.drawing import range_bar
from repaircore_http.console.forms import filled, partly_filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.vehicles import by_plate
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

estimates = Pages("estimates", auth=Auth.SESSION)

_NUMBERS: Final = ("mileage", "year")
_SPECS: Final = ("year", "make", "model")

WARNINGS: Final = {
    "vin_check_digit": "The VIN's check digit does not hold: a character may be mistyped.",
    "problem_does_not_fit_vehicle": "This repair does not fit this vehicle.",
    "trim_unknown": "No such trim of this model is known: the figures are for the model without it.",
    "fit_unknown": "It is not known whether this repair fits this vehicle.",
    "outside_book": "The repair book was not made for such a vehicle: the figures are rough.",
    "not_required_in_state": "This state does not require it: the price is for one that you want anyway.",
    "free_at_state_stations": "The state's own stations do it for free: the price is a private shop's.",
}


@frozen(kw_only=True)
class RateEstimate:
    """What somebody thinks of an estimate."""

    rating: Rating
    comment: str | None = None


@estimates.get("")
def index() -> ResponseReturnValue:
    """Show the form, and the newest estimates."""
    return asking.shown()


@estimates.get("/")
def slashed() -> Response:
    """Lead to the form whoever typed a slash too many."""
    return go("estimates.index")


@estimates.post("/estimates", again=asking.shown)
def create() -> ResponseReturnValue:
    """Ask what a repair will cost, and show the answer on a page of its own; of a plate alone, find the VIN first."""
    if has_typed("plate", "state") and not has_typed("vin", *_SPECS):
        return by_plate()
    known, served = caller(), core()
    served.limits.count_prediction(known)
    if has_typed("vin") or not has_typed(*_SPECS):
        answer = served.predictions.predict(_read(Ask), known)
    else:
        answer = served.predictions.predict_by_specs(_read(Specs), known)
    return go("estimates.detail", session_id=answer.session_id)


@estimates.get("/estimates")
def no_list() -> Response:
    """Lead to the form, which is posted here."""
    return go("estimates.index")


@estimates.get("/estimates/<session_id>")
def detail(session_id: str) -> ResponseReturnValue:
    """Show an estimate."""
    session, known, served = _session(session_id), caller(), core()
    seen = served.past_predictions.show(session, known)
    prediction = seen.prediction
    return show(
        "estimate.html",
        asked=seen.asked,
        entry=seen.asked.entry,
        prediction=prediction,
        mechanics=None if prediction is None else _mechanics(prediction),
        bar=None if prediction is None else range_bar(prediction.figures),
        adjustment=None if prediction is None else _adjustment(prediction),
        opinions=served.ratings.statistics(session, known),
        warnings=WARNINGS,
    )


@estimates.post("/estimates/<session_id>/feedback", again=detail)
def rate(session_id: str) -> Response:
    """Keep what the visitor thinks of an estimate."""
    session = _session(session_id)
    told = filled(RateEstimate)
    core().ratings.rate(session, told.rating, told.comment, caller())
    return go("estimates.detail", session_id=session, done="rated", _anchor="feedback")


def _read(shape: type[Any]) -> Any:
    """Read the question. A repair that was described in words is looked for, and told apart by the visitor if need be."""
    meant = repair()
    also = {} if meant is None else {"problem_identifier": meant.slug}
    engine = chosen_engine()
    if shape is Specs and engine is not None:
        also["engine"] = engine
    good, wrong = partly_filled(shape, numbers=_NUMBERS, **also)
    told = {**core().predictions.validate(**good), **wrong}
    if meant is None:
        told.pop("problem_identifier", None)
        told["problem"] = [which_repair()]
    if shape is Ask and not has_typed("vin"):
        told["vin"] = ["Give a VIN, or else the year, make and model."]
    elif shape is Ask and has_typed(*_SPECS, "engine"):
        told["vin"] = [*told.get("vin", ()), "Give either a VIN or year, make, model and engine, not both."]
    if told:
        raise Invalid(told)
    return shape(**good)


def _mechanics(prediction: Prediction) -> str | None:
    vehicle = prediction.figures.vehicle
    return facts_line(vehicle.facts) or vehicle.engine


def _adjustment(prediction: Prediction) -> str | None:
    return next((step.text for step in prediction.figures.explanation if step.name == ADJUSTMENT), None)


def _session(text: str) -> UUID:
    session = parse_uuid(text)
    if session is None:
        raise NotFound("Prediction not found.")
    return session
