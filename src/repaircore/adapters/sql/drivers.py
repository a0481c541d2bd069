"""Drivers in the database."""

from typing import ClassVar

import sqlalchemy as sa
from typing_extensions import override

from repaircore.adapters.sql.providers import SqlProviders
from repaircore.adapters.sql.schema.rides import drivers
from repaircore.providers.drivers import DRIVER, Driver, Drivers
from repaircore.providers.trade import Trade


class SqlDrivers(SqlProviders[Driver], Drivers):
    """The kept drivers."""

    table: ClassVar[sa.Table] = drivers
    trade: ClassVar[Trade[Driver]] = DRIVER
    more: ClassVar[tuple[str, ...]] = ("rating_sum", "rating_count")

    @override
    def rate(self, driver_id: int, stars: int) -> None:
        columns = drivers.c
        rated = sa.update(drivers).where(columns.id == driver_id)
        self._connection.execute(
            rated.values(
                rating_sum=columns.rating_sum + stars,
                rating_count=columns.rating_count + 1,
                version=columns.version + 1,
            )
        )
