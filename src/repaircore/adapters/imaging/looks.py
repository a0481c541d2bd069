"""The passes over an image, each costing more than the one before.

Costs are in decodings of a 24-megapixel photo (bench/images.py): bar codes at a quarter of its size 0.4; at half
of it, with the lines of the whole one and of it turned, 4; text 5 to 20, whatever the size.
"""

from collections.abc import Iterator
from typing import Any, Final

from PIL import Image, ImageFilter, ImageOps

from repaircore.adapters.imaging.codes import all_codes, line_codes
from repaircore.adapters.imaging.print import printed

__all__ = ["looks"]

_SMALL: Final = 1600
_MIDDLE: Final = 2800
_TURNS: Final = (30, 15, 45, 60, 75, 7.5, 22.5, 37.5, 52.5, 67.5, 82.5)
"""Degrees. Lines are found within about six of upright or lying, however short they are; of dots an odd angle
is missed now and then, and another one is not."""
_SHARPEN: Final = ImageFilter.UnsharpMask(radius=2, percent=400, threshold=0)
"""Of sixty blurred bar codes 48 are read without it, 57 with it alone."""
_TEXT_SIDES: Final = (736, 1280)


def looks(image: Image.Image) -> Iterator[list[dict[str, Any]]]:
    """Look at a gray image again and again; each look gives the texts that it found, with their source."""
    small = _at_most(image, _SMALL)
    yield _codes(all_codes(small))
    yield _codes(_closer(image, small))
    for side in _TEXT_SIDES:
        yield [{"text": text, "source": "text"} for text in printed(ImageOps.autocontrast(image), side=side)]
    if max(image.size) > _MIDDLE:
        yield _codes(all_codes(image))


def _closer(image: Image.Image, small: Image.Image) -> list[str]:
    middle = _at_most(image, _MIDDLE)
    found = all_codes(ImageOps.autocontrast(middle), inverted=True)
    if not found and middle is not image:
        found = line_codes(image)
    if not found:
        found = line_codes(small.filter(_SHARPEN))
    for number, degrees in enumerate(() if found else _TURNS):
        turned = small.rotate(degrees, Image.Resampling.BILINEAR, expand=True, fillcolor=255)
        found = line_codes(turned) if number else all_codes(turned)
        if found:
            break
    return found


def _codes(texts: list[str]) -> list[dict[str, Any]]:
    return [{"text": text, "source": "bar_code"} for text in texts]


def _at_most(image: Image.Image, side: int) -> Image.Image:
    """Shrink by a whole factor, which is quick and leaves the lines of a bar code alike."""
    factor = max(image.size) // side
    return image.reduce(factor) if factor > 1 else image
