"""Look up the vehicle of an estimate by its VIN, its plate, or a photo."""

from typing import Final

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.engine_names import facts_line
from repaircore.kernel.errors import Invalid, Unresolvable
from repaircore.vehicles.extraction import MAX_IMAGE_BYTES, image_too_large
from repaircore_http.console import estimate_form
from repaircore_http.console.forms import FileField, filled, form
from repaircore_http.console.pages import Pages, go
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query, reply

vehicles = Pages("vehicles", auth=Auth.SESSION)

DOUBTFUL: Final = "This VIN may have a typo. Compare it with the one on the vehicle."


@frozen(kw_only=True)
class FindByVin:
    """A vehicle by its VIN."""

    vin: str


@frozen(kw_only=True)
class FindByPlate:
    """A vehicle by its license plate."""

    plate: str
    state: str


@frozen(kw_only=True)
class FindByChoices:
    """The year, make and model that were chosen so far."""

    year: str = ""
    make: str = ""
    model: str = ""


@vehicles.post("/vehicles/vin.json")
def by_vin() -> Response:
    """Look up a VIN while the form is filled in."""
    known, served = caller(), core()
    form_data = filled(FindByVin, validate=served.lookups.validate)
    found = served.lookups.find_by_vin(form_data.vin, known)
    specs = found.vehicle.specs
    name = " · ".join(filter(None, (specs.display_name, facts_line(specs.facts))))
    return reply({"name": name, "note": DOUBTFUL if found.warnings else ""})


@vehicles.post("/vehicles/plate", again=estimate_form.show_form)
def by_plate() -> ResponseReturnValue:
    """Fill in the form with the VIN of the vehicle with this plate."""
    known, served = caller(), core()
    form_data = filled(FindByPlate, validate=served.lookups.validate)
    found = served.lookups.find_by_plate(form_data.plate, form_data.state.upper(), known)
    return estimate_form.render_form(vin=found.vin, vehicle=found.vehicle.display_name)


@vehicles.get("/vehicles/plate")
def after_the_plate() -> Response:
    """Redirect to the form when a browser opens this POST address with GET."""
    return go("estimates.index")


@vehicles.post(
    "/vehicles/photo",
    again=estimate_form.show_form,
    upload=FileField(
        field="image", max_bytes=MAX_IMAGE_BYTES, too_large=image_too_large, texts=estimate_form.FIELDS
    ),
)
def by_photo() -> ResponseReturnValue:
    """Fill in the form with the VIN in a photo."""
    known, served = caller(), core()
    if not served.vehicles.can_read_photos:
        raise Unresolvable("Photos cannot be read here. Type the VIN instead.")
    image = form().file
    if image is None:
        raise Invalid({"image": ["Choose a photo first."]})
    extracted = served.vehicles.extract_vin(image, known)
    return estimate_form.render_form(vin=extracted.vin, vehicle=extracted.doubt)


@vehicles.get("/vehicles/choices.json")
def choices() -> Response:
    """List the next choices, while year, make, model and engine are filled in."""
    query = read_query(FindByChoices)
    return reply(estimate_form.next_choices(query.year, query.make, query.model))


@vehicles.post("/vehicles/choices", again=estimate_form.show_form)
def show_choices() -> ResponseReturnValue:
    """Show the form again with the next choices, for browsers without scripts."""
    return estimate_form.render_form()


@vehicles.get("/vehicles/choices")
def after_the_choices() -> Response:
    """Redirect to the form when a browser opens this POST address with GET."""
    return go("estimates.index")


@vehicles.get("/vehicles/photo")
def after_the_photo() -> Response:
    """Redirect to the form when a browser opens this POST address with GET."""
    return go("estimates.index")
