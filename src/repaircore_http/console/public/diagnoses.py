"""Public diagnosis: the form carries what was entered and answered, and nothing is stored."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen
from flask import request
from flask.typing import ResponseReturnValue

from repaircore.diagnosis.consultation import Consult
from repaircore.diagnosis.views import NOTHING_READ
from repaircore.kernel.errors import Unavailable, Unresolvable
from repaircore.trouble_codes.meaning import CodeMeaning
from repaircore.trouble_codes.model import LikelyCause
from repaircore.vehicles.extraction import MAX_IMAGE_BYTES, image_too_large
from repaircore_http.console.forms import FileField, form
from repaircore_http.console.pages import show
from repaircore_http.console.public.access import canonical, count_visitor, public_pages, visitor
from repaircore_http.console.public.vehicle_form import read_form
from repaircore_http.console.public.wording import SAFETY
from repaircore_http.core import core
from repaircore_http.guards import caller_if_any

VISIT_FIELDS: Final = {
    "year": "year",
    "make": "make",
    "model": "model",
    "engine": "engine",
    "zip": "zip_code",
}
"""The query parameters of the form for a new visit, and the fields of this form that fill them in; a VIN is sent in a form."""

FIELDS: Final = ("words", "codes", "year", "make", "model", "vin", "engine", "zip_code", "mileage")
"""What was entered; each step sends all of it again."""

_ANSWERS: Final = "answers"
_LONGEST_LINKED: Final = 500
_CAUSES_SHOWN: Final = 5
_NO_LIGHTS: Final = "We did not recognize any warning lights in the photo."

diagnosis = public_pages("diagnosis")


@frozen
class ExplainedCode:
    """The meaning of a trouble code, and its likeliest causes."""

    meaning: CodeMeaning
    causes: Sequence[LikelyCause]


@diagnosis.get("/diagnose")
def index() -> ResponseReturnValue:
    """Show the form, filled in with the words and codes of a link."""
    linked = {name: request.args.get(name, "")[:_LONGEST_LINKED] for name in ("words", "codes")}
    return show(
        "public/diagnose.html",
        linked=linked,
        has_photos=_has_photos(),
        canonical=canonical("diagnosis.index"),
    )


@diagnosis.post(
    "/diagnose",
    again=index,
    upload=FileField(
        field="image", max_bytes=MAX_IMAGE_BYTES, too_large=image_too_large, texts=(*FIELDS, _ANSWERS, "stop")
    ),
)
def answer() -> ResponseReturnValue:
    """Show the likely repairs, and the next question unless the visitor stopped."""
    served = core()
    count_visitor()
    sent = form()
    lights, note = _lights()
    answers = [*sent.texts.get(_ANSWERS, ()), *(f"{light}:yes" for light in lights)]
    consulted = served.consultations.consult(
        read_form(Consult, served.consultations.validate, answers=answers), visitor()
    )
    return show(
        "public/diagnosis.html",
        consulted=consulted,
        codes=[_explained(code, consulted.make) for code in consulted.codes],
        fields=FIELDS,
        visit={name: text for name, field in VISIT_FIELDS.items() if (text := sent.text(field).strip())},
        is_signed_in=caller_if_any() is not None,
        is_stopped=bool(sent.text("stop")),
        note=note,
        nothing_read=NOTHING_READ,
        safety=SAFETY,
        linked=dict.fromkeys(("words", "codes"), ""),
        has_photos=_has_photos(),
        canonical=canonical("diagnosis.index"),
    )


def _has_photos() -> bool:
    return core().light_reader is not None


def _lights() -> tuple[Sequence[str], str | None]:
    """Return the warning lights in the photo, and a note if none were found."""
    image, served = form().file, core()
    if image is None or not _has_photos():
        return (), None
    try:
        lights = served.chats.photos.find_lights(image, served.diagnoses.knowledge().symptoms)
    except (Unavailable, Unresolvable):
        return (), "The photo could not be read. Try again later."
    return lights, None if lights else _NO_LIGHTS


def _explained(code: str, make: str | None) -> ExplainedCode:
    codes = core().trouble_codes
    meaning = codes.show(code, make=make)
    return ExplainedCode(meaning, codes.causes(meaning)[:_CAUSES_SHOWN])
