"""Invalidation of cached answers when vehicles and shops change."""

from collections.abc import Collection, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.schema.predictions import remembered
from repaircore.facilities.ports import CachedPrices
from repaircore.kernel.callers import Environment
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.ports import CachedAnswers

_BATCH: Final = 500


class SqlAnswers(CachedAnswers, CachedPrices):
    """The cached answers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def invalidate(self, vehicle: Vehicle) -> None:
        keys = {vehicle.answer_key, str(vehicle.id)}
        # The index starts with the environment.
        self._connection.execute(
            sa.delete(remembered).where(
                remembered.c.environment.in_([*Environment]), remembered.c.vehicle_key.in_(keys)
            )
        )

    @override
    def zip_codes(self) -> Sequence[str]:
        return self._connection.execute(sa.select(remembered.c.zip_code).distinct()).scalars().all()

    @override
    def forget_at(self, zip_codes: Collection[str]) -> None:
        codes = sorted(zip_codes)
        for start in range(0, len(codes), _BATCH):
            batch = codes[start : start + _BATCH]
            self._connection.execute(sa.delete(remembered).where(remembered.c.zip_code.in_(batch)))
