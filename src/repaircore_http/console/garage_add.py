"""Add vehicles to the garage: by VIN, by plate, or from a file."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.garage.additions import AddedVehicle
from repaircore.garage.validation import MOST_AT_ONCE, AddGarageVehicle, pasted_vins
from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import Pattern, PlainText
from repaircore_http.console.forms import FileField, filled, form
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.main.garage import MAX_FILE_BYTES, file_too_large

garage_add = Pages("garage_add", auth=Auth.SESSION)

_FORM_BYTES: Final = 64 * 1024
_LONGEST: Final = 20_000


@frozen(kw_only=True)
class PasteVins:
    """A list of VINs, and what all of these vehicles have in common."""

    vins: Annotated[str, PlainText(1, _LONGEST, lines=True)]
    department: Annotated[str, PlainText(0, 100)] | None = None
    zip_code: Annotated[str, Pattern(r"\s*\d{5}(-\d{4})?\s*", "must be a US ZIP code")] | None = None


@garage_add.get("/garage/add")
def index() -> ResponseReturnValue:
    """Show the three ways to add vehicles."""
    served, known = core(), caller()
    shop = served.shops.find(known)
    settings = served.garage.settings(known)
    return show(
        "garage/add.html",
        zip_code=settings.zip_code or (shop.zip_code if shop else None) or "",
        can_find_plates=served.lookups.can_find_plates(known),
        most=MOST_AT_ONCE,
    )


@garage_add.post("/garage/add", again=index, form_bytes=_FORM_BYTES)
def paste() -> ResponseReturnValue:
    """Add the vehicles in a pasted list, and show the result for each."""
    served = core()
    sent = filled(PasteVins, validate=served.garage_additions.validate)
    vins = pasted_vins(sent.vins)
    if not 1 <= len(vins) <= MOST_AT_ONCE:
        raise Invalid({"vins": [f"Paste 1 to {MOST_AT_ONCE} VINs at once; you pasted {len(vins):,}."]})
    errors = served.garage_additions.validate(zip_code=sent.zip_code)
    if errors:
        raise Invalid(errors)
    common = {"department": sent.department, "zip_code": sent.zip_code}
    items = [{"vin": vin, **{name: text for name, text in common.items() if text}} for vin in vins]
    return _results(vins, served.garage_additions.add_many(items, caller()))


@garage_add.post("/garage/add/plate", again=index)
def by_plate() -> Response:
    """Add the vehicle with this license plate."""
    served = core()
    wanted = filled(AddGarageVehicle, validate=served.garage_additions.validate)
    if not (wanted.plate or "").strip():
        raise Invalid({"plate": ["Enter the plate."]})
    added = served.garage_additions.add(wanted, caller())
    return go("garage.detail", vehicle=str(added.id), done="vehicle-added")


@garage_add.post(
    "/garage/add/file",
    again=index,
    upload=FileField(field="file", max_bytes=MAX_FILE_BYTES, too_large=file_too_large),
)
def by_file() -> ResponseReturnValue:
    """Add the vehicles in a CSV file, and show the result for each."""
    file = form().file
    if file is None:
        raise Invalid({"file": ["Choose a file first."]})
    lines = file.read().decode("utf-8-sig", "surrogateescape").splitlines(keepends=True)
    results = [*core().garage_additions.add_file(lines, caller())]
    return _results([f"Line {result.line}" for result in results], results)


@garage_add.get("/garage/add/plate")
@garage_add.get("/garage/add/file")
def after_a_form() -> Response:
    """Redirect to the forms when a browser opens this POST address with GET."""
    return go("garage_add.index")


def _results(names: Sequence[str], results: Sequence[AddedVehicle]) -> str:
    pairs: list[tuple[str, Any]] = [*zip(names, results, strict=True)]
    return show(
        "garage/added.html",
        added=[result.vehicle for _, result in pairs if result.vehicle is not None],
        failed=[(name, _sentences(result)) for name, result in pairs if result.failure is not None],
    )


def _sentences(result: AddedVehicle) -> str:
    failure = result.failure
    if isinstance(failure, Invalid):
        return " ".join(text for texts in failure.fields.values() for text in texts)
    return "" if failure is None else failure.message
