"""Visit links in the database."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.schema.shops import visit_links
from repaircore.adapters.sql.schema.visits import visits
from repaircore.documents.links import Link, SharedKey
from repaircore.documents.ports import LinkRecords

_codec: Final = RowCodec(Link)
_shared_codec: Final = RowCodec(SharedKey)


class SqlVisitLinks(LinkRecords):
    """The stored visit links."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, link: Link) -> Link:
        insert = upsert(self._connection, visit_links).values(_codec.write(link))
        with translating_errors():
            self._connection.execute(insert.on_conflict_do_nothing(index_elements=["visit_id"]))
        return self.find(link.visit_id) or link

    @override
    def find(self, visit_id: int) -> Link | None:
        query = sa.select(visit_links).where(visit_links.c.visit_id == visit_id)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _codec.read(row)

    @override
    def find_visit(self, token_hash: bytes) -> SharedKey | None:
        query = (
            sa.select(visits.c.number, visits.c.environment)
            .join(visit_links, visit_links.c.visit_id == visits.c.id)
            .where(visit_links.c.token_hash == token_hash)
        )
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _shared_codec.read(row)

    @override
    def delete(self, visit_id: int) -> None:
        self._connection.execute(sa.delete(visit_links).where(visit_links.c.visit_id == visit_id))
