"""The child process that reads one logo: ``python -m repaircore.adapters.imaging.logo_program < FILE``.

It writes the width and the height of the picture, four bytes each, and then a PNG that contains nothing from the file
but its pixels. It exits with status 1 if it does not accept the file. It cannot write files, and has little memory and
time.
"""

import io
import sys
import warnings
from typing import Final

from PIL import Image, ImageOps

from repaircore.adapters.imaging.one_shot_program import answer, restrict

_FORMATS: Final = ("JPEG", "PNG")
_LONGEST_SIDE: Final = 4_000
_STORED: Final = (1_200, 600)


def main() -> int:
    """Convert the logo on stdin to a PNG on stdout; return the exit status."""
    restrict()
    return answer(_read, lambda image, file: image.save(file, "PNG", optimize=True))


def _read(sent: bytes) -> Image.Image:
    Image.MAX_IMAGE_PIXELS = None  # our own limit is stricter, and raises an error
    with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(sent), formats=_FORMATS) as image:
        if max(image.size) > _LONGEST_SIDE or getattr(image, "n_frames", 1) > 1:
            raise ValueError
        image.load()
        upright = ImageOps.exif_transpose(image)
        drawn = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    drawn.thumbnail(_STORED)
    plain = Image.new(drawn.mode, drawn.size)
    plain.paste(drawn)
    return plain


if __name__ == "__main__":
    sys.exit(main())
