"""Shared quotes in the database."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.schema.quotes import shared_quotes
from repaircore.shared_quotes.model import SharedQuote
from repaircore.shared_quotes.ports import SharedQuoteRecords

_shared_quote = RowCodec(SharedQuote)


class SqlSharedQuotes(SharedQuoteRecords):
    """The stored shared quotes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, shared: SharedQuote) -> None:
        self._connection.execute(sa.insert(shared_quotes).values(_shared_quote.write(shared)))

    @override
    def find(self, token_hash: bytes, now: datetime) -> SharedQuote | None:
        return self._find(shared_quotes.c.token_hash == token_hash, now)

    @override
    def find_by_deletion(self, deletion_hash: bytes, now: datetime) -> SharedQuote | None:
        return self._find(shared_quotes.c.deletion_hash == deletion_hash, now)

    @override
    def list_for(self, owner_id: int, now: datetime) -> Sequence[SharedQuote]:
        query = (
            sa.select(shared_quotes)
            .where(shared_quotes.c.owner_id == owner_id, shared_quotes.c.expires_at > micros(now))
            .order_by(shared_quotes.c.id.desc())
        )
        return [_shared_quote.read(row) for row in self._connection.execute(query)]

    @override
    def delete(self, token_hash: bytes) -> bool:
        gone = sa.delete(shared_quotes).where(shared_quotes.c.token_hash == token_hash)
        return bool(self._connection.execute(gone).rowcount)

    @override
    def prune(self, now: datetime) -> int:
        expired = sa.delete(shared_quotes).where(shared_quotes.c.expires_at <= micros(now))
        return self._connection.execute(expired).rowcount

    def _find(self, condition: sa.ColumnElement[bool], now: datetime) -> SharedQuote | None:
        query = sa.select(shared_quotes).where(condition, shared_quotes.c.expires_at > micros(now))
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _shared_quote.read(row)
