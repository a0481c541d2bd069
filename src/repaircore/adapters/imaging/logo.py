"""Read logos in a child process with little time and memory: an image may exploit its decoder."""

import subprocess
import sys
from importlib.util import find_spec
from typing import BinaryIO, Final

from typing_extensions import override

from repaircore.adapters.imaging.child import child_environment
from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.kernel.errors import Invalid
from repaircore.shops.model import MAX_LOGO_BYTES, Logo
from repaircore.shops.ports import LogoReader

_PROGRAM: Final = "repaircore.adapters.imaging.logo_program"
_SECONDS: Final = 5.0
_SIZE_BYTES: Final = 4
_UNREADABLE: Final = "The logo must be a complete PNG or JPEG file of at most 4,000 by 4,000 pixels."


class ChildLogoReader(LogoReader):
    """Reads each logo in a process of its own, which ends with it."""

    def __init__(self, limit: ImageLimit) -> None:
        self._limit = limit

    @property
    @override
    def is_on(self) -> bool:
        return find_spec("PIL") is not None

    @override
    def read(self, image: BinaryIO) -> Logo:
        if not self.is_on:
            raise Invalid({"logo": ["This installation cannot read images, so it takes no logos."]})
        sent = image.read(MAX_LOGO_BYTES + 1)
        with self._limit.slot():
            try:
                done = subprocess.run(  # noqa: S603 - our own interpreter and program
                    [sys.executable, "-P", "-m", _PROGRAM],
                    input=sent,
                    capture_output=True,
                    env=child_environment(),
                    timeout=_SECONDS,
                    check=False,
                    start_new_session=True,
                )
            except subprocess.TimeoutExpired:
                raise Invalid({"logo": ["Reading the logo takes too much time."]}) from None
        width, height, png = _parts(done.stdout)
        if done.returncode != 0 or not png:
            raise Invalid({"logo": [_UNREADABLE]})
        return Logo(png=png, width=width, height=height)


def _parts(written: bytes) -> tuple[int, int, bytes]:
    width, height = (int.from_bytes(written[at : at + _SIZE_BYTES], "big") for at in (0, _SIZE_BYTES))
    return width, height, written[2 * _SIZE_BYTES :]
