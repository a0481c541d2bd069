"""Validate and decode untrusted images."""

import io
import warnings
from contextlib import suppress
from typing import BinaryIO, Final

from PIL import Image, ImageOps

_FORMATS: Final = ("JPEG", "PNG", "WEBP")
_MOST_PIXELS: Final = 50_000_000
"""The limit for a file: phones take photos of 48 megapixels, which decode to at most 200 MB."""
_SCALED_PIXELS: Final = 25_000_000
"""Larger images are read at half their size: a VIN is still large enough, and reading takes no longer."""
_LONGEST_SIDE: Final = 10_000
_DEEP: Final = frozenset({"I", "I;16", "I;16B", "I;16L"})
_REDUCED_SIDE: Final = 1568
"""The longest side that vision models use; they shrink larger images."""
_REDUCED_QUALITY: Final = 85


NO_IMAGE: Final = "The image must be a complete JPEG, PNG or WebP file."


class UnreadableImage(Exception):
    """An image that cannot be accepted; the message is for users."""


def opened(file: BinaryIO) -> Image.Image:
    """Decode an image to upright grayscale.

    Raises:
        UnreadableImage: it is not a single JPEG, PNG or WebP frame within the limits, or is damaged.
    """
    Image.MAX_IMAGE_PIXELS = None  # our own limit is stricter, and raises an error
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(file, formats=_FORMATS) as image:
            _require_acceptable(image)
            scale = 2 if image.width * image.height > _SCALED_PIXELS else 1
            # A JPEG can be decoded without its colors and without every pixel.
            image.draft("L", (image.width // scale, image.height // scale))
            gray = _gray(image)
            return _upright(gray.reduce(2) if gray.width * gray.height > _SCALED_PIXELS else gray)
    except UnreadableImage:
        raise
    except MemoryError:
        raise UnreadableImage("The image takes too much memory to read. Send a smaller image.") from None
    except Exception:  # noqa: BLE001 - decoders of damaged files raise anything
        raise UnreadableImage(NO_IMAGE) from None


def reduced(image: Image.Image) -> bytes:
    """Encode an image as a JPEG of moderate size, without metadata."""
    small = image.copy()
    small.thumbnail((_REDUCED_SIDE, _REDUCED_SIDE))
    small.info.clear()
    written = io.BytesIO()
    small.save(written, "JPEG", quality=_REDUCED_QUALITY)
    return written.getvalue()


def _require_acceptable(image: Image.Image) -> None:
    width, height = image.size
    if width * height > _MOST_PIXELS or max(width, height) > _LONGEST_SIDE:
        raise UnreadableImage(
            f"The image must not have more than {_MOST_PIXELS // 1_000_000} megapixels"
            f" or a side longer than {_LONGEST_SIDE} pixels."
        )
    # A phone's JPEG may contain a second frame (depth, brightness); the first is the photo.
    if image.format != "MPO" and getattr(image, "n_frames", 1) > 1:
        raise UnreadableImage("The image must not be animated.")


def _upright(gray: Image.Image) -> Image.Image:
    with suppress(Exception):  # the metadata may be damaged while the image is not
        return ImageOps.exif_transpose(gray)
    return gray


def _gray(image: Image.Image) -> Image.Image:
    if image.mode in _DEEP:
        gray = image.convert("I").point(lambda value: value / 256).convert("L")
    elif image.has_transparency_data:
        paper = Image.new("RGBA", image.size, "white")
        paper.alpha_composite(image.convert("RGBA"))
        gray = paper.convert("L")
    else:
        gray = image.convert("L")
    gray.info = {"exif": image.info["exif"]} if "exif" in image.info else {}
    return gray
