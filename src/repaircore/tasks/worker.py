"""Run tasks in any number of processes; each task is run by only one of them at a time."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from threading import Event
from typing import Final
from uuid import uuid4

from attrs import frozen

from repaircore.jobs.ports import Holder, IsAlive
from repaircore.kernel.errors import Failure, Unavailable
from repaircore.kernel.leases import RENEWAL_SECONDS, is_in_force, renewed_lease
from repaircore.kernel.types import Clock, Timer
from repaircore.tasks.errors import CancelRequested, LeaseLost, StopRequested
from repaircore.tasks.model import (
    LEASE,
    MOST_ATTEMPTS,
    ONE_AT_A_TIME,
    RETRY_AFTER,
    Task,
    TaskKind,
    TaskStatus,
)
from repaircore.tasks.ports import MayRun, OpenWork
from repaircore.tasks.run import Runner, TaskRun

_LONGEST_SECONDS: Final = 60.0
_GIVEN_UP: Final = f"The process running this task ended {MOST_ATTEMPTS} times, so the task was stopped."
_NOT_ALLOWED: Final = (
    "The account that started this task was locked or deleted, or is no longer allowed to run it."
)
_NEVER: Final = Event()
_RUN_SEPARATOR: Final = "#"
"""Separates the process from the run in the name of a lease's holder; host names never contain it."""

_log = logging.getLogger(__name__)


