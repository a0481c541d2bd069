"""Public estimates, which are computed and shown, but not stored.

The address of an estimate contains the request, so that it can be bookmarked. A VIN never appears in an address: its
estimate is the response to the form.
"""

from typing import Final
from urllib.parse import urlencode

from attrs import frozen
from flask import Response, url_for
from flask.typing import ResponseReturnValue

from repaircore.kernel.engine_names import facts_line
from repaircore.predictions.model import PredictBySpecs, PredictByVin
from repaircore.vehicles.vin import has_wrong_check_digit, normalize
from repaircore_http.console.estimate_figures import shown_figures
from repaircore_http.console.estimate_form import QUERY, form_values, has_typed, next_choices, typed_text
from repaircore_http.console.estimate_request import (
    SPECS,
    is_by_vin,
    quote_address,
    read_request,
    same_question,
)
from repaircore_http.console.forms import filled, take_query
from repaircore_http.console.pages import go, show
from repaircore_http.console.public.access import count_visitor, public_pages, visitor
from repaircore_http.console.repairs import SearchText, found_repairs
from repaircore_http.console.vehicles import DOUBTFUL, FindByChoices, FindByVin
from repaircore_http.core import core
from repaircore_http.guards import caller_if_any
from repaircore_http.json_io import read_query, reply

visitor_estimates = public_pages("visitor_estimates")

_NEEDED: Final = (*SPECS, "problem", "zip_code")
_PARAMETERS: Final = (*QUERY, "parts_tier", "force", "edit")


def show_form() -> ResponseReturnValue:
    """Show the form with what was typed."""
    return show("public/estimate_form.html", **form_values())


@visitor_estimates.get("/estimate", again=show_form)
def index() -> ResponseReturnValue:
    """Show the estimate that the address asks for, or the form; logged-in visitors get the form of the console."""
    take_query(_PARAMETERS)
    if all(map(has_typed, _NEEDED)) and not has_typed("edit"):
        return _estimate(read_request(PredictBySpecs))
    if caller_if_any() is not None:
        return go("estimates.index", **{name: typed_text(name) for name in QUERY if has_typed(name)})
    return show_form()


@visitor_estimates.post("/estimate", again=show_form)
def create() -> ResponseReturnValue:
    """Show the estimate for a VIN, or redirect to the address of the estimate for a year, make and model."""
    if is_by_vin():
        return _estimate(read_request(PredictByVin))
    request = read_request(PredictBySpecs)
    chosen = {
        "year": str(request.year),
        "make": request.make.strip(),
        "model": request.model.strip(),
        "engine": request.engine,
        "problem": request.problem_identifier,
        "zip_code": request.zip_code,
        "mileage": typed_text("mileage"),
        "parts_tier": request.parts_tier,
        "force": "true" if request.force else None,
    }
    return go("visitor_estimates.index", **{name: text for name, text in chosen.items() if text})


@visitor_estimates.post("/estimate/choices", again=show_form)
def show_choices() -> ResponseReturnValue:
    """Show the form again with the next choices, for browsers without scripts."""
    return show_form()


@visitor_estimates.get("/estimate/choices")
def after_the_choices() -> Response:
    """Redirect to the form when a browser opens this POST address with GET."""
    return go("visitor_estimates.index")


@visitor_estimates.get("/estimate/choices.json")
def choices() -> Response:
    """List the next choices, while year, make, model and engine are filled in."""
    query = read_query(FindByChoices)
    return reply(next_choices(query.year, query.make, query.model))


@visitor_estimates.get("/estimate/repairs.json")
def repairs() -> Response:
    """Search repairs by what was typed, best match first."""
    return reply(found_repairs(read_query(SearchText).q))


@visitor_estimates.post("/estimate/vehicle.json")
def vehicle() -> Response:
    """Return the name of the vehicle with this VIN while the form is filled in; the vehicle is not stored."""
    count_visitor()
    served = core()
    vin = normalize(filled(FindByVin, validate=served.lookups.validate).vin)
    specs = served.vehicles.decode(vin)
    name = " · ".join(filter(None, (specs.display_name, facts_line(specs.facts))))
    return reply({"name": name, "note": DOUBTFUL if has_wrong_check_digit(vin) else ""})


@frozen(kw_only=True)
class _RequestSummary:
    """What a page shows of the request itself."""

    vin: str | None
    mileage: int | None


def _estimate(request: PredictByVin | PredictBySpecs) -> str:
    count_visitor()
    preview = core().previews.preview(request, visitor())
    figures = preview.figures
    mileage = request.mileage if isinstance(request, PredictByVin) else None
    question = same_question(figures, mileage=mileage)
    if isinstance(request, PredictBySpecs):
        question |= {name: typed_text(name) for name in QUERY if has_typed(name)}
    return show(
        "public/estimate.html",
        preview=preview,
        shown=shown_figures(figures, preview.warnings),
        asked=_RequestSummary(
            vin=request.vin if isinstance(request, PredictByVin) else None, mileage=mileage
        ),
        question=question,
        quote=quote_address(figures),
        keep=url_for("accounts.registration", next=f"{url_for('estimates.index')}?{urlencode(question)}"),
    )
