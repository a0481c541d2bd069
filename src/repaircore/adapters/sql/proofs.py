"""Job proofs in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.schema.proofs import job_proofs
from repaircore.proofs.model import Picture, Proof
from repaircore.proofs.ports import ProofRecords

_proof: Final = RowCodec(Proof)
_COLUMNS: Final = [
    *(column for column in job_proofs.c if column.name != "image"),
    sa.case((job_proofs.c.image.is_(None), 0), else_=1).label("is_available"),
]


class SqlProofs(ProofRecords):
    """The stored proofs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, proof: Proof, content: bytes) -> Proof:
        values: dict[str, Any] = _proof.write(proof)
        del values["id"], values["is_available"]
        insert = sa.insert(job_proofs).values(**values, image=content).returning(job_proofs.c.id)
        return evolve(proof, id=self._connection.execute(insert).scalar_one())

    @override
    def list_for(self, ride_ref: str) -> Sequence[Proof]:
        query = sa.select(*_COLUMNS).where(job_proofs.c.ride_ref == ride_ref).order_by(job_proofs.c.id)
        return [_proof.read(row) for row in self._connection.execute(query)]

    @override
    def picture(self, ride_ref: str, ref: str) -> Picture | None:
        columns = job_proofs.c
        query = sa.select(columns.image, columns.media_type, columns.width, columns.height)
        query = query.where(columns.ride_ref == ride_ref, columns.ref == ref, columns.image.is_not(None))
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return None
        return Picture(
            content=bytes(row.image), media_type=row.media_type, width=row.width, height=row.height
        )

    @override
    def delete_pictures(self, *, before: datetime, limit: int) -> int:
        columns = job_proofs.c
        old = sa.select(columns.id).where(columns.image.is_not(None), columns.added_at < micros(before))
        chosen = [*self._connection.execute(old.order_by(columns.added_at).limit(limit)).scalars()]
        update = sa.update(job_proofs).where(columns.id.in_(chosen), columns.image.is_not(None))
        return self._connection.execute(update.values(image=None)).rowcount if chosen else 0
