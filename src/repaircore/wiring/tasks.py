"""Wiring of tasks: long jobs in the background."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from attrs import evolve

from repaircore.adapters.sql.claims import is_alive, this_process
from repaircore.kernel.callers import Caller
from repaircore.tasks.estimates import BatchRuns
from repaircore.tasks.model import TaskKind
from repaircore.tasks.run import Runner
from repaircore.tasks.service import Tasks
from repaircore.tasks.starts import TaskStarts
from repaircore.tasks.transactions import FileChecks, FileImports, ImportUndos, TransactionExports
from repaircore.tasks.upkeep import BackupRuns, Recalculations, RefitRuns
from repaircore.tasks.worker import TaskWorker

if TYPE_CHECKING:
    from repaircore.core import Core

_PIECE_SECONDS: Final = 3600.0
"""The time budget of a piece of a batch; nobody waits for it, and it can be canceled between items."""


def tasks(core: "Core") -> Tasks:
    """Wire the use cases for tasks."""
    return Tasks(
        transaction=core.storage.transaction,
        read=core.storage.read,
        days=core.settings.task_days,
        clock=core.clock,
    )


def task_starts(core: "Core") -> TaskStarts:
    """Wire the use cases that start tasks."""
    return TaskStarts(
        transaction=core.storage.transaction, read=core.storage.read, tasks=core.tasks, clock=core.clock
    )


def task_worker(core: "Core") -> TaskWorker:
    """Wire the worker that runs tasks."""
    return TaskWorker(
        transaction=core.storage.transaction,
        read=core.storage.read,
        runners=_runners(core),
        may_run=lambda caller: _may_run(core, caller),
        holder=this_process,
        is_alive=is_alive,
        clock=core.clock,
        timer=time.monotonic,
    )


def _runners(core: "Core") -> Mapping[TaskKind, Runner]:
    return {
        TaskKind.CHECK_TRANSACTIONS: FileChecks(files=core.invoice_files),
        TaskKind.IMPORT_TRANSACTIONS: FileImports(files=core.invoice_files, reviews=core.invoice_reviews),
        TaskKind.UNDO_IMPORT: ImportUndos(reviews=core.invoice_reviews),
        TaskKind.PREDICT_BATCH: BatchRuns(batches=evolve(core.batches, seconds=_PIECE_SECONDS)),
        TaskKind.EXPORT_TRANSACTIONS: TransactionExports(exports=core.invoice_exports),
        TaskKind.REFIT: RefitRuns(refits=core.refits),
        TaskKind.RECALCULATE_REGIONS: Recalculations(facilities=core.facilities),
        TaskKind.BACKUP: BackupRuns(backups=core.backups),
    }


def _may_run(core: "Core", caller: Caller) -> bool:
    if caller.user_id is None:
        return True
    with core.storage.read() as work:
        user = work.users.find(caller.user_id)
    return user is not None and not user.is_locked and user.role is caller.role
