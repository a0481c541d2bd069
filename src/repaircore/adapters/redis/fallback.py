"""Rate windows with a fallback for when their store is not responding.

The first request after a loss waits for the lost store; the next ones use the fallback at once, and after a pause one
of them tries the store again. The fallback's windows begin empty, so after a loss up to twice the limit may be
admitted. A store that is back may be empty too: for as long as a window lasts, a request then needs a place in both.
"""

import logging
import math
import time
from collections.abc import Callable
from threading import Lock
from typing import Final, Protocol, TypeVar

from typing_extensions import override

from repaircore.adapters.forks import PerProcess
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.ports import Windows

REST_SECONDS: Final = 5.0
"""Seconds until a lost store is tried again."""

_log = logging.getLogger("repaircore.limits")


class _Answer(Protocol):
    """A verdict or the status of a window."""

    @property
    def admitted(self) -> bool:
        """Whether a place was left."""


T = TypeVar("T", bound=_Answer)


class _Loss:
    """Whether the store is lost, and when to try it again; shared by the threads of a process."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.lost = False
        self.retry_at = 0.0
        self.returned_at = -math.inf


class FallbackWindows(Windows):
    """Uses the ``first`` windows while they respond, or else the ``second``; ``name`` names the first in the log.

    ``clock`` returns seconds of a monotonic clock.
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
    def acquire(self, subject: str, limit: Limit) -> Verdict:
        return self._call(lambda windows: windows.acquire(subject, limit), limit)

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        return self._call(lambda windows: windows.hit(subject, limit), limit)

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        return self._call(lambda windows: windows.peek(subject, limit), limit)

    @override
    def close(self) -> None:
        self._first.close()
        self._second.close()

    def _call(self, operation: Callable[[Windows], T], limit: Limit) -> T:
        loss = self._loss()
        if loss.lost and not self._should_retry(loss):
            return operation(self._second)
        fallback = self._overlapping(operation, loss, limit)
        if fallback is not None and not fallback.admitted:
            return fallback
        try:
            result = operation(self._first)
        except Unavailable as error:
            self._record_loss(loss, error)
            return operation(self._second) if fallback is None else fallback
        if loss.lost:
            self._record_return(loss)
        return result if fallback is None or not result.admitted else _with_fewer_places(result, fallback)

    def _overlapping(self, operation: Callable[[Windows], T], loss: _Loss, limit: Limit) -> T | None:
        """Return the fallback's result if it counts too, or None if it does not or the fallback is unavailable."""
        if not loss.lost and self._clock() - loss.returned_at >= limit.seconds:
            return None
        try:
            return operation(self._second)
        except Unavailable:
            return None

    def _should_retry(self, loss: _Loss) -> bool:
        """Return whether this call should retry the store; if so, other calls keep using the fallback meanwhile."""
        with loss.lock:
            now = self._clock()
            if now < loss.retry_at:
                return False
            loss.retry_at = now + REST_SECONDS
            return True

    def _record_loss(self, loss: _Loss, error: Unavailable) -> None:
        with loss.lock:
            is_news, loss.lost = not loss.lost, True
            loss.retry_at = self._clock() + REST_SECONDS
        if is_news:
            _log.warning(
                "%s is not responding (%s). Rate limits use the fallback until it is back.",
                self._name,
                error.__cause__ or error,
            )

    def _record_return(self, loss: _Loss) -> None:
        with loss.lock:
            is_news, loss.lost = loss.lost, False
            loss.returned_at = self._clock()
        if is_news:
            _log.warning("%s is back. Rate limits use it again.", self._name)


def _with_fewer_places(first: T, second: T) -> T:
    """Return the result with fewer places left; of two verdicts, return the first."""
    return min(first, second, key=_places_left)


def _places_left(answer: _Answer) -> int:
    return answer.remaining if isinstance(answer, WindowStatus) else 0
