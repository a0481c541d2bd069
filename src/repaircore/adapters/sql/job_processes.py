"""Processes that run jobs, and the work that is waiting for them, in the database."""

import os
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.fast_path.driver import Driver
from repaircore.adapters.sql.claims import is_alive
from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.engine.storage import Storage
from repaircore.adapters.sql.schema.operations import job_processes
from repaircore.adapters.sql.schema.payments import UNDER_WAY
from repaircore.adapters.sql.schema.rides import ACTIVE_REQUESTS
from repaircore.checkup.model import RunningJobs
from repaircore.jobs.model import JobProcess, Queue
from repaircore.jobs.ports import JobProcesses
from repaircore.jobs.schedule import is_running_jobs

_process = RowCodec(JobProcess)

# Each condition is that of a partial index, or reads a table from which finished rows are deleted.
_WAITING: Final = {
    Queue.DELIVERIES: "webhook_deliveries WHERE state = 'pending'",
    Queue.TASKS: "tasks WHERE status IN ('queued', 'running')",
    Queue.MAILS: "messages WHERE channel = 'email' AND state = 'pending'",
    Queue.TEXT_MESSAGES: "messages WHERE channel = 'sms' AND state = 'pending'",
    Queue.PROVIDER_WEBHOOKS: "messages WHERE channel = 'webhook' AND state = 'pending'",
    Queue.PENDING_RIDES: "rides WHERE kind IN ('ride', 'tow') AND status = 'pending'",
    Queue.DISPATCH_REQUESTS: f"dispatch_requests WHERE status IN ({ACTIVE_REQUESTS})",
    Queue.PAYMENTS: f"payments WHERE {UNDER_WAY}",
    Queue.RESET_REQUESTS: "reset_requests",
}
_NEWEST: Final = (
    "(SELECT max(id) FROM webhook_deliveries)",
    "(SELECT max(id) FROM tasks)",
    "(SELECT max(id) FROM messages)",
    "(SELECT max(requested_at) FROM job_leases)",
)


def _select(*expressions: str) -> str:
    return f"SELECT {', '.join(expressions)}"


_EXIST: Final = tuple(f"EXISTS (SELECT 1 FROM {rows} LIMIT 1)" for rows in _WAITING.values())  # noqa: S608 - constants
_QUEUES: Final = _select(*_EXIST)
_STAMP: Final = f"SELECT ROW({', '.join((*_EXIST, *_NEWEST))})::text"


class SqlJobProcesses(JobProcesses):
    """The stored processes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def list_all(self) -> Sequence[JobProcess]:
        query = sa.select(job_processes).order_by(job_processes.c.started_at, job_processes.c.holder)
        return [_process.read(row) for row in self._connection.execute(query)]

    @override
    def see(self, holder: str, *, started_at: datetime, at: datetime) -> None:
        insert = upsert(self._connection, job_processes).values(
            holder=holder, started_at=micros(started_at), seen_at=micros(at)
        )
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["holder"], set_={"seen_at": micros(at)})
        )

    @override
    def delete(self, holder: str) -> None:
        self._connection.execute(sa.delete(job_processes).where(job_processes.c.holder == holder))


def running_jobs(connection: Connection, now: datetime) -> RunningJobs:
    """Return how many processes run jobs, and when each missing one was last seen.

    A process is missing if it stopped reporting, or if it ran on this machine and has ended.
    """
    known = SqlJobProcesses(connection).list_all()
    running = [each for each in known if is_running_jobs(each, now) and is_alive(each.holder)]
    return RunningJobs(
        processes=len(running), missing=[each.seen_at for each in known if each not in running]
    )


class SqlQueuedWork:
    """Reads which queues have work waiting for jobs."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def __call__(self) -> Collection[Queue]:
        """Return the queues that are not empty."""
        row = self._driver.fetch_one(_QUEUES, ()) or ()
        return [queue for queue, waits in zip(_WAITING, row, strict=True) if waits]


class WriteStamp:
    """Reads a value that changes when work for jobs is written: the state of SQLite's files, or a PostgreSQL row.

    Notifications (LISTEN) are not used: a pooler does not pass them on, and a commit that sends one waits for every
    other commit that sends one.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def __call__(self) -> object:
        """Return the current value."""
        path = self._storage.path
        if path is None:
            return self._storage.driver.fetch_one(_STAMP, ())
        return tuple(_state(f"{path}{suffix}") for suffix in ("", "-wal"))


def _state(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - several times a second
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
