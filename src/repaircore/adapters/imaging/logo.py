"""Read logos in a child process with little time and memory: an image may exploit its decoder."""

from importlib.util import find_spec
from typing import BinaryIO, Final

from typing_extensions import override

from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.one_shot import decode_once
from repaircore.kernel.errors import Invalid
from repaircore.shops.model import MAX_LOGO_BYTES, Logo
from repaircore.shops.ports import LogoReader

_PROGRAM: Final = "repaircore.adapters.imaging.logo_program"
_SECONDS: Final = 5.0
_UNREADABLE: Final = "The logo must be a complete PNG or JPEG file of at most 4,000 by 4,000 pixels."


class ChildLogoReader(LogoReader):
    """A reader that starts a child process for each logo."""

    def __init__(self, limit: ImageLimit) -> None:
        self._limit = limit

    @property
    @override
    def is_on(self) -> bool:
        return find_spec("PIL") is not None

    @override
    def read(self, image: BinaryIO) -> Logo:
        if not self.is_on:
            raise Invalid(
                {"logo": ["Support for logos is not installed. Run: pip install 'repaircore[images]'"]}
            )
        sent = image.read(MAX_LOGO_BYTES + 1)
        try:
            read = decode_once(_PROGRAM, sent=sent, limit=self._limit, seconds=_SECONDS)
        except TimeoutError:
            raise Invalid({"logo": ["Reading the logo takes too much time. Send a smaller file."]}) from None
        if read is None:
            raise Invalid({"logo": [_UNREADABLE]})
        width, height, png = read
        return Logo(png=png, width=width, height=height)
