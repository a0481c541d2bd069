"""A process that dies after a number of commits and is then restarted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from attrs import evolve
from typing_extensions import override

from repaircore.adapters.sql.engine.storage import Storage
from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.core import Core
from repaircore.tasks.model import Task


class Killed(BaseException):
    """The process is gone."""


class KillableStorage(Storage):
    """A database that kills its user after ``left`` more commits; None for never."""

    left: int | None = None

    @override
    @contextmanager
    def transaction(self) -> Iterator[SqlWork]:
        with super().transaction() as unit:
            yield unit
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                raise Killed


class Process:
    """A task worker that can die."""

    def __init__(self, core: Core) -> None:
        self.storage = KillableStorage(core.storage.url)
        self.core = core.replacing(storage=self.storage)
        dead = evolve(self.core.task_worker, is_alive=lambda _: False)
        self._worker = dead

    def dies_after(self, commits: int) -> bool:
        """Run due tasks; return whether the process died before they ended."""
        self.storage.left = commits
        try:
            self._worker.run_due()
        except Killed:
            return True
        finally:
            self.storage.left = None
        return False

    def resume(self, task: Task) -> Task:
        """Finish the task of a dead process, unless it had already ended."""
        self._worker.run_due()
        return self.core.tasks.find(task.id, task.caller)


def kill_everywhere(process: Process, start: Callable[[], Task], check: Callable[[Task], None]) -> int:
    """Kill the process after each commit of a task in turn and check the result; return the number of deaths."""
    deaths = 0
    while True:
        task = start()
        if not process.dies_after(deaths + 1):
            check(process.core.tasks.find(task.id, task.caller))
            return deaths
        deaths += 1
        check(process.resume(task))
