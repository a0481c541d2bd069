"""An installation whose process dies after a number of commits, and one that goes on after it."""

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
    """A database whose user dies as soon as so many units of work were committed; None for never."""

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
    """What runs tasks, and may die."""

    def __init__(self, core: Core) -> None:
        self.storage = KillableStorage(core.storage.url)
        self.core = core.replacing(storage=self.storage)
        dead = evolve(self.core.task_worker, is_alive=lambda _: False)
        self._worker = dead

    def dies_after(self, commits: int) -> bool:
        """Run what is due; return whether the process died before it had ended."""
        self.storage.left = commits
        try:
            self._worker.run_due()
        except Killed:
            return True
        finally:
            self.storage.left = None
        return False

    def go_on(self, task: Task) -> Task:
        """Run what a dead process has left of a task, unless that had just ended."""
        self._worker.run_due()
        return self.core.tasks.find(task.id, task.caller)


def killed_everywhere(process: Process, start: Callable[[], Task], check: Callable[[Task], None]) -> int:
    """Kill the process after each commit of a task in turn, and check what became of it; return how often it died."""
    deaths = 0
    while True:
        task = start()
        if not process.dies_after(deaths + 1):
            check(process.core.tasks.find(task.id, task.caller))
            return deaths
        deaths += 1
        check(process.go_on(task))
