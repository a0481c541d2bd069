"""Messages between a parent and its child: a length, then JSON or bytes."""

import socket
from collections.abc import Callable
from typing import Any, Final

from repaircore.json_text import decode, encode

_HEAD: Final = 4
_MOST: Final = 4 * 1024 * 1024
"""More than this is no message: a reduced photo has less."""

Remaining = Callable[[], float | None]
"""Give the seconds that are left; None waits for ever. Raises TimeoutError when none is."""


class Closed(Exception):
    """The other side is gone, or says nonsense."""


def send(to: socket.socket, message: dict[str, Any]) -> None:
    """Send a message.

    Raises:
        Closed: the other side is gone.
    """
    send_bytes(to, encode(message))


def send_bytes(to: socket.socket, content: bytes) -> None:
    """Send bytes, as ``send`` does."""
    try:
        to.sendall(len(content).to_bytes(_HEAD, "big") + content)
    except TimeoutError:
        raise
    except OSError:
        raise Closed from None


def receive(source: socket.socket, remaining: Remaining) -> dict[str, Any]:
    """Wait for a message.

    Raises:
        Closed: the other side is gone, or sends no JSON object.
        TimeoutError: it takes longer than there is time.
    """
    try:
        message = decode(receive_bytes(source, remaining))
    except (ValueError, RecursionError):
        raise Closed from None
    if not isinstance(message, dict):
        raise Closed
    return message


def receive_bytes(source: socket.socket, remaining: Remaining) -> bytes:
    """Wait for bytes, as ``receive`` does."""
    size = int.from_bytes(_exactly(source, _HEAD, remaining), "big")
    if size > _MOST:
        raise Closed
    return _exactly(source, size, remaining)


def _exactly(source: socket.socket, size: int, remaining: Remaining) -> bytes:
    parts: list[bytes] = []
    while size:
        source.settimeout(remaining())
        try:
            part = source.recv(min(size, 65_536))
        except TimeoutError:
            raise
        except OSError:
            raise Closed from None
        if not part:
            raise Closed
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
