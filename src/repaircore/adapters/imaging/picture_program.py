"""The child process that reads one picture for a job.

Run it as ``python -m repaircore.adapters.imaging.picture_program photo < FILE``.

It writes the width and the height, four bytes each, and the picture, with nothing from the file but its pixels: a photo
as a JPEG, a signature (``signature``) as a PNG in black on white. It exits with status 1 if it does not accept the
file.
"""

import io
import sys
import warnings
from typing import Final

from PIL import Image, ImageOps

from repaircore.adapters.imaging.one_shot_program import answer, restrict

_MOST_PIXELS: Final = 50_000_000
"""Phones take photos of 48 megapixels."""
_LONGEST_SIDE: Final = 10_000
_PHOTO_SIDE: Final = 1_600
_QUALITY: Final = 80
_SIGNED_SIDE: Final = 4_000
_SIGNATURE: Final = (600, 300)
_INK: Final = 128
_LEAST_INK: Final = 20
"""The fewest dark pixels in a signature reduced to 600 by 300; a slip of the finger has fewer."""


def main(form: str) -> int:
    """Convert the picture on stdin to a photo or signature on stdout; return the exit status."""
    restrict()
    if form == "signature":
        return answer(_signature, lambda image, file: image.save(file, "PNG", optimize=True))
    return answer(_photo, lambda image, file: image.save(file, "JPEG", quality=_QUALITY))


def _photo(sent: bytes) -> Image.Image:
    image = _opened(sent, ("JPEG", "PNG", "WEBP"), side=_LONGEST_SIDE)
    image.draft("RGB", (_PHOTO_SIDE, _PHOTO_SIDE))  # a JPEG need not decode every pixel
    image.load()
    image.thumbnail((_PHOTO_SIDE, _PHOTO_SIDE))
    return _flat(ImageOps.exif_transpose(image), "RGB")


def _signature(sent: bytes) -> Image.Image:
    image = _opened(sent, ("PNG",), side=_SIGNED_SIDE)
    image.load()
    image.thumbnail(_SIGNATURE)
    drawn = _flat(image, "L")
    if sum(drawn.histogram()[:_INK]) < _LEAST_INK:
        raise ValueError
    return drawn


def _opened(sent: bytes, formats: tuple[str, ...], *, side: int) -> Image.Image:
    Image.MAX_IMAGE_PIXELS = None  # our own limit is stricter, and raises an error
    warnings.simplefilter("ignore")
    image = Image.open(io.BytesIO(sent), formats=[*formats, *(["MPO"] if "JPEG" in formats else [])])
    if max(image.size) > side or image.width * image.height > _MOST_PIXELS:
        raise ValueError
    # A phone's JPEG may contain a second frame (depth, brightness); the first is the photo.
    if image.format != "MPO" and getattr(image, "n_frames", 1) > 1:
        raise ValueError
    return image


def _flat(image: Image.Image, mode: str) -> Image.Image:
    """Return the pixels of an image on a white background, without its metadata."""
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        paper = Image.new("RGBA", layer.size, "white")
        paper.alpha_composite(layer)
        image = paper
    pixels = image.convert(mode)
    plain = Image.new(mode, pixels.size)
    plain.paste(pixels)
    return plain


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
