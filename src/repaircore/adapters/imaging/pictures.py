"""Read photos and signatures for jobs in a child process with little time and memory.

An image may exploit its decoder.
"""

from importlib.util import find_spec
from typing import BinaryIO, Final

from typing_extensions import override

from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.one_shot import decode_once
from repaircore.kernel.errors import Invalid
from repaircore.proofs.model import MAX_PHOTO_BYTES, MAX_SIGNATURE_BYTES, Picture
from repaircore.proofs.ports import PictureReader

_PROGRAM: Final = "repaircore.adapters.imaging.picture_program"
_SECONDS: Final = 10.0
_UNREADABLE: Final = {
    "photo": "The photo must be a complete JPEG, PNG or WebP file of at most 50 megapixels.",
    "signature": "The signature must be a complete PNG file of at most 4,000 by 4,000 pixels with something drawn on it.",
}


class ChildPictureReader(PictureReader):
    """A reader that starts a child process for each picture."""

    def __init__(self, limit: ImageLimit) -> None:
        self._limit = limit

    @override
    def photo(self, file: BinaryIO) -> Picture:
        return self._read("photo", file, MAX_PHOTO_BYTES, "image/jpeg")

    @override
    def signature(self, file: BinaryIO) -> Picture:
        return self._read("signature", file, MAX_SIGNATURE_BYTES, "image/png")

    def _read(self, form: str, file: BinaryIO, most: int, media_type: str) -> Picture:
        if find_spec("PIL") is None:
            raise Invalid(
                {form: [f"Support for {form}s is not installed. Run: pip install 'repaircore[images]'"]}
            )
        try:
            read = decode_once(_PROGRAM, form, sent=file.read(most + 1), limit=self._limit, seconds=_SECONDS)
        except TimeoutError:
            raise Invalid({form: [f"Reading the {form} takes too much time. Send a smaller file."]}) from None
        if read is None:
            raise Invalid({form: [_UNREADABLE[form]]})
        width, height, content = read
        return Picture(content=content, media_type=media_type, width=width, height=height)
