"""Outside calls that end in time, whatever the other side does.

A client's own time limits start anew with each byte that arrives, so that a server which drips holds
its caller forever. Here calls run on an event loop in a thread of its own: a call that is late is
cancelled, its connection closed, and its caller gone on the second, even while a name is resolved.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from threading import Lock, Thread
from typing import Any, TypeVar

from attrs import define, field

__all__ = ["Deadline"]

T = TypeVar("T")


@define
class Deadline:
    """An event loop in a thread, started at the first call and anew in a forked process."""

    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)
    _process: int = field(default=0, init=False)
    _lock: Lock = field(factory=Lock, init=False)

    def run(self, call: Callable[[], Coroutine[Any, Any, T]], *, seconds: float) -> T:
        """Run the call and give its answer.

        Raises:
            TimeoutError: when there is none after ``seconds``; the call is cancelled. Whatever the
                call raises comes through.
        """
        future: Future[T] = asyncio.run_coroutine_threadsafe(call(), self._running())
        try:
            return future.result(seconds)
        except Late:
            future.cancel()
            raise TimeoutError from None

    def close(self) -> None:
        """Stop the thread; calls under way are given up."""
        with self._lock:
            if self._loop is not None and self._process == os.getpid():
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._loop = None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._process != os.getpid():
                self._loop, self._process = asyncio.new_event_loop(), os.getpid()
                Thread(target=_serve, args=(self._loop,), name="outside-calls", daemon=True).start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()
