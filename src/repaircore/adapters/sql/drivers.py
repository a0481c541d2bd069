"""Drivers in the database."""

from typing import ClassVar

import sqlalchemy as sa
from typing_extensions import override

from repaircore.adapters.sql.providers import SqlProviders
from repaircore.adapters.sql.schema.rides import drivers
from repaircore.providers.drivers import DRIVER, Driver, Drivers
from repaircore.providers.trade import Trade


class SqlDrivers(SqlProviders[Driver], Drivers):
    """The stored drivers."""

    table: ClassVar[sa.Table] = drivers
    trade: ClassVar[Trade[Driver]] = DRIVER

    @override
    def rate(self, driver_id: int, stars: int) -> None:
        update = sa.update(drivers).where(drivers.c.id == driver_id)
        self._connection.execute(
            update.values(
                rating_sum=drivers.c.rating_sum + stars,
                rating_count=drivers.c.rating_count + 1,
                version=drivers.c.version + 1,
            )
        )