@frozen(kw_only=True)
class TaskWorker:
    """Runs tasks; each thread that calls ``run`` runs one task at a time."""

    transaction: OpenWork
    read: OpenWork
    runners: Mapping[TaskKind, Runner]
    may_run: MayRun
    holder: Holder
    is_alive: IsAlive
    clock: Clock
    timer: Timer
    renewal_seconds: float = RENEWAL_SECONDS

    def run(self, stop: Event, wake: Event) -> None:
        """Run due tasks until ``stop`` is set.

        A running task then pauses after its current piece of work, to resume later. When no task is due, wait for
        ``wake``, but at most ``_LONGEST_SECONDS``.

        Raises:
            Unavailable: the database is not responding.
        """
        while not stop.is_set():
            wake.clear()
            while not stop.is_set() and self.run_next(stop) is not None:
                pass
            if not stop.is_set():
                wake.wait(_LONGEST_SECONDS)

    def run_due(self) -> Sequence[Task]:
        """Run the due tasks one after another, and return each in its state after the run."""
        ran = []
        while (task := self.run_next()) is not None:
            ran.append(task)
        return ran

    def run_next(self, stop: Event = _NEVER) -> Task | None:
        """Run the oldest due task that may run now, and return it in its new state, or None if there is none."""
        # A run whose lease has expired must not be mistaken for the next one, even in the same process.
        holder = f"{self.holder()}{_RUN_SEPARATOR}{uuid4().hex}"
        task = self._acquire(holder)
        if task is None:
            return None
        run = TaskRun(
            task,
            transaction=self.transaction,
            read=self.read,
            holder=holder,
            clock=self.clock,
            timer=self.timer,
            stop=stop,
        )
        with renewed_lease(
            lambda: self._renew(task.id, holder),
            subject=f"task {task.id}",
            log=_log,
            seconds=self.renewal_seconds,
        ):
            try:
                self._run(run, self.runners[task.kind], holder)
            except StopRequested:
                self._release(run, holder, attempts=task.attempts - 1, due_at=self.clock())
            except LeaseLost:
                _log.warning("Task %d is now run by another process.", task.id)
        with self.read() as work:
            return work.tasks.find(task.id) or task

    def _acquire(self, holder: str) -> Task | None:
        now = self.clock()
        with self.read() as work:
            waiting = work.tasks.list_open()
        held = [task for task in waiting if self._is_held(task, now)]
        is_learning = any(task.kind in ONE_AT_A_TIME for task in held)
        for task in waiting:
            if task in held or task.due_at > now or (is_learning and task.kind in ONE_AT_A_TIME):
                continue
            with self.transaction() as work:
                acquired = work.tasks.acquire(task, holder=holder, until=now + LEASE, at=now)
            if acquired is not None:
                return acquired
        return None

    def _is_held(self, task: Task, now: datetime) -> bool:
        return (
            task.holder is not None
            and is_in_force(task.held_until, now, lasts=LEASE)
            and self.is_alive(task.holder.partition(_RUN_SEPARATOR)[0])
        )

    def _run(self, run: TaskRun, runner: Runner, holder: str) -> None:
        task = run.task
        if task.cancelled_at is not None:
            self._cancel(run, runner, holder)
        elif task.attempts > MOST_ATTEMPTS:
            self._fail(run, runner, holder, _GIVEN_UP)
        elif not self.may_run(task.caller):
            self._fail(run, runner, holder, _NOT_ALLOWED)
        else:
            self._attempt(run, runner, holder)

    def _attempt(self, run: TaskRun, runner: Runner, holder: str) -> None:
        task = run.task
        run.log("Started." if task.attempts == 1 else f"Started again (run {task.attempts}).")
        try:
            result = runner.run(run)
        except CancelRequested:
            self._cancel(run, runner, holder)
        except (StopRequested, LeaseLost):
            raise
        except Unavailable as failure:
            if task.attempts >= MOST_ATTEMPTS:
                self._fail(run, runner, holder, failure.message)
            else:
                run.log(f"{failure.message} Trying again.")
                due_at = self.clock() + RETRY_AFTER * task.attempts
                self._release(run, holder, attempts=task.attempts, due_at=due_at)
        except Failure as failure:
            self._fail(run, runner, holder, failure.message)
        except Exception as error:  # noqa: BLE001 - recorded as the failure of the task
            _log.exception("Task %d failed", task.id)
            self._fail(run, runner, holder, f"Something went wrong on our end ({type(error).__name__}).")
        else:
            self._succeed(run, holder, result)

    def _succeed(self, run: TaskRun, holder: str, result: Mapping[str, object]) -> None:
        task, now = run.task, self.clock()
        with self.transaction() as work:
            ended = work.tasks.end(
                task.id, holder=holder, status=TaskStatus.SUCCEEDED, at=now, result=dict(result)
            )
            if not ended:
                raise LeaseLost
            work.tasks.add_line(task.id, "Done.", at=now)
            # Keep a checked file, because it is imported next.
            if task.input_id is not None and task.kind is not TaskKind.CHECK_TRANSACTIONS:
                work.task_files.delete(task.input_id)

    def _cancel(self, run: TaskRun, runner: Runner, holder: str) -> None:
        self._take_back(run, runner)
        self._end(run, holder, TaskStatus.CANCELLED, "Canceled.")

    def _fail(self, run: TaskRun, runner: Runner, holder: str, failure: str) -> None:
        self._take_back(run, runner)
        self._end(run, holder, TaskStatus.FAILED, f"Failed: {failure}", failure=failure)

    def _take_back(self, run: TaskRun, runner: Runner) -> None:
        run.is_taking_back = True
        try:
            runner.take_back(run)
        except (StopRequested, LeaseLost):
            raise
        except Failure as failure:
            run.log(f"Not everything could be undone: {failure.message}")
        except Exception as error:  # noqa: BLE001 - the task ends anyway, and its log says so
            _log.exception("The changes of task %d could not be undone", run.task.id)
            run.log(f"Not everything could be undone ({type(error).__name__}).")

    def _end(
        self, run: TaskRun, holder: str, status: TaskStatus, line: str, failure: str | None = None
    ) -> None:
        now = self.clock()
        with self.transaction() as work:
            if not work.tasks.end(run.task.id, holder=holder, status=status, at=now, failure=failure):
                raise LeaseLost
            work.tasks.add_line(run.task.id, line, at=now)

    def _release(self, run: TaskRun, holder: str, *, attempts: int, due_at: datetime) -> None:
        with self.transaction() as work:
            work.tasks.release(run.task.id, holder=holder, due_at=due_at, attempts=attempts)

    def _renew(self, task_id: int, holder: str) -> None:
        with self.transaction() as work:
            work.tasks.renew(task_id, holder=holder, until=self.clock() + LEASE)
