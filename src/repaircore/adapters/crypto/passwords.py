"""Passwords: argon2id, one hash at a time over all workers of the machine."""

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
_MAX_WAITING: Final = 4
"""More concurrent logins in a worker are rejected, so that threads stay free for other requests."""


def _argon2() -> "Argon2":
    from argon2 import PasswordHasher as Argon2  # noqa: PLC0415 - slow to import, rarely needed

    return Argon2(time_cost=_TIME_COST, memory_cost=_MEMORY_KIB, parallelism=_PARALLELISM)


class _Queue:
    """The threads of a process that hash or wait to; ``gate`` is the lock file while one of them has it open."""

    def __init__(self) -> None:
        self.places = threading.BoundedSemaphore(_MAX_WAITING)
        self.turn = threading.Lock()
        self.gate: int | None = None

    def leave(self) -> None:
        """Close the file that a fork shares: its lock would last as long as this process."""
        if self.gate is not None:
            os.close(self.gate)


class Argon2Passwords(PasswordHasher):
    """Hashes with argon2id, one at a time on the machine.

    A flood of logins would otherwise take every core from the predictions: a lock file lets one hash
    run at a time across all workers, and in each worker only a few callers wait.
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
    def verify(self, stored: str | None, password: str) -> bool:
        from argon2.exceptions import Argon2Error, InvalidHashError  # noqa: PLC0415 - slow to import

        with self._turn():
            if stored is None:
                self._argon2().hash(password)  # the same work as comparing, so that timing reveals nothing
                return False
            try:
                return self._argon2().verify(stored, password)
            except (Argon2Error, InvalidHashError):
                return False

    @override
    def needs_rehash(self, stored: str) -> bool:
        return self._argon2().check_needs_rehash(stored)

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
