"""Shops in the database."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.schema.shops import shops
from repaircore.shops.model import Logo, Shop
from repaircore.shops.ports import ShopRecords

_codec: Final = RowCodec(Shop)
_WITHOUT_LOGO: Final = [
    *(column for column in shops.columns if column.name != "logo"),
    shops.c.logo.is_not(None).label("has_logo"),
]
_FIND: Final = sa.select(*_WITHOUT_LOGO).where(shops.c.owner_id == sa.bindparam("owner"))


class SqlShops(ShopRecords):
    """The stored shops."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def find(self, owner_id: int) -> Shop | None:
        row = self._connection.execute(_FIND, {"owner": owner_id}).one_or_none()
        return None if row is None else _codec.read(row)

    @override
    def save(self, shop: Shop) -> Shop:
        values = _codec.write(shop)
        del values["has_logo"]
        insert = upsert(self._connection, shops).values({**values, "version": 1})
        changed = {name: insert.excluded[name] for name in values if name not in {"owner_id", "version"}}
        with translating_errors():
            self._connection.execute(
                insert.on_conflict_do_update(
                    index_elements=["owner_id"], set_={**changed, "version": shops.c.version + 1}
                )
            )
        # Not from RETURNING, where SQLite reports the new row's missing logo as present.
        row = self._connection.execute(_FIND, {"owner": shop.owner_id}).one()
        return _codec.read(row)

    @override
    def logo(self, owner_id: int) -> Logo | None:
        query = sa.select(shops.c.logo, shops.c.logo_width, shops.c.logo_height)
        row = self._connection.execute(
            query.where(shops.c.owner_id == owner_id, shops.c.logo.is_not(None))
        ).one_or_none()
        return None if row is None else Logo(png=row.logo, width=row.logo_width, height=row.logo_height)

    @override
    def set_logo(self, owner_id: int, logo: Logo | None) -> None:
        values = {
            "logo": None if logo is None else logo.png,
            "logo_width": None if logo is None else logo.width,
            "logo_height": None if logo is None else logo.height,
        }
        update = sa.update(shops).where(shops.c.owner_id == owner_id)
        self._connection.execute(update.values(**values, version=shops.c.version + 1))
