"""The port: images are looked at in a child, one at a time, within a deadline."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, BinaryIO, Final

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.imaging.child import Child
from repaircore.adapters.imaging.gate import ImageGate
from repaircore.adapters.imaging.wire import Closed
from repaircore.kernel.errors import Invalid, Unresolvable
from repaircore.vehicles.ports import OpenedImage, VinReader
from repaircore.vehicles.vin_readings import Reading, ReadingSource

_NEEDED: Final = ("PIL", "zxingcpp", "rapidocr", "onnxruntime")
_LONGEST_SENTENCE: Final = 200
_SECONDS: Final = 20.0
"""For one image in all. One without a VIN takes two or three on an idle core."""


class ChildVinReader(VinReader):
    """Look at images in one child, started at the first one and used again.

    A child that an image harms (its memory or its time is up, a library crashes) ends, and the next image
    gets another. An idle one ends by itself after some minutes, and so does one whose parent is gone.
    """

    def __init__(
        self,
        gate: ImageGate,
        *,
        seconds: float = _SECONDS,
        start: Callable[[], Child] = Child,
        needed: Sequence[str] = _NEEDED,
    ) -> None:
        self._gate = gate
        self._seconds = seconds
        self._start = start
        self._needed = needed
        self._child: Child | None = None

    @property
    def child(self) -> Child | None:
        """Give the child that runs, or None."""
        return self._child

    @override
    @contextmanager
    def open(self, image: BinaryIO) -> Iterator[OpenedImage]:
        missing = [name for name in self._needed if find_spec(name) is None]
        if missing:
            raise Unresolvable("Reading images is not installed: pip install 'repaircore[images]'.")
        with self._gate.turn(), _as_file(image) as descriptor:
            try:
                child, told = self._given(descriptor)
                _raise_refusal(told)
                yield _Opened(child)
                child.done()
            except (Closed, TimeoutError):
                self.close()
                raise Invalid({"image": ["The image takes too much time or memory to be read."]}) from None
            except Invalid:
                raise
            except BaseException:
                self.close()  # it may be in the middle of an answer
                raise

    def close(self) -> None:
        """End the child; the next image starts another."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _given(self, descriptor: int) -> tuple[Child, dict[str, Any]]:
        """Give the file to the child; one that ended by itself while it was idle is replaced."""
        idle = self._child is not None
        try:
            child = self._running()
            return child, child.open(descriptor, seconds=self._seconds)
        except Closed:
            if not idle:
                raise
            self.close()
            child = self._running()
            return child, child.open(descriptor, seconds=self._seconds)

    def _running(self) -> Child:
        if self._child is not None and not (self._child.is_ours and self._child.alive):
            self.close()
        if self._child is None:
            self._child = self._start()
        return self._child


@frozen
class _Opened(OpenedImage):
    child: Child

    @override
    def scans(self) -> Iterator[Sequence[Reading]]:
        number = 0
        while True:
            told = self.child.ask("look")
            if "end" in told:
                return
            yield [_reading(one, number) for one in _list(told.get("found"))]
            number += 1

    @override
    def to_jpeg(self) -> bytes:
        return self.child.ask_bytes("reduced")


@contextmanager
def _as_file(image: BinaryIO) -> Iterator[int]:
    """Give the descriptor of a file with the image; what is in memory only is written to one without a name."""
    try:
        descriptor = image.fileno()
    except (AttributeError, OSError):
        with tempfile.TemporaryFile() as copy:
            image.seek(0)
            shutil.copyfileobj(image, copy)
            copy.flush()
            yield copy.fileno()
        return
    image.flush()
    os.lseek(descriptor, 0, os.SEEK_SET)
    yield descriptor


# What a child says is looked at as if an image said it.


def _list(told: Any) -> list[Any]:
    if not isinstance(told, list):
        raise Closed
    return told


def _reading(told: Any, look: int) -> Reading:
    match told:
        case {"text": str(text), "source": "bar_code" | "text" as source}:
            return Reading(text=text, source=ReadingSource(source), scan=look)
    raise Closed


def _raise_refusal(told: dict[str, Any]) -> None:
    match told:
        case {"opened": True}:
            return
        case {"refused": str(sentence)} if len(sentence) <= _LONGEST_SENTENCE:
            raise Invalid({"image": [sentence]})
    raise Closed
