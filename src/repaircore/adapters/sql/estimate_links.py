"""Estimate links in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.schema.quotes import estimate_links
from repaircore.kernel.callers import Environment
from repaircore.shared_estimates.model import EstimateLink
from repaircore.shared_estimates.ports import EstimateLinkRecords

_codec: Final = RowCodec(EstimateLink)


class SqlEstimateLinks(EstimateLinkRecords):
    """The stored estimate links."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, link: EstimateLink, now: datetime) -> EstimateLink:
        row = _codec.write(link)
        insert = upsert(self._connection, estimate_links).values(row)
        # When two requests share an estimate at once, the second one gets the first one's link.
        insert = insert.on_conflict_do_update(
            index_elements=["session_id"], set_=row, where=estimate_links.c.expires_at <= micros(now)
        )
        with translating_errors():
            self._connection.execute(insert)
        return self.find(link.session_id, link.owner_id, now) or link

    @override
    def find(self, session_id: UUID, owner_id: int, now: datetime) -> EstimateLink | None:
        condition = sa.and_(*_owned(session_id, owner_id))
        return self._find(condition, now)

    @override
    def find_by_token(self, token_hash: bytes, now: datetime) -> EstimateLink | None:
        return self._find(estimate_links.c.token_hash == token_hash, now)

    @override
    def list_for(self, owner_id: int, environment: Environment, now: datetime) -> Sequence[EstimateLink]:
        query = (
            sa.select(estimate_links)
            .where(
                estimate_links.c.owner_id == owner_id,
                estimate_links.c.environment == environment.value,
                estimate_links.c.expires_at > micros(now),
            )
            .order_by(estimate_links.c.created_at.desc(), estimate_links.c.session_id.desc())
        )
        return [_codec.read(row) for row in self._connection.execute(query)]

    @override
    def delete(self, session_id: UUID, owner_id: int) -> bool:
        gone = sa.delete(estimate_links).where(*_owned(session_id, owner_id))
        return bool(self._connection.execute(gone).rowcount)

    @override
    def prune(self, now: datetime) -> int:
        expired = sa.delete(estimate_links).where(estimate_links.c.expires_at <= micros(now))
        return self._connection.execute(expired).rowcount

    def _find(self, condition: sa.ColumnElement[bool], now: datetime) -> EstimateLink | None:
        query = sa.select(estimate_links).where(condition, estimate_links.c.expires_at > micros(now))
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _codec.read(row)


def _owned(session_id: UUID, owner_id: int) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return estimate_links.c.session_id == str(session_id), estimate_links.c.owner_id == owner_id
