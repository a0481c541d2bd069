"""The VIN reader: images are read in a child process, one at a time, within a deadline."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, BinaryIO, Final

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.imaging.child import Child
from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.files import as_file
from repaircore.adapters.imaging.messages import Closed
from repaircore.kernel.errors import Invalid, Unresolvable
from repaircore.vehicles.ports import OpenedImage, VinReader
from repaircore.vehicles.vin_readings import Reading, ReadingSource

_PACKAGES: Final = ("PIL", "zxingcpp", "rapidocr", "onnxruntime")
_LONGEST_SENTENCE: Final = 200
_SECONDS: Final = 20.0
"""Total seconds for one image. An image without a VIN takes two or three seconds on an idle core."""


class ChildVinReader(VinReader):
    """A reader with one child process, which is started for the first image and reused.

    A child that exceeds its memory or time, or crashes, is replaced for the next image. An idle child exits after a few
    minutes (or seconds, once it has looked for text), and also once its parent has exited.
    """

    def __init__(
        self,
        limit: ImageLimit,
        *,
        seconds: float = _SECONDS,
        start: Callable[[], Child] = Child,
        packages: Sequence[str] = _PACKAGES,
    ) -> None:
        self._limit = limit
        self._seconds = seconds
        self._start = start
        self._packages = packages
        self._child: Child | None = None

    @property
    def child(self) -> Child | None:
        """The current child, or None if there is none."""
        return self._child

    @property
    @override
    def is_installed(self) -> bool:
        return all(find_spec(name) is not None for name in self._packages)

    @override
    @contextmanager
    def open(self, image: BinaryIO) -> Iterator[OpenedImage]:
        if not self.is_installed:
            raise Unresolvable(
                "Support for reading images is not installed. Run: pip install 'repaircore[images]'"
            )
        with self._limit.slot(), as_file(image) as descriptor:
            try:
                child, message = self._open_in_child(descriptor)
                _require_opened(message)
                yield _Opened(child)
                child.done()
            except (Closed, TimeoutError):
                self.close()
                raise Invalid(
                    {"image": ["Reading the image takes too much time or memory. Send a smaller image."]}
                ) from None
            except Invalid:
                raise
            except BaseException:
                self.close()  # the child may be in the middle of a response
                raise

    def close(self) -> None:
        """End the child; the next image starts a new one."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _open_in_child(self, descriptor: int) -> tuple[Child, dict[str, Any]]:
        """Send the file to the child, replacing one that exited while idle; return the child and its first message."""
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
            message = self.child.request("look")
            if "end" in message:
                return
            yield [_reading(item, number) for item in _list(message.get("found"))]
            number += 1

    @override
    def to_jpeg(self) -> bytes:
        return self.child.request_bytes("reduced")


# A child's messages are as untrusted as the image.


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Closed
    return value


def _reading(value: Any, look: int) -> Reading:
    match value:
        case {"text": str(text), "source": "bar_code" | "text" as source}:
            return Reading(text=text, source=ReadingSource(source), scan=look)
    raise Closed


def _require_opened(message: dict[str, Any]) -> None:
    match message:
        case {"opened": True}:
            return
        case {"refused": str(sentence)} if len(sentence) <= _LONGEST_SENTENCE:
            raise Invalid({"image": [sentence]})
    raise Closed
