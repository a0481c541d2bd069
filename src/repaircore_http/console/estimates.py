"""Estimates: asked in a form, shown as a person wants to see them, and judged by whoever asked."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.estimates.feedback import Rating
from repaircore.estimates.prediction import ADJUSTMENT, Ask, Prediction, Specs
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.uuids import uuid_of
from repaircore.problems.search import Found
from repaircore_http.console.drawing import range_bar
from repaircore_http.console.forms import filled, form, form_if_any, partly_filled
from repaircore_http.console.pages import Pages, faults, go, show
from repaircore_http.console.repairs import OFFERED
from repaircore_http.core import core
from repaircore_http.guards import Need, caller

__all__ = ["estimates", "index", "offered"]

estimates = Pages("estimates", need=Need.SESSION)

_RECENT: Final = 5
_NUMBERS: Final = ("mileage", "year")
_LONGEST_WORDS: Final = 500

WARNINGS: Final = {
    "vin_check_digit": "The VIN's check digit does not hold: a character may be mistyped.",
    "problem_does_not_fit_vehicle": "This repair does not seem to fit this vehicle.",
}


@frozen(kw_only=True)
class Rated:
    """What somebody thinks of an estimate."""

    rating: Rating
    comment: str | None = None


@estimates.get("")
def index() -> ResponseReturnValue:
    """Show the form, and the newest estimates."""
    return offered()


@estimates.get("/")
def slashed() -> Response:
    """Lead to the form whoever typed a slash too many."""
    return go("estimates.index")


def offered(*, vin: str = "", vehicle: str | None = None) -> str:
    """Show the form, with the VIN of a vehicle that was found in it."""
    recent = core().past_predictions.page(number=1, per_page=_RECENT, caller=caller())
    choices = _choices() if faults("problem") else ()
    return show("estimate_form.html", recent=recent, vin=vin, vehicle=vehicle, choices=choices)


@estimates.post("/estimates", again=index)
def create() -> Response:
    """Ask what a repair will cost, and show the answer on a page of its own."""
    known, served = caller(), core()
    served.limits.prediction(known)
    if form().text("vin").strip() or not _has_specs():
        answer = served.estimates.predict(_read(Ask), known)
    else:
        answer = served.estimates.predict_by_specs(_read(Specs), known)
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
        bar=None if prediction is None else range_bar(prediction.figures),
        adjustment=None if prediction is None else _adjustment(prediction),
        opinions=served.ratings.statistics(session, known),
        warnings=WARNINGS,
    )


@estimates.post("/estimates/<session_id>/feedback", again=detail)
def rate(session_id: str) -> Response:
    """Keep what the visitor thinks of an estimate."""
    session = _session(session_id)
    told = filled(Rated)
    core().ratings.rate(session, told.rating, told.comment, caller())
    return go("estimates.detail", session_id=session, done="rated", _anchor="feedback")


def _read(shape: type[Any]) -> Any:
    """Read the question. A repair that was described in words is looked for, and told apart by the visitor if need be."""
    identifier = _identifier()
    also = {} if identifier is None else {"problem_identifier": identifier}
    good, wrong = partly_filled(shape, numbers=_NUMBERS, **also)
    told = {**core().estimates.faults(**good), **wrong}
    if identifier is None:
        told.pop("problem_identifier", None)
        told["problem"] = [_which_repair()]
    if shape is Ask and not form().text("vin").strip():
        told["vin"] = ["Give a VIN, or else the year, make and model."]
    if told:
        raise Invalid(told)
    return shape(**good)


def _identifier() -> str | None:
    """Give the slug of the repair that was chosen, or that the words name exactly; else None."""
    for text in (form().text("problem_identifier"), form().text("problem")):
        found = core().problems.find(text.strip())
        if found is not None:
            return found.slug
    return None


def _which_repair() -> str:
    if not form().text("problem").strip():
        return "The repair field is required."
    return "Choose the repair that is meant." if _choices() else "No repair is called so. Try other words."


def _choices() -> Sequence[Found]:
    """Give the repairs that the words in the form may mean."""
    sent = form_if_any()
    words = "" if sent is None else sent.text("problem").strip()[:_LONGEST_WORDS]
    served = core().problems
    return [] if served.faults(query=words) else served.search(words, limit=OFFERED)


def _has_specs() -> bool:
    return any(form().text(name).strip() for name in ("year", "make", "model"))


def _adjustment(prediction: Prediction) -> str | None:
    return next((step.text for step in prediction.figures.explanation if step.name == ADJUSTMENT), None)


def _session(text: str) -> UUID:
    session = uuid_of(text)
    if session is None:
        raise NotFound("Prediction not found.")
    return session
