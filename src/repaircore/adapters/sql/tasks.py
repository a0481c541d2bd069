"""Tasks and their files in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from attrs import asdict
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros, micros_or_none
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.schema.tasks import task_chunks, task_files, task_lines, tasks
from repaircore.json_text import encode_text
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.paging import Page, PageRequest
from repaircore.tasks.model import (
    MOST_LINES,
    NewTask,
    Task,
    TaskFile,
    TaskFilter,
    TaskLine,
    TaskProgress,
    TaskStatus,
)
from repaircore.tasks.ports import TaskFiles, TaskRecords

_caller = RowCodec(Caller)
_task = RowCodec(Task, caller=_caller)
_ORDERS: Final = Orders(
    of="tasks",
    columns={"created_at": tasks.c.id},  # ids increase with time
    id=tasks.c.id,
    usual="-created_at",
)
_line = RowCodec(TaskLine)
_file = RowCodec(TaskFile)
_OPEN: Final = sa.text("status IN ('queued', 'running')")  # as the index has it


class SqlTasks(TaskRecords):
    """The stored tasks."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def create(self, task: NewTask, *, at: datetime) -> Task:
        insert = sa.insert(tasks).values(
            kind=task.kind,
            **_caller.write(task.caller),
            title=task.title,
            options=encode_text(task.options),
            status=TaskStatus.QUEUED,
            done=0,
            percent=0,
            input_id=task.input_id,
            attempts=0,
            due_at=micros(at),
            created_at=micros(at),
        )
        return _task.read(self._connection.execute(insert.returning(tasks)).one())

    @override
    def find(self, task_id: int) -> Task | None:
        row = self._connection.execute(sa.select(tasks).where(tasks.c.id == task_id)).one_or_none()
        return None if row is None else _task.read(row)

    @override
    def page(
        self,
        wanted: TaskFilter,
        request: PageRequest,
        *,
        environment: Environment,
        owner: Caller | None,
    ) -> Page[Task]:
        query = sa.select(tasks).where(tasks.c.environment == environment)
        if owner is not None:
            query = query.where(tasks.c.user_id.is_not_distinct_from(owner.user_id))
        if wanted.status is not None:
            query = query.where(tasks.c.status == wanted.status)
        if wanted.kind is not None:
            query = query.where(tasks.c.kind == wanted.kind)
        return listed(self._connection, query, request, _ORDERS, _task.read)

    @override
    def count_open(self, caller: Caller) -> int:
        query = sa.select(sa.func.count()).where(tasks.c.user_id.is_not_distinct_from(caller.user_id), _OPEN)
        return int(self._connection.execute(query.select_from(tasks)).scalar_one())

    @override
    def list_open(self) -> Sequence[Task]:
        query = sa.select(tasks).where(_OPEN).order_by(tasks.c.id)
        return [_task.read(row) for row in self._connection.execute(query)]

    @override
    def acquire(self, task: Task, *, holder: str, until: datetime, at: datetime) -> Task | None:
        update = (
            sa.update(tasks)
            .where(
                tasks.c.id == task.id,
                tasks.c.status == task.status,
                tasks.c.attempts == task.attempts,
                tasks.c.holder.is_not_distinct_from(task.holder),
                tasks.c.held_until.is_not_distinct_from(micros_or_none(task.held_until)),
            )
            .values(
                status=TaskStatus.RUNNING,
                attempts=tasks.c.attempts + 1,
                holder=holder,
                held_until=micros(until),
                started_at=sa.func.coalesce(tasks.c.started_at, micros(at)),
            )
            .returning(tasks)
        )
        row = self._connection.execute(update).one_or_none()
        return None if row is None else _task.read(row)

    @override
    def renew(self, task_id: int, *, holder: str, until: datetime) -> bool:
        return self._update(task_id, holder, held_until=micros(until))

    @override
    def save_progress(self, task_id: int, progress: TaskProgress, *, holder: str) -> bool:
        return self._update(task_id, holder, **asdict(progress))

    @override
    def save_mark(self, task_id: int, mark: dict[str, Any], *, holder: str) -> bool:
        return self._update(task_id, holder, mark=encode_text(mark))

    @override
    def set_output(self, task_id: int, file_id: int | None, *, holder: str) -> bool:
        return self._update(task_id, holder, output_id=file_id)

    @override
    def release(self, task_id: int, *, holder: str, due_at: datetime, attempts: int) -> bool:
        return self._update(
            task_id,
            holder,
            status=TaskStatus.QUEUED,
            holder=None,
            held_until=None,
            due_at=micros(due_at),
            attempts=attempts,
        )

    @override
    def end(
        self,
        task_id: int,
        *,
        holder: str | None,
        status: TaskStatus,
        at: datetime,
        result: dict[str, Any] | None = None,
        failure: str | None = None,
    ) -> bool:
        return self._update(
            task_id,
            holder,
            status=status,
            holder=None,
            held_until=None,
            finished_at=micros(at),
            result=None if result is None else encode_text(result),
            failure=failure,
            mark=None,
            **({"percent": 100} if status is TaskStatus.SUCCEEDED else {}),
        )

    @override
    def request_cancel(self, task_id: int, *, at: datetime) -> bool:
        update = sa.update(tasks).where(tasks.c.id == task_id, _OPEN)
        values = {"cancelled_at": sa.func.coalesce(tasks.c.cancelled_at, micros(at))}
        return self._connection.execute(update.values(values)).rowcount == 1

    @override
    def is_cancelled(self, task_id: int) -> bool:
        query = sa.select(tasks.c.cancelled_at).where(tasks.c.id == task_id)
        return self._connection.execute(query).scalar_one_or_none() is not None

    @override
    def add_line(self, task_id: int, text: str, *, at: datetime) -> None:
        last = sa.select(sa.func.max(task_lines.c.number)).where(task_lines.c.task_id == task_id)
        number = (self._connection.execute(last).scalar_one_or_none() or 0) + 1
        if number <= MOST_LINES:
            self._connection.execute(
                sa.insert(task_lines).values(task_id=task_id, number=number, at=micros(at), text=text)
            )

    @override
    def list_lines(self, task_id: int) -> Sequence[TaskLine]:
        query = sa.select(task_lines).where(task_lines.c.task_id == task_id).order_by(task_lines.c.number)
        return [_line.read(row) for row in self._connection.execute(query)]

    @override
    def delete_ended(self, *, before: datetime) -> int:
        deleted = self._connection.execute(sa.delete(tasks).where(tasks.c.finished_at < micros(before)))
        is_used = sa.exists().where(
            sa.or_(tasks.c.input_id == task_files.c.id, tasks.c.output_id == task_files.c.id)
        )
        self._connection.execute(
            sa.delete(task_files).where(task_files.c.created_at < micros(before), ~is_used)
        )
        return deleted.rowcount

    def _update(self, task_id: int, current: str | None, **values: Any) -> bool:
        """Update an open task if ``current`` holds it (with None, if nobody does); return whether it was updated."""
        update = sa.update(tasks).where(
            tasks.c.id == task_id, tasks.c.holder.is_not_distinct_from(current), _OPEN
        )
        return self._connection.execute(update.values(values)).rowcount == 1


