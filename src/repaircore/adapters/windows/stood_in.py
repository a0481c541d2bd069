"""Windows with others that stand in for them while they are lost.

Whoever asks waits once for what is lost; the next ask the stand-in at once, and after a rest one of them finds out
whether it is back. The stand-in's windows begin empty, so around a change twice as many as the limit may be admitted.
"""

import logging
import time
from collections.abc import Callable
from threading import Lock
from typing import Final, TypeVar

from typing_extensions import override

from repaircore.adapters.forks import PerProcess
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.ports import Windows

REST_SECONDS: Final = 5.0
"""How long what is lost is left alone before one asks it again."""

_log = logging.getLogger("repaircore.limits")
T = TypeVar("T")


class _Loss:
    """Whether the windows are lost, and when to ask them again. Threads share it; each process finds out for itself."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.lost = False
        self.ask_at = 0.0


class FallbackWindows(Windows):
    """``first`` while they answer, else ``second``; ``name`` says in the log what they are.

    ``clock`` gives seconds that only go on.
    """

    def __init__(
        self, first: Windows, second: Windows, *, name: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._first = first
        self._second = second
        self._name = name
        self._clock = clock
        self._loss = PerProcess(_Loss)

    @override
    def take(self, subject: str, limit: Limit) -> Verdict:
        return self._ask(lambda windows: windows.take(subject, limit))

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        return self._ask(lambda windows: windows.hit(subject, limit))

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        return self._ask(lambda windows: windows.peek(subject, limit))

    @override
    def close(self) -> None:
        self._first.close()
        self._second.close()

    def _ask(self, question: Callable[[Windows], T]) -> T:
        loss = self._loss()
        if loss.lost and not self._is_time(loss):
            return question(self._second)
        try:
            answer = question(self._first)
        except Unavailable as error:
            self._note_loss(loss, error)
            return question(self._second)
        if loss.lost:
            self._note_return(loss)
        return answer

    def _is_time(self, loss: _Loss) -> bool:
        """Return whether this one asks; the others then wait for another rest."""
        with loss.lock:
            now = self._clock()
            if now < loss.ask_at:
                return False
            loss.ask_at = now + REST_SECONDS
            return True

    def _note_loss(self, loss: _Loss, error: Unavailable) -> None:
        with loss.lock:
            is_news, loss.lost = not loss.lost, True
            loss.ask_at = self._clock() + REST_SECONDS
        if is_news:
            _log.warning(
                "%s is lost (%s): rate windows are kept elsewhere until it is back.",
                self._name,
                error.__cause__ or error,
            )

    def _note_return(self, loss: _Loss) -> None:
        with loss.lock:
            is_news, loss.lost = loss.lost, False
        if is_news:
            _log.warning("%s is back: rate windows are kept there again.", self._name)
