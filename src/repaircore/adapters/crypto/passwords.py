"""Password hashing: argon2id, one hash at a time across all workers on the machine."""

import fcntl
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from repaircore.accounts.password_strength import normalize_password
from repaircore.accounts.ports import PasswordHasher
from repaircore.adapters.forks import PerProcess
from repaircore.kernel.errors import TooMany

if TYPE_CHECKING:
    from argon2 import PasswordHasher as Argon2


_TIME_COST: Final = 2
_MEMORY_KIB: Final = 19 * 1024
_PARALLELISM: Final = 1
"""These three parameters are OWASP's minimum for argon2id."""
_FEW: Final = 4
"""How many threads of a worker may hash or wait at any time; the others stay free for other requests."""
_MANY: Final = 32
"""How many threads may hash or wait in a burst, as when people log in at the start of the day."""
_BURST_SECONDS: Final = 5.0
"""How long a burst may last; after that, callers beyond ``_FEW`` are rejected."""
_MOST_PER_SUBJECT: Final = 2
"""How many calls for one subject may hash or wait; more are rejected, to leave places for others."""


def _argon2() -> "Argon2":
    from argon2 import PasswordHasher as Argon2  # noqa: PLC0415 - slow to import, rarely needed

    return Argon2(time_cost=_TIME_COST, memory_cost=_MEMORY_KIB, parallelism=_PARALLELISM)


class _Queue:
    """The threads of a process that hash or wait; ``gate`` is the descriptor of the lock file while it is open."""

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self.gate: int | None = None
        self._lock = threading.Lock()
        self._subjects: Counter[str] = Counter()
        self.waiting = 0
        self._burst_at: float | None = None

    def enter(self, subject: str | None, now: float) -> None:
        """Take a place in the queue.

        Raises:
            TooMany: the subject already has its share, or no place is left.
        """
        with self._lock:
            if subject is not None and self._subjects[subject] >= _MOST_PER_SUBJECT:
                raise TooMany(1)
            if self.waiting >= _FEW:
                self._burst_at = now if self._burst_at is None else self._burst_at
                if self.waiting >= _MANY or now - self._burst_at > _BURST_SECONDS:
                    raise TooMany(1)
            self.waiting += 1
            if subject is not None:
                self._subjects[subject] += 1

    def exit(self, subject: str | None) -> None:
        """Release a place in the queue."""
        with self._lock:
            self.waiting -= 1
            if self.waiting < _FEW:
                self._burst_at = None
            if subject is not None:
                self._subjects[subject] -= 1
                if not self._subjects[subject]:
                    del self._subjects[subject]

    def leave(self) -> None:
        """Close the lock file in a forked child, which would otherwise hold the parent's lock as long as it runs."""
        if self.gate is not None:
            os.close(self.gate)


class Argon2Passwords(PasswordHasher):
    """Password hashing with argon2id, one at a time on the machine.

    A flood of logins would otherwise take every core from the predictions. The lock file ``gate`` lets one hash
    run at a time across all workers; in each worker, a few callers may hash or wait at any time, and more
    only in a burst of a few seconds. ``clock`` returns monotonic time in seconds.
    """

    def __init__(
        self,
        gate: Path,
        *,
        argon2: "Callable[[], Argon2]" = _argon2,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gate = gate
        self._argon2 = argon2
        self._clock = clock
        self._queue = PerProcess(_Queue, leave=_Queue.leave)

    @property
    def waiting(self) -> int:
        """How many of this process's threads are hashing or waiting."""
        return self._queue().waiting

    @override
    def hash(self, password: str) -> str:
        with self._turn(None):
            return self._argon2().hash(normalize_password(password))

    @override
    def verify(self, stored: str | None, password: str, *, subject: str | None = None) -> bool:
        # Hashes from before passwords were normalized are of the password as typed.
        forms = dict.fromkeys((normalize_password(password), password))
        with self._turn(subject):
            # Try every form even after a match, so that timing reveals nothing about the stored hash.
            matches = [self._matches(stored, form) for form in forms]
        return any(matches)

    def _matches(self, stored: str | None, password: str) -> bool:
        from argon2.exceptions import Argon2Error, InvalidHashError  # noqa: PLC0415 - slow to import

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
    def _turn(self, subject: str | None) -> Iterator[None]:
        queue = self._queue()
        queue.enter(subject, self._clock())
        try:
            with queue.turn, self._machine_wide(queue):
                yield
        finally:
            queue.exit(subject)

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