class SqlTaskFiles(TaskFiles):
    """The stored task files."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def create(self, name: str, media_type: str, caller: Caller, *, at: datetime) -> TaskFile:
        insert = sa.insert(task_files).values(
            name=name, media_type=media_type, size=0, user_id=caller.user_id, created_at=micros(at)
        )
        return _file.read(self._connection.execute(insert.returning(task_files)).one())

    @override
    def append(self, file_id: int, content: bytes) -> None:
        last = sa.select(sa.func.max(task_chunks.c.number)).where(task_chunks.c.file_id == file_id)
        number = self._connection.execute(last).scalar_one_or_none()
        self._connection.execute(
            sa.insert(task_chunks).values(
                file_id=file_id, number=0 if number is None else number + 1, content=content
            )
        )
        grown = sa.update(task_files).where(task_files.c.id == file_id)
        self._connection.execute(grown.values(size=task_files.c.size + len(content)))

    @override
    def find(self, file_id: int) -> TaskFile | None:
        row = self._connection.execute(sa.select(task_files).where(task_files.c.id == file_id)).one_or_none()
        return None if row is None else _file.read(row)

    @override
    def chunk(self, file_id: int, number: int) -> bytes | None:
        query = sa.select(task_chunks.c.content).where(
            task_chunks.c.file_id == file_id, task_chunks.c.number == number
        )
        found = self._connection.execute(query).scalar_one_or_none()
        return None if found is None else bytes(found)

    @override
    def delete(self, file_id: int) -> None:
        self._connection.execute(sa.delete(task_files).where(task_files.c.id == file_id))
