"""What an image brings into a conversation: the vehicle by its VIN, warning lights, or nothing."""

import logging
import os
from collections.abc import Iterable, Mapping
from typing import BinaryIO, Final

from attrs import frozen

from repaircore.chat.model import ImageNote
from repaircore.chat.ports import LightReader
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import NotFound, Unavailable, Unresolvable
from repaircore.kernel.types import Lazy
from repaircore.vehicles.errors import NoVinInImage
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.service import Vehicles
from repaircore.vehicles.vin_readings import ExtractedVin

_log = logging.getLogger("repaircore.diagnostics")

LIGHTS: Final = (
    "abs-light",
    "air-suspension-light",
    "airbag-light",
    "battery-light",
    "brake-warning-light",
    "check-engine-light",
    "def-light",
    "dpf-light",
    "oil-pressure-light",
    "steering-light",
    "temperature-light",
    "tpms-light",
    "traction-light",
)
"""The warning lights that are symptoms of the book, by their slugs; whether a light flashes no photo shows."""

_NO_MODEL: Final = (
    "No VIN was found in the image, and no model that reads warning lights is at hand: it is kept as unread, "
    "its size alone."
)
_NO_ANSWER: Final = (
    "No VIN was found in the image, and the model that reads warning lights did not answer: it is kept as unread, "
    "its size alone."
)
_NOTHING: Final = "Neither a VIN nor a known warning light was found in the image."
_UNKNOWN: Final = "The VIN {} was read in the image, but no vehicle is known by it."
_DOUBTED: Final = " Its check digit is wrong: compare it with the vehicle."


@frozen(kw_only=True)
class ImageFindings:
    """What was seen in an image, and a sentence that says so."""

    note: ImageNote
    text: str
    vehicle: Vehicle | None = None


@frozen(kw_only=True)
class Photos:
    """Looks at images; ``lights`` may give None, and then no model is asked about warning lights."""

    vehicles: Lazy[Vehicles]
    lights: Lazy[LightReader | None]

    def look(self, image: BinaryIO, caller: Caller, symptoms: Mapping[str, str]) -> ImageFindings:
        """Look for a VIN, and for lit warning lights where there is none; nothing is kept of the image.

        A model is shown it in the live environment only.

        Raises:
            Invalid: on ``image``.
            TooMany: too many images are being looked at.
        """
        size = image.seek(0, os.SEEK_END)
        try:
            read = self.vehicles().extract_vin(image, caller)
        except NoVinInImage:
            return self._lights(image, size, caller, symptoms)
        except Unresolvable as unresolvable:
            return _unread(size, f"{unresolvable.message} The image is kept as unread, its size alone.")
        return self._identified(read, size)

    def _identified(self, read: ExtractedVin, size: int) -> ImageFindings:
        note = ImageNote(size=size, read="vin", vin=read.vin)
        doubt = _DOUBTED if read.warnings else ""
        try:
            vehicle = self.vehicles().resolve(read.vin)
        except (NotFound, Unavailable):
            return ImageFindings(note=note, text=_UNKNOWN.format(read.vin) + doubt)
        text = f"The VIN {read.vin} was read in the image: it is a {vehicle.display_name}.{doubt}"
        return ImageFindings(note=note, text=text, vehicle=vehicle)

    def _lights(
        self, image: BinaryIO, size: int, caller: Caller, symptoms: Mapping[str, str]
    ) -> ImageFindings:
        reader = self.lights() if caller.environment is Environment.LIVE else None
        if reader is None:
            return _unread(size, _NO_MODEL)
        asked = {slug: symptoms[slug] for slug in LIGHTS if slug in symptoms}
        try:
            seen = reader.read(self.vehicles().reduced_image(image), lights=asked)
        except Unavailable as unavailable:
            _log.warning("The model that reads warning lights is unavailable: %s", unavailable.message)
            return _unread(size, _NO_ANSWER)
        lights = known_lights(seen, symptoms)
        if not lights:
            return _unread(size, _NOTHING)
        names = "; ".join(symptoms[light] for light in lights)
        return ImageFindings(
            note=ImageNote(size=size, read="lights", lights=lights), text=f"The image shows: {names}."
        )


def _unread(size: int, text: str) -> ImageFindings:
    return ImageFindings(note=ImageNote(size=size, read="nothing"), text=text)


def known_lights(seen: Iterable[str], symptoms: Mapping[str, str]) -> tuple[str, ...]:
    """Keep what is a warning light and a symptom, each once; everything else that somebody saw is dropped."""
    return tuple(one for one in dict.fromkeys(seen) if one in LIGHTS and one in symptoms)
