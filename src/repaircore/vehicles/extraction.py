"""Read the VIN in an image: cheap scans first, the vision model last."""

import logging
import os
from typing import BinaryIO, Final

from attrs import frozen

from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.vehicles.errors import NoVinInImage
from repaircore.vehicles.ports import VinDecoder, VinReader, VisionModel
from repaircore.vehicles.vin_readings import ExtractedVin, Reading, ReadingSource, best_vin, has_valid_vin

MAX_IMAGE_BYTES: Final = 10 * 1024 * 1024
"""The maximum size of an image file."""

_log = logging.getLogger("repaircore.vehicles")


def image_too_large() -> Invalid:
    """Return the error for an image that is too large."""
    return Invalid({"image": [f"The image must not be larger than {MAX_IMAGE_BYTES // 2**20} MB."]})


@frozen(kw_only=True)
class Extraction:
    """Finds VINs in images; ``decoder`` says which VINs are known, and without ``vision``, no model is called."""

    reader: VinReader
    decoder: VinDecoder
    vision: VisionModel | None = None

    def extract(self, image: BinaryIO, caller: Caller) -> ExtractedVin:
        """Return the VIN in an image; see ``Vehicles.extract_vin``."""
        if image.seek(0, os.SEEK_END) > MAX_IMAGE_BYTES:
            raise image_too_large()
        vision = self.vision if caller.environment is Environment.LIVE else None
        readings, photo = self._scan(image, reduce=vision is not None)
        found = best_vin(readings, self._is_known)
        if found is None and vision is not None and photo is not None:
            found = best_vin([*readings, *_ask_model(vision, photo)], self._is_known)
        if found is None:
            raise NoVinInImage
        return found

    def reduce(self, image: BinaryIO) -> bytes:
        """Return a smaller copy of an image; see ``Vehicles.reduced_image``."""
        if image.seek(0, os.SEEK_END) > MAX_IMAGE_BYTES:
            raise image_too_large()
        with self.reader.open(image) as opened:
            return opened.to_jpeg()

    def _scan(self, image: BinaryIO, *, reduce: bool) -> tuple[list[Reading], bytes | None]:
        """Return the readings, and a smaller copy for the model, or None if a VIN was read or ``reduce`` is false."""
        readings: list[Reading] = []
        with self.reader.open(image) as opened:
            for found in opened.scans():
                readings += found
                if has_valid_vin(readings):
                    return readings, None
            return readings, opened.to_jpeg() if reduce else None

    def _is_known(self, vin: str) -> bool:
        try:
            return self.decoder.decode(vin) is not None
        except Unavailable:
            return False


def _ask_model(vision: VisionModel, photo: bytes) -> list[Reading]:
    try:
        text = vision.read_vin(photo)
    except Unavailable as unavailable:
        _log.warning("The vision model is unavailable: %s", unavailable.message)
        return []
    return [] if text is None else [Reading(text=text, source=ReadingSource.MODEL)]
