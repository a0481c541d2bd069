"""Tasks for operators: refits, recalculations and backups, which are all safe to repeat."""

from collections.abc import Callable
from typing import Final, TypeAlias

from attrs import frozen
from typing_extensions import override

from repaircore.backups.service import Backups
from repaircore.facilities.service import Facilities
from repaircore.learning.refits import Refits
from repaircore.tasks.run import Result, Runner, TaskRun

_PHASE: Final = "working"

Work: TypeAlias = Callable[[TaskRun], Result]


@frozen(kw_only=True)
class RefitRuns(Runner):
    """Fits the estimates to all invoices."""

    refits: Refits

    @override
    def run(self, run: TaskRun) -> Result:
        run.report(_PHASE, 0)
        found = self.refits.refit(run.caller)
        return {"invoices": found.invoices, "repairs": len(found.problems)}

    @override
    def take_back(self, run: TaskRun) -> None:
        """Do nothing: the next refit replaces the result."""


@frozen(kw_only=True)
class Recalculations(Runner):
    """Recalculates each region's labor rate from its invoices."""

    facilities: Facilities

    @override
    def run(self, run: TaskRun) -> Result:
        run.report(_PHASE, 0)
        found = self.facilities.recalculate(run.caller)
        return {"updated": found.updated, "skipped": found.skipped}

    @override
    def take_back(self, run: TaskRun) -> None:
        """Do nothing: the next recalculation replaces the result."""


@frozen(kw_only=True)
class BackupRuns(Runner):
    """Writes the whole database to a file in a folder of this machine; a later run starts over."""

    backups: Backups

    @override
    def run(self, run: TaskRun) -> Result:
        made = self.backups.store(
            run.task.id, run.caller, lambda done, total: run.report("writing", done, total)
        )
        return {
            "rows": made.manifest.rows,
            "size": made.size,
            "machine": made.machine,
            "file": str(made.file),
        }

    @override
    def take_back(self, run: TaskRun) -> None:
        self.backups.discard(run.task.id)
