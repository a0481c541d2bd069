"""Requests and answers in order of time, as their senders saw them."""

from collections.abc import Sequence
from threading import Lock

from attrs import frozen


@frozen(kw_only=True)
class Call:
    """One request that got an answer, from its first attempt to that answer.

    ``key`` is its idempotency key, None for a read. ``subject`` is the record that it is about, and ``state`` the record's
    state in the answer; both are None if it was refused. Times are seconds of a monotonic clock.
    """

    what: str
    key: str | None
    status: int
    subject: str | None
    state: str | None
    begun: float
    ended: float
    is_retry_said: bool = True
    """Whether a 503 had a Retry-After header."""

    @property
    def is_write(self) -> bool:
        return self.key is not None


class History:
    """The calls of many threads."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._lock = Lock()

    def add(self, call: Call) -> None:
        """Add a call that has ended."""
        with self._lock:
            self._calls.append(call)

    def since(self, count: int) -> Sequence[Call]:
        """Return the calls after the first ``count``, in the order in which they ended."""
        with self._lock:
            return self._calls[count:]
