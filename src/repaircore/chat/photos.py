"""Read images in chats, which may show a VIN or warning lights."""

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

_log = logging.getLogger(__name__)

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
"""The slugs of the symptoms that are warning lights. A photo cannot show whether one flashes."""

_NO_MODEL: Final = "No VIN was found in the image, and no model that reads warning lights is configured. Only the size of the image was saved."
_NO_ANSWER: Final = (
    "No VIN was found in the image, and the model that reads warning lights did not respond. "
    "Only the size of the image was saved."
)
_NO_LIGHT_READER: Final = "This installation cannot read photos of warning lights."
_NOTHING: Final = "Neither a VIN nor a known warning light was found in the image."
_UNKNOWN: Final = "The VIN {} was read from the image, but no vehicle was found for it."
_DOUBTED: Final = " Its check digit is wrong. Compare it with the vehicle."


@frozen(kw_only=True)
class ImageFindings:
    """What was found in an image, a sentence that says so, and the vehicle that its VIN identifies, if any."""

    note: ImageNote
    text: str
    vehicle: Vehicle | None = None


@frozen(kw_only=True)
class Photos:
    """Reads images; if ``lights`` returns None, no model looks for warning lights."""

    vehicles: Lazy[Vehicles]
    lights: Lazy[LightReader | None]

    def read(self, image: BinaryIO, caller: Caller, symptoms: Mapping[str, str]) -> ImageFindings:
        """Look for a VIN in an image or, if it shows none, for lit warning lights.

        The image itself is not stored. It is sent to a model in the live environment only.

        Raises:
            Invalid: on ``image``.
            TooMany: too many images are being read.
        """
        size = image.seek(0, os.SEEK_END)
        try:
            extracted = self.vehicles().extract_vin(image, caller)
        except NoVinInImage:
            return self._read_lights(image, size, caller, symptoms)
        except Unresolvable as unresolvable:
            return _unread(size, f"{unresolvable.message} Only the size of the image was saved.")
        return self._identify(extracted, size)

    def find_lights(self, image: BinaryIO, symptoms: Mapping[str, str]) -> tuple[str, ...]:
        """Return the slugs of the warning lights that are lit in an image. Nothing is stored.

        Raises:
            Invalid: on ``image``.
            TooMany: too many images are being read.
            Unavailable: no model to read them is configured, or it is not responding.
            Unresolvable: the software that reads images is not installed.
        """
        reader = self.lights()
        if reader is None:
            raise Unavailable(_NO_LIGHT_READER)
        lights = {slug: symptoms[slug] for slug in LIGHTS if slug in symptoms}
        return known_lights(reader.read(self.vehicles().reduced_image(image), lights=lights), symptoms)

    def _identify(self, extracted: ExtractedVin, size: int) -> ImageFindings:
        note = ImageNote(size=size, read="vin", vin=extracted.vin)
        doubt = _DOUBTED if extracted.warnings else ""
        try:
            vehicle = self.vehicles().resolve(extracted.vin)
        except (NotFound, Unavailable):
            return ImageFindings(note=note, text=_UNKNOWN.format(extracted.vin) + doubt)
        text = f"The VIN {extracted.vin} was read from the image: {vehicle.display_name}.{doubt}"
        return ImageFindings(note=note, text=text, vehicle=vehicle)

    def _read_lights(
        self, image: BinaryIO, size: int, caller: Caller, symptoms: Mapping[str, str]
    ) -> ImageFindings:
        reader = self.lights() if caller.environment is Environment.LIVE else None
        if reader is None:
            return _unread(size, _NO_MODEL)
        lights = {slug: symptoms[slug] for slug in LIGHTS if slug in symptoms}
        try:
            seen = reader.read(self.vehicles().reduced_image(image), lights=lights)
        except Unavailable as unavailable:
            _log.warning("The model that reads warning lights is unavailable: %s", unavailable.message)
            return _unread(size, _NO_ANSWER)
        lit = known_lights(seen, symptoms)
        if not lit:
            return _unread(size, _NOTHING)
        names = "; ".join(symptoms[light] for light in lit)
        return ImageFindings(
            note=ImageNote(size=size, read="lights", lights=lit), text=f"The image shows: {names}."
        )


def _unread(size: int, text: str) -> ImageFindings:
    return ImageFindings(note=ImageNote(size=size, read="nothing"), text=text)


def known_lights(seen: Iterable[str], symptoms: Mapping[str, str]) -> tuple[str, ...]:
    """Return the slugs that are known warning lights, each once, in order."""
    return tuple(slug for slug in dict.fromkeys(seen) if slug in LIGHTS and slug in symptoms)
