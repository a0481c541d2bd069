"""Passwords: argon2id behind a gate that all workers of the machine share."""

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from repaircore.accounts.ports import PasswordHasher
from repaircore.adapters.forks import PerProcess
from repaircore.kernel.errors import TooMany

if TYPE_CHECKING:
    from argon2 import PasswordHasher as Argon2


_TIME_COST: Final = 2
_MEMORY_KIB: Final = 19 * 1024
_PARALLELISM: Final = 1
"""OWASP's minimum for argon2id."""
_WAITING_AT_MOST: Final = 4
"""More logins than this at once in a worker are told to come back, so that threads stay free for the rest."""


def _argon2() -> "Argon2":
    from argon2 import PasswordHasher as Argon2  # noqa: PLC0415 - slow to import, rarely needed

    return Argon2(time_cost=_TIME_COST, memory_cost=_MEMORY_KIB, parallelism=_PARALLELISM)


class _Queue:
    """Those of a process who hash or wait to; ``gate`` is the lock file as long as one of them has it open."""

    def __init__(self) -> None:
        self.places = threading.BoundedSemaphore(_WAITING_AT_MOST)
        self.turn = threading.Lock()
        self.gate: int | None = None

    def leave(self) -> None:
        """Let go of the file that a fork shares: its lock would last as long as this process."""
        if self.gate is not None:
            os.close(self.gate)


class Argon2Passwords(PasswordHasher):
    """Hash with argon2id, one at a time on the machine.

    A flood of logins would otherwise take every core from the predictions: a lock file lets one hash
    run at a time across all workers, and a worker holds a few callers back at most.
    """

    def __init__(self, gate: Path, *, argon2: "Callable[[], Argon2]" = _argon2) -> None:
        self._gate = gate
        self._argon2 = argon2
        self._queue = PerProcess(_Queue, leave=_Queue.leave)

    @override
    def hash(self, password: str) -> str:
        with self._turn():
            return self._argon2().hash(password)

    @override
    def verify(self, kept: str | None, password: str) -> bool:
        from argon2.exceptions import Argon2Error, InvalidHashError  # noqa: PLC0415 - slow to import

        with self._turn():
            if kept is None:
                self._argon2().hash(password)  # the same work as comparing, so that nobody can tell
                return False
            try:
                return self._argon2().verify(kept, password)
            except (Argon2Error, InvalidHashError):
                return False

    @override
    def outdated(self, kept: str) -> bool:
        return self._argon2().check_needs_rehash(kept)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        queue = self._queue()
        if not queue.places.acquire(blocking=False):
            raise TooMany(1)
        try:
            with queue.turn, self._machine_wide(queue):
                yield
        finally:
            queue.places.release()

    @contextmanager
    def _machine_wide(self, queue: _Queue) -> Iterator[None]:
        self._gate.parent.mkdir(parents=True, exist_ok=True)
        queue.gate = descriptor = os.open(self._gate, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            queue.gate = None
            os.close(descriptor)
