"""What reads JSON as values of a class, made by one thread at a time.

msgspec keeps what it learns of a class with the class, and has it there before it is complete: a second thread that asks for a
decoder of the same class in that moment ends the process with a segmentation fault (msgspec 0.22, Python 3.11). A decoder that is
made may be used by all threads.
"""

from collections.abc import Callable
from threading import Lock
from typing import Any, Final, TypeVar

T = TypeVar("T")

_making: Final = Lock()
_made: Final[dict[Any, Callable[[str | bytes], Any]]] = {}


def decoder_of(shape: type[T]) -> Callable[[str | bytes], T]:
    """Give what reads JSON as a value of the type; it raises ``msgspec.DecodeError`` for what is none.

    It is slow to make, so each is made once, at its first use.
    """
    made = _made.get(shape)
    if made is not None:
        return made
    with _making:
        if shape not in _made:
            import msgspec  # noqa: PLC0415 - most commands never read any

            _made[shape] = msgspec.json.Decoder(shape).decode  # noqa: TID251 - the one place
        return _made[shape]
