"""The child process that reads images: ``python -m repaircore.adapters.imaging.program DESCRIPTOR``.

It may crash or be taken over, and is easily replaced: its memory and CPU time are limited, it cannot write files, and it has
a low priority. It exits when it is idle for some minutes, or when its parent exits.
"""

import os
import resource
import socket
import sys
from contextlib import suppress
from typing import BinaryIO, Final

from PIL import Image

from repaircore.adapters.imaging.looks import looks
from repaircore.adapters.imaging.messages import Closed, receive, send, send_bytes
from repaircore.adapters.imaging.validation import UnreadableImage, opened, reduced

_ADDRESSES: Final = 3 * 1024**3
"""Bytes of address space: text recognition maps 1.6 GiB and uses half of them."""
_CPU_SECONDS: Final = 30
_IDLE_SECONDS: Final = 300.0
_NICE: Final = 10


def main(descriptor: int) -> None:
    """Read one file after the other."""
    for limit, most in (
        (resource.RLIMIT_AS, _ADDRESSES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _lower(limit, most)
    os.nice(_NICE)
    with socket.socket(fileno=descriptor) as parent, suppress(Closed, TimeoutError, ConnectionError):
        while True:
            parent.settimeout(_IDLE_SECONDS)
            _, files, _, _ = socket.recv_fds(parent, 1, 1)
            if not files:
                return
            _grant_time()
            with os.fdopen(files[0], "rb") as file:
                _serve(parent, file)


def _lower(limit: int, most: int) -> None:
    _, hard = resource.getrlimit(limit)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with suppress(OSError, ValueError):  # some systems have no such limit
        resource.setrlimit(limit, (most, most))


def _grant_time() -> None:
    """Limit the CPU time for the next image."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + _CPU_SECONDS, hard))


def _serve(parent: socket.socket, file: BinaryIO) -> None:
    try:
        image = opened(file)
    except UnreadableImage as error:
        send(parent, {"refused": str(error)})
        return
    send(parent, {"opened": True})
    _answer(parent, image)


def _answer(parent: socket.socket, image: Image.Image) -> None:
    found = looks(image)
    while True:
        match receive(parent, lambda: _IDLE_SECONDS):
            case {"ask": "look"}:
                look = next(found, None)
                send(parent, {"end": True} if look is None else {"found": look})
            case {"ask": "reduced"}:
                send_bytes(parent, reduced(image))
            case {"ask": "close"}:
                return
            case _:
                raise Closed


if __name__ == "__main__":
    main(int(sys.argv[1]))
