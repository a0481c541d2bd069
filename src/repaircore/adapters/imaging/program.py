"""The child process that reads images: ``python -m repaircore.adapters.imaging.program DESCRIPTOR``.

It may crash or be taken over, and is easily replaced: its memory and CPU time are limited, it cannot write files, and
it has a low priority. It exits after being idle for a few minutes (or seconds, once it has looked for text), or when
its parent exits.
"""

import os
import socket
import sys
from contextlib import suppress
from typing import BinaryIO, Final

from PIL import Image

from repaircore.adapters.imaging.looks import looks
from repaircore.adapters.imaging.messages import Closed, receive, send, send_bytes
from repaircore.adapters.imaging.process_limits import confine, grant_cpu_time
from repaircore.adapters.imaging.validation import UnreadableImage, opened, reduced

_ADDRESSES: Final = 3 * 1024**3
"""Bytes of address space: text recognition maps 1.6 GiB and uses half of that."""
_CPU_SECONDS: Final = 30
_IDLE_SECONDS: Final = 300.0
_IDLE_SECONDS_WITH_ENGINE: Final = 10.0
"""Idle seconds until the child exits once it has looked for text: the engine takes 120 MB, and a second to load."""


def main(descriptor: int) -> None:
    """Read images from the parent, one after another, until it closes the connection or sends none for too long."""
    confine(memory=_ADDRESSES)
    with socket.socket(fileno=descriptor) as parent, suppress(Closed, TimeoutError, ConnectionError):
        while True:
            parent.settimeout(_IDLE_SECONDS_WITH_ENGINE if "rapidocr" in sys.modules else _IDLE_SECONDS)
            _, files, _, _ = socket.recv_fds(parent, 1, 1)
            if not files:
                return
            grant_cpu_time(_CPU_SECONDS)
            with os.fdopen(files[0], "rb") as file:
                _serve(parent, file)


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
