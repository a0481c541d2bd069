"""Start tasks: requests are validated immediately, and the work is done in the background."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import IO, Any, Final

from attrs import evolve, frozen

from repaircore.batches.model import MOST_LATER
from repaircore.invoice_files.errors import ImportNotFound
from repaircore.json_text import encode
from repaircore.kernel.callers import LOCAL, Caller, require_admin, require_operator
from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import sentence
from repaircore.kernel.types import Clock
from repaircore.shop_tables.model import Field
from repaircore.tasks.errors import TaskFileGone, TooManyTasks
from repaircore.tasks.estimates import CSV, JSON, require_batch_file
from repaircore.tasks.files import store
from repaircore.tasks.model import MOST_OPEN, NewTask, Task, TaskKind
from repaircore.tasks.ports import OpenWork, TasksWork
from repaircore.tasks.service import Tasks

_LONGEST_NAME: Final = 120
_LONGEST_SOURCE: Final = 60
_BINARY: Final = "application/octet-stream"

Columns = Mapping[Field, str]
"""The name of the column for each field; an empty name omits the field."""


@frozen(kw_only=True)
class TaskStarts:
    """Use cases that start tasks on behalf of the caller, in their environment.

    All of them raise ``TooManyTasks`` if the account has too many waiting and running tasks.
    """

    transaction: OpenWork
    read: OpenWork
    tasks: Tasks
    clock: Clock

    def check_file(self, name: str, content: IO[bytes], caller: Caller = LOCAL, *, source: str = "") -> Task:
        """Check a file of invoices, which can then be imported; ``source`` is where it comes from.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``source``: it is too long.
        """
        require_admin(caller)
        source = " ".join(source.split())
        if len(source) > _LONGEST_SOURCE:
            raise Invalid({"source": [sentence("source", f"must have at most {_LONGEST_SOURCE} characters")]})
        task = NewTask(
            kind=TaskKind.CHECK_TRANSACTIONS,
            caller=caller,
            title=_name_of(name) or "file",
            options={"source": source, "columns": {}},
        )
        return self._create(task, content, _BINARY)

    def check_again(self, task_id: int, columns: Columns, caller: Caller = LOCAL) -> Task:
        """Check a file again with corrected columns.

        Raises:
            Forbidden: the caller is not an admin.
            TaskNotFound: there is no such task, or the caller may not see it.
            TaskFileGone: the task is not a check, or its file was imported or deleted.
        """
        require_admin(caller)
        check = self._check(task_id, caller)
        options = {**check.options, "columns": {field.value: name for field, name in columns.items()}}
        return self._create(evolve(_repeated(check, caller), options=options))

    def import_checked(self, task_id: int, caller: Caller = LOCAL) -> Task:
        """Import a checked file with the same columns; rejected rows are skipped.

        Raises:
            Forbidden: the caller is not an admin.
            TaskNotFound: there is no such task, or the caller may not see it.
            TaskFileGone: the task is not a check, or its file was imported or deleted.
            Invalid: on ``file``: its check has not succeeded, or required columns are missing.
        """
        require_admin(caller)
        check = self._check(task_id, caller)
        found = check.result or {}
        if not found:
            raise Invalid(
                {"file": ["The check has not succeeded. Wait until it ends, or check the file again."]}
            )
        if found.get("missing"):
            raise Invalid(
                {"file": ["Required columns are missing. Check the file again with a column for each."]}
            )
        options = {
            **check.options,
            "keep_good": True,
            "check_id": check.id,
            "refused": found.get("refused", 0),
        }
        new = evolve(_repeated(check, caller), kind=TaskKind.IMPORT_TRANSACTIONS, options=options)
        return self._create(new)

    def undo_import(self, import_id: int, caller: Caller = LOCAL) -> Task:
        """Undo an import.

        Raises:
            Forbidden: the caller is not an admin.
            ImportNotFound: the caller's environment has no such import.
        """
        require_admin(caller)
        with self.read() as work:
            record = work.invoice_files.find_import(import_id)
        if record is None or record.environment is not caller.environment:
            raise ImportNotFound
        options = {"import_id": import_id}
        return self._create(
            NewTask(kind=TaskKind.UNDO_IMPORT, caller=caller, title=record.file, options=options)
        )

    def predict_file(self, name: str, content: IO[bytes], caller: Caller = LOCAL) -> Task:
        """Estimate each row of a CSV file.

        Raises:
            Invalid: on ``file``: it is not a CSV file, a column is missing, or it has no rows.
        """
        require_batch_file(content)
        content.seek(0)
        task = NewTask(
            kind=TaskKind.PREDICT_BATCH,
            caller=caller,
            title=_name_of(name) or "cars.csv",
            options={"format": "csv"},
        )
        return self._create(task, content, CSV)

    def predict_items(self, items: Sequence[Mapping[str, Any]], caller: Caller = LOCAL) -> Task:
        """Estimate each of the items, as ``Batches.predict`` does.

        Raises:
            Invalid: on ``items``: there are none, or too many.
        """
        if not 1 <= len(items) <= MOST_LATER:
            raise Invalid({"items": [sentence("items", f"must have 1 to {MOST_LATER:,} items")]})
        task = NewTask(
            kind=TaskKind.PREDICT_BATCH,
            caller=caller,
            title=f"{len(items):,} {'item' if len(items) == 1 else 'items'}",
            options={"format": "json"},
        )
        return self._create(task, BytesIO(encode(items)), JSON)

    def export_transactions(self, caller: Caller = LOCAL) -> Task:
        """Write all transactions of the caller's environment to a CSV file.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        return self._create(NewTask(kind=TaskKind.EXPORT_TRANSACTIONS, caller=caller))

    def refit(self, caller: Caller = LOCAL) -> Task:
        """Fit the estimates of the caller's environment to its invoices.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        return self._create(NewTask(kind=TaskKind.REFIT, caller=caller))

    def recalculate_regions(self, caller: Caller = LOCAL) -> Task:
        """Recalculate each region's labor rate from its invoices.

        Raises:
            Forbidden: the caller is not an admin of the live environment.
        """
        require_operator(caller)
        return self._create(NewTask(kind=TaskKind.RECALCULATE_REGIONS, caller=caller))

    def back_up(self, caller: Caller = LOCAL) -> Task:
        """Write the whole database to a file on the machine that runs the task.

        Raises:
            Forbidden: the caller is not an admin of the live environment.
        """
        require_operator(caller)
        return self._create(NewTask(kind=TaskKind.BACKUP, caller=caller))

    def _check(self, task_id: int, caller: Caller) -> Task:
        check = self.tasks.find(task_id, caller)
        if check.kind is not TaskKind.CHECK_TRANSACTIONS or check.input_id is None:
            raise TaskFileGone
        return check

    def _create(self, task: NewTask, content: IO[bytes] | None = None, media_type: str = _BINARY) -> Task:
        now = self.clock()
        with self.transaction() as work:
            if work.tasks.count_open(task.caller) >= MOST_OPEN:
                raise TooManyTasks
            if content is not None:
                task = self._with_input(work, task, content, media_type)
            created = work.tasks.create(task, at=now)
            work.tasks.add_line(created.id, "Waiting.", at=now)
            return created

    def _with_input(self, work: TasksWork, task: NewTask, content: IO[bytes], media_type: str) -> NewTask:
        file = work.task_files.create(task.title, media_type, task.caller, at=self.clock())
        store(work, file, content)
        return evolve(task, input_id=file.id)


def _repeated(check: Task, caller: Caller) -> NewTask:
    return NewTask(
        kind=check.kind, caller=caller, title=check.title, options=check.options, input_id=check.input_id
    )


def _name_of(name: str) -> str:
    """Return a file's name without its folders and unprintable characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(sign for sign in last if sign.isprintable()).strip()[:_LONGEST_NAME]
