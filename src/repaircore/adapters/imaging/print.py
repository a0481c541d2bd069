"""Recognition of printed text."""

from functools import cache
from math import dist
from typing import Any, Final

from PIL import Image

from repaircore.adapters.imaging.rows import Corners, join_rows

_LONGEST_SIDE: Final = 2000
"""The engine shrinks larger images; shrinking them first saves memory."""

_PAGE_SIDE: Final = 1280
"""The longest side of the copy in which lines are found; a larger one takes twice as long and finds no more."""

_VOTES: Final = 9
"""How many of the longest lines vote on which way up a page is."""


def printed(image: Image.Image, *, side: int) -> list[str]:
    """Return the rows of text in a gray image, top to bottom; text is detected in a copy with sides up to ``side``."""
    return join_rows(_pieces(_shrunk(image), side))


def printed_page(image: Image.Image) -> list[str]:
    """Return the rows of text in a gray image of a printed page, whichever way up it is."""
    page = _shrunk(image)
    pieces = _pieces(page, _PAGE_SIDE)
    turned = _turned_upright(page, [corners for corners, _ in pieces])
    return join_rows(pieces if turned is None else _pieces(turned, _PAGE_SIDE))


def _shrunk(image: Image.Image) -> Image.Image:
    shrunk = image.copy()
    shrunk.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    return shrunk


def _pieces(image: Image.Image, side: int) -> list[tuple[Corners, str]]:
    engine = _engine()
    if engine.text_det is not None:
        engine.text_det.limit_side_len = side
    read = engine(_pixels(image), use_det=True, use_cls=True, use_rec=True)
    return [] if read.txts is None else list(zip(read.boxes.tolist(), read.txts, strict=True))


def _turned_upright(image: Image.Image, boxes: list[Corners]) -> Image.Image | None:
    """Return the image turned upright if its lines are sideways or upside down, or None if it is already upright."""
    longest = sorted(boxes, key=lambda box: dist(box[0], box[1]) + dist(box[1], box[2]))[-_VOTES:]
    if not longest:
        return None
    sideways = sum(dist(box[1], box[2]) > dist(box[0], box[1]) for box in longest) * 2 > len(longest)
    first = image.rotate(90, expand=True) if sideways else image
    crops = [_crop(image, box) for box in longest]
    if sum(_is_upside_down(crop.rotate(90, expand=True) if sideways else crop) for crop in crops) * 2 > len(
        longest
    ):
        return first.rotate(180)
    return first if sideways else None


def _crop(image: Image.Image, box: Corners) -> Image.Image:
    xs, ys = [corner[0] for corner in box], [corner[1] for corner in box]
    return image.crop((int(min(xs)), int(min(ys)), int(max(xs)) + 1, int(max(ys)) + 1))


def _is_upside_down(line: Image.Image) -> bool:
    found = _engine()(_pixels(line), use_det=False, use_cls=True, use_rec=False)
    return bool(found.cls_res) and "180" in found.cls_res[0][0]


def _pixels(image: Image.Image) -> Any:
    """Return the pixels of an image in the engine's channel order: blue, green, red."""
    import numpy as np  # noqa: PLC0415 - slow to import, and an image with a bar code does not need it

    return np.asarray(image.convert("RGB"))[:, :, ::-1]


@cache
def _engine() -> Any:
    """Return the engine, loaded once per process: loading its models takes longer than reading a small image."""
    from rapidocr import RapidOCR  # noqa: PLC0415 - as above

    threads = "EngineConfig.onnxruntime"
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            f"{threads}.intra_op_num_threads": 1,
            f"{threads}.inter_op_num_threads": 1,
            "Det.limit_type": "max",
            "Det.limit_side_len": 736,
        }
    )
