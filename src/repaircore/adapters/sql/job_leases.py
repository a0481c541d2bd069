"""Job leases in the database."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros, micros_or_none
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.operations import job_leases
from repaircore.jobs.model import JobLease
from repaircore.jobs.ports import JobLeases
from repaircore.json_text import encode_text

_lease = RowCodec(JobLease)


class SqlJobLeases(JobLeases):
    """The stored leases."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def find(self, name: str) -> JobLease:
        row = self._connection.execute(sa.select(job_leases).where(job_leases.c.name == name)).one_or_none()
        return JobLease(name=name) if row is None else _lease.read(row)

    @override
    def list_all(self) -> Sequence[JobLease]:
        return [_lease.read(row) for row in self._connection.execute(sa.select(job_leases).order_by("name"))]

    @override
    def acquire(self, old: JobLease, *, holder: str, until: datetime) -> bool:
        self._connection.execute(
            upsert(self._connection, job_leases).values(name=old.name).on_conflict_do_nothing()
        )
        update = (
            sa.update(job_leases)
            .where(
                job_leases.c.name == old.name,
                job_leases.c.holder.is_not_distinct_from(old.holder),
                job_leases.c.held_until.is_not_distinct_from(micros_or_none(old.held_until)),
                job_leases.c.done_at.is_not_distinct_from(micros_or_none(old.done_at)),
            )
            .values(holder=holder, held_until=micros(until))
        )
        return self._connection.execute(update).rowcount == 1

    @override
    def renew(self, name: str, *, holder: str, until: datetime) -> bool:
        update = sa.update(job_leases).where(job_leases.c.name == name, job_leases.c.holder == holder)
        return self._connection.execute(update.values(held_until=micros(until))).rowcount == 1

    @override
    def release(
        self,
        name: str,
        *,
        holder: str,
        began_at: datetime,
        at: datetime,
        failure: str | None,
        counts: Mapping[str, int] | None = None,
    ) -> bool:
        later = sa.case((job_leases.c.requested_at > micros(began_at), job_leases.c.requested_at))
        update = (
            sa.update(job_leases)
            .where(job_leases.c.name == name, job_leases.c.holder == holder)
            .values(
                holder=None,
                held_until=None,
                done_at=micros(at),
                failure=failure,
                counts=None if counts is None else encode_text(counts),
                requested_at=later,
            )
        )
        return self._connection.execute(update).rowcount == 1

    @override
    def request(self, name: str, *, at: datetime) -> None:
        insert = upsert(self._connection, job_leases).values(name=name, requested_at=micros(at))
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["name"], set_={"requested_at": micros(at)})
        )

    @override
    def initialize(self, name: str, *, at: datetime) -> None:
        insert = upsert(self._connection, job_leases).values(name=name, done_at=micros(at))
        self._connection.execute(insert.on_conflict_do_nothing())
