"""Messages between a parent and its child: a length, then JSON or bytes."""

import socket
from collections.abc import Callable
from typing import Any, Final

from repaircore.json_text import decode, encode

_HEAD: Final = 4
_MOST: Final = 4 * 1024 * 1024
"""The maximum size of a message in bytes; a photo that a child has reduced is smaller."""

Remaining = Callable[[], float | None]
"""A function that returns the seconds that are left, or None for no limit; it raises TimeoutError if none are left."""


class Closed(Exception):
    """The other process has exited, or sent an invalid message."""


def send(to: socket.socket, message: dict[str, Any]) -> None:
    """Send a message.

    Raises:
        Closed: the other process has exited.
        TimeoutError: the timeout of the socket is exceeded.
    """
    send_bytes(to, encode(message))


def send_bytes(to: socket.socket, content: bytes) -> None:
    """Send bytes; raise as ``send`` does."""
    try:
        to.sendall(len(content).to_bytes(_HEAD, "big") + content)
    except TimeoutError:
        raise
    except OSError:
        raise Closed from None


def receive(source: socket.socket, remaining: Remaining) -> dict[str, Any]:
    """Receive a message.

    Raises:
        Closed: the other process has exited, or sent something other than a JSON object.
        TimeoutError: the time is up.
    """
    try:
        message = decode(receive_bytes(source, remaining))
    except (ValueError, RecursionError):
        raise Closed from None
    if not isinstance(message, dict):
        raise Closed
    return message


def receive_bytes(source: socket.socket, remaining: Remaining) -> bytes:
    """Receive bytes; raise as ``receive`` does, or Closed if the message is too long."""
    size = int.from_bytes(_receive_exactly(source, _HEAD, remaining), "big")
    if size > _MOST:
        raise Closed
    return _receive_exactly(source, size, remaining)


def _receive_exactly(source: socket.socket, size: int, remaining: Remaining) -> bytes:
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
