"""Wait for SIGINT and SIGTERM."""

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, Self

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def blocked() -> Iterator[None]:
    """Block the signals within a ``with`` block, in this process and in the programs that it starts there.

    A program that is interrupted during its imports ends with a traceback. One that is started this way receives
    the signals when it opens ``StopSignals``, or unblocks them as ``repaircore_http.server`` does.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class StopSignals:
    """Catches SIGINT and SIGTERM within a ``with`` block; only the main thread may enter one.

    A handler runs between any two instructions of the main thread, even inside another handler, so this one takes no
    lock: ``threading.Event.set`` takes one, and would deadlock if a second signal arrived too soon.
    """

    def __init__(self) -> None:
        self.received = False
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def __enter__(self) -> Self:
        # A shell makes background processes ignore Ctrl-C, and the parent may have blocked the signals.
        self._before = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self._reader)
        os.close(self._writer)

    def wait(self, seconds: float) -> bool:
        """Wait for a signal, up to ``seconds``; return whether one has arrived."""
        if not self.received:
            select.select([self._reader], [], [], max(0.0, seconds))
        return self.received

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self.received = True
        with suppress(BlockingIOError):  # the pipe is full, so the waiting thread wakes anyway
            os.write(self._writer, b"\0")
