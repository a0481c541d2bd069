"""The passes over an image, ordered by cost and yield.

Costs, relative to decoding a 24-megapixel photo (bench/images.py): reading bar codes at a quarter of its size costs a
third as much; reading them at half its size, reading linear codes at full size and reading rotated copies costs five
times as much in total; reading text costs five to twenty times as much, whatever the size of the image.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from PIL import Image, ImageFilter, ImageOps

from repaircore.adapters.imaging.codes import all_codes, line_codes
from repaircore.adapters.imaging.print import printed

_SMALL: Final = 1400
_MIDDLE: Final = 2800
_TURNS: Final = (30, 15, 45, 60, 75, 7.5, 22.5, 37.5, 52.5, 67.5, 82.5)
"""Angles in degrees. Linear codes are found within about six degrees of vertical or horizontal; matrix codes are missed
at a few angles, so one turn is enough for them."""
_SHARPEN: Final = ImageFilter.UnsharpMask(radius=2, percent=400, threshold=0)
"""Makes nearly all blurred bar codes readable, but none in a faint or grainy photo."""


def looks(image: Image.Image) -> Iterator[list[dict[str, Any]]]:
    """Yield what each pass over a gray image finds: strings, each with its source."""
    small = _about(image, _SMALL)
    yield _codes(all_codes(small))
    clear = ImageOps.autocontrast(small)
    yield _codes(_at_other_sizes(image, small) or _turned(clear))
    light = ImageOps.autocontrast(image)
    yield _text(printed(light, side=736))
    yield _codes(_turned(small.filter(_SHARPEN)))
    yield _text(printed(light, side=1280))
    if max(image.size) > _MIDDLE:
        yield _codes(all_codes(image))


def _at_other_sizes(image: Image.Image, small: Image.Image) -> list[str]:
    middle = _about(image, _MIDDLE)
    ways: tuple[Callable[[], list[str]], ...] = (
        lambda: all_codes(ImageOps.autocontrast(middle)),
        lambda: all_codes(ImageOps.invert(small)),
        lambda: line_codes(image) if image is not middle else [],
        lambda: line_codes(small.filter(_SHARPEN)),
    )
    return next((found for way in ways if (found := way())), [])


def _turned(image: Image.Image) -> list[str]:
    def at(degrees: float) -> list[str]:
        turned = image.rotate(degrees, Image.Resampling.BILINEAR, expand=True, fillcolor=255)
        return all_codes(turned) if degrees == _TURNS[0] else line_codes(turned)

    return next((found for degrees in _TURNS if (found := at(degrees))), [])


def _codes(texts: list[str]) -> list[dict[str, Any]]:
    return [{"text": text, "source": "bar_code"} for text in texts]


def _text(texts: list[str]) -> list[dict[str, Any]]:
    return [{"text": text, "source": "text"} for text in texts]


def _about(image: Image.Image, side: int) -> Image.Image:
    """Shrink an image to about ``side`` by an integer factor, which is fast and keeps the lines of a bar code even."""
    factor = round(max(image.size) / side)
    return image.reduce(factor) if factor > 1 else image
