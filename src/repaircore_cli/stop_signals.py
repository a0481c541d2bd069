"""SIGINT and SIGTERM, as something to wait for."""

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, Self

_ENDINGS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def held_back() -> Iterator[None]:
    """Have the signals wait: in this program within the block, and in what it becomes or begins there.

    A program that is interrupted in the middle of its imports ends with a traceback. One that is begun like this hears
    the signals when it opens ``StopSignals``, or as ``repaircore_http.server`` does.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class StopSignals:
    """Catches the signals that end a program, within its block; only the main thread may open one.

    A handler runs between any two instructions of the main thread, also in the middle of another handler, so this one
    takes no lock: ``threading.Event.set`` does, and waits for itself for ever when a second signal comes too soon.
    """

    def __init__(self) -> None:
        self.received = False
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def __enter__(self) -> Self:
        # Whatever the parent did: a shell has what it runs in the background ignore Ctrl-C.
        self._before = {ending: signal.signal(ending, self._handle) for ending in _ENDINGS}
        signal.pthread_sigmask(
            signal.SIG_UNBLOCK, _ENDINGS
        )  # whoever began this program may have had them wait
        return self

    def __exit__(self, *_: object) -> None:
        for ending, handler in self._before.items():
            signal.signal(ending, handler)
        os.close(self._reader)
        os.close(self._writer)

    def wait(self, seconds: float) -> bool:
        """Wait until a signal has come, or for so long; return whether one has."""
        if not self.received:
            select.select([self._reader], [], [], max(0.0, seconds))
        return self.received

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self.received = True
        with suppress(BlockingIOError):  # enough bytes wait there to wake whoever waits
            os.write(self._writer, b"\0")
