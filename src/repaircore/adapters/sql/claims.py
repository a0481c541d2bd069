"""Who is computing which answer: a row with an owner for each question.

The owner is a process by host, number and start, so that a claim of a dead process on this machine is
seen at once; the time is only for those whose machine is gone too.
"""

import os
import socket
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import uuid4

from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.engine.driver import Driver
from repaircore.predictions.model import Question
from repaircore.predictions.ports import ComputeClaims

_TAKE: Final = (
    "INSERT INTO computations (question, owner, taken_at) VALUES (?, ?, ?)"
    " ON CONFLICT (question) DO UPDATE SET owner = excluded.owner, taken_at = excluded.taken_at"
    " WHERE computations.taken_at <= ? OR computations.taken_at > ?"
)
_HELD: Final = "SELECT owner, taken_at FROM computations WHERE question = ?"
_TIDY: Final = (
    "DELETE FROM computations WHERE question ="
    " (SELECT question FROM computations WHERE taken_at <= ? ORDER BY taken_at LIMIT 1)"
)
_RELEASE: Final = "DELETE FROM computations WHERE question = ? AND owner = ?"


def this_process() -> str:
    """Name this process so that no later one with the same number has its name."""
    return f"{socket.gethostname()} {os.getpid()} {_started(os.getpid())}"


def is_alive(process: str) -> bool:
    """Tell whether a named process may still be running; of other machines nobody here knows."""
    host, pid, started = process.rsplit(" ", 2)
    return host != socket.gethostname() or _started(int(pid)) == started


def _started(pid: int) -> str:
    """Give when a process started, in ticks since the boot; ``gone`` when there is none."""
    try:
        # Behind the name in parentheses, which may hold anything, the start is the twentieth field.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "gone" if not _answers(pid) else "running"


def _answers(pid: int) -> bool:
    """Ask without /proc."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class SqlClaims(ComputeClaims):
    """Claims in the database."""

    def __init__(self, driver: Driver, *, alive: Callable[[str], bool] = is_alive) -> None:
        self._driver = driver
        self._alive = alive

    @override
    def take(self, question: Question, *, now: datetime, seconds: float) -> str | None:
        key, oldest, newest = _key(question), *(micros(now + d * timedelta(seconds=seconds)) for d in (-1, 1))
        # Those who wait ask again and again: they only read, and leave the writer's turn to whoever computes.
        held = self._driver.one(_HELD, (key,))
        if held is not None and oldest < held[1] <= newest:
            if self._alive(held[0].partition(" ")[2]):
                return None
            self._driver.run(_RELEASE, (key, held[0]))
        owner = f"{uuid4()} {this_process()}"
        if not self._driver.run(_TAKE, (key, owner, micros(now), oldest, newest)):
            return None
        # Those who died leave claims behind: one goes with each that comes.
        self._driver.run(_TIDY, (oldest,))
        return owner

    @override
    def release(self, question: Question, owner: str) -> None:
        self._driver.run(_RELEASE, (_key(question), owner))


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
