"""What the programs that decode one file share: their limits and the format of their output (see ``one_shot``)."""

import io
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from PIL import Image

_ADDRESSES: Final = 1024**3
_CPU_SECONDS: Final = 4


def restrict() -> None:
    """Give up the right to write files, and all but a little memory and time: an image may exploit its decoder."""
    for limit, most in (
        (resource.RLIMIT_AS, _ADDRESSES),
        (resource.RLIMIT_CPU, _CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(OSError, ValueError):  # some systems have no such limit
            resource.setrlimit(limit, (most, most))


def answer(
    decode: Callable[[bytes], Image.Image], encode: Callable[[Image.Image, io.BytesIO], object]
) -> int:
    """Decode the picture on stdin, write its width, height and encoded bytes to stdout, and return the exit status."""
    try:
        image = decode(sys.stdin.buffer.read())
    except Exception:  # noqa: BLE001 - decoders of damaged files raise anything
        return 1
    written = io.BytesIO()
    encode(image, written)
    for side in image.size:
        sys.stdout.buffer.write(side.to_bytes(4, "big"))
    sys.stdout.buffer.write(written.getvalue())
    return 0
