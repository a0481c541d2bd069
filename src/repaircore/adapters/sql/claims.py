"""Claims on questions: a row with an owner for each question whose answer is being computed.

The owner names a process by host, pid and start time, so that the claim of a dead process on this machine is
recognized at once; the time limit is for processes on other machines.
"""

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import uuid4

from typing_extensions import override

from repaircore.adapters.fast_path.driver import Driver
from repaircore.adapters.sql.engine.codec import micros
from repaircore.predictions.model import Question
from repaircore.predictions.ports import ComputeClaims

_ACQUIRE: Final = (
    "INSERT INTO computations (question, owner, taken_at) VALUES (?, ?, ?)"
    " ON CONFLICT (question) DO UPDATE SET owner = excluded.owner, taken_at = excluded.taken_at"
    " WHERE computations.taken_at <= ? OR computations.taken_at > ?"
)
_FIND: Final = "SELECT owner, taken_at FROM computations WHERE question = ?"
_DELETE_OLDEST: Final = (
    "DELETE FROM computations WHERE question ="
    " (SELECT question FROM computations WHERE taken_at <= ? ORDER BY taken_at LIMIT 1)"
)
_RELEASE: Final = "DELETE FROM computations WHERE question = ? AND owner = ?"


def this_process() -> str:
    """Return a name for this process that no later process with the same pid will have."""
    return f"{_host()} {os.getpid()} {_started(os.getpid())}"


def is_alive(process: str) -> bool:
    """Return whether the process with this name may still be running; always True for one on another machine."""
    host, pid, started = process.rsplit(" ", 2)
    return host != _host() or _started(int(pid)) == started


def _host() -> str:
    from socket import gethostname  # noqa: PLC0415 - a cached answer needs no claim

    return gethostname()


def _started(pid: int) -> str:
    """Return when a process started, in ticks since boot; "gone" if it does not exist, "running" without /proc."""
    try:
        # After the name in parentheses, which may contain anything, the start time is the twentieth field.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "gone" if not _is_running(pid) else "running"


def _is_running(pid: int) -> bool:
    """Return whether a process exists, on a system without /proc."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class SqlClaims(ComputeClaims):
    """The stored claims on questions."""

    def __init__(self, driver: Driver, *, alive: Callable[[str], bool] = is_alive) -> None:
        self._driver = driver
        self._alive = alive

    @override
    def acquire(self, question: Question, *, now: datetime, seconds: float) -> str | None:
        key, oldest, newest = _key(question), *(micros(now + d * timedelta(seconds=seconds)) for d in (-1, 1))
        # Waiting callers poll: they only read, and leave the write lock to the process that computes.
        claim = self._driver.fetch_one(_FIND, (key,))
        if claim is not None and oldest < claim[1] <= newest:
            if self._alive(claim[0].partition(" ")[2]):
                return None
            self._driver.execute(_RELEASE, (key, claim[0]))
        owner = f"{uuid4()} {this_process()}"
        if not self._driver.execute(_ACQUIRE, (key, owner, micros(now), oldest, newest)):
            return None
        # Dead processes leave claims behind: each new claim deletes an expired one.
        self._driver.execute(_DELETE_OLDEST, (oldest,))
        return owner

    @override
    def release(self, question: Question, owner: str) -> None:
        self._driver.execute(_RELEASE, (_key(question), owner))


def _key(question: Question) -> str:
    return "|".join(
        str(part)
        for part in (
            question.environment,
            question.vehicle_key,
            question.problem_id,
            question.zip_code,
            question.mileage_band,
            question.parts_tier,
        )
    )
