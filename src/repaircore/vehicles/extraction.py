"""Reading the VIN in an image: cheap looks first, the vision model last."""

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
"""The largest image file."""

_log = logging.getLogger("repaircore.vehicles")


def image_too_large() -> Invalid:
    """Say that an image has more bytes than are taken."""
    return Invalid({"image": [f"The image must not be larger than {MAX_IMAGE_BYTES // 2**20} MB."]})


@frozen(kw_only=True)
class Extraction:
    """Finds VINs in images; ``decoder`` tells which makers exist; ``vision`` None asks no model."""

    reader: VinReader
    decoder: VinDecoder
    vision: VisionModel | None = None

    def extract(self, image: BinaryIO, caller: Caller) -> ExtractedVin:
        """Give the VIN in an image, as ``Vehicles.extract_vin`` promises."""
        if image.seek(0, os.SEEK_END) > MAX_IMAGE_BYTES:
            raise image_too_large()
        vision = self.vision if caller.environment is Environment.LIVE else None
        readings, photo = self._look(image, reduce=vision is not None)
        found = best_vin(readings, self._is_known)
        if found is None and vision is not None and photo is not None:
            found = best_vin([*readings, *_asked(vision, photo)], self._is_known)
        if found is None:
            raise NoVinInImage
        return found

    def reduce(self, image: BinaryIO) -> bytes:
        """Give an image as ``Vehicles.reduced_image`` promises."""
        if image.seek(0, os.SEEK_END) > MAX_IMAGE_BYTES:
            raise image_too_large()
        with self.reader.open(image) as opened:
            return opened.to_jpeg()

    def _look(self, image: BinaryIO, *, reduce: bool) -> tuple[list[Reading], bytes | None]:
        """Give what was read, and, when that settles nothing and ``reduce`` says so, a copy for the model."""
        readings: list[Reading] = []
        with self.reader.open(image) as opened:
            for look in opened.scans():
                readings += look
                if has_valid_vin(readings):
                    return readings, None
            return readings, opened.to_jpeg() if reduce else None

    def _is_known(self, vin: str) -> bool:
        try:
            return self.decoder.decode(vin) is not None
        except Unavailable:
            return False


def _asked(vision: VisionModel, photo: bytes) -> list[Reading]:
    try:
        text = vision.read_vin(photo)
    except Unavailable as unavailable:
        _log.warning("The vision model is unavailable: %s", unavailable.message)
        return []
    return [] if text is None else [Reading(text=text, source=ReadingSource.MODEL)]
