"""Printed text."""

from functools import cache
from typing import Any, Final

from PIL import Image

_LONGEST_SIDE: Final = 2000
"""The engine shrinks larger images; shrinking them first saves memory."""
_SAME_ROW: Final = 0.5


def printed(image: Image.Image, *, side: int) -> list[str]:
    """Read the text in a gray image row by row, from the top; text is detected in a copy with sides up to ``side``."""
    import numpy as np  # noqa: PLC0415 - slow to import, and an image with a bar code does not need it

    engine = _engine()
    if engine.text_det is not None:
        engine.text_det.limit_side_len = side
    shrunk = image.copy()
    shrunk.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    read = engine(np.asarray(shrunk.convert("RGB"))[:, :, ::-1])
    return [] if read.txts is None else _rows(list(zip(read.boxes.tolist(), read.txts, strict=True)))


@cache
def _engine() -> Any:
    """Load the engine, once in a process: its models take longer than a small image."""
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


def _rows(boxes: list[tuple[list[list[float]], str]]) -> list[str]:
    """Join the texts of each row, from the left: a VIN with gaps may be found in pieces."""
    rows: list[list[tuple[float, float, float, str]]] = []
    for corners, text in boxes:
        xs, ys = [corner[0] for corner in corners], [corner[1] for corner in corners]
        middle, height = (min(ys) + max(ys)) / 2, max(ys) - min(ys)
        row = next((row for row in rows if _fits(row[-1], middle, height)), None)
        if row is None:
            rows.append(row := [])
        row.append((min(xs), middle, height, text))
    return [" ".join(text for *_, text in sorted(row)) for row in rows]


def _fits(last: tuple[float, float, float, str], middle: float, height: float) -> bool:
    return abs(last[1] - middle) < _SAME_ROW * min(last[2], height)
