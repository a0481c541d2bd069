"""Tracking links in the database."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.proofs import tracking_links
from repaircore.tracking.model import TrackingLink
from repaircore.tracking.ports import TrackingRecords

_link: Final = RowCodec(TrackingLink)


class SqlTrackingLinks(TrackingRecords):
    """The stored tracking links."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def find(self, ride_ref: str) -> TrackingLink | None:
        return self._first(tracking_links.c.ride_ref == ride_ref)

    @override
    def find_by_token(self, token_hash: bytes) -> TrackingLink | None:
        return self._first(tracking_links.c.token_hash == token_hash)

    @override
    def save(self, link: TrackingLink) -> None:
        values = _link.write(link)
        insert = upsert(self._connection, tracking_links).values(values)
        del values["ride_ref"]
        self._connection.execute(insert.on_conflict_do_update(index_elements=["ride_ref"], set_=values))

    def _first(self, condition: "sa.ColumnElement[bool]") -> TrackingLink | None:
        row = self._connection.execute(sa.select(tracking_links).where(condition)).one_or_none()
        return None if row is None else _link.read(row)
