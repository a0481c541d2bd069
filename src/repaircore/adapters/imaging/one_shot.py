"""Run a program on one untrusted file, in a process of its own."""

import subprocess
import sys
from typing import Final

from repaircore.adapters.imaging.child import child_environment
from repaircore.adapters.imaging.concurrency import ImageLimit

_SIZE_BYTES: Final = 4


def decode_once(
    program: str, *arguments: str, sent: bytes, limit: ImageLimit, seconds: float
) -> tuple[int, int, bytes] | None:
    """Run a program on a file; return the width, height and bytes of its result, or None if it rejects the file.

    Raises:
        TimeoutError: it takes too long.
        TooMany: too many files are waiting.
    """
    with limit.slot():
        try:
            done = subprocess.run(  # noqa: S603 - our own interpreter and program
                [sys.executable, "-P", "-m", program, *arguments],
                input=sent,
                capture_output=True,
                env=child_environment(),
                timeout=seconds,
                check=False,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
    width, height, written = _parts(done.stdout)
    return (width, height, written) if done.returncode == 0 and written else None


def _parts(written: bytes) -> tuple[int, int, bytes]:
    width, height = (int.from_bytes(written[at : at + _SIZE_BYTES], "big") for at in (0, _SIZE_BYTES))
    return width, height, written[2 * _SIZE_BYTES :]
