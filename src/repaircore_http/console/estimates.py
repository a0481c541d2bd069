"""Estimates: request one in a form, see it on a page, share it and rate it."""

from uuid import UUID

from attrs import frozen
from flask import Response, url_for
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.kernel.ids import parse_uuid
from repaircore.predictions.model import PredictBySpecs, PredictByVin
from repaircore.predictions.past_predictions import Rating
from repaircore.shared_estimates.model import OwnLink
from repaircore_http.console import estimate_form
from repaircore_http.console.estimate_figures import shown_figures
from repaircore_http.console.estimate_form import has_typed
from repaircore_http.console.estimate_request import (
    SPECS,
    is_by_vin,
    quote_address,
    read_request,
    same_question,
    same_vehicle,
)
from repaircore_http.console.forms import filled, take_query
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.vehicles import by_plate
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

estimates = Pages("estimates", auth=Auth.SESSION)


@frozen(kw_only=True)
class RateEstimate:
    """What a visitor thinks of an estimate."""

    rating: Rating
    comment: str | None = None


@frozen(kw_only=True)
class ChooseParts:
    """The grade of parts for an estimate; None means the usual one."""

    parts_tier: str | None = None


@estimates.get("")
def index() -> ResponseReturnValue:
    """Show the form, filled in from the query string, and the newest estimates."""
    take_query(estimate_form.QUERY)
    return estimate_form.show_form()


@estimates.get("/")
def redirect_slash() -> Response:
    """Redirect from the address with a trailing slash to the form."""
    return go("estimates.index")


@estimates.post("/estimates", again=estimate_form.show_form)
def create() -> ResponseReturnValue:
    """Create an estimate and redirect to its page; with only a plate, find its VIN first."""
    if has_typed("plate", "state") and not has_typed("vin", *SPECS):
        return by_plate()
    known, served = caller(), core()
    if is_by_vin():
        prediction = served.predictions.predict(read_request(PredictByVin), known)
    else:
        prediction = served.predictions.predict_by_specs(read_request(PredictBySpecs), known)
    return go("estimates.detail", session_id=prediction.session_id)


@estimates.get("/estimates")
def redirect_list() -> Response:
    """Redirect to the form when a browser opens its POST address with GET."""
    return go("estimates.index")


@estimates.get("/estimates/<session_id>")
def detail(session_id: str) -> ResponseReturnValue:
    """Show an estimate."""
    session, known, served = _session(session_id), caller(), core()
    past = served.past_predictions.get(session, known)
    prediction = past.prediction
    link = served.shared_estimates.find(session, known)
    return show(
        "estimate.html",
        record=past.record,
        entry=past.record.entry,
        prediction=prediction,
        shown=None if prediction is None else shown_figures(prediction.figures, prediction.warnings),
        question={} if prediction is None else same_question(prediction.figures, mileage=past.record.mileage),
        can_share=_can_share(),
        link=link,
        link_address=_address(link) if link is not None and _can_share() else "",
        visit={} if prediction is None else same_vehicle(prediction.figures),
        quote=None if prediction is None else quote_address(prediction.figures),
        ratings=served.ratings.statistics(session, known),
    )


@estimates.post("/estimates/<session_id>/again", again=detail)
def repeat(session_id: str) -> Response:
    """Create the same estimate again, optionally with parts of another grade."""
    session, known, served = _session(session_id), caller(), core()
    tier = filled(ChooseParts).parts_tier
    prediction = served.predictions.repeat(session, parts_tier=tier, caller=known)
    return go("estimates.detail", session_id=prediction.session_id)


@estimates.post("/estimates/<session_id>/share", again=detail)
def share(session_id: str) -> Response:
    """Create a link to an estimate."""
    session, known, served = _session(session_id), caller(), core()
    prediction = served.past_predictions.get(session, known).prediction
    if prediction is None:
        raise Conflict("This estimate has expired. Estimate it again to share it.")
    if not _can_share():
        raise NotFound("Not Found.")
    served.shared_estimates.share(prediction, known)
    return go("estimates.detail", session_id=session, done="estimate-shared", _anchor="share")


@estimates.post("/estimates/<session_id>/stop-sharing", again=detail)
def stop_sharing(session_id: str) -> Response:
    """End the link to an estimate."""
    session, known, served = _session(session_id), caller(), core()
    served.past_predictions.get(session, known)
    served.shared_estimates.stop(session, known)
    return go("estimates.detail", session_id=session, done="link-ended", _anchor="share")


@estimates.get("/estimates/<session_id>/share")
@estimates.get("/estimates/<session_id>/stop-sharing")
def after_sharing(session_id: str) -> Response:
    """Redirect to the estimate when a browser opens this POST address with GET."""
    return go("estimates.detail", session_id=session_id)


@estimates.post("/estimates/<session_id>/feedback", again=detail)
def rate(session_id: str) -> Response:
    """Save what the visitor thinks of an estimate."""
    session = _session(session_id)
    feedback = filled(RateEstimate)
    core().ratings.rate(session, feedback.rating, feedback.comment, caller())
    return go("estimates.detail", session_id=session, done="rated", _anchor="feedback")


def _can_share() -> bool:
    """Return whether links to estimates can be opened: not if the public pages are closed."""
    return core().settings.public_pages


def _address(link: OwnLink) -> str:
    path = url_for("shared_estimates.detail", token=link.token)
    return f"{core().settings.public_url.rstrip('/')}{path}"


def _session(text: str) -> UUID:
    session = parse_uuid(text)
    if session is None:
        raise NotFound("Prediction not found.")
    return session
